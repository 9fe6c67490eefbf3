//! pathchar (Jacobson 1997): `|    29 Mb/s,   204 us (816 us)` between two routers.

use super::path::{Path, is_command, signed_ns};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::host::leading_host;
use crate::units::{self, Kilo};
use evidence::{LinkCapacity, Node};

const HEAD: &str = "pathchar to ";

pub(super) fn starts(line: &str) -> bool {
    line.starts_with(HEAD) || is_command(line, "pathchar")
}

pub(super) fn continues(block: &Block, line: &str) -> bool {
    if line.starts_with(HEAD) {
        return block.len() == 1 && is_command(block.first().unwrap_or_default(), "pathchar");
    }
    let text = line.trim_ascii_start();
    let indented = text.len() < line.len();
    match text.as_bytes().first() {
        Some(b'|') => true,
        Some(b'0'..=b'9') => indented || is_progress(text) || is_summary(text),
        Some(_) => indented,
        None => false,
    }
}

/// What an unfinished run leaves on the screen: `9  * 1   548 535       3`, `14:  14   460 312       3`.
fn is_progress(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let ttl = words.next().unwrap_or("");
    let counts = ttl
        .strip_suffix(':')
        .map_or(words.next() == Some("*"), |ttl| ttl.parse::<u32>().is_ok());
    counts && words.all(|word| word.parse::<u32>().is_ok())
}

/// What stands between the head and the first router.
fn is_preamble(text: &str) -> bool {
    text.starts_with("mtu limit") || text.starts_with("doing ") || text.starts_with("This ")
}

/// `8 hops, rtt 4.32 ms (11.0 ms), bottleneck 6.1 Mb/s, pipe 5743 bytes`
fn is_summary(text: &str) -> bool {
    text.contains(" hops, rtt ")
}

/// `|    29 Mb/s,   204 us (816 us),  +q 5.79 ms (6.37 KB) *2, 8% dropped`; `None` when it says nothing.
fn link(text: &str) -> Option<LinkCapacity> {
    let mut parts = text.strip_prefix('|')?.split(',').map(str::trim_ascii);
    let capacity = parts.next()?;
    let (latency, rtt) = parts.next().unwrap_or("").split_once('(').unwrap_or(("", ""));
    let rate = units::split(capacity).and_then(|(n, unit)| units::rate_bps(n, unit, Kilo::Thousand));
    let link = LinkCapacity {
        capacity_bps: rate.filter(|rate| rate.0 > 0.0),
        latency_ns: signed_ns(latency),
        rtt_ns: signed_ns(rtt.trim_end_matches(')')).and_then(|ns| u64::try_from(ns).ok()),
        ..LinkCapacity::default()
    };
    // "?? b/s" is a link whose capacity could not be told.
    let said = link.capacity_bps.is_some() || link.latency_ns.is_some() || capacity.starts_with('?');
    said.then_some(link)
}

/// ` 3 RTR-DMZ.SLAC.Stanford.EDU (`
fn router(text: &str) -> Option<(u8, Node)> {
    let (ttl, host) = text.split_once(char::is_whitespace)?;
    let (node, rest) = leading_host(host);
    rest.trim_ascii().is_empty().then_some((ttl.parse().ok()?, node))
}

pub(super) fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut path = Path::default();
    let mut unfinished: Option<(u64, u64)> = None;
    let mut last_line = block.first_line;
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if let Some(target) = text.strip_prefix(HEAD) {
            path.to = leading_host(target).0;
        } else if is_progress(text) {
            unfinished = Some((unfinished.map_or(number, |(first, _)| first), number));
            continue;
        } else if let Some(link) = link(text) {
            path.pending = Some(link);
        } else if let Some((ttl, node)) = router(text) {
            path.take_router(ttl, node);
        } else if text.starts_with('|') {
            findings.complain(number, "no link of pathchar");
        } else if number > block.first_line && !is_summary(text) && !is_preamble(text) {
            findings.unread(number, line);
        }
        last_line = number;
    }
    if let Some(payload) = path.payload(context) {
        findings.record_of((block.first_line, last_line), "pathchar", context.at, payload);
    }
    if let Some(lines) = unfinished {
        findings.complain_of(
            lines,
            "pathchar was stopped here: the rest of the path is unknown",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::RateBps;

    #[test]
    fn links() {
        let read = link("|   115 Mb/s,   58 us (1.64 ms)").unwrap();
        assert_eq!(
            (read.capacity_bps, read.latency_ns, read.rtt_ns),
            (Some(RateBps(115e6)), Some(58_000), Some(1_640_000))
        );
        let queued = link("|   9.2 Mb/s,   -4 us (2.0 ms),  +q 5.79 ms (6.37 KB) *2, 8% dropped").unwrap();
        assert_eq!(
            (queued.capacity_bps, queued.latency_ns),
            (Some(RateBps(9.2e6)), Some(-4_000))
        );
        assert_eq!(link("|   ?? b/s,   91 us (2.05 ms)").unwrap().capacity_bps, None);
        assert_eq!(link("| fast"), None);
        assert_eq!(link("|"), None);
    }

    #[test]
    fn what_an_unfinished_run_leaves() {
        assert!(is_progress("9  * 1   548 535       3") && is_progress("14:  14   460 312       3"));
        assert!(!is_progress("8 Core1-gateway.Stanford.EDU (") && !is_progress("2: eth0: <UP> mtu 1500"));
    }
}
