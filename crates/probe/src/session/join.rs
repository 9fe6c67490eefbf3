//! The halves that two ends saw, as one observation.

use super::{ReceivedSlice, TcpHalf, TcpPlan, TcpSlice, UdpPlan, UdpReceived, UdpSent, join_delays};
use evidence::{
    HostDrops, RateBps, StopReason, TcpAccount, Transfer, TransferInterval, TransferSide, Transport,
};
use std::net::IpAddr;

/// Who took part in a TCP transfer.
#[derive(Debug, Clone)]
pub struct TcpParties {
    /// The sender's address.
    pub source: IpAddr,
    /// The receiver's address.
    pub destination: IpAddr,
    /// (source, destination) port of each stream.
    pub ports: Vec<(u16, u16)>,
}

/// Joins what the sender and the receiver of a TCP transfer saw. Either half may be missing when the far end went
/// away; `stop` is the client's word on why it ended.
#[must_use]
pub fn join_tcp(
    parties: TcpParties,
    plan: &TcpPlan,
    sent: &TcpHalf,
    received: Option<&TcpHalf>,
    stop: StopReason,
) -> Transfer {
    let intervals = join_slices(&sent.slices, received.map(|half| half.slices.as_slice()));
    let (bytes_received, duration_ns) = totals(sent, received);
    let held = held_window(plan, sent);
    Transfer {
        from: parties.source.into(),
        to: parties.destination.into(),
        protocol: Some(Transport::Tcp),
        streams: Some(plan.streams),
        window_bytes: plan.socket_buffer_bytes.map(u64::from).or(held),
        note: held.map(|_| "its byte limit held the receive window".to_owned()),
        mss_bytes: plan.mss_bytes,
        congestion_control: Some(sent.congestion_control.clone()),
        duration_ns: Some(duration_ns),
        received_bps: RateBps::of_bytes(bytes_received, duration_ns).filter(|_| bytes_received > 0),
        steady_bps: steady(&intervals).filter(|_| bytes_received > 0),
        bytes_received: Some(bytes_received),
        intervals,
        sender: Some(side(sent)),
        // Of a receiver that went away there is a side without accounts: it was asked.
        receiver: Some(received.map(side).unwrap_or_default()),
        stop: Some(stop),
        ports: parties.ports,
        ..Transfer::default()
    }
}

/// A receiver that keeps to a byte limit lets a twentieth of it wait unread at least, over all streams, and Linux advertises
/// half of a buffer or more: a smaller window than this share of the limit is the host's own.
const LEAST_HELD_SHARE: u64 = 40;

/// The receive window of a transfer with a byte limit, which our receiver keeps small so that no more crosses the network
/// than is allowed. Where the sender waited for it, it is a condition of the test as a window that was asked for is,
/// and tells nothing of the receiving host.
fn held_window(plan: &TcpPlan, sent: &TcpHalf) -> Option<u64> {
    let sum = |field: fn(&TcpAccount) -> Option<u64>| -> u64 {
        let all = sent.accounts.iter().filter_map(field);
        all.fold(0, u64::saturating_add)
    };
    let waited_us = sum(|account| account.receive_window_limited_us);
    let waited = waited_us > 0 && waited_us >= sum(|account| account.busy_us) / 5;
    let least = plan.max_bytes? / u64::from(plan.streams.max(1)) / LEAST_HELD_SHARE;
    let seen = sent
        .accounts
        .iter()
        .filter_map(|account| account.peer_window_bytes);
    seen.max().filter(|bytes| waited && *bytes >= least.max(1))
}

fn side(half: &TcpHalf) -> TransferSide {
    TransferSide {
        accounts: half.accounts.clone(),
        cpu: half.cpu,
    }
}

/// Bytes read and the time from the first byte sent to the last byte read. The two clocks are not compared: the
/// first byte is taken to travel half the smallest round trip. A transfer that stalled lasted until the sender gave
/// up, or its mean would be the rate of the moment before.
fn totals(sent: &TcpHalf, received: Option<&TcpHalf>) -> (u64, u64) {
    let min_rtt_us = sent
        .accounts
        .iter()
        .filter_map(|account| account.min_rtt_us)
        .min();
    let travel_ns = u64::from(min_rtt_us.unwrap_or(0)) * 500;
    match received {
        Some(half) => {
            let last_read = half.active_ns.saturating_add(travel_ns);
            let stalled = sent.stop == StopReason::Stalled;
            (
                half.bytes,
                if stalled {
                    last_read.max(sent.active_ns)
                } else {
                    last_read
                },
            )
        }
        // What was acknowledged did arrive, even if the receiver can no longer say so.
        None => (sent.bytes, sent.active_ns),
    }
}

fn join_slices(sent: &[TcpSlice], received: Option<&[TcpSlice]>) -> Vec<TransferInterval> {
    sent.iter()
        .map(|slice| TransferInterval {
            start_ns: slice.start_ns,
            length_ns: slice.length_ns,
            bytes_acked: Some(slice.bytes),
            bytes_received: received.and_then(|slices| bytes_between(slices, slice.start_ns, slice.end_ns())),
            retransmits: Some(slice.retransmits.into()),
            cwnd_bytes: Some(slice.cwnd_bytes),
            rtt_ns: Some(u64::from(slice.rtt_us) * 1_000),
            delivery_rate_bps: slice.delivery_rate_bps.map(RateBps),
            ..TransferInterval::default()
        })
        .collect()
}

