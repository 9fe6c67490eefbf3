//! traceroute, as LBL's, the BSDs', Linux', NIKHEF's, Junos', Cisco's, scamper's and Windows' programs print it, and tables of it.

mod command;
mod header;
mod hop_line;
mod hops;
mod labels;
mod nexttrace;
mod pathping;
mod phrases;
mod side_by_side;
mod table;
mod token;
mod trace;

pub(crate) use side_by_side::FORMAT as SIDE_BY_SIDE;
pub(crate) use table::FORMAT as TABLE;
pub(crate) use trace::reached;

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::folded::{self, Beginnings};
use crate::stray::{Strays, is_stray};
use crate::when::is_router_clock;
use command::command;
use evidence::{Payload, ProbeRow};
use header::Header;
use hop_line::{hop_ttl, is_continuation, is_hop, is_own_router, is_sure_hop, of_mpls_path, ttl};
use hops::Hops;
use memchr::memchr2;
use trace::trace;

pub(crate) static FORMAT: Format = Format {
    name: "traceroute",
    group: Group::Paths,
    reads: "LBL, BSD, Linux, BusyBox, NIKHEF, Junos, Cisco, scamper, lft, Windows, pathping: with AS numbers, reply TTLs, MPLS labels, path MTU, also a \
            paste that begins in the middle",
    // Beyond ASCII: the letters that headings of Windows begin with.
    first: "0-9A-Za-z?ÉĎŚдр、中到经路追通경추통\u{fffd}",
    has_command: true,
    marks: Some(|| {
        Marks::of(phrases::words())
            .and(["trace", "tracing ", "LFT", "pathping", "Selected device "])
            .or(may_be_hop_or_broken)
    }),
    starts,
    continues,
    takes_in: Some(takes_in),
    read,
};

/// Command, headings and warnings above the header are no more than this.
const PREAMBLE_LINES: usize = 12;

/// What words do not tell: a hop, and a heading of which letters are broken.
fn may_be_hop_or_broken(line: &str) -> bool {
    ttl(line).is_some() || !line.is_ascii() || memchr2(b'?', b'\'', line.as_bytes()).is_some()
}

fn starts(line: &str) -> bool {
    match line.trim_ascii_start().as_bytes().first() {
        Some(b'0'..=b'9') => is_sure_hop(line) || (!line.is_ascii() && header::is_header(line)),
        Some(_) => {
            header::is_header(line)
                || header::is_heading(line)
                || line.starts_with("NextTrace v")
                || command(line).is_some()
                || line.starts_with("traceroute: Warning: ")
                || line.starts_with("traceroute6: Warning: ")
                || line == "traceroute"
                || line.starts_with("Selected device ") && line.contains(", address ")
                || !line.is_ascii() && phrases::bound(line).is_some()
                || line.starts_with("traceroute vrf ")
                || line.starts_with("Layer Four Traceroute (LFT)")
        }
        None => false,
    }
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if text.is_empty() {
        return true;
    }
    let has_hops = || {
        let mut above = backwards(block).take(PREAMBLE_LINES);
        above.any(|(place, line)| is_hop_at(block, place, line))
    };
    if header::is_header(line) {
        return !block.begins_with(PREAMBLE_LINES, header::is_header) && !has_hops();
    }
    if header::is_note(text) || is_router_clock(text) {
        // The bound of the hops begins a trace of its own where a language puts it first.
        return phrases::is_end(text) || !has_hops() || pathping::is_head(text);
    }
    if pathping::is_line(block, line) {
        return !has_end(block);
    }
    if (is_command_below(block, line) || is_own_router(line)) && !has_hops() {
        return true;
    }
    let is_hop = is_hop(line) || nexttrace::is_hop(block, line);
    let goes_on = (is_hop || goes_on_with_hop(block, line)) && !is_another(block, line);
    if goes_on && is_hop {
        // It becomes the next line of the block.
        block.memo.set(Some(block.len()));
    }
    goes_on
}

/// The lines of a block with their places, the last one first.
fn backwards(block: &Block) -> impl Iterator<Item = (usize, &str)> + Clone {
    (0..block.len()).rev().zip(block.lines().rev())
}

/// Whether the line at a place of the block is that of a hop: of the last one this is remembered.
fn is_hop_at(block: &Block, place: usize, line: &str) -> bool {
    block.memo.get() == Some(place) || is_hop(line) || nexttrace::is_hop(block, line)
}

/// A line of a hop, or one that goes on with it.
fn is_of_hop(block: &Block, line: &str) -> bool {
    is_hop(line) || nexttrace::is_hop(block, line) || goes_on_with_hop(block, line)
}

