//! pchar (Mah 1999): what it prints below a router is about the link to the next one.

use super::path::{Path, is_command, signed_ns};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::host::host;
use crate::units::{self, Kilo};
use evidence::Node;

const HEAD: &str = "pchar to ";

pub(super) fn starts(line: &str) -> bool {
    line.starts_with(HEAD) || is_command(line, "pchar")
}

pub(super) fn continues(block: &Block, line: &str) -> bool {
    if line.starts_with(HEAD) {
        return block.len() == 1 && is_command(block.first().unwrap_or_default(), "pchar");
    }
    line.starts_with(' ') || is_preamble(line) || router(line).is_some()
}

fn is_preamble(text: &str) -> bool {
    let starts = ["Using ", "Packet size ", "No test ", "Warning:"];
    starts.iter().any(|start| text.starts_with(start))
        || text.ends_with(" per repetition")
        || text.ends_with(" per hop")
}

/// What else is printed of a hop and of the path.
fn is_more(text: &str) -> bool {
    ["Partial ", "Hop ", "Path ", "stddev ", "Start time:", "End time:"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// ` 1: 240.0.0.1 (router.example)`: the address comes first.
fn router(text: &str) -> Option<(u8, Node)> {
    let (ttl, rest) = text.trim_ascii().split_once(": ")?;
    let ttl = ttl.parse().ok()?;
    let (address, name) = rest.trim_ascii().split_once('(').unwrap_or((rest, ""));
    let mut node = if address.trim_ascii().contains(' ') {
        Node::default()
    } else {
        host(address)
    };
    let name = host(name.trim_end_matches([')', ' '])).name;
    node.name = name.or(node.name);
    Some((ttl, node))
}

/// The figure behind `key` in `rtt = 0.390906 ms, bw = 6339.5 Kbps`.
fn figure<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.split(", ").find_map(|part| {
        part.trim_ascii()
            .strip_prefix(key)?
            .trim_ascii_start()
            .strip_prefix('=')
    })
}

pub(super) fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut path = Path::default();
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if let Some(target) = text.strip_prefix(HEAD) {
            let (host, _) = target.split_once(" using ").unwrap_or((target, ""));
            path.to = crate::host::leading_host(host).0;
        } else if let Some(figures) = text.strip_prefix("Partial char:") {
            let link = path.pending.get_or_insert_default();
            link.rtt_ns = figure(figures, "rtt")
                .and_then(signed_ns)
                .and_then(|ns| u64::try_from(ns).ok());
        } else if let Some(figures) = text.strip_prefix("Hop char:") {
            let link = path.pending.get_or_insert_default();
            link.latency_ns = figure(figures, "rtt").and_then(signed_ns);
            link.capacity_bps = figure(figures, "bw")
                .and_then(units::split)
                .and_then(|(number, unit)| units::rate_bps(number, unit, Kilo::Thousand))
                .filter(|rate| rate.0 > 0.0);
        } else if let Some((ttl, node)) = router(text) {
            path.take_router(ttl, node);
        } else if number > block.first_line && !is_preamble(text) && !is_more(text) {
            findings.unread(number, line);
        }
    }
    if let Some(payload) = path.payload(context) {
        findings.record(block, "pchar", context.at, payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routers_and_figures() {
        let (ttl, node) = router(" 1: 240.0.0.1 (router.example)").unwrap();
        assert_eq!(
            (ttl, node.to_string().as_str()),
            (1, "router.example (240.0.0.1)")
        );
        assert_eq!(router(" 7: no probe responses"), Some((7, Node::default())));
        assert_eq!(router("999: 240.0.0.1"), None);
        let text = "          rtt = 0.39 ms, bw = 6339.5 Kbps";
        assert_eq!(figure(text, "bw").map(str::trim_ascii), Some("6339.5 Kbps"));
        assert_eq!(figure(text, "r2"), None);
    }
}
