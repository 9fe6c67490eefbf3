//! `mtr -r`, `-w`, `-z`, `-b`: the table, with columns as its head names them.

use super::command::Command;
use super::run::{Hop, MOST_AT_ONE_HOP, Run, asn};
use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::host::host;
use crate::mpls::entry;
use crate::when::{clock, iso8601, month, timestamp};
use evidence::{MplsLabel, Timestamp};

pub(crate) static FORMAT: Format = Format {
    name: "mtr",
    group: Group::Paths,
    reads: "the report (-r, -w, -z, -b, -e), with the command line above it",
    first: "SHm",
    has_command: true,
    starts,
    continues,
    takes_in: None,
    read,
};

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'S') => is_start(line),
        Some(b'H') => is_head(line),
        Some(_) => Command::read(line).is_some(),
        None => false,
    }
}

fn is_start(line: &str) -> bool {
    start_time(line, Some(0)).is_some()
}

fn is_head(line: &str) -> bool {
    line.starts_with("HOST: ") && line.contains(" Loss%")
}

fn continues(block: &Block, line: &str) -> bool {
    let above = || {
        block
            .lines()
            .all(|line| is_start(line) || Command::read(line).is_some())
    };
    if is_head(line) {
        return above();
    }
    if is_start(line) {
        return above() && !block.lines().any(is_start);
    }
    row(line).is_some() || is_addition(line.trim())
}

/// Further routers of the hop above, and their labels.
fn is_addition(text: &str) -> bool {
    text.starts_with("|  ")
        || text.starts_with("`|--")
        || text.starts_with("[MPLS: ")
        || text.starts_with("+-- [MPLS: ")
}

/// `  1.|-- host 0.0% …`, `  1. AS32 host 0.0% …`: the number, and the words behind it.
fn row(line: &str) -> Option<(u8, &str)> {
    let (number, rest) = line.trim_start().split_once('.')?;
    let ttl = number.parse().ok().filter(|ttl| *ttl > 0)?;
    let words = rest
        .strip_prefix("|--")
        .or_else(|| rest.strip_prefix(' ').map(|_| rest))?;
    words.starts_with(' ').then(|| (ttl, words.trim()))
}

/// `Start: 2026-11-21T11:11:52+0000`, and as old versions print it, `Start: Wed Feb  5 15:03:35 2014`, without a zone.
fn start_time(line: &str, local_s: Option<i32>) -> Option<Timestamp> {
    let text = line.strip_prefix("Start: ")?.trim();
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return iso8601(text, local_s);
    }
    let mut words = text.split_ascii_whitespace().skip(1);
    let (month_name, day, time, year) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let date = (year.parse().ok()?, month(month_name)?, day.parse().ok()?);
    timestamp(date, clock(time)?, local_s?)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut run = Run::default();
    let mut columns: Vec<&str> = Vec::new();
    for line in block.lines() {
        if let Some(rest) = line.strip_prefix("HOST: ") {
            let mut words = rest.split_ascii_whitespace();
            let from = host(words.next().unwrap_or(""));
            if !from.is_unknown() {
                run.from = from;
            }
            columns = words.collect();
        } else if line.starts_with("Start: ") {
            run.at = start_time(line, context.utc_offset_s);
        } else if let Some((ttl, words)) = row(line) {
            run.hops.push(hop(ttl, words, &columns));
        } else if let Some(hop) = run.hops.last_mut() {
            addition(hop, line.trim());
        } else if let Some(command) = Command::read(line) {
            run.take_command(command);
        }
    }
    let lines = (block.first_line, block.last_written_line());
    run.into_findings(lines, context, findings);
}

/// The last words are the figures, as many as there are columns; what stands before them names the router.
fn hop(ttl: u8, text: &str, columns: &[&str]) -> Hop {
    let mut hop = Hop {
        ttl,
        ..Hop::default()
    };
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let Some((names, figures)) = words
        .len()
        .checked_sub(columns.len())
        .and_then(|at| words.split_at_checked(at))
    else {
        return hop;
    };
    for (column, figure) in columns.iter().zip(figures) {
        hop.figure(column, figure);
    }
    let system = names.first().and_then(|word| asn(word));
    let named = names
        .first()
        .is_some_and(|word| word.starts_with("AS") && names.len() > 1);
    let names = if named {
        names.get(1..).unwrap_or(names)
    } else {
        names
    };
    hop.node(&names.join(" "), system);
    hop
}

fn addition(hop: &mut Hop, text: &str) {
    if let Some((_, label)) = text.split_once("[MPLS: ") {
        hop.mpls
            .extend(label_of(label).filter(|_| hop.mpls.len() < MOST_AT_ONE_HOP));
    } else {
        let text = text.trim_start_matches(['|', ' ', '`']).trim_start_matches("-- ");
        hop.node(text, None);
    }
}

/// `Lbl 24001 TC 0 S 1 TTL 1]`; older versions print `Exp` and `S u`.
fn label_of(text: &str) -> Option<MplsLabel> {
    let words: Vec<&str> = text.trim_end_matches(']').split_ascii_whitespace().collect();
    let [_, label, _, class, _, bottom, _, ttl] = words.as_slice() else {
        return None;
    };
    let number = |text: &&str| text.parse().ok();
    entry(
        number(label),
        number(class),
        Some(u64::from(*bottom == "1")),
        number(ttl),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_from_prose() {
        for yes in ["  1.|-- a 0.0% 3", " 12. AS32 a 0.0%", "  3.|-- ???  100.0 2"] {
            assert!(row(yes).is_some(), "{yes}");
        }
        for no in ["", "1.2.3.4 answered", "300.|-- a", "0.|-- a", "  1.5 seconds"] {
            assert!(row(no).is_none(), "{no}");
        }
    }

    #[test]
    fn further_routers_and_labels() {
        let text = "HOST: a  Loss%   Snt\n  1.|-- 240.0.0.1  10.0%  10\n    |  `|-- 240.0.0.2\n    |  +-- [MPLS: Lbl 24001 TC 0 S u TTL 1]\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        let evidence::Payload::Trace(trace) = &records[0].payload else {
            panic!()
        };
        let hop = &trace.flows[0].hops[0];
        assert_eq!(
            (hop.answers.len(), hop.unanswered, hop.answers[0].mpls[0].label),
            (2, 1, 24_001)
        );
    }
}
