//! The halves that two ends saw, as one observation.

use super::{TcpHalf, TcpPlan, TcpSlice, UdpPlan, UdpReceived, UdpSent, join_delays};
use evidence::v1::{End, HostDrops, OneWayDelay, RateBps, StopReason, TcpInterval, TcpThroughput, UdpStream};
use std::net::IpAddr;

/// Who took part in a TCP transfer.
#[derive(Debug, Clone)]
pub struct TcpParties {
    /// Which end sent.
    pub sender: End,
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
) -> TcpThroughput {
    let intervals = join_slices(&sent.slices, received.map(|half| half.slices.as_slice()));
    let (bytes_received, duration_ns) = totals(sent, received);
    TcpThroughput {
        sender: parties.sender,
        source: parties.source,
        destination: parties.destination,
        streams: plan.streams,
        requested_mss_bytes: plan.mss_bytes,
        requested_socket_buffer_bytes: plan.socket_buffer_bytes,
        congestion_control: sent.congestion_control.clone(),
        bytes_received,
        duration_ns,
        mean_bps: RateBps::of_bytes(bytes_received, duration_ns).filter(|_| bytes_received > 0),
        steady_bps: steady(&intervals).filter(|_| bytes_received > 0),
        intervals,
        sender_accounts: sent.accounts.clone(),
        receiver_accounts: received.map(|half| half.accounts.clone()).unwrap_or_default(),
        stop,
        sender_cpu: sent.cpu,
        receiver_cpu: received.and_then(|half| half.cpu),
        ports: parties.ports,
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

fn join_slices(sent: &[TcpSlice], received: Option<&[TcpSlice]>) -> Vec<TcpInterval> {
    sent.iter()
        .map(|slice| TcpInterval {
            start_ns: slice.start_ns,
            length_ns: slice.length_ns,
            bytes_acked: slice.bytes,
            bytes_received: received.and_then(|slices| bytes_between(slices, slice.start_ns, slice.end_ns())),
            retransmits: slice.retransmits,
            cwnd_bytes: slice.cwnd_bytes,
            rtt_us: slice.rtt_us,
            delivery_rate_bps: slice.delivery_rate_bps.map(RateBps),
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
fn steady(intervals: &[TcpInterval]) -> Option<RateBps> {
    let middle = intervals
        .last()
        .map(|last| (last.start_ns + last.length_ns) / 2)?;
    // A mean, not a median: with a window per round trip the slices hold whole windows or none, and their median is
    // one of the two.
    let late = intervals.iter().filter(|interval| interval.start_ns >= middle);
    let seen = late.filter_map(|interval| Some((interval.bytes_received?, interval.length_ns)));
    let (bytes, length_ns) = seen.fold((0, 0), |sum, slice| (sum.0 + slice.0, sum.1 + slice.1));
    RateBps::of_bytes(bytes, length_ns)
}

/// Who took part in a UDP stream.
#[derive(Debug, Clone, Copy)]
pub struct UdpParties {
    /// Which end sent.
    pub sender: End,
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
) -> UdpStream {
    let size = u64::from(plan.size_bytes);
    let spacing_ns = plan.spacing_ns() as u64;
    // n packets span n − 1 gaps: without the one after the last, a stream of two packets would seem twice as fast.
    let rate = |packets: u64, active_ns: u64| {
        RateBps::of_bytes(packets * size, active_ns.saturating_add(spacing_ns)).filter(|_| packets > 0)
    };
    UdpStream {
        sender: parties.sender,
        source: parties.source,
        destination: parties.destination,
        size_bytes: plan.size_bytes,
        target_bps: RateBps(plan.rate_bps),
        packets_sent: sent.packets,
        packets_received: received.packets,
        duplicates: received.duplicates,
        reordered: received.reordered,
        sent_bps: rate(sent.packets, sent.active_ns),
        received_bps: rate(received.packets, received.active_ns),
        host_drops: HostDrops {
            sender_refused: Some(sent.refused),
            sender_interface: sent.interface_drops,
            receiver_interface: receiver_interface(parties, sent, received),
            ..received.drops.clone()
        },
        loss_runs: received.loss_runs.clone(),
        intervals: received.intervals.clone(),
        one_way_delay: delays(parties, sent, received),
        duration_ns: sent.active_ns,
        stop,
        sender_cpu: sent.cpu,
        receiver_cpu: received.cpu,
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

fn delays(parties: UdpParties, sent: &UdpSent, received: &UdpReceived) -> Option<OneWayDelay> {
    join_delays(&sent.stamps, &received.stamps, parties.same_clock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slice(start_ms: u64, length_ms: u64, bytes: u64) -> TcpSlice {
        TcpSlice {
            start_ns: start_ms * 1_000_000,
            length_ns: length_ms * 1_000_000,
            bytes,
            retransmits: 0,
            cwnd_bytes: 0,
            rtt_us: 0,
            delivery_rate_bps: None,
        }
    }

    fn half(slices: Vec<TcpSlice>, stop: StopReason) -> TcpHalf {
        TcpHalf {
            congestion_control: "cubic".to_owned(),
            bytes: slices.iter().map(|slice| slice.bytes).sum(),
            active_ns: slices.last().map_or(0, TcpSlice::end_ns),
            slices,
            accounts: vec![],
            stop,
            cpu: None,
        }
    }

    fn plan() -> TcpPlan {
        TcpPlan {
            server_sends: false,
            streams: 1,
            mss_bytes: None,
            socket_buffer_bytes: None,
            congestion_control: None,
            max_time_ms: 1,
            max_bytes: None,
            max_rate_bps: None,
            watch_hops: false,
        }
    }

    fn joined(sent: &TcpHalf, received: Option<&TcpHalf>) -> TcpThroughput {
        let address = IpAddr::from([127, 0, 0, 1]);
        let parties = TcpParties {
            sender: End::From,
            source: address,
            destination: address,
            ports: vec![],
        };
        join_tcp(parties, &plan(), sent, received, sent.stop)
    }

    #[test]
    fn slices_of_unequal_length_are_laid_over_each_other() {
        let sent = half(
            vec![slice(0, 100, 10), slice(100, 100, 10), slice(200, 100, 10)],
            StopReason::MaxTime,
        );
        let received = half(
            vec![slice(0, 150, 150), slice(150, 100, 100)],
            StopReason::MaxTime,
        );
        let result = joined(&sent, Some(&received));
        let read: Vec<_> = result
            .intervals
            .iter()
            .map(|interval| interval.bytes_received)
            .collect();
        assert_eq!(read, [Some(100), Some(100), Some(50)]);
        assert_eq!(result.bytes_received, 250);
        assert_eq!(result.duration_ns, 250_000_000);
    }

    #[test]
    fn a_receiver_that_went_away_leaves_what_was_acknowledged() {
        let sent = half(vec![slice(0, 100, 1_000)], StopReason::PeerGone);
        let result = joined(&sent, None);
        assert_eq!(result.bytes_received, 1_000);
        assert_eq!(result.intervals[0].bytes_received, None);
        assert_eq!((result.steady_bps, result.receiver_accounts.len()), (None, 0));
        assert_eq!(result.mean_bps, Some(RateBps(80_000.0)));
    }

    #[test]
    fn a_stall_counts_as_time_and_nothing_received_has_no_rate() {
        let sent = half(
            vec![slice(0, 100, 1_000), slice(100, 3_900, 0)],
            StopReason::Stalled,
        );
        let received = half(vec![slice(0, 100, 1_000)], StopReason::Cancelled);
        assert_eq!(joined(&sent, Some(&received)).mean_bps, Some(RateBps(2_000.0)));
        let nothing = joined(
            &half(vec![slice(0, 4_000, 0)], StopReason::Stalled),
            Some(&half(vec![], StopReason::Stalled)),
        );
        assert_eq!((nothing.mean_bps, nothing.steady_bps), (None, None));
    }

    #[test]
    fn steady_is_the_mean_of_the_second_half() {
        let sent = half(
            (0..10).map(|i| slice(i * 100, 100, 1)).collect(),
            StopReason::Stable,
        );
        let bytes = [0, 0, 0, 0, 0, 100, 0, 300, 200, 900];
        let received = half(
            bytes
                .iter()
                .enumerate()
                .map(|(i, bytes)| slice(i as u64 * 100, 100, *bytes))
                .collect(),
            StopReason::Stable,
        );
        assert_eq!(
            joined(&sent, Some(&received)).steady_bps,
            Some(RateBps(1_500.0 * 16.0))
        );
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_in_joining(lengths in prop::collection::vec((1u64..300, 0u64..1_000_000), 1..40)) {
            let mut at = 0;
            let slices: Vec<TcpSlice> = lengths.iter().map(|(length, bytes)| {
                at += length;
                slice(at - length, *length, *bytes)
            }).collect();
            let received = half(slices, StopReason::MaxTime);
            let sent = half((0..=at / 100).map(|i| slice(i * 100, 100, 0)).collect(), StopReason::MaxTime);
            let result = joined(&sent, Some(&received));
            let read: u64 = result.intervals.iter().filter_map(|interval| interval.bytes_received).sum();
            prop_assert!(read.abs_diff(received.bytes) <= result.intervals.len() as u64);
        }
    }
}
