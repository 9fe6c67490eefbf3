//! owping (OWAMP, RFC 4656): loss and delay one way, a section for each direction.

use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::host::host;
use crate::one_way::OneWay;
use crate::units::{ns_of_seconds, seconds, split};
use crate::when;
use evidence::Node;

pub(crate) static FORMAT: Format = Format {
    name: "owping",
    group: Group::Transfers,
    reads: "the statistics of one or both directions",
    first: "-",
    has_command: false,
    starts: |line| line.starts_with("--- owping statistics from "),
    continues,
    takes_in: None,
    read,
};

fn continues(_: &Block, line: &str) -> bool {
    const OPENINGS: [&str; 9] = [
        "SID:",
        "first:",
        "last:",
        "one-way ",
        "Percentiles:",
        "\t",
        "hops = ",
        "TTL ",
        "no reordering",
    ];
    let text = line.trim_start_matches(' ');
    OPENINGS.iter().any(|opening| text.starts_with(opening))
        || text.contains(" sent, ")
        || text.contains("-reordering = ")
        || text.starts_with("Hops = ")
        || text.starts_with("hops takes ")
}

/// `99.0: -12.1 ms`, `3 4 packets`, `255 (TTL)`: a line of a list that is understood, and not kept.
fn is_percentile(text: &str) -> bool {
    let figures = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | ':' | ' ' | '%' | ',');
    let words = text.trim_start_matches(figures);
    matches!(words, "ms" | "us" | "s" | "packets" | "packet" | "n" | "nan ms")
}

/// `[host.example.net]:8915`
fn end(text: &str) -> Node {
    let inner = text
        .trim()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'));
    inner.map_or(Node::default(), |(name, _)| host(name))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut delay = OneWay {
        from: context.from.clone(),
        to: context.to.clone(),
        ..OneWay::default()
    };
    let mut at = context.at;
    for (number, line) in block.numbered() {
        let text = line.trim();
        if let Some(ends) = text.strip_prefix("--- owping statistics from ") {
            let (from, to) = ends
                .trim_end_matches(" ---")
                .split_once(" to ")
                .unwrap_or((ends, ""));
            (delay.from, delay.to) = (context.from_or(end(from)), context.to_or(end(to)));
        } else if let Some(first) = text.strip_prefix("first:") {
            // Printed without a zone.
            at = when::iso8601(first, context.utc_offset_s).or(at);
        } else if text.contains(" sent, ") {
            if !counts(&mut delay, text) {
                findings.complain(number, "packets of owping that are not understood");
            }
        } else if let Some(figures) = text.strip_prefix("one-way delay min/median/max = ") {
            delays(&mut delay, figures);
        } else if let Some(hops) = text.strip_prefix("hops = ").or(text.strip_prefix("Hops = ")) {
            // "consistently": all packets had the same TTL.
            delay.hops = hops.split(' ').next().and_then(|hops| hops.parse().ok());
        } else if let Some(ttl) = text.strip_prefix("TTL is ") {
            // Older versions print the TTL itself; packets are sent with 255 (RFC 4656 section 4.1.2).
            let ttl = ttl.split(' ').next().and_then(|ttl| ttl.parse().ok());
            delay.hops = ttl.and_then(|ttl| 255_u8.checked_sub(ttl));
        } else if text == "no reordering" {
            delay.reordered = Some(0);
        } else if line.starts_with('\t') && !is_percentile(text) {
            findings.unread(number, line);
        }
    }
    if delay.sent.is_some() {
        findings.record(block, "owping", at, delay.into_payload());
    }
}

/// `100 sent, 3 lost (3.000%), 0 duplicates`
fn counts(delay: &mut OneWay, text: &str) -> bool {
    for part in text.split(',') {
        let mut words = part.split_ascii_whitespace();
        let count = words.next().and_then(|word| word.parse().ok());
        match words.next() {
            Some("sent") => delay.sent = count,
            Some("lost") => delay.lost = count,
            Some("duplicates") => delay.duplicates = count,
            _ => return false,
        }
    }
    delay.sent.is_some()
}

/// `-12.5/-12.4/-12.1 ms, (err=9.01 ms)`; `nan` where nothing arrived, `(unsync)` where a clock is not set.
fn delays(delay: &mut OneWay, text: &str) {
    let (figures, error) = text.split_once(',').unwrap_or((text, ""));
    let (figures, unit) = figures.trim().split_once(' ').unwrap_or((figures, ""));
    let mut ns = figures.split('/').map(|figure| {
        let value: f64 = figure.parse().ok()?;
        let ns = seconds(value, unit)? * 1e9;
        (ns.abs() < 9.2e18).then(|| ns.round() as i64)
    });
    delay.min_ns = ns.next().flatten();
    delay.median_ns = ns.next().flatten();
    delay.max_ns = ns.next().flatten();
    let error = error
        .trim()
        .strip_prefix("(err=")
        .map(|error| error.trim_end_matches(')'));
    delay.clock_error_ns = error
        .and_then(split)
        .and_then(|(value, unit)| ns_of_seconds(seconds(value, unit)?));
}
