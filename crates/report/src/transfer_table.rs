//! `slowpath throughput` as text: what arrived, and what each kernel says limited it.

use evidence::{Observation, Payload, RateBps, StopReason, TcpAccount, TcpThroughput, UdpStream};
use std::fmt::Write as _;

/// One transfer in words and figures; empty for observations of another kind.
#[must_use]
pub fn transfer_table(observation: &Observation) -> String {
    match &observation.payload {
        Payload::TcpThroughput(tcp) => tcp_table(tcp),
        Payload::UdpStream(udp) => udp_table(udp),
        _ => String::new(),
    }
}

fn tcp_table(tcp: &TcpThroughput) -> String {
    let rate = |rate: Option<RateBps>| rate.map_or_else(|| "nothing".to_owned(), |rate| rate.to_string());
    let mut text = format!(
        "TCP {} -> {}, {} stream{}, {}: {} received; steady {}\n",
        tcp.source,
        tcp.destination,
        tcp.streams,
        if tcp.streams == 1 { "" } else { "s" },
        tcp.congestion_control,
        rate(tcp.mean_bps),
        rate(tcp.steady_bps),
    );
    let _ = writeln!(text, "{:>8} {:>14} {:>7} {:>10} {:>9}", "second", "goodput", "resent", "cwnd", "RTT");
    // People think in seconds; the 100 ms intervals are in the JSON.
    for second in tcp.intervals.chunk_by(|a, b| a.start_ns / 1_000_000_000 == b.start_ns / 1_000_000_000) {
        let (Some(first), Some(last)) = (second.first(), second.last()) else { continue };
        let bytes = second.iter().map(|slice| slice.bytes_received.unwrap_or(slice.bytes_acked)).sum();
        let length = second.iter().map(|slice| slice.length_ns).sum();
        let resent: u32 = second.iter().map(|slice| slice.retransmits).sum();
        let _ = writeln!(
            text,
            "{:>8} {:>14} {resent:>7} {:>7} kB {:>6.1} ms",
            first.start_ns / 1_000_000_000,
            rate(RateBps::of_bytes(bytes, length)),
            last.cwnd_bytes / 1_000,
            f64::from(last.rtt_us) / 1e3,
        );
    }
    text.push_str(&limits(&tcp.sender_accounts));
    text.push_str(&cpu_line(tcp.sender_cpu, tcp.receiver_cpu));
    text.push_str(stopped(tcp.stop));
    text
}

/// The sending kernel's own account of what it waited for.
fn limits(accounts: &[TcpAccount]) -> String {
    let sum = |field: fn(&TcpAccount) -> Option<u64>| accounts.iter().filter_map(field).sum::<u64>();
    let busy = sum(|account| account.busy_us);
    if busy == 0 {
        return String::new();
    }
    let percent = |part: u64| part as f64 * 100.0 / busy as f64;
    let mut text = format!(
        "limited by: receive window {:.0} %, send buffer {:.0} % of the time with data to send\n",
        percent(sum(|account| account.receive_window_limited_us)),
        percent(sum(|account| account.send_buffer_limited_us)),
    );
    let (sent, resent) = (sum(|account| account.data_segments_out), sum(|account| account.retransmitted_segments));
    if sent > 0 {
        let _ = writeln!(text, "resent: {resent} of {sent} segments ({:.4} %)", resent as f64 * 100.0 / sent as f64);
    }
    text
}

fn udp_table(udp: &UdpStream) -> String {
    let rate = |rate: Option<RateBps>| rate.map_or_else(|| "nothing".to_owned(), |rate| rate.to_string());
    let mut text = format!(
        "UDP {} -> {}, {}-byte packets: {} sent, {} received\n",
        udp.source,
        udp.destination,
        udp.size_bytes,
        rate(udp.sent_bps),
        rate(udp.received_bps),
    );
    let _ = writeln!(
        text,
        "lost on the path: {} of {} packets; dropped in the hosts: {}; duplicated: {}; reordered: {}",
        udp.lost_on_path(),
        udp.packets_sent,
        udp.host_drops.known_total(),
        udp.duplicates,
        udp.reordered,
    );
    if let Some(delay) = &udp.one_way_delay {
        let spread = delay.above_min;
        let _ = writeln!(
            text,
            "one-way delay above the smallest: median {:.1} µs, 99 % {:.1} µs{}",
            spread.p50_ns as f64 / 1e3,
            spread.p99_ns as f64 / 1e3,
            if delay.same_clock { format!("; smallest {:.1} µs", delay.min_ns as f64 / 1e3) } else { String::new() },
        );
    }
    text.push_str(&cpu_line(udp.sender_cpu, udp.receiver_cpu));
    text.push_str(stopped(udp.stop));
    text
}

fn cpu_line(sender: Option<f64>, receiver: Option<f64>) -> String {
    match (sender, receiver) {
        (Some(sender), Some(receiver)) => {
            format!("processor: sender {:.0} %, receiver {:.0} % of one core\n", sender * 100.0, receiver * 100.0)
        }
        _ => String::new(),
    }
}

fn stopped(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Stable => "stopped early: the rate did not change any more\n",
        StopReason::Stalled => "stopped: nothing was acknowledged any more\n",
        StopReason::PeerGone => "the far end went away: partial\n",
        StopReason::Cancelled => "stopped by the user: partial\n",
        StopReason::MaxTime | StopReason::MaxBytes => "",
    }
}
