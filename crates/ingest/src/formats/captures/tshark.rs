//! tshark's statistics: `-z conv,tcp`, `conv,udp`, `conv,ip`. Each conversation has the frames and bytes of both ways; bytes
//! are those of the frames, larger ones are printed as `12 kB`. `-z io,stat`, `io,phs` and `expert` are about the capture as a
//! whole.

use super::flow::{Flow, duration_ns, endpoint, node};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use crate::prompt::command_line;
use crate::units::whole;
use evidence::{Node, Transport};

pub(crate) static FORMAT: Format = Format {
    name: "tshark -z",
    group: Group::Histories,
    reads: "conv,tcp, conv,udp and conv,ip: bytes each way and the time of each conversation; io,stat, io,phs and expert are \
            known to be about a whole capture, and nothing is recorded",
    first: "TUIPEWNC|t=",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "tshark",
            "Conversations",
            "Endpoints",
            "Protocol Hierarchy Statistics",
            "Errors (",
            "Warns (",
            "Warnings (",
            "Notes (",
            "Chats (",
            "| IO Statistics",
        ])
    }),
    starts: |line| title(line).is_some() || is_command(line),
    continues: |block, line| {
        line.trim_ascii().is_empty() && block.len() > 1
            || is_ruler(line)
            || title(line).is_some()
            || line.starts_with("Filter:")
            || line.trim_ascii_start().starts_with('|')
            || line.contains("<->")
            || is_of_whole(line)
    },
    takes_in: Some(|block, line| {
        !line.trim_ascii().is_empty()
            && command_line(line).is_none()
            && block
                .last()
                .is_some_and(|last| !is_ruler(last) && !last.trim_ascii().is_empty())
    }),
    read,
};

/// What a title is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Conversations(Option<Transport>),
    /// The capture as a whole.
    Whole,
}

/// `$ tshark -r x.pcap -q -z conv,tcp`
fn is_command(line: &str) -> bool {
    line.contains("tshark")
        && arguments(line, "tshark")
            .is_some_and(|mut words| words.any(|word| word.starts_with('-') && word.contains('z')))
}

fn title(line: &str) -> Option<Part> {
    match line.trim_ascii_end() {
        "TCP Conversations" => return Some(Part::Conversations(Some(Transport::Tcp))),
        "UDP Conversations" => return Some(Part::Conversations(Some(Transport::Udp))),
        "IPv4 Conversations" | "IPv6 Conversations" => return Some(Part::Conversations(None)),
        "TCP Endpoints"
        | "UDP Endpoints"
        | "IPv4 Endpoints"
        | "IPv6 Endpoints"
        | "Protocol Hierarchy Statistics" => return Some(Part::Whole),
        _ => {}
    }
    let severities = ["Errors (", "Warns (", "Warnings (", "Notes (", "Chats ("];
    let is_severity = severities.iter().any(|begin| {
        let count = line
            .strip_prefix(begin)
            .and_then(|rest| rest.trim_ascii_end().strip_suffix(')'));
        count.is_some_and(|count| count.parse::<u64>().is_ok())
    });
    (is_severity || line.starts_with("| IO Statistics")).then_some(Part::Whole)
}

