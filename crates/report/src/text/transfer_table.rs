//! A transfer as `slowpath throughput` prints it: second by second, and what the two kernels say limited it.

use super::paper::{Item, Paper, Role, Style};
use crate::clean::clean_document;
use crate::observations;
use crate::words;
use evidence::v1::{
    Nanos, Observation, Payload, RateBps, TcpAccount, TcpInterval, TcpThroughput, UdpInterval, UdpStream,
};
use std::fmt::Write as _;

const SECOND_NS: u64 = 1_000_000_000;

/// One observation of a transfer, or of anything else that a transfer brought along.
#[must_use]
pub(crate) fn transfer_table(observation: &Observation) -> String {
    let mut out = String::new();
    match &observation.payload {
        Payload::TcpThroughput(tcp) => tcp_lines(&mut out, tcp),
        Payload::UdpStream(udp) => udp_lines(&mut out, udp),
        _ => {}
    }
    let mut paper = Paper::new(100, Style::Plain);
    paper.item(&Item {
        offset: 0,
        label: (Role::Label, words::kind(&observation.payload).to_owned()),
        indent: 5,
        spans: vec![(Role::Plain, observations::summary(&observation.payload))],
        right: None,
    });
    clean_document(&out) + &paper.finish()
}

fn tcp_lines(out: &mut String, tcp: &TcpThroughput) {
    let _ = writeln!(
        out,
        "{:>11}  {:>13}  {:>6}  {:>9}  {:>9}",
        "seconds", "goodput", "resent", "cwnd", "RTT"
    );
    // People think in seconds; the 100 ms intervals are in the JSON.
    for second in tcp
        .intervals
        .chunk_by(|a, b| a.start_ns / SECOND_NS == b.start_ns / SECOND_NS)
    {
        let (Some(first), Some(last)) = (second.first(), second.last()) else {
            continue;
        };
        let span = span(first.start_ns, last.start_ns.saturating_add(last.length_ns));
        let rate = rate(second.iter().map(arrived), second.iter().map(|i| i.length_ns));
        let resent: u64 = second.iter().map(|i| u64::from(i.retransmits)).sum();
        let (cwnd, rtt) = (
            words::bytes(last.cwnd_bytes),
            Nanos(u64::from(last.rtt_us) * 1_000),
        );
        let _ = writeln!(
            out,
            "{span:>11}  {rate:>13}  {resent:>6}  {cwnd:>9}  {:>9}",
            rtt.to_string()
        );
    }
    limits(out, &tcp.sender_accounts);
    processors(out, tcp.sender_cpu, tcp.receiver_cpu);
}

/// Bytes that the receiver read; where its half is missing, what its kernel acknowledged.
fn arrived(interval: &TcpInterval) -> u64 {
    interval.bytes_received.unwrap_or(interval.bytes_acked)
}

/// The sending kernel's own account of what it waited for.
fn limits(out: &mut String, accounts: &[TcpAccount]) {
    let sum = |field: fn(&TcpAccount) -> Option<u64>| {
        let known = accounts.iter().filter_map(field);
        known.reduce(u64::saturating_add)
    };
    if let Some(busy) = sum(|a| a.busy_us).filter(|busy| *busy > 0) {
        let share = |part: Option<u64>| match part {
            Some(part) => format!("{:.0} %", part as f64 * 100.0 / busy as f64),
            None => "unknown".to_owned(),
        };
        let window = share(sum(|a| a.receive_window_limited_us));
        let buffer = share(sum(|a| a.send_buffer_limited_us));
        let _ = writeln!(
            out,
            "of the time with data to send, limited by the receive window: {window}, by the send buffer: {buffer}"
        );
    }
    if let (Some(sent), Some(resent)) = (sum(|a| a.data_segments_out), sum(|a| a.retransmitted_segments)) {
        let _ = writeln!(out, "segments sent again: {}", words::lost_of(resent, sent));
    }
}

fn udp_lines(out: &mut String, udp: &UdpStream) {
    if !udp.intervals.is_empty() {
        let _ = writeln!(
            out,
            "{:>11}  {:>13}  {:>9}  {:>7}",
            "seconds", "received", "packets", "missing"
        );
    }
    for second in udp
        .intervals
        .chunk_by(|a, b| a.start_ns / SECOND_NS == b.start_ns / SECOND_NS)
    {
        let (Some(first), Some(last)) = (second.first(), second.last()) else {
            continue;
        };
        let span = span(first.start_ns, last.start_ns.saturating_add(last.length_ns));
        let bytes = |i: &UdpInterval| i.packets.saturating_mul(u64::from(udp.size_bytes));
        let rate = rate(second.iter().map(bytes), second.iter().map(|i| i.length_ns));
        let packets = second.iter().map(|i| i.packets).fold(0, u64::saturating_add);
        let missing = second.iter().map(|i| i.lost).fold(0, i64::saturating_add);
        let _ = writeln!(out, "{span:>11}  {rate:>13}  {packets:>9}  {missing:>7}");
    }
    processors(out, udp.sender_cpu, udp.receiver_cpu);
}

/// How busy the test itself kept the two hosts: near 100 % the host was measured, not the path.
fn processors(out: &mut String, sender: Option<f64>, receiver: Option<f64>) {
    if sender.is_some() || receiver.is_some() {
        let share =
            |cpu: Option<f64>| cpu.map_or("unknown".to_owned(), |cpu| format!("{:.0} %", cpu * 100.0));
        let _ = writeln!(
            out,
            "of one processor core: sender {}, receiver {}",
            share(sender),
            share(receiver)
        );
    }
}

fn rate(bytes: impl Iterator<Item = u64>, lengths_ns: impl Iterator<Item = u64>) -> String {
    let bytes = bytes.fold(0, u64::saturating_add);
    let rate = RateBps::of_bytes(bytes, lengths_ns.fold(0, u64::saturating_add));
    rate.map_or_else(|| "-".to_owned(), |rate| rate.to_string())
}

fn span(start_ns: u64, end_ns: u64) -> String {
    format!("{:.1}-{:.1}", start_ns as f64 / 1e9, end_ns as f64 / 1e9)
}
