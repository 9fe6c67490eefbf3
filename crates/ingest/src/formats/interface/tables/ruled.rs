//! Tables of ports whose columns are told by where they stand: below a rule with a piece for each column (ProCurve, Eltex, Dell,
//! Edgecore, Ciena, VyOS …), or below headings of one word (FastIron, ZTE, SR OS).
//!
//! A heading may have several lines: what stands above the same piece of the rule is one name. Of a row that does not keep to
//! its columns nothing is used: it would be another's value.

use super::columns::{
    Column, Holds, describes, has_unknown_counts, is_above, is_address, is_heading, is_rest, of_rule,
    of_words,
};
use super::fixed::is_below_rule;
use super::gathered::{About, Gathered, Said};
use super::port::{is_port_cell, said};
use super::{MOST_OF_HEADING, is_rule, named};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use crate::text::begin_of;
use evidence::CounterKind;
use memchr::memchr2;
use std::borrow::Cow;

pub(crate) static FORMAT: Format = Format {
    name: "tables of ports, in columns",
    group: Group::Interfaces,
    reads: "`show interfaces`, `brief`, `status`, `description`, `show ports` of ProCurve, Eltex, Dell, Edgecore, FastIron, ZTE, \
            Alcatel, Ciena, SR OS, SR Linux, PAN-OS, VyOS, EdgeOS, NX-OS (`brief`): state, speed, duplex, MTU, errors and drops",
    first: "ABCDEFILNOPRSTVafnt|+*#",
    has_command: false,
    marks: Some(|| {
        Marks::of(TITLES)
            .and(BEGINNINGS)
            .and(["Type: A - access; T", "- PORT "])
            .or(|line| is_heading(line) || is_above(line))
    }),
    starts: |line| {
        is_title(line) && !is_members(line)
            || is_heading(line)
            || is_above(line) && line.trim_ascii().contains(' ')
    },
    continues,
    takes_in: None,
    read,
};

const TOOL: &str = "table of ports";

const TITLES: [&str; 2] = [
    "Status and Counters - Port Counters",
    "Status and Counters - Port Status",
];

/// What other lines begin with that are printed above and below them.
const BEGINNINGS: [&str; 26] = [
    "Codes: S - State, L - Link, u - Up, D - Down, A - Admin Down",
    "Note: * indicates values dynamically overridden",
    "* third-party transceiver",
    "* indicates that the corresponding row element may have been truncated",
    "aggregation groups: ",
    "total configured logical interfaces:",
    "total configured hardware interfaces:",
    // AOS, `show interfaces port`.
    "Legends: WTR - ",
    "#   - WTR Timer",
    "*   - Permanent Shutdown",
    "FF - ForcedFiber",
    "FC - ForcedCopper",
    "Ports on Slot",
    "Ports on Port Cross Connect",
    "Port Descriptions on Slot",
    "Brief information on interface",
    "The brief information of interface",
    "Ports on Satellite",
    "Link: ADM - administratively down",
    "Protocol: (s) - spoofing",
    "Speed: (a) - auto",
    "Duplex: (a)/A - auto",
    "Speed or Duplex: (a)/A - auto",
    // Eltex, below its table.
    "nc (not connected): ",
    "err (error-disabled): ",
    "adm (admin.shutdown): ",
];

fn is_title(line: &str) -> bool {
    let text = line.trim_ascii();
    TITLES.contains(&text)
        || BEGINNINGS.iter().any(|title| text.starts_with(title))
        || text.starts_with("Type: A - access; T")
        || is_frame(text)
        || is_members(line)
}

/// PAN-OS says of an aggregate which ports are in it: `ae1 members:`, and below them `    ethernet1/5 ethernet1/6`.
fn is_members(line: &str) -> bool {
    let is_port = |word: &str| word.starts_with("ethernet") && word.contains('/');
    let is_aggregate = || {
        line.trim_ascii_end()
            .strip_suffix(" members:")
            .is_some_and(is_port_cell)
    };
    line.starts_with("  ") && line.split_ascii_whitespace().all(is_port) && line.contains('/')
        || is_aggregate()
}

/// `+------- PORT OPERATIONAL STATUS -------+`
fn is_frame(line: &str) -> bool {
    line.len() > 20 && line.starts_with("+--") && line.ends_with("--+") && line.contains("- PORT ")
}

/// Whether a line is the first one of such a table.
pub(crate) fn begins(line: &str) -> bool {
    (FORMAT.starts)(line) || super::fixed::is_heading(line)
}

fn is_titled_or_ruled(line: &str) -> bool {
    is_title(line) || is_rule(line) || has_frame(line) && is_rule(&unframed(line))
}

