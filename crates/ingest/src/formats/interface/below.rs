//! Which lines go on with `show interfaces`: heads, what stands above the first of them, and what a dialect claims below one.

use super::asked::{Asked, is_command};
use super::cut::Ways;
use super::glued::glued;
use super::heads::{dialects_of, is_head};
use super::pattern::squeezed;
use super::places::is_alone;
use super::preface::{is_log, is_preface, is_ruler};
use super::prepared::{PREPARED, Prepared, prepared_of, with_bits};
use super::reader;
use super::tables;
use super::wrapped::is_wrapped;
use crate::arrival::{is_furniture, is_omission};
use crate::block::{Block, DialectSet};
use crate::prompt::{command_line, is_bare_prompt};
use crate::sieve::Glance;

pub(super) fn continues(block: &Block, line: &str) -> bool {
    let begins = is_head(line) && !is_below_its_head(block, line) || is_described(block, line);
    block.note(begins);
    if begins {
        // It becomes the next line of the block.
        block.memo.set(Some(block.len()));
        return true;
    }
    if line.trim_ascii().is_empty() {
        return true;
    }
    if command_line(line).is_some() {
        // `QoS-Group#  Bandwidth%  PrioLevel` is the heading of a table.
        return last_head(block).is_some_and(|head| is_claimed(block, head, line));
    }
    if is_omission(line) || is_log(line) {
        return last_head(block).is_some();
    }
    // "  <UP,BROADCAST,RUNNING,MULTICAST>" is none.
    if !line.starts_with([' ', '\t']) && is_bare_prompt(line) {
        return false;
    }
    // What the command printed may be a table.
    if block.len() < 5 && last_head(block).is_none() && tables::begins(line) {
        return false;
    }
    // Pagers stand between the lines.
    if line.starts_with([' ', '\t']) || is_furniture(line) || is_wrapped(block, line) {
        return true;
    }
    // Between the command and its output routers print the time.
    if block.len() < LONGEST_PREFACE && block.memo.get().is_none() && is_preface(line) {
        return true;
    }
    let Some(head) = last_head(block) else {
        return block.len() < LONGEST_PREFACE && is_ruler(line)
            || block.first().is_some_and(|first| is_kept(first, line));
    };
    is_claimed(block, head, line)
}

/// Whether a line is a head with what people call the interface behind it, as IOS accounts for protocols: nothing else begins a line there.
fn is_described(block: &Block, line: &str) -> bool {
    let accounts = |command: &str| command.contains(" accounting") && is_command(command);
    block.begins_with(1, accounts) && described(line).is_some()
}

/// Whether a line right below a head is one that the head's dialect knows, where only others begin so.
fn is_below_its_head(block: &Block, line: &str) -> bool {
    last_head(block).is_some_and(|head| {
        head + 1 == block.len()
            && of_head(block, head) & dialects_of(&squeezed(line)) == 0
            && is_claimed(block, head, line)
    })
}

/// Such a line's name, and what stands behind it.
pub(super) fn described(line: &str) -> Option<(&str, &str)> {
    line.split_once(' ').filter(|(name, _)| is_alone(name))
}

/// Whether a dialect in which the head may be claims the line for it.
fn is_claimed(block: &Block, head: usize, line: &str) -> bool {
    let text = squeezed(line);
    let (glance, ways) = (Glance::at(&text), Ways::default());
    // A device speaks one dialect: who claimed a line before is asked first. Whoever else claims it changes nothing.
    let (dialects, last) = (of_head(block, head), block.claimant.get());
    let mut asked = with_bits(dialects & last).chain(with_bits(dialects & !last));
    let claimant = asked.find(|(_, prepared)| reader::claims(prepared, &text, &glance, &ways));
    block.claimant.set(claimant.map_or(last, |(bit, _)| bit));
    claimant.is_some()
}

/// Whether a line is one that a filter may have kept of the one interface that the command asks for, without its head.
fn is_kept(command: &str, line: &str) -> bool {
    let asked = Asked::of(command);
    if asked.filtered().is_none() && asked.filtered_name().is_none() {
        return false;
    }
    let is_asked = |prepared: &&Prepared| asked.filtered().is_some() || prepared.has_given_names();
    let text = squeezed(line);
    let (glance, ways) = (Glance::at(&text), Ways::default());
    PREPARED
        .iter()
        .filter(is_asked)
        .any(|prepared| reader::claims(prepared, &text, &glance, &ways))
}

/// So many lines stand between a command and the first head at most.
const LONGEST_PREFACE: usize = 12;

/// Interfaces with more lines are none.
const MOST_LINES: usize = 400;

/// The place of the last head.
fn last_head(block: &Block) -> Option<usize> {
    let place = block.memo.get().unwrap_or(0);
    let is_near = block.len() - place <= MOST_LINES;
    // What became the memo was seen to be one.
    let begins = |line: &str| is_head(line) || glued(line).is_some();
    let is_one = block.memo.get().is_some() || block.begins_with(1, begins);
    (is_near && is_one).then_some(place)
}

/// The dialects in which an interface may begin like this; asked of each line below it.
fn of_head(block: &Block, place: usize) -> DialectSet {
    let known = block.dialects.get().filter(|(of, _)| *of == place);
    let (_, dialects) = known.unwrap_or_else(|| {
        let line = block.get(place).unwrap_or_default();
        let head = described(line).filter(|_| !is_head(line)).map(|(name, _)| name);
        let behind_command = || glued(line).filter(|_| place == 0).map(|(_, head)| head);
        let head = behind_command().or(head).unwrap_or(line);
        (place, dialects_of(&squeezed(head)))
    });
    block.dialects.set(Some((place, dialects)));
    dialects
}

/// Where nothing is indented, a line right below an interface's is one of it: a dialect may do so, or who copied the text.
pub(super) fn takes_in(block: &Block, line: &str) -> bool {
    let Some(last) = block.last().filter(|last| !last.trim_ascii().is_empty()) else {
        return false;
    };
    let is_flat = || !last.starts_with([' ', '\t']) && block.memo.get() != block.len().checked_sub(1);
    command_line(line).is_none()
        && last_head(block).is_some_and(|head| {
            is_flat() || prepared_of(of_head(block, head)).any(|prepared| prepared.dialect.is_flat)
        })
}