fn goes_on_with_hop(block: &Block, line: &str) -> bool {
    of_mpls_path(line).is_some() || is_continuation(line) || nexttrace::is_continuation(block, line)
}

/// The command as it was typed, below a heading.
fn is_command_below(block: &Block, line: &str) -> bool {
    hop_ttl(line).is_none() && command(line).is_some() && !block.has(header::is_header)
}

fn has_end(block: &Block) -> bool {
    block.last_written().is_some_and(phrases::is_end)
}

/// A line of somebody else's between those of the hops.
fn takes_in(block: &Block, line: &str) -> bool {
    !starts(line)
        && !has_end(block)
        && hop_ttl(line).is_none()
        && is_stray(block, line, |line| is_of_hop(block, line))
}

/// Hops are numbered upwards: a lower number begins something else, and the end ends.
fn is_another(block: &Block, line: &str) -> bool {
    let mut above = backwards(block)
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .take(PREAMBLE_LINES);
    if above
        .clone()
        .next()
        .is_some_and(|(_, line)| phrases::is_end(line))
    {
        return true;
    }
    let Some((next, _)) = hop_ttl(line) else {
        return false;
    };
    let last = above.find_map(|(place, line)| hop_ttl(line).filter(|_| is_hop_at(block, place, line)));
    last.is_some_and(|(last, _)| next < last || (next == last && next == 1))
}

/// How its lines begin.
const FOLDS: Beginnings = &[
    "{next:n} {_:w} ({_:w}) {_:f} ms{*}",
    "{next:n} {_:w}.{_:w} {_:f} ms{*}",
    "{next:n} {_:f} ms {*}",
    "{next:n} <{_:n} ms {*}",
    "{next:n} * {*}",
    "traceroute to {*}",
    "Tracing route to {*}",
    "over a maximum of {*}",
    "Trace complete.{*}",
];

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    folded::read(&FORMAT, FOLDS, (block, context, findings), read_lines);
}

fn read_lines(block: &Block, context: &Context, findings: &mut Findings) {
    let mut header = Header::default();
    let mut hops = Hops::default();
    let mut rows: Vec<ProbeRow> = Vec::new();
    let is_nexttrace = nexttrace::is_of(block);
    let is_pathping = pathping::is_of(block);
    let mut strays = Strays::default();
    for (number, line) in block.numbered() {
        if header::is_header(line) || header::is_heading(line) || header::is_note(line.trim_ascii()) {
            header.read(line);
        } else if let Some(row) = pathping::row(line) {
            rows.push(row);
        } else if let (Some(address), Some(row)) = (pathping::wrapped_address(line), rows.last_mut()) {
            row.to.address = row.to.address.or(Some(address));
        } else if is_pathping && pathping::is_damaged_row(line) {
            findings.unread(number, line);
        } else if hop_ttl(line).is_none() && command(line).is_some() {
            header.command(line);
        } else if let Some(own) = pathping::own_host(line) {
            header.from = own;
        } else if let Some(hop) = of_mpls_path(line) {
            hops.line(number, hop);
        } else if is_nexttrace {
            nexttrace::line(&mut hops, number, line);
        } else if hop_ttl(line).is_some() || is_continuation(line) {
            hops.line(number, line);
        } else if !pathping::is_line(block, line)
            && number > block.first_line
            && !is_router_clock(line)
            && !is_own_router(line)
        {
            strays.push(number, line);
        }
    }
    let lines = (block.first_line, strays.tell(block, findings));
    let tool = if header.is_scamper {
        "scamper"
    } else if is_nexttrace {
        "nexttrace"
    } else {
        "traceroute"
    };
    let Some(mut trace) = trace(header, hops, context, findings) else {
        return;
    };
    let mut hops = trace.flows.iter().flat_map(|flow| &flow.hops);
    if trace.to.is_unknown() && hops.all(|hop| hop.answers.is_empty()) {
        // Rows of another table have such stars.
        return findings.complain_of(lines, "no hop answers, and nothing tells whose trace this is");
    }
    if is_pathping {
        pathping::keep_whole_stars(&mut trace);
    }
    let probes = pathping::probes(&trace, rows);
    findings.record_of(lines, tool, context.at, Payload::Trace(trace));
    if let Some(probes) = probes {
        findings.record_of(lines, "pathping", context.at, Payload::Probes(probes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_number_begins_something_else() {
        let text = "traceroute to 240.0.0.9 (240.0.0.9), 30 hops max, 60 byte packets\n 1  * * *\n 2  * * *\n 1  240.0.0.3  1 ms * *\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        let lines: Vec<(u64, u64)> = records.iter().map(|record| record.lines).collect();
        assert_eq!((lines, complaints), (vec![(1, 3), (4, 4)], vec![]));
    }
}
