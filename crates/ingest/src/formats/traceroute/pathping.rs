//! pathping: the hops as tracert prints them without times, and below them what each router answered of many pings, whatever the
//! language. The own host is hop 0.
//!
//! `  1    3ms     2/ 100 =  2%     2/ 100 =  2%  gw.example [192.0.2.1]`

use super::hop_line::hop_ttl;
use super::phrases::only_number;
use crate::block::Block;
use crate::host::{delay, host, rtt_ms};
use evidence::{DelayStatistics, EchoMode, Node, ProbeProtocol, ProbeRow, Probes, Trace};
use std::net::IpAddr;

/// `  0  desk7.example [192.0.2.10]`
pub(super) fn own_host(line: &str) -> Option<Node> {
    let rest = line.trim_ascii_start().strip_prefix("0 ")?.trim_ascii();
    (!rest.contains('/')).then(|| named(rest)).flatten()
}

/// `gw.example [192.0.2.1]`, `192.0.2.1`
fn named(text: &str) -> Option<Node> {
    let text = text.trim_ascii();
    match text.split_once('[') {
        Some((name, address)) => {
            let mut node = host(name);
            node.address = Some(address.strip_suffix(']')?.parse().ok()?);
            Some(node)
        }
        None if text.contains([' ', '/']) || text.is_empty() => None,
        // The address of a long name stands on the next line.
        None => Some(host(text)),
    }
}

/// `      [192.0.2.1]`: the address of the name that ends the line above.
pub(super) fn wrapped_address(line: &str) -> Option<IpAddr> {
    line.trim_ascii()
        .strip_prefix('[')?
        .strip_suffix(']')?
        .parse()
        .ok()
}

pub(super) fn is_of(block: &Block) -> bool {
    block.begins_with(super::PREAMBLE_LINES, |line| own_host(line).is_some())
}

/// What heads the table, in English; in other languages nothing of it is a figure.
pub(super) fn is_head(text: &str) -> bool {
    text.starts_with("Source to Here ")
        || text.starts_with("Hop  RTT ")
        || text.starts_with("Computing statistics for ")
}

/// Whether the line is one of pathping's own.
pub(super) fn is_line(block: &Block, line: &str) -> bool {
    if own_host(line).is_some() {
        // At the top, and again above the statistics.
        return true;
    }
    let text = line.trim_ascii();
    // Two lines of words head the table.
    let is_headed = || {
        let mut above = block.lines().rev().take(2);
        !text.is_empty() && !text.bytes().any(|byte| byte.is_ascii_digit()) && above.any(is_wait)
    };
    is_of(block)
        && (row(line).is_some()
            || wrapped_address(line).is_some()
            || is_link(text)
            || is_wait(text)
            || is_headed()
            || is_damaged_row(line))
}

/// `Berechnung der Statistiken dauert ca. 125 Sekunden...`
fn is_wait(line: &str) -> bool {
    let text = line.trim_ascii();
    text.ends_with("...") && only_number_of(text)
}

/// No hop of a trace has a slash in it: a row of which a part is missing.
pub(super) fn is_damaged_row(line: &str) -> bool {
    line.contains('/') && row(line).is_none() && hop_ttl(line).is_some()
}

/// The one star that a cut line leaves is not how often a silent hop was asked: pathping prints three.
pub(super) fn keep_whole_stars(trace: &mut Trace) {
    for flow in &mut trace.flows {
        flow.hops
            .retain(|hop| !hop.answers.is_empty() || hop.unanswered >= 3);
    }
}

fn only_number_of(text: &str) -> bool {
    only_number(text).is_some() || text.bytes().filter(u8::is_ascii_digit).count() <= 5
}

/// `0/ 100 =  0%   |`: what the link between two routers lost.
fn is_link(text: &str) -> bool {
    text.ends_with('|')
        && loss(text.trim_end_matches('|')).is_some_and(|(_, _, rest)| rest.trim_ascii().is_empty())
}

/// `2/ 100 =  2%` at the beginning: lost, sent, and the rest.
fn loss(text: &str) -> Option<(u64, u64, &str)> {
    let (lost, rest) = text.split_once('/')?;
    let (sent, rest) = rest.split_once('=')?;
    let (percent, rest) = rest.split_once('%')?;
    percent.trim_ascii().parse::<f64>().ok()?;
    Some((
        lost.trim_ascii().parse().ok()?,
        sent.trim_ascii().parse().ok()?,
        rest,
    ))
}

/// A row of the statistics: a router, and what came back from it.
pub(super) fn row(line: &str) -> Option<ProbeRow> {
    // Nearly every line of a trace is a hop, which has no share in it.
    if !line.contains('%') {
        return None;
    }
    let (ttl, rest) = hop_ttl(line)?;
    let rest = rest.trim_ascii_start();
    let (rtt, rest) = rest.split_once(char::is_whitespace)?;
    let (lost, sent, rest) = loss(rest)?;
    let (_, _, rest) = loss(rest)?;
    let mean = rtt.strip_suffix("ms").or(rtt.strip_suffix("мс")).and_then(rtt_ms);
    // 0 ms stands for "less than one", and `---` for none.
    let mean = delay(mean.filter(|ns| *ns > 0));
    Some(ProbeRow {
        ttl: Some(ttl),
        to: named(rest)?,
        mode: Some(EchoMode::Direct),
        sent: Some(sent),
        received: Some(sent.checked_sub(lost)?),
        delay: mean.map(|mean| DelayStatistics {
            mean_ns: Some(mean),
            ..DelayStatistics::default()
        }),
        ..ProbeRow::default()
    })
}

/// The statistics as a table of probes; `None` where there are none.
pub(super) fn probes(trace: &Trace, rows: Vec<ProbeRow>) -> Option<Probes> {
    (!rows.is_empty()).then(|| Probes {
        from: trace.from.clone(),
        destination: Some(trace.to.clone()).filter(|to| !to.is_unknown()),
        protocol: Some(ProbeProtocol::Icmp),
        rows,
        ..Probes::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_statistics() {
        let read = row("  1    3ms     2/ 100 =  2%     2/ 100 =  2%  gw.example [192.0.2.1]").unwrap();
        assert_eq!(
            (read.ttl, read.sent, read.received),
            (Some(1), Some(100), Some(98))
        );
        assert_eq!(read.to.to_string(), "gw.example (192.0.2.1)");
        let silent = row("  2   ---   100/ 100 =100%   100/ 100 =100%  198.51.100.9").unwrap();
        assert_eq!((silent.received, silent.delay), (Some(0), None));
        assert!(is_link("0/ 100 =  0%   |") && !is_link("0/ 100 | 5"));
        assert_eq!(
            own_host("  0  desk7 [192.0.2.10] ").unwrap().to_string(),
            "desk7 (192.0.2.10)"
        );
        assert_eq!(row(" 1  192.0.2.1  1 ms"), None);
    }
}