/// Lines of what is about the whole capture: `eth  frames:35 bytes:32840`, and how often an expert said what.
fn is_of_whole(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    // Endpoints: packets and bytes of one host with all others.
    let figures = words
        .clone()
        .filter(|word| crate::text::grouped(word).is_some())
        .count();
    let is_endpoint = || {
        figures >= 6
            && words
                .clone()
                .all(|word| word.starts_with(|c: char| c.is_ascii_digit()) || is_size(word))
    };
    is_endpoint()
        || line.contains(" frames:") && line.contains(" bytes:")
        || first == "Frequency"
        || line.starts_with("   ")
            && first.bytes().all(|byte| byte.is_ascii_digit())
            && words
                .next()
                .is_some_and(|group| group.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

fn is_size(word: &str) -> bool {
    matches!(word, "bytes" | "kB" | "MB" | "GB")
}

fn is_ruler(line: &str) -> bool {
    let line = line.trim_ascii();
    line.len() >= 9 && line.bytes().all(|byte| byte == b'=')
}

/// Six figures and two times; a size may have its unit behind it. Whether the bytes are exact stands beside them.
fn figures(text: &str) -> Option<([u64; 6], bool, &str)> {
    let mut words = text.split_ascii_whitespace().peekable();
    let mut figures = [0; 6];
    let mut exact = true;
    for figure in &mut figures {
        let word = words.next()?;
        // Of some versions no blank is between a size and its unit: `2294bytes`.
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let glued = word.get(number.len()..).filter(|unit| is_size(unit));
        let word = glued.map_or(word, |_| number);
        let scale = match glued.or_else(|| words.next_if(|word| is_size(word))) {
            None | Some("bytes") => 1.0,
            Some("kB") => 1e3,
            Some("MB") => 1e6,
            Some(_) => 1e9,
        };
        exact &= scale <= 1.0;
        *figure = match crate::text::grouped(word) {
            Some(count) if scale <= 1.0 => count,
            // `1.564 MB`
            _ => whole(
                word.replace(',', "")
                    .parse::<f64>()
                    .ok()
                    .filter(|_| scale > 1.0)?
                    * scale,
            )?,
        };
    }
    let (_start, duration) = (words.next()?.parse::<f64>().ok()?, words.next()?);
    words.next().is_none().then_some((figures, exact, duration))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut part = None;
    let mut order_is_known = false;
    for (number, line) in block.numbered().filter(|(_, line)| !line.trim_ascii().is_empty()) {
        if let Some(of) = title(line) {
            (part, order_is_known) = (Some(of), false);
            findings.nothing_to_say();
        } else if is_ruler(line) || line.starts_with("Filter:") || is_command(line) {
        } else {
            let is_head = line.trim_ascii_start().starts_with('|');
            let arrows = line.find("<-").zip(line.find("->"));
            order_is_known |=
                is_head && arrows.is_some_and(|(back, forth)| back < forth) && line.contains("Total");
            // A first row may have slipped up into the line of its heads.
            let row = line
                .rsplit_once('|')
                .filter(|_| is_head)
                .map_or(line, |(_, row)| row);
            match part {
                Some(Part::Conversations(protocol)) if row.contains("<->") => {
                    if !read_conversation(number, row, protocol, order_is_known, context, findings) {
                        findings.complain(number, format!("not understood: {}", row.trim_ascii()));
                    }
                }
                // A screen broke it: the next line has the rest of its first host.
                _ if is_head => {
                    if row.bytes().any(|byte| byte.is_ascii_digit()) {
                        findings.unread(number, line);
                    }
                }
                Some(Part::Whole) if is_of_whole(line) => {}
                _ => findings.unread(number, line),
            }
        }
    }
}

/// Reads a conversation; `false` where it is not understood.
fn read_conversation(
    number: u64,
    line: &str,
    protocol: Option<Transport>,
    order_is_known: bool,
    context: &Context,
    findings: &mut Findings,
) -> bool {
    let Some((left, rest)) = line.split_once("<->").filter(|_| order_is_known) else {
        return false;
    };
    let rest = rest.trim_ascii_start();
    let (right, rest) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
    let Some((figures, exact, duration)) = figures(rest) else {
        return false;
    };
    let Some(duration) = duration_ns(duration) else {
        return false;
    };
    let [back_frames, back, forth_frames, forth, frames, total] = figures;
    // Sizes that are cut to whole kilobytes each lack up to one.
    let slack = if exact { 0 } else { total / 5 };
    if back.saturating_add(forth).abs_diff(total) > slack
        || back_frames.saturating_add(forth_frames) != frames
    {
        findings.complain(
            number,
            "both ways together are not the conversation: they are not used",
        );
        return true;
    }
    // The end of an address is no host: `2.223`.
    let is_torn = |host: &Node| {
        let name = host.name.as_deref().unwrap_or("x");
        name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let ((a, a_port), (b, b_port)) = match protocol {
        Some(_) => (endpoint(left.trim_ascii(), ':'), endpoint(right, ':')),
        None => ((node(left.trim_ascii()), None), (node(right), None)),
    };
    if is_torn(&a) || is_torn(&b) {
        return false;
    }
    for (bytes, from, to, ports) in [
        (forth, &a, &b, a_port.zip(b_port)),
        (back, &b, &a, b_port.zip(a_port)),
    ] {
        let flow = Flow {
            from: from.clone(),
            to: to.clone(),
            protocol,
            ports,
            bytes,
            is_exact: exact,
            duration_ns: Some(duration),
            ..Flow::default()
        };
        if let Some(transfer) = flow.transfer() {
            findings.record_of((number, number), "tshark", context.at, transfer.into());
        }
    }
    true
}
