//! Lines that no format knows: what they tell of those below, and the complaints about them.

use super::Blocks;
use crate::arrival::{is_furniture, stamp_length, without_quotes};
use crate::command::bare;
use crate::findings::UNKNOWN;
use crate::formats::headless;
use crate::prompt::{CommandLine, command_line, first_of_two, is_bare_prompt};
use crate::when::shell_date;
use crate::{Event, ImportComplaint};

/// What devices are asked with, and no code is.
const ASKS: [&str; 2] = ["show ", "display "];

impl Blocks<'_> {
    /// Takes a line that no format knows: what it tells of those below, or a complaint.
    pub(super) fn take_unknown(&mut self, line: &str, sink: &mut dyn FnMut(Event)) {
        if let Some(at) = shell_date(line, self.context.utc_offset_s) {
            if self.scene.awaits_date() {
                // That was what the command above printed.
                self.command_alone.take_if(|held| held.reason == UNKNOWN);
            }
            return self.scene.dated(at);
        }
        if let Some(host) = first_of_two(line) {
            self.scene.end();
            return self.scene.is_at(Some(host));
        }
        if self.scene.is_heading(line) || self.scene.is_uname(line) || self.takes_ruled(line) {
            return;
        }
        if is_left(line) {
            return self.scene.end();
        }
        // A logger stamps rules and the last prompt too, and a mail quotes them.
        let stamped = stamp_length(line).and_then(|end| line.get(end..));
        let behind = stamped.unwrap_or(line).trim_start_matches(['>', ' ']);
        if is_furniture(line) || is_furniture(behind) {
            // At a prompt with nothing behind it what was typed above is over.
            if is_bare_prompt(behind) {
                self.scene.end();
            }
            return;
        }
        self.settle(None, sink);
        let (first, _) = self
            .held_command()
            .or(self.unknown)
            .unwrap_or((self.line, self.line));
        self.complain_about_command(sink);
        self.scene.end();
        let (quotes, unquoted) = without_quotes(line, usize::MAX);
        let unquoted = unquoted
            .strip_prefix(' ')
            .filter(|_| quotes > 0)
            .unwrap_or(unquoted);
        if let Some(typed) = typed_for_unknown(unquoted).or_else(|| typed_for_unknown(line)) {
            // What it prints may be known.
            self.quotes = quotes;
            self.scene.typed(&typed);
            self.unknown = (first < self.line).then_some((first, self.line - 1));
            self.strange_lines.clear();
            if prints_nothing(typed.command) {
                return;
            }
            self.command_alone = Some(unknown_lines(self.line, self.line));
        } else {
            self.unknown = Some((first, self.line));
            self.strange_lines.push(self.line, line);
        }
    }

    /// Takes the command that no format knows, with the unknown lines above it: what it printed is not known either.
    pub(super) fn held_command(&mut self) -> Option<(u64, u64)> {
        let held = self.command_alone.take_if(|held| held.reason == UNKNOWN)?;
        let first = self.unknown.map_or(held.first_line, |(first, _)| first);
        Some((first, held.last_line))
    }

    pub(super) fn complain_about_command(&mut self, sink: &mut dyn FnMut(Event)) {
        if let Some(complaint) = self.command_alone.take() {
            self.scene.end();
            sink(Event::Complaint(complaint));
        }
    }

    pub(super) fn complain_about_unknown(&mut self, sink: &mut dyn FnMut(Event)) {
        let strange = std::mem::take(&mut self.strange_lines);
        let Some((first_line, last_line)) = self.unknown.take() else {
            return;
        };
        let Some(block) = strange.headless() else {
            return sink(unknown(first_line, last_line));
        };
        if first_line < block.first_line {
            sink(unknown(first_line, block.first_line - 1));
        }
        let findings = self.read(&headless::FORMAT, &block);
        findings.events.into_iter().for_each(&mut *sink);
        if block.last_line() < last_line {
            sink(unknown(block.last_line() + 1, last_line));
        }
    }
}

/// Whether a device is told how to print, or which mode it is to be in: it answers with its prompt.
fn prints_nothing(command: &str) -> bool {
    const MODES: [&str; 8] = [
        "conf t",
        "configure terminal",
        "enable",
        "end",
        "environment no more",
        "exit",
        "no page",
        "quit",
    ];
    const MANNERS: [&str; 5] = [
        "execute ping-options ",
        "screen-length ",
        "set cli ",
        "term ",
        "terminal ",
    ];
    let is_whole = !command.contains(['#', '>']);
    MODES.contains(&command.trim_ascii_end())
        || is_whole && MANNERS.iter().any(|told| command.starts_with(told))
}

/// Whether a line tells that a host was left: what follows is of another.
fn is_left(line: &str) -> bool {
    let text = line.trim_ascii();
    matches!(text, "logout" | "exit") || text.starts_with("Connection to ") && text.ends_with(" closed.")
}

/// The command of a line of which nothing is known, where it is one. In what is set in, code and markup begin as prompts do (`    p->next = q;`):
/// there it names who typed it, or is what only devices take.
fn typed_for_unknown(line: &str) -> Option<CommandLine<'_>> {
    let text = line.trim_ascii_start();
    let is_set_in = text.len() < line.len();
    let typed = command_line(text)?;
    let is_sure = is_surely_typed(text, &typed);
    let is_one = match is_set_in {
        true => is_sure && (text.contains('@') || ASKS.iter().any(|verb| typed.command.starts_with(verb))),
        false => is_sure || bare(line).is_some(),
    };
    is_one.then_some(typed)
}

/// Whether a line of which nothing is known has a prompt all the same: `ticket#12345 opened` has none, nor the mark of a quote.
fn is_surely_typed(line: &str, typed: &CommandLine<'_>) -> bool {
    let is_command = typed
        .command
        .starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '.'));
    let names_place = line.contains('@') || line.starts_with('[');
    let is_sentence =
        line.trim_ascii_end().ends_with(['.', ':', '?', '!']) || line.contains('%') || line.contains("$ ");
    // AOS has an arrow, and no name before it.
    let is_at_arrow = line.starts_with("-> show ");
    (typed.device().is_some() || is_at_arrow) && is_command && (names_place || !is_sentence)
}

pub(super) fn unknown(first_line: u64, last_line: u64) -> Event {
    Event::Complaint(unknown_lines(first_line, last_line))
}

pub(super) fn unknown_lines(first_line: u64, last_line: u64) -> ImportComplaint {
    ImportComplaint {
        first_line,
        last_line,
        reason: UNKNOWN.to_owned(),
        further: 0,
    }
}