/// `Port-channel VLAN …` has one word more below.
fn is_lower_heading(line: &str) -> bool {
    line.trim_ascii_end() == "Interface"
}

fn has_frame(line: &str) -> bool {
    memchr2(b'|', b'+', line.as_bytes()).is_some()
}

/// Frames of tables are blanks.
fn unframed(line: &str) -> Cow<'_, str> {
    match has_frame(line) {
        true => line.replace(['|', '+'], " ").into(),
        false => line.into(),
    }
}

fn continues(block: &Block, line: &str) -> bool {
    if line.trim_ascii().is_empty() {
        return true;
    }
    if command_line(line).is_some() {
        return false;
    }
    if is_titled_or_ruled(line) || is_heading(line) || is_above(line) {
        return true;
    }
    let Some(last) = block.last().filter(|last| !last.trim_ascii().is_empty()) else {
        return is_row(line) && is_below_rule(block);
    };
    if is_lower_heading(line) {
        return is_heading(last);
    }
    // The rest of a row that has several addresses.
    let is_wrapped = is_set_in(line) && (is_row(last) || is_bare_row(last) || is_set_in(last));
    let is_name = is_name_alone(line) || is_bare_row(line) && is_described(block);
    !is_title(last) && (is_row(line) || is_wrapped || is_name)
}

/// A port and nothing else: nobody described it.
fn is_bare_row(line: &str) -> bool {
    let line = line.trim_ascii();
    !line.contains(' ') && is_port_cell(line)
}

/// A name that is longer than its column: the rest of the row stands below it.
fn is_name_alone(line: &str) -> bool {
    is_bare_row(line) && line.contains('/') && !is_address(line.trim_ascii())
}

fn is_set_in(line: &str) -> bool {
    line.starts_with("      ")
}

/// Whether the table in hand has ports and their descriptions alone.
fn is_described(block: &Block) -> bool {
    block.last_such(is_heading).is_some_and(|heading| {
        let mut words = heading.split_ascii_whitespace().skip(1);
        words.next() == Some("Description") && words.next().is_none()
    })
}

/// Whether a line can be a row: what names a port stands in front.
fn is_row(line: &str) -> bool {
    let text = unframed(line);
    let mut words = text.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    let second = words.next();
    // "Po 10", set off from what stands behind it.
    let is_set_off = |number: &str| {
        let behind = begin_of(number, &text) + number.len();
        text.get(behind..).is_some_and(|behind| behind.starts_with("  "))
    };
    is_port_cell(first) && second.is_some()
        || second.is_some_and(|second| {
            first.len() < 16
                && first.bytes().all(|byte| byte.is_ascii_alphabetic())
                && second.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
                && (second.contains('/')
                    || is_set_off(second) && second.bytes().all(|byte| byte.is_ascii_digit()))
        })
}

/// The names of counters that mean the same across makers, sorted.
const WORDS: &[(&str, CounterKind)] = &[
    ("Drops Tx", CounterKind::OutputDrops),
    ("Errors Rx", CounterKind::InputErrors),
];

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut gathered, device_of) = (Gathered::default(), device(block, context));
    let mut heading: Vec<&str> = Vec::new();
    let mut columns: Option<Vec<Column>> = None;
    let (mut rows, mut has_rows, mut rule) = (0, false, None);
    let mut held: Option<(u64, &str)> = None;
    for (number, line) in block.numbered() {
        let above = held.take();
        let is_second_name = above.is_some() && is_name_alone(line);
        if let Some((number, line)) = above.filter(|_| !is_set_in(line)) {
            findings.unread(number, line);
        }
        let above = above.map(|(_, line)| line).filter(|_| is_set_in(line));
        if line.trim_ascii().is_empty() || is_title(line) {
            // PAN-OS prints blank lines around the rule.
            let is_awaited = rows == 0 && line.trim_ascii().is_empty();
            if !is_awaited && (rows > 0 || columns.is_some()) {
                (columns, rows) = (None, 0);
                heading.clear();
            }
        } else if is_heading(line) || rows == 0 && is_above(line) || is_lower_heading(line) {
            if columns.is_some() {
                (columns, rows) = (None, 0);
                heading.clear();
            }
            if heading.len() == MOST_OF_HEADING {
                heading.remove(0);
            }
            heading.push(line);
        } else if is_titled_or_ruled(line) {
            // A frame has a rule above its headings, and one below its rows.
            if columns.is_none() && !heading.is_empty() {
                rule = Some(line);
                columns = of_rule(&heading, line).or_else(|| of_words(&heading));
                gathered.head(&heading.join(" "));
                complain_of_heading(findings, number, columns.as_deref());
            } else if rows > 0 {
                (columns, rows) = (None, 0);
                heading.clear();
            }
        } else if is_bare_row(line) && columns.as_deref().is_some_and(describes) {
            (rows, has_rows) = (rows + 1, true);
        } else if is_set_in(line) && columns.as_deref().is_some_and(describes) {
            // The words for the port above.
        } else if is_second_name {
            // Which of the two the rest belongs to is not known.
            findings.unread(number, line);
        } else if is_name_alone(line) {
            held = Some((number, line));
        } else if above.is_none() && !is_row(line) && !line.split_ascii_whitespace().all(is_address) {
            if rows == 0 || !columns.as_deref().is_some_and(|columns| is_rest(columns, line)) {
                findings.unread(number, line);
            }
        } else {
            if columns.is_none() && !heading.is_empty() {
                rule = None;
                columns = of_words(&heading);
                gathered.head(&heading.join(" "));
                complain_of_heading(findings, number, columns.as_deref());
            }
            rows += 1;
            has_rows = true;
            match &columns {
                Some(columns) => {
                    take(
                        &mut gathered,
                        findings,
                        number,
                        (columns, &heading, rule),
                        (above, line),
                    );
                }
                None => findings.complain(
                    number,
                    "the row does not stand below a heading that is known: it is not used",
                ),
            }
        }
    }
    if let Some((number, line)) = held {
        findings.unread(number, line);
    }
    let is_of_titles = || {
        block
            .lines()
            .all(|line| line.trim_ascii().is_empty() || is_title(line))
    };
    if gathered.is_empty() && findings.is_empty() && (has_rows || is_of_titles()) {
        findings.nothing_to_say();
    }
    gathered.record(WORDS, &device_of, TOOL, context, findings);
}

