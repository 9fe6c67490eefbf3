//! traceroute, as LBL's, the BSDs', Linux', NIKHEF's, Junos', Cisco's, scamper's and Windows' programs print it, and tables of it.

mod header;
pub(crate) mod hop_line;
pub(crate) mod hops;
mod labels;
mod side_by_side;
mod table;
mod trace;

pub(crate) use side_by_side::FORMAT as SIDE_BY_SIDE;
pub(crate) use table::FORMAT as TABLE;
pub(crate) use trace::reached;

use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::prompt::command_line;
use evidence::{Node, Payload};
use header::Header;
use hops::Hops;
use trace::trace;

pub(crate) static FORMAT: Format = Format {
    name: "traceroute",
    group: Group::Paths,
    reads: "LBL, BSD, Linux, NIKHEF, Junos, Cisco, scamper, Windows: with AS numbers, reply TTLs, MPLS labels, path MTU",
    first: "tT",
    has_command: true,
    starts,
    continues,
    takes_in: None,
    read,
};

/// Command, headings and warnings above the header are no more than this.
const PREAMBLE_LINES: usize = 8;

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b't' | b'T') if header::is_header(line) || header::is_heading(line) => true,
        Some(_) => header::is_command(line),
        None => false,
    }
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim();
    if text.is_empty() {
        return true;
    }
    let has_header = || block.lines().take(PREAMBLE_LINES).any(header::is_header);
    if header::is_header(line) {
        return !has_header();
    }
    if header::is_note(text) {
        return true;
    }
    (hop_line::is_hop(line) || hop_line::is_continuation(line)) && !is_behind_last(block, line)
}

/// Hops are numbered upwards: a lower number begins something else.
fn is_behind_last(block: &Block, line: &str) -> bool {
    let last = block.lines().rev().take(PREAMBLE_LINES).find_map(hop_line::ttl);
    matches!((last, hop_line::ttl(line)), (Some((last, _)), Some((next, _))) if next <= last)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut header = Header::default();
    let mut hops = Hops::default();
    for line in block.lines() {
        if header::is_header(line) || header::is_heading(line) || header::is_note(line.trim()) {
            header.read(line);
        } else if hop_line::ttl(line).is_none() && header::is_command(line) {
            header.command(line);
        } else {
            hops.line(line);
        }
    }
    let device = block.first().and_then(|line| command_line(line)?.device);
    if let (true, Some(device)) = (header.from.is_unknown(), device) {
        header.from = Node::named(device);
    }
    let tool = if header.is_scamper {
        "scamper"
    } else {
        "traceroute"
    };
    if let Some(trace) = trace(header, hops, context) {
        let lines = (block.first_line, block.last_written_line());
        findings.record_of(lines, tool, context.at, Payload::Trace(trace));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_number_begins_something_else() {
        let text = "traceroute to 240.0.0.9 (240.0.0.9), 30 hops max, 60 byte packets\n 1  * * *\n 2  * * *\n 1  * * *\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!((records.len(), complaints.len()), (1, 1));
        assert_eq!(complaints[0].first_line, 4);
    }
}
