//! Transfers over time: for each TCP run goodput, retransmissions, congestion window and round-trip time; for each
//! UDP stream what arrived, what was lost, and its delay. All runs of one kind in a round share one time axis.

use super::chart::{Chart, Mark, number};
use super::{anchor, link};
use crate::observations;
use crate::subject::{Subject, took_ns};
use crate::words;
use evidence::v1::{End, Nanos, Payload, RateBps, TcpInterval, TcpThroughput, UdpStream, Verdict};
use maud::{Markup, html};

/// More points than this cannot be told apart at the width shown.
const MOST_POINTS: usize = 240;

pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    let runs: Vec<_> = subject
        .numbered()
        .filter(|(_, o)| o.provenance.round == verdict.round)
        .filter(|(_, o)| matches!(o.payload, Payload::TcpThroughput(_) | Payload::UdpStream(_)))
        .collect();
    let longest_s = |tcp: bool| {
        let same = runs
            .iter()
            .filter(|(_, o)| matches!(o.payload, Payload::TcpThroughput(_)) == tcp);
        same.filter_map(|(_, o)| took_ns(&o.payload)).max().unwrap_or(0) as f64 / 1e9
    };
    let (tcp_s, udp_s) = (longest_s(true), longest_s(false));
    html! {
        @if !runs.is_empty() {
            section {
                h2 id=(anchor(subject, verdict, "transfers")) { "Transfers" }
                @for (number, observation) in &runs {
                    h3 { (words::kind(&observation.payload)) " " (link(*number)) }
                    p.soft.small { (observations::summary(&observation.payload)) }
                    div.panels {
                        @match &observation.payload {
                            Payload::TcpThroughput(tcp) => (tcp_panels(verdict, tcp, tcp_s)),
                            Payload::UdpStream(udp) => (udp_panels(udp, udp_s)),
                            _ => {}
                        }
                    }
                }
            }
        }
    }
}

fn tcp_panels(verdict: &Verdict, tcp: &TcpThroughput, until_s: f64) -> Markup {
    let groups: Vec<&[TcpInterval]> = tcp.intervals.chunks(group(tcp.intervals.len())).collect();
    let over = |value: &dyn Fn(&[TcpInterval]) -> Option<f64>| -> Vec<(f64, f64)> {
        groups
            .iter()
            .filter_map(|g| Some((middle_s(g)?, value(g)?)))
            .collect()
    };
    // The expectation is for the transfer complained about, so it is a measure only in its direction.
    let expected = verdict.expected_bps.filter(|_| tcp.sender == End::From);
    let chart = |title, mark, points, show| Chart {
        title,
        mark,
        points,
        until_s,
        at_least: 0.0,
        rule: None,
        show,
    };
    html! {
        (Chart {
            rule: expected.map(|rate| (rate.0, format!("{rate} expected"))),
            ..chart("Goodput", Mark::Curve, over(&goodput_bps), rate_label)
        }.draw())
        (Chart { at_least: 4.0, ..chart("Retransmitted segments", Mark::Bars, over(&retransmits), number) }.draw())
        (chart("Congestion window", Mark::Curve, over(&|g| Some(g.last()?.cwnd_bytes as f64)), bytes_label).draw())
        (chart("Round-trip time, smoothed", Mark::Curve, over(&|g| Some(f64::from(g.last()?.rtt_us) * 1e3)), time_label).draw())
    }
}

fn group(points: usize) -> usize {
    points.div_ceil(MOST_POINTS).max(1)
}

fn middle_s(group: &[TcpInterval]) -> Option<f64> {
    let (first, last) = (group.first()?, group.last()?);
    let end = last.start_ns.saturating_add(last.length_ns);
    Some((first.start_ns as f64 + end as f64) / 2e9)
}

/// What the receiver read; where its half is missing, what its kernel acknowledged.
fn goodput_bps(group: &[TcpInterval]) -> Option<f64> {
    let bytes = group
        .iter()
        .map(|i| i.bytes_received.unwrap_or(i.bytes_acked))
        .fold(0_u64, u64::saturating_add);
    let length = group.iter().map(|i| i.length_ns).fold(0_u64, u64::saturating_add);
    RateBps::of_bytes(bytes, length).map(|rate| rate.0)
}

fn retransmits(group: &[TcpInterval]) -> Option<f64> {
    Some(group.iter().map(|i| f64::from(i.retransmits)).sum())
}

fn udp_panels(udp: &UdpStream, until_s: f64) -> Markup {
    let step = group(udp.intervals.len());
    let groups = || udp.intervals.chunks(step);
    let middle = |g: &[evidence::v1::UdpInterval]| {
        let (first, last) = (g.first()?, g.last()?);
        Some((first.start_ns as f64 + last.start_ns.saturating_add(last.length_ns) as f64) / 2e9)
    };
    let received = groups().filter_map(|g| {
        let bytes = g
            .iter()
            .map(|i| i.packets.saturating_mul(u64::from(udp.size_bytes)))
            .fold(0, u64::saturating_add);
        let length = g.iter().map(|i| i.length_ns).fold(0, u64::saturating_add);
        Some((middle(g)?, RateBps::of_bytes(bytes, length)?.0))
    });
    let lost =
        groups().filter_map(|g| Some((middle(g)?, g.iter().map(|i| i.lost as f64).sum::<f64>().max(0.0))));
    let chart = |title, mark, points, show| Chart {
        title,
        mark,
        points,
        until_s,
        at_least: 0.0,
        rule: None,
        show,
    };
    html! {
        @if !udp.intervals.is_empty() {
            (Chart {
                rule: Some((udp.target_bps.0, format!("{} sent", udp.target_bps))),
                ..chart("Received", Mark::Curve, received.collect(), rate_label)
            }.draw())
            (Chart { at_least: 4.0, ..chart("Packets missing", Mark::Bars, lost.collect(), number) }.draw())
        }
        @if let Some(points) = delays(udp) {
            (chart("One-way delay above the smallest", Mark::Dots, points, time_label).draw())
        }
    }
}

/// Delays over the time at which each packet was due, as the stream is paced evenly.
fn delays(udp: &UdpStream) -> Option<Vec<(f64, f64)>> {
    let delay = udp.one_way_delay.as_ref()?;
    let per_packet_s = udp.duration_ns as f64 / 1e9 / udp.packets_sent.max(1) as f64;
    let above = |ns: i64| ns.saturating_sub(delay.min_ns).max(0) as f64;
    Some(
        delay
            .samples
            .iter()
            .map(|s| (s.sequence as f64 * per_packet_s, above(s.delay_ns)))
            .collect(),
    )
}

fn rate_label(bps: f64) -> String {
    RateBps(bps).to_string()
}

fn bytes_label(bytes: f64) -> String {
    words::bytes(bytes as u64)
        .replace(".0 ", " ")
        .replace(".00 ", " ")
}

fn time_label(ns: f64) -> String {
    Nanos(ns as u64).to_string()
}
