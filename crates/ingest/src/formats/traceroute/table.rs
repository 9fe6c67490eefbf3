//! A traceroute that a document shows as a Markdown table without a head, a hop a row: `| 1 | name (address) | 0.3 ms |…`.
//! The caption below it names the pair.

use super::header::Header;
use super::hop_line::{is_timed_hop, ttl};
use super::hops::Hops;
use super::trace::trace;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::host::host;
use crate::markdown::{cells, is_rule};
use evidence::{Node, Payload};

pub(crate) static FORMAT: Format = Format {
    name: "traceroute table",
    group: Group::Paths,
    reads: "Markdown: one trace as | hop | host | time | time |, with the caption below it",
    first: "|",
    has_command: false,
    marks: None,
    starts,
    continues,
    takes_in: None,
    read,
};

/// Hop, host and two times: tables of fewer columns without a head are something else.
const FEWEST_COLUMNS: usize = 4;

/// An empty head, or, where that was lost, a hop.
fn starts(line: &str) -> bool {
    line.starts_with('|') && ((is_rule(line) && cells(line).count() >= FEWEST_COLUMNS) || is_row(line))
}

fn is_row(line: &str) -> bool {
    cells(line).count() >= FEWEST_COLUMNS && is_timed_hop(&joined(line))
}

/// The cells as the line that traceroute printed.
fn joined(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for cell in cells(line).filter(|cell| !cell.is_empty()) {
        text.push_str(cell);
        text.push(' ');
    }
    text
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    let last = block.last_written();
    let last_is_row = last.is_some_and(|last| last.starts_with('|'));
    if caption(text).is_some() {
        return last_is_row;
    }
    let is_label = text.starts_with('|') && text.contains("MPLS ");
    last_is_row && (text.is_empty() || starts(text) || is_label)
}

/// `Table 2.1.3: Traceroute from A to B`: the pair.
pub(super) fn caption(line: &str) -> Option<(Node, Node)> {
    let rest = line.strip_prefix("Table ")?;
    let (_, pair) = rest.split_once("raceroute from ")?;
    let (from, to) = pair.split_once(" to ")?;
    Some((host(from), host(to.split_ascii_whitespace().next().unwrap_or(""))))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut open = Open::default();
    for (number, line) in block.numbered() {
        if let Some((from, to)) = caption(line.trim_ascii()) {
            open.header = Header {
                from,
                to,
                ..Header::default()
            };
            open.lines = open.lines.map(|(first, _)| (first, number));
            continue;
        }
        let text = joined(line);
        let next = ttl(&text).map(|(ttl, _)| ttl);
        if next.is_some() && next <= open.last {
            std::mem::take(&mut open).close(context, findings);
        }
        if next.is_some() || text.starts_with("MPLS ") {
            open.last = next.or(open.last);
            open.lines = Some((open.lines.map_or(number, |(first, _)| first), number));
            open.hops.line(number, &text);
        }
    }
    open.close(context, findings);
}

/// The trace that is being read.
#[derive(Default)]
struct Open {
    header: Header,
    hops: Hops,
    lines: Option<(u64, u64)>,
    last: Option<u8>,
}

impl Open {
    fn close(self, context: &Context, findings: &mut Findings) {
        if let (Some(lines), Some(trace)) = (self.lines, trace(self.header, self.hops, context, findings)) {
            findings.record_of(lines, "traceroute", context.at, Payload::Trace(trace));
        }
    }
}