fn complain_of_heading(findings: &mut Findings, number: u64, columns: Option<&[Column]>) {
    let has_port = |columns: &[Column]| columns.iter().any(|column| column.holds == Holds::Port);
    // What a heading says that is not known whole is not known to be nothing.
    if columns.is_some_and(|columns| !has_port(columns)) {
        findings.complain(
            number,
            "no heading stands above the names of ports: none of the table is used",
        );
    } else if columns.is_some_and(has_unknown_counts) {
        findings.complain(
            number,
            "a heading that counts does not stand above its column, or is not known: the column is not used",
        );
    }
}

/// Whether anything is told but descriptions, which say nothing of a path.
fn says(columns: &[Column]) -> bool {
    let says = |column: &Column| !matches!(column.holds, Holds::Nothing | Holds::Port | Holds::Description);
    columns.iter().any(says)
}

/// What a row says, all of it or nothing. A long name may stand on the line above it.
fn take(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    (columns, heading, rule): (&[Column], &[&str], Option<&str>),
    (above, row): (Option<&str>, &str),
) {
    let plain = row;
    let row = row.replace('|', " ");
    if !says(columns) {
        return;
    }
    let Some(port) = columns.iter().find(|column| matches!(column.holds, Holds::Port)) else {
        return;
    };
    let name = match port.cell(&row) {
        Some("") if above.is_some() => above.and_then(super::port::name),
        // The rest of the row above.
        Some("") => return,
        Some(cell) => super::port::name(cell),
        None => None,
    };
    let mut is_lost = false;
    let told: Option<Vec<(About, Said)>> = columns.iter().try_fold(Vec::new(), |mut told, column| {
        match (column.holds, column.cell(&row)) {
            (Holds::Nothing | Holds::Port, _) => {}
            // Words of people may begin anywhere.
            (Holds::Description, None) => match column.words_beside(&row) {
                Some(words) => told.push((About::Description, Said::Text(words.to_owned()))),
                None => is_lost = true,
            },
            (holds, cell) => told.extend(said(&holds, cell?)?),
        }
        Some(told)
    });
    match (name, told) {
        (Some(name), Some(told)) => {
            if is_lost {
                let why = "what people call the port does not stand below its heading: it is not used";
                findings.complain(number, why);
            }
            let tells = columns.iter().any(|column| column.holds == Holds::Up);
            let is_up = told
                .iter()
                .any(|(about, said)| *about == About::Up && *said == Said::Flag(true));
            for (about, said) in told {
                // What a port could negotiate says nothing while it is down.
                if is_up || !tells || !matches!(about, About::Speed | About::Duplex) {
                    gathered.say(findings, number, &name, about, said);
                }
            }
        }
        _ if named::take(gathered, findings, number, (heading, rule), plain) => {}
        _ => findings.complain(
            number,
            "the cells do not stand below their headings: none is used",
        ),
    }
}
