//! What this end saw of a transfer, and what an iperf3 server tells of its end, as one observation. The server tells totals
//! alone: what it does not tell stays absent.

use super::results::Results;
use crate::session::{
    MAX_LOSS_RUNS, TcpHalf, TcpParties, TcpPlan, UdpParties, UdpPlan, UdpReceived, UdpSent, join_tcp,
    join_udp,
};
use evidence::{HostDrops, RateBps, StopReason, Transfer, TransferInterval};

/// A server's clock runs for a round trip and for what a long queue holds longer than this end sends; more than this it is
/// not believed.
const MOST_LATE_NS: u64 = 10_000_000_000;

/// Joins a TCP transfer from this end. `told`: `None` where the server went away before it could.
#[must_use]
pub fn join_tcp_sent(
    parties: TcpParties,
    plan: &TcpPlan,
    sent: &TcpHalf,
    told: Option<&Results>,
    stop: StopReason,
) -> Transfer {
    let received = told.map(|told| TcpHalf {
        bytes: told.bytes(),
        active_ns: received_ns(sent, told),
        cpu: told.cpu_percent.map(|percent| percent / 100.0),
        ..TcpHalf::nothing(stop)
    });
    // The server knows of no byte limit that would hold its window.
    let plan = TcpPlan {
        max_bytes: None,
        ..plan.clone()
    };
    let mut joined = join_tcp(parties, &plan, sent, received.as_ref(), stop);
    // Nobody cut the server's reading into slices. What its kernel acknowledged had arrived in order, and over seconds the
    // difference to what its program read is a buffer.
    joined.steady_bps = late_rate(&joined.intervals, |slice| slice.bytes_acked)
        .filter(|_| joined.bytes_received.is_some_and(|bytes| bytes > 0));
    joined
}

/// How long the server read, from the first byte's arrival. Its clock begins a round trip earlier, when it tells the client
/// to begin, and ends when it hears of the end.
fn received_ns(sent: &TcpHalf, told: &Results) -> u64 {
    let min_rtt_us = sent.accounts.iter().filter_map(|a| a.min_rtt_us).min();
    let round_trip_ns = u64::from(min_rtt_us.unwrap_or(0)) * 1_000;
    let told_ns = told.length_ns().unwrap_or(sent.active_ns);
    let latest = sent.active_ns.saturating_add(MOST_LATE_NS);
    told_ns
        .saturating_sub(round_trip_ns)
        .clamp(sent.active_ns, latest)
}

/// Joins a TCP transfer to this end.
#[must_use]
pub fn join_tcp_received(
    parties: TcpParties,
    plan: &TcpPlan,
    received: &TcpHalf,
    told: Option<&Results>,
    stop: StopReason,
) -> Transfer {
    let sent = TcpHalf {
        cpu: told.and_then(|told| Some(told.cpu_percent? / 100.0)),
        ..TcpHalf::nothing(stop)
    };
    let mut joined = join_tcp(parties, plan, &sent, Some(received), stop);
    joined.congestion_control = told.and_then(|told| told.congestion.clone());
    joined.retransmits = told.and_then(Results::retransmits);
    joined.sent_bps = told.and_then(|told| RateBps::of_bytes(told.bytes(), told.length_ns()?));
    let slices = received.slices.iter().map(|slice| TransferInterval {
        start_ns: slice.start_ns,
        length_ns: slice.length_ns,
        bytes_received: Some(slice.bytes),
        ..TransferInterval::default()
    });
    joined.intervals = slices.collect();
    joined.steady_bps =
        late_rate(&joined.intervals, |slice| slice.bytes_received).filter(|_| received.bytes > 0);
    joined
}

/// The mean over the second half: slow start is over by then.
fn late_rate(slices: &[TransferInterval], bytes: fn(&TransferInterval) -> Option<u64>) -> Option<RateBps> {
    let end_ns = slices.last().map(|s| s.start_ns.saturating_add(s.length_ns))?;
    let late = slices.iter().filter(|slice| slice.start_ns >= end_ns / 2);
    let known = late.filter_map(|slice| Some((bytes(slice)?, slice.length_ns)));
    let (bytes, length_ns) = known.fold((0u64, 0u64), |sum, slice| {
        (sum.0.saturating_add(slice.0), sum.1.saturating_add(slice.1))
    });
    RateBps::of_bytes(bytes, length_ns)
}

/// Joins a UDP stream from this end.
#[must_use]
pub fn join_udp_sent(
    parties: UdpParties,
    plan: &UdpPlan,
    sent: &UdpSent,
    told: Option<&Results>,
    stop: StopReason,
) -> Transfer {
    let stream = told.and_then(|told| told.streams.first());
    let arrived = stream.map(|stream| stream.packets.saturating_sub(stream.lost).min(sent.packets));
    let received = UdpReceived {
        packets: arrived.unwrap_or(0),
        duplicates: 0,
        reordered: 0,
        loss_runs: Vec::new(),
        slices: Vec::new(),
        drops: HostDrops::default(),
        stamps: Vec::new(),
        active_ns: sent.active_ns,
        cpu: told.and_then(|told| Some(told.cpu_percent? / 100.0)),
    };
    Transfer {
        packets_received: arrived,
        // It counts neither: a packet that came twice makes a loss good, and one that came late as well.
        duplicates: None,
        reordered: None,
        jitter_ns: stream.map(|stream| (stream.jitter_s * 1e9) as u64),
        ..join_udp(parties, plan, sent, &received, stop)
    }
}

/// Joins a UDP stream to this end, of which the receiver computed this delay variation.
#[must_use]
pub fn join_udp_received(
    parties: UdpParties,
    plan: &UdpPlan,
    (received, jitter_ns): (&UdpReceived, Option<u64>),
    told: Option<&Results>,
    stop: StopReason,
) -> Transfer {
    let lost: u64 = received.loss_runs.iter().map(|run| run.1).sum();
    let seen = received.packets.saturating_add(lost);
    let stream = told.and_then(|told| told.streams.first());
    // Of a server that went away it is known what must have been sent: all up to the last packet that came.
    let packets = stream.map_or(seen, |stream| stream.packets.max(seen));
    let sent = UdpSent {
        sequences: packets,
        packets,
        refused: 0,
        interface_drops: None,
        stamps: Vec::new(),
        active_ns: received.active_ns,
        stop,
        cpu: told.and_then(|told| Some(told.cpu_percent? / 100.0)),
    };
    let mut joined = join_udp(parties, plan, &sent, received, stop);
    if packets > seen && joined.loss_runs.len() < MAX_LOSS_RUNS {
        joined.loss_runs.push((seen, packets - seen));
    }
    if let Some(drops) = &mut joined.host_drops {
        drops.sender_refused = None;
    }
    joined.jitter_ns = jitter_ns;
    joined
}