/// Bytes read between two times by the receiver's own clock, its slices being taken as even inside. The first byte
/// read is its time 0, as the first byte sent is the sender's: the delay of the path drops out. `None` beyond the
/// last slice: not known is not zero.
fn bytes_between(slices: &[TcpSlice], from_ns: u64, to_ns: u64) -> Option<u64> {
    let end = slices.last()?.end_ns();
    (from_ns < end).then(|| {
        let up_to = |at_ns: u64| {
            slices
                .iter()
                .map(|slice| read_before(slice, at_ns))
                .sum::<f64>()
                .round()
        };
        (up_to(to_ns) - up_to(from_ns)).max(0.0) as u64
    })
}

fn read_before(slice: &TcpSlice, at_ns: u64) -> f64 {
    let inside = at_ns.saturating_sub(slice.start_ns).min(slice.length_ns);
    if slice.length_ns == 0 {
        return if at_ns > slice.start_ns {
            slice.bytes as f64
        } else {
            0.0
        };
    }
    slice.bytes as f64 * (inside as f64 / slice.length_ns as f64)
}

/// The median goodput of the intervals of the second half: slow start is over, and one bad slice does not count.
fn steady(intervals: &[TransferInterval]) -> Option<RateBps> {
    let middle = intervals
        .last()
        .map(|last| last.start_ns.saturating_add(last.length_ns) / 2)?;
    // A mean, not a median: with a window per round trip the slices hold whole windows or none, and their median is
    // one of the two.
    let late = intervals.iter().filter(|interval| interval.start_ns >= middle);
    let seen = late.filter_map(|interval| Some((interval.bytes_received?, interval.length_ns)));
    // The far end may have said anything.
    let (bytes, length_ns) = seen.fold((0u64, 0u64), |sum, slice| {
        (sum.0.saturating_add(slice.0), sum.1.saturating_add(slice.1))
    });
    RateBps::of_bytes(bytes, length_ns)
}

/// Who took part in a UDP stream.
#[derive(Debug, Clone, Copy)]
pub struct UdpParties {
    /// The sender's address.
    pub source: IpAddr,
    /// The receiver's address.
    pub destination: IpAddr,
    /// Whether both kernels are one.
    pub same_clock: bool,
}

/// Joins what the sender and the receiver of a UDP stream saw.
#[must_use]
pub fn join_udp(
    parties: UdpParties,
    plan: &UdpPlan,
    sent: &UdpSent,
    received: &UdpReceived,
    stop: StopReason,
) -> Transfer {
    let size = u64::from(plan.size_bytes);
    let spacing_ns = plan.spacing_ns() as u64;
    // n packets span n − 1 gaps: without the one after the last, a stream of two packets would seem twice as fast.
    let rate = |packets: u64, active_ns: u64| {
        RateBps::of_bytes(packets.saturating_mul(size), active_ns.saturating_add(spacing_ns))
            .filter(|_| packets > 0)
    };
    Transfer {
        from: parties.source.into(),
        to: parties.destination.into(),
        protocol: Some(Transport::Udp),
        packet_size_bytes: Some(plan.size_bytes),
        duration_ns: Some(sent.active_ns),
        target_bps: Some(RateBps(plan.rate_bps)),
        sent_bps: rate(sent.packets, sent.active_ns),
        received_bps: rate(received.packets, received.active_ns),
        packets_sent: Some(sent.packets),
        packets_received: Some(received.packets),
        duplicates: Some(received.duplicates),
        reordered: Some(received.reordered),
        intervals: received.slices.iter().map(interval).collect(),
        sender: Some(without_accounts(sent.cpu)),
        receiver: Some(without_accounts(received.cpu)),
        host_drops: Some(HostDrops {
            sender_refused: Some(sent.refused),
            sender_interface: sent.interface_drops,
            receiver_interface: receiver_interface(parties, sent, received),
            ..received.drops.clone()
        }),
        loss_runs: received.loss_runs.clone(),
        one_way_delay: join_delays(&sent.stamps, &received.stamps, parties.same_clock),
        stop: Some(stop),
        ..Transfer::default()
    }
}

fn interval(slice: &ReceivedSlice) -> TransferInterval {
    TransferInterval {
        start_ns: slice.start_ns,
        length_ns: slice.length_ns,
        packets_received: Some(slice.packets),
        packets_lost: Some(slice.lost),
        ..TransferInterval::default()
    }
}

fn without_accounts(cpu: Option<f64>) -> TransferSide {
    TransferSide {
        accounts: Vec::new(),
        cpu,
    }
}

/// Between two namespaces of one machine the receiver's full backlog shows as a drop of the sender's veth as well:
/// one loss must not be counted twice, or it would hide one on the path.
fn receiver_interface(parties: UdpParties, sent: &UdpSent, received: &UdpReceived) -> Option<u64> {
    let same = if parties.same_clock {
        sent.interface_drops.unwrap_or(0)
    } else {
        0
    };
    received
        .drops
        .receiver_interface
        .map(|drops| drops.saturating_sub(same))
}

#[cfg(test)]
#[path = "join_tests.rs"]
mod tests;
