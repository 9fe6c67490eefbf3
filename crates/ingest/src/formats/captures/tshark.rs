//! tshark's statistics: `-z conv,tcp`, `conv,udp`, `conv,ip`. Each conversation has the frames and bytes of both ways; bytes
//! are those of the frames, larger ones are printed as `12 kB`. `-z io,stat`, `io,phs` and `expert` are about the capture as a
//! whole.

use super::flow::{Flow, duration_ns, endpoint, node};
use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::prompt::command_line;
use evidence::Transport;

pub(crate) static FORMAT: Format = Format {
    name: "tshark -z conv",
    group: Group::Histories,
    reads: "conversations over TCP, UDP and IP: bytes each way and the time",
    first: "TUI",
    has_command: false,
    starts: |line| title(line).is_some(),
    continues: |block, line| {
        is_ruler(line) && !block.last().is_some_and(is_ruler)
            || line.starts_with("Filter:")
            || line.trim_start().starts_with('|')
            || line.contains("<->")
    },
    takes_in: Some(|block, line| {
        !line.trim().is_empty() && command_line(line).is_none() && !block.last().is_some_and(is_ruler)
    }),
    read,
};

pub(crate) static OTHERS: Format = Format {
    name: "tshark -z io, expert",
    group: Group::Histories,
    reads: "io,stat, io,phs and expert are known to be about a whole capture, of which nobody says between whom it is: nothing is \
            recorded",
    first: "|PEWNC",
    has_command: false,
    starts: |line| {
        line.starts_with("| IO Statistics")
            || line == "Protocol Hierarchy Statistics"
            || ["Errors (", "Warns (", "Warnings (", "Notes (", "Chats ("]
                .iter()
                .any(|begin| {
                    line.strip_prefix(begin)
                        .is_some_and(|rest| rest.trim_end().ends_with(')'))
                })
    },
    continues: |_, line| {
        is_ruler(line)
            || line.starts_with(['|', ' '])
            || line.starts_with("Filter:")
            || line.contains("frames:")
            || ["Errors (", "Warns (", "Warnings (", "Notes (", "Chats ("]
                .iter()
                .any(|begin| line.starts_with(begin))
    },
    takes_in: None,
    read: |_, _, findings| findings.nothing_to_say(),
};

fn title(line: &str) -> Option<Option<Transport>> {
    match line.trim_end() {
        "TCP Conversations" => Some(Some(Transport::Tcp)),
        "UDP Conversations" => Some(Some(Transport::Udp)),
        "IPv4 Conversations" | "IPv6 Conversations" => Some(None),
        _ => None,
    }
}

fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.len() > 20 && line.bytes().all(|byte| byte == b'=')
}

/// Six figures and two times; a size may have its unit behind it. Whether the bytes are exact stands beside them.
fn figures(text: &str) -> Option<([u64; 6], bool, &str)> {
    let mut words = text.split_ascii_whitespace().peekable();
    let mut figures = [0; 6];
    let mut exact = true;
    for figure in &mut figures {
        let count: u64 = crate::text::grouped(words.next()?)?;
        let scale = match words.peek().copied() {
            Some("bytes") => Some(1),
            Some("kB") => Some(1_000),
            Some("MB") => Some(1_000_000),
            Some("GB") => Some(1_000_000_000),
            _ => None,
        };
        if let Some(scale) = scale {
            words.next();
            exact &= scale == 1;
        }
        *figure = count.checked_mul(scale.unwrap_or(1))?;
    }
    let (_start, duration) = (words.next()?.parse::<f64>().ok()?, words.next()?);
    words.next().is_none().then_some((figures, exact, duration))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let protocol = block.first().and_then(title).flatten();
    let mut order_is_known = false;
    for (number, line) in block
        .numbered()
        .skip(1)
        .filter(|(_, line)| !line.trim().is_empty())
    {
        if line.trim_start().starts_with('|') {
            let arrows = line.find("<-").zip(line.find("->"));
            order_is_known |= arrows.is_some_and(|(back, forth)| back < forth) && line.contains("Total");
            continue;
        }
        if is_ruler(line) || line.starts_with("Filter:") {
            continue;
        }
        let Some((left, rest)) = line.split_once("<->") else {
            findings.unread(number, line);
            continue;
        };
        let rest = rest.trim_start();
        let (right, rest) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
        let read = figures(rest)
            .and_then(|(figures, exact, duration)| Some((figures, exact, duration_ns(duration)?)));
        let Some((figures, exact, duration)) = read.filter(|_| order_is_known) else {
            findings.complain(number, format!("not understood: {}", line.trim()));
            continue;
        };
        let [_, back, _, forth, _, total] = figures;
        // Sizes that are cut to whole kilobytes each lack up to one.
        let slack = if exact { 0 } else { total / 5 };
        if back.saturating_add(forth).abs_diff(total) > slack {
            findings.complain(
                number,
                "the bytes of both ways are not those of the conversation: they are not used",
            );
            continue;
        }
        let ends = match protocol {
            Some(_) => (endpoint(left.trim(), ':'), endpoint(right, ':')),
            None => ((node(left.trim()), None), (node(right), None)),
        };
        let ((a, a_port), (b, b_port)) = ends;
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
    }
    findings.nothing_to_say();
}
