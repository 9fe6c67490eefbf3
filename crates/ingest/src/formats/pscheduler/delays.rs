//! Loss and delay: the tests `latency` (one way) and `rtt`.

use super::hops::{hop, host};
use super::task::Task;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::host::delay;
use crate::one_way::OneWay;
use crate::units::{ns_of_seconds, split};
use evidence::{DelayStatistics, Node, Payload, ProbeError, ProbeRow, Probes};

/// Milliseconds as nanoseconds, also before zero: clocks differ.
pub(super) fn signed_ns(ms: f64) -> Option<i64> {
    let ns = ms * 1e6;
    (ns.abs() < 9.2e18).then(|| ns.round() as i64)
}

/// `Packets Lost ......... 0 packets`, `Delay Median ......... 2.60 ms`: what stands behind the dots.
fn dotted(line: &str) -> Option<(&str, f64)> {
    let (name, value) = line.split_once(" ..")?;
    let value = value.trim_start_matches('.').trim_ascii();
    let number = split(value)?.0;
    Some((name.trim_ascii(), number))
}

pub(super) fn latency(block: &Block, task: &Task, context: &Context, findings: &mut Findings) {
    let mut delay = OneWay {
        from: context.from_or(task.from.clone()),
        to: context.to_or(task.to.clone()),
        ..OneWay::default()
    };
    let (mut ttl_min, mut ttl_max) = (None, None);
    for (name, value) in block.lines().filter_map(|line| dotted(line.trim_ascii())) {
        let count = crate::units::whole(value);
        match name {
            "Packets Sent" => delay.sent = count,
            "Packets Lost" => delay.lost = count,
            "Packets Duplicated" => delay.duplicates = count,
            "Packets Reordered" => delay.reordered = count,
            "Delay Median" => delay.median_ns = signed_ns(value),
            "Delay Minimum" => delay.min_ns = signed_ns(value),
            "Delay Maximum" => delay.max_ns = signed_ns(value),
            "Max Clock Error" => delay.clock_error_ns = ns_of_seconds(value / 1e3),
            "TTL Minimum" => ttl_min = count,
            "TTL Maximum" => ttl_max = count,
            _ => {}
        }
    }
    delay.hops = hops_of_ttl(ttl_min, ttl_max);
    findings.record(block, "pScheduler", task.at, delay.into_payload());
}

/// RFC 4656 section 4.1.2: OWAMP sends with a TTL of 255. Different TTLs tell of different ways.
pub(super) fn hops_of_ttl(min: Option<u64>, max: Option<u64>) -> Option<u8> {
    let (min, max) = (min?, max?);
    let ttl = (min == max).then_some(min)?;
    255_u8.checked_sub(u8::try_from(ttl).ok()?)
}

pub(super) fn round_trips(block: &Block, task: &Task, context: &Context, findings: &mut Findings) {
    let mut row = ProbeRow {
        to: context.to_or(task.to.clone()),
        ..ProbeRow::default()
    };
    let (mut sent, mut received) = (0_u64, 0_u64);
    let mut before = "";
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        // The same probe twice.
        if text == before && !text.is_empty() {
            continue;
        }
        before = text;
        if let Some((loss, statistics)) = text.split_once("% Packet Loss") {
            let percent: Option<f64> = loss.trim_ascii().parse().ok();
            row.loss_ratio = percent
                .filter(|percent| (0.0..=100.0).contains(percent))
                .map(|percent| percent / 100.0);
            row.delay = statistics
                .split_once('=')
                .and_then(|(_, figures)| rtt(figures.trim_ascii().trim_end_matches(" ms")));
        } else if let Some((_, rest)) = hop(text) {
            sent += 1;
            let rest = &*rest.replace('\t', "  ");
            if rest.contains(" RTT ") {
                received += 1;
                note_packet(&mut row, rest);
            } else if let Some((node, error)) = rest.split_once(": ") {
                note_error(&mut row, host(node), error);
            }
        } else if text.contains(" RTT ") {
            findings.complain(number, "a round trip of pScheduler that is not understood");
        }
    }
    if sent == 0 && row.loss_ratio.is_none() && row.delay.is_none() {
        return;
    }
    // Where more was lost than lines tell, a line was not understood: how many there were is not known then.
    let lost = row.loss_ratio.unwrap_or(0.0) * sent as f64;
    let are_all = sent > 0 && (lost - sent.saturating_sub(received) as f64).abs() < 0.5;
    row.sent = are_all.then_some(sent);
    // Fewer answers than the loss allows: some lines are of another shape.
    let is_short = lost + 0.5 < sent.saturating_sub(received) as f64;
    row.received = (sent > 0 && !is_short).then_some(received);
    if is_short && row.loss_ratio.is_some() {
        findings.complain(
            block.first_line,
            "fewer answers than its loss allows: they are not counted",
        );
    }
    let pings = Probes {
        from: context.from_or(task.from.clone()),
        rows: vec![row],
        ..Probes::default()
    };
    findings.record(block, "pScheduler", task.at, Payload::Probes(pings));
}

/// `0.310000/0.330000/0.360000/0.010000`
fn rtt(figures: &str) -> Option<DelayStatistics> {
    let mut ns = figures
        .split('/')
        .map(|ms| delay(ms.parse::<f64>().ok().and_then(|ms| ns_of_seconds(ms / 1e3))));
    let statistics = DelayStatistics {
        min_ns: ns.next()?,
        mean_ns: ns.next()?,
        max_ns: ns.next()?,
        deviation_ns: ns.next().flatten(),
        ..DelayStatistics::default()
    };
    statistics.min_ns.is_some().then_some(statistics)
}

/// `host (192.0.2.1)  64 Bytes  TTL 60  RTT   0.3300 ms`: ping counts 8 bytes of ICMP in the length.
fn note_packet(row: &mut ProbeRow, rest: &str) {
    let (node, _) = rest.split_once("  ").unwrap_or((rest, ""));
    let node = host(node);
    let header = if node.address.is_some_and(|address| address.is_ipv6()) {
        40
    } else {
        20
    };
    if row.to.is_unknown() || row.to.address.is_none() && row.to.name == node.name {
        row.to = node;
    }
    let length: Option<u32> = rest
        .split_once(" Bytes")
        .and_then(|(before, _)| before.rsplit(' ').next()?.parse().ok());
    row.size_bytes = length.and_then(|length| length.checked_add(header));
}

fn note_error(row: &mut ProbeRow, from: Node, text: &str) {
    let same = |error: &&mut ProbeError| error.text == text && error.from.as_ref() == Some(&from);
    match row.errors.iter_mut().take(32).find(same) {
        Some(error) => error.count = error.count.saturating_add(1),
        None => row.errors.push(ProbeError {
            from: Some(from),
            text: text.to_owned(),
            mtu_bytes: None,
            count: 1,
        }),
    }
}
