//! Texts for the commands that measure once and keep no case: a line per observation, the path as a table, a
//! transfer second by second.

use super::paper::{Item, Paper, Role, Style};
use crate::clean::clean_document;
use crate::observations;
use crate::path_view::{self, HopView, PathView};
use crate::words;
use evidence::{Nanos, Observation, Payload, RateBps, TcpInterval, TcpThroughput, UdpStream};
use std::fmt::Write as _;

/// One observation in one line: what it saw, in figures, without a judgement.
#[must_use]
pub fn observation_line(observation: &Observation) -> String {
    let kind = words::kind(&observation.payload);
    let text = format!("{kind}: {}", observations::summary(observation));
    crate::clean(&text).into_owned()
}

/// What probes of a path saw: one line a hop, as traceroute users know it, then a line for every other observation.
#[must_use]
pub fn path_table(seen: &[Observation]) -> String {
    let mut out = String::new();
    for view in path_view::paths_of(seen.iter()) {
        path_lines(&mut out, &view);
    }
    let mut paper = Paper::new(100, Style::Plain);
    for observation in seen.iter().filter(|o| !matches!(o.payload, Payload::Route(_))) {
        entry(
            &mut paper,
            words::kind(&observation.payload),
            &observations::summary(observation),
        );
    }
    clean_document(&out) + &paper.finish()
}

fn path_lines(out: &mut String, view: &PathView) {
    let _ = writeln!(
        out,
        "{} -> {}, {} flows",
        view.source, view.destination, view.flows
    );
    let names = view
        .hops
        .iter()
        .flat_map(|hop| hop.routers.iter().map(|r| router(r).chars().count()));
    let widest = names.max().unwrap_or(0).min(72);
    for hop in &view.hops {
        let mut routers = hop.routers.iter().map(router);
        let first = routers.next().unwrap_or_else(|| "no answer".to_owned());
        let _ = writeln!(out, "{:>3}  {first:<widest$}  {}", hop.ttl, hop_figures(hop));
        for other in routers {
            let _ = writeln!(out, "     {other}");
        }
    }
    if view.reached_ttl.is_none() {
        let _ = writeln!(out, "     {} never answered", view.destination);
    }
}

fn router((address, name): &(std::net::IpAddr, Option<String>)) -> String {
    match name {
        Some(name) => format!("{} ({address})", crate::clean(name)),
        None => address.to_string(),
    }
}

/// `7.57 ms`, and what is remarkable: unanswered probes, labels, round-trip times of the echo.
fn hop_figures(hop: &HopView) -> String {
    let mut parts = Vec::new();
    parts.extend(hop.rtt_ns.map(|rtt| format!("{:>8}", Nanos(rtt).to_string())));
    if hop.answered > 0 && hop.answered < hop.sent {
        parts.push(format!("{} of {} answered", hop.answered, hop.sent));
    }
    if let Some(rtt) = hop.idle {
        parts.push(format!(
            "echo {} (90 % under {})",
            Nanos(rtt.p50_ns),
            Nanos(rtt.p90_ns)
        ));
    }
    if let Some(rtt) = hop.loaded {
        parts.push(format!("under load {}", Nanos(rtt.p50_ns)));
    }
    if !hop.mpls.is_empty() {
        let labels: Vec<String> = hop.mpls.iter().map(u32::to_string).collect();
        parts.push(format!("MPLS {}", labels.join(" ")));
    }
    parts.join("  ")
}

/// A transfer second by second, and its sums.
#[must_use]
pub fn transfer_table(observation: &Observation) -> String {
    let mut out = String::new();
    match &observation.payload {
        Payload::TcpThroughput(tcp) => tcp_lines(&mut out, tcp),
        Payload::UdpStream(udp) => udp_lines(&mut out, udp),
        _ => {}
    }
    let mut paper = Paper::new(100, Style::Plain);
    entry(
        &mut paper,
        words::kind(&observation.payload),
        &observations::summary(observation),
    );
    clean_document(&out) + &paper.finish()
}

fn tcp_lines(out: &mut String, tcp: &TcpThroughput) {
    let _ = writeln!(
        out,
        "{:>11}  {:>13}  {:>11}  {:>9}  {:>9}",
        "seconds", "rate", "retransmits", "cwnd", "RTT"
    );
    for second in tcp
        .intervals
        .chunk_by(|a, b| a.start_ns / SECOND_NS == b.start_ns / SECOND_NS)
    {
        let (Some(first), Some(last)) = (second.first(), second.last()) else {
            continue;
        };
        let length: u64 = second.iter().map(|i| i.length_ns).sum();
        let rate = RateBps::of_bytes(second.iter().map(arrived).sum(), length);
        let rate = rate.map_or_else(|| "-".to_owned(), |rate| rate.to_string());
        let retransmits: u64 = second.iter().map(|i| u64::from(i.retransmits)).sum();
        let span = span(first.start_ns, last.start_ns.saturating_add(last.length_ns));
        let (cwnd, rtt) = (
            words::bytes(last.cwnd_bytes),
            Nanos(u64::from(last.rtt_us) * 1_000),
        );
        let _ = writeln!(
            out,
            "{span:>11}  {rate:>13}  {retransmits:>11}  {cwnd:>9}  {:>9}",
            rtt.to_string()
        );
    }
}

/// Bytes that the receiver read; where its half is missing, what its kernel acknowledged.
fn arrived(interval: &TcpInterval) -> u64 {
    interval.bytes_received.unwrap_or(interval.bytes_acked)
}

fn udp_lines(out: &mut String, udp: &UdpStream) {
    let _ = writeln!(
        out,
        "{:>11}  {:>13}  {:>9}  {:>6}",
        "seconds", "rate", "packets", "lost"
    );
    for second in udp
        .intervals
        .chunk_by(|a, b| a.start_ns / SECOND_NS == b.start_ns / SECOND_NS)
    {
        let (Some(first), Some(last)) = (second.first(), second.last()) else {
            continue;
        };
        let length: u64 = second.iter().map(|i| i.length_ns).sum();
        let packets: u64 = second.iter().map(|i| i.packets).sum();
        let lost: i64 = second.iter().map(|i| i.lost).sum();
        let rate = RateBps::of_bytes(packets.saturating_mul(u64::from(udp.size_bytes)), length);
        let rate = rate.map_or_else(|| "-".to_owned(), |rate| rate.to_string());
        let span = span(first.start_ns, last.start_ns.saturating_add(last.length_ns));
        let _ = writeln!(out, "{span:>11}  {rate:>13}  {packets:>9}  {lost:>6}");
    }
}

const SECOND_NS: u64 = 1_000_000_000;

fn span(start_ns: u64, end_ns: u64) -> String {
    format!("{:.1}-{:.1}", start_ns as f64 / 1e9, end_ns as f64 / 1e9)
}

fn entry(paper: &mut Paper, label: &str, text: &str) {
    paper.item(&Item {
        offset: 0,
        label: (Role::Label, label.to_owned()),
        indent: 7,
        spans: vec![(Role::Plain, text.to_owned())],
        right: None,
    });
}
