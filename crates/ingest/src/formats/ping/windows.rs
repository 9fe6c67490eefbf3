//! Windows' ping, in English.

use super::run::Run;
use crate::block::Block;
use crate::host::{delay, host, leading_host, rtt_ms};
use evidence::{DelayStatistics, Node};
use std::net::IpAddr;

const BEGINNINGS: &[&str] = &[
    "Reply from ",
    "Request timed out",
    "Packet needs to be fragmented",
    "Destination ",
    "General failure",
    "PING: ",
    "Ping statistics for",
    "Packets: Sent",
    "Approximate round trip times",
    "Minimum = ",
];

pub(super) fn is_line(text: &str) -> bool {
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

pub(super) fn read(block: &Block) -> Run {
    let mut run = Run {
        tool: "Windows ping",
        ..Run::default()
    };
    for line in block.lines() {
        let text = line.trim();
        if let Some(rest) = text.strip_prefix("Pinging ") {
            header(rest, &mut run);
        } else if let Some(rest) = text.strip_prefix("Reply from ") {
            reply(rest, &mut run);
        } else if text.starts_with("Request timed out") {
            run.tally.silent += 1;
        } else if let Some(counts) = text.strip_prefix("Packets: ") {
            run.tally.sent = value(counts, "Sent").and_then(|n| n.parse().ok());
            // Windows counts an "unreachable" as received: only the replies themselves tell.
            run.tally.received = Some(run.tally.replies());
        } else if text.starts_with("Minimum = ") {
            // 0 ms stands for "less than one", which is no figure.
            let ms = |name| {
                let printed = value(text, name).and_then(|v| rtt_ms(v.trim_end_matches("ms")));
                delay(printed.filter(|ns| *ns > 0))
            };
            run.tally.summary = Some(DelayStatistics {
                min_ns: ms("Minimum"),
                mean_ns: ms("Average"),
                max_ns: ms("Maximum"),
                ..DelayStatistics::default()
            });
        } else if ["Packet needs", "Destination ", "General", "PING: "]
            .iter()
            .any(|p| text.starts_with(p))
        {
            run.tally.error(None, text, 1);
        }
    }
    run
}

/// `host.example [240.0.0.1] from 240.0.0.9 with 32 bytes of data:`
fn header(rest: &str, run: &mut Run) {
    let (hosts, size) = rest.rsplit_once(" with ").unwrap_or((rest, ""));
    let (to, from) = hosts.split_once(" from ").unwrap_or((hosts, ""));
    run.from = host(from);
    run.to = match to.split_once(" [") {
        Some((name, address)) => Node {
            name: Some(name.to_owned()),
            address: address.trim_end_matches(']').parse().ok(),
        },
        None => host(to),
    };
    let overhead = match run.to.address {
        Some(IpAddr::V6(_)) => 48,
        _ => 28,
    };
    let payload: Option<u32> = size.split(' ').next().and_then(|n| n.parse().ok());
    run.tally.size_bytes = payload.and_then(|bytes| bytes.checked_add(overhead));
}

/// `240.0.0.1: bytes=32 time=14ms TTL=54`, `240.0.0.1: Destination host unreachable.`
fn reply(rest: &str, run: &mut Run) {
    let (from, said) = leading_host(rest);
    let is_reply = said.contains("time=") || said.contains("time<") || said.contains("bytes=");
    if !is_reply {
        return run.tally.error(Some(from), said, 1);
    }
    // `time<1ms` is no time.
    let ms = said
        .split_once("time=")
        .and_then(|(_, time)| time.split('m').next());
    run.tally.reply(ms.and_then(rtt_ms));
}

/// What follows `NAME = ` up to a comma.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(name)?;
    let rest = rest.trim_start().strip_prefix('=')?;
    rest.split([',', '(']).next().map(str::trim)
}
