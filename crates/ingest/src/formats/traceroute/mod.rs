//! traceroute, as LBL's, the BSDs', Linux', NIKHEF's, Junos', Cisco's, scamper's and Windows' programs print it, and tables of it.

mod header;
pub(crate) mod hop_line;
pub(crate) mod hops;
mod labels;
mod side_by_side;
mod table;

pub(crate) use side_by_side::FORMAT as SIDE_BY_SIDE;
pub(crate) use table::FORMAT as TABLE;

use crate::Context;
use crate::block::{Block, Findings, Format};
use crate::prompt::command_line;
use evidence::{Node, Payload, Trace, TraceFlow};
use header::Header;
use hops::Hops;

pub(crate) static FORMAT: Format = Format {
    name: "traceroute",
    reads: "LBL, BSD, Linux, NIKHEF, Junos, Cisco, scamper, Windows: with AS numbers, reply TTLs, MPLS labels, path MTU",
    first: "tT",
    has_command: true,
    starts,
    continues,
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

/// Puts header and hops together; `None` without hops.
fn trace(header: Header, hops: Hops, context: &Context) -> Option<Trace> {
    let (hops, mtus) = hops.finish();
    if hops.is_empty() {
        return None;
    }
    let drew_mtu = hops
        .iter()
        .flat_map(|hop| &hop.answers)
        .any(|answer| answer.mtu_bytes.is_some());
    let to = context.to_or(header.to);
    Some(Trace {
        from: context.from_or(header.from),
        reached: reached(&hops, &to, header.max_hops),
        to,
        protocol: header.protocol,
        // A search for the path MTU begins with the largest packet that the own interface lets out.
        size_bytes: mtus.map_or(header.size_bytes, |(first, _)| Some(first)),
        // Only a packet that must not be fragmented draws "fragmentation needed".
        dont_fragment: header
            .dont_fragment
            .or((drew_mtu || mtus.is_some()).then_some(true)),
        flows: vec![TraceFlow::of(hops)],
        path_mtu_bytes: mtus.map(|(_, last)| last),
        ..Trace::default()
    })
}

/// Whether the destination answered. A trace that ends with a router's answer may be one that a document cut.
pub(crate) fn reached(hops: &[evidence::TraceHop], to: &Node, max_hops: Option<u8>) -> Option<bool> {
    let last = hops.last()?;
    let answered = last
        .answers
        .iter()
        .any(|answer| answer.node.same_as(to) == Some(true));
    if answered {
        return Some(true);
    }
    let refused = last.answers.iter().any(|answer| answer.mark.is_some());
    let silent = last.answers.is_empty() && last.unanswered > 0;
    let exhausted = max_hops.is_some_and(|max| last.ttl >= max);
    // "ESnet", "NRAO": a network's name in a heading is no host's, and tells from nobody.
    let is_host = to.address.is_some() || to.name.as_deref().is_some_and(|name| name.contains('.'));
    let comparable = is_host
        && last
            .answers
            .iter()
            .all(|answer| answer.node.same_as(to).is_some());
    (silent || (comparable && (refused || exhausted))).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace_of(text: &str) -> Trace {
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, [], "{text}");
        match records.as_slice() {
            [record] => match &record.payload {
                Payload::Trace(trace) => trace.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn whether_the_destination_answered() {
        let header = "traceroute to 240.0.0.9 (240.0.0.9), 3 hops max, 60 byte packets\n";
        for (hops, reached) in [
            (" 1  240.0.0.9 (240.0.0.9)  1 ms\n", Some(true)),
            (" 1  240.0.0.1 (240.0.0.1)  1 ms\n", None),
            (" 1  240.0.0.1 (240.0.0.1)  1 ms !H\n", Some(false)),
            (" 1  * * *\n", Some(false)),
            (" 1  a (240.0.0.1)  1 ms\n 3  b (240.0.0.3) 2 ms\n", Some(false)),
            (" 1  a (w.x.y.z)  1 ms\n 3  b (w.x.y.z) 2 ms\n", None),
        ] {
            assert_eq!(trace_of(&format!("{header}{hops}")).reached, reached, "{hops}");
        }
    }

    #[test]
    fn a_lower_number_begins_something_else() {
        let text = "traceroute to 240.0.0.9 (240.0.0.9), 30 hops max, 60 byte packets\n 1  * * *\n 2  * * *\n 1  * * *\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!((records.len(), complaints.len()), (1, 1));
        assert_eq!(complaints[0].first_line, 4);
    }
}
