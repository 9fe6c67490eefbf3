//! TCP transfers: what rate each configuration gave, and what the kernels say limited it.

use super::Facts;
use super::response::{CongestionControl, Connection};
use evidence::v1::{
    End, Observation, ObservationId, Payload, RateBps, StopReason, TcpInterval, TcpThroughput,
};

/// One TCP transfer.
#[derive(Debug, Clone)]
pub(crate) struct TcpRun {
    pub(crate) id: ObservationId,
    pub(crate) sender: End,
    pub(crate) streams: u16,
    pub(crate) requested_mss_bytes: Option<u32>,
    pub(crate) requested_socket_buffer_bytes: Option<u32>,
    pub(crate) control_name: String,
    /// The rate that stands for the transfer; 0 when nothing arrived.
    pub(crate) rate: RateBps,
    /// Nothing came through for most of the time, or to the end.
    pub(crate) stalled: bool,
    /// The answer is complete: not cut short by the peer or the user.
    pub(crate) complete: bool,
    /// Segments sent again, less those proven needless by D-SACK, of all sent.
    pub(crate) retransmitted: Option<(u64, u64)>,
    pub(crate) min_rtt_ns: Option<u64>,
    /// Median of the smoothed round-trip time: with our own queue in it.
    pub(crate) loaded_rtt_ns: Option<u64>,
    pub(crate) mss_bytes: Option<u32>,
    /// Share of the busy time limited by the receiver's window.
    pub(crate) receive_window_share: Option<f64>,
    /// Share of the busy time limited by the own send buffer.
    pub(crate) send_buffer_share: Option<f64>,
    /// Largest window advertised by the receiver, bytes, of the largest stream.
    pub(crate) peer_window_bytes: Option<u64>,
    /// Spread of the rate over the second half: (p90 − p10)/median.
    pub(crate) unsteadiness: Option<f64>,
    pub(crate) sender_cpu: Option<f64>,
    pub(crate) receiver_cpu: Option<f64>,
    ipv6: bool,
}

/// A host is out of CPU when its thread keeps a core this busy: some of the rest is waiting for the scheduler.
pub(crate) const BUSY_CORE: f64 = 0.9;

/// Silent for this share of its time, a transfer is "stalled": a sender that backs off or falls back through a black hole
/// is silent for whole retransmission timeouts, one in congestion is not.
const STALLED_SHARE: f64 = 0.3;

/// Shorter silences do not count, nor do those of a few round trips: on long paths acknowledgements come in bursts.
const LEAST_SILENCE_NS: u64 = 1_000_000_000;
const LEAST_SILENCE_ROUND_TRIPS: u64 = 3;

impl TcpRun {
    pub(crate) fn derive(observation: &Observation) -> Option<Self> {
        let Payload::TcpThroughput(test) = &observation.payload else {
            return None;
        };
        let accounts = &test.sender_accounts;
        let sum = |field: fn(&evidence::v1::TcpAccount) -> Option<u64>| -> Option<u64> {
            accounts
                .iter()
                .map(field)
                .collect::<Option<Vec<u64>>>()
                .filter(|v| !v.is_empty())
                .map(|v| v.iter().fold(0_u64, |sum, value| sum.saturating_add(*value)))
        };
        let busy = sum(|a| a.busy_us).filter(|busy| *busy > 0);
        let share = |limited: Option<u64>| Some((limited? as f64 / busy? as f64).min(1.0));
        let min_rtt_us = accounts
            .iter()
            .filter_map(|a| a.min_rtt_us)
            .filter(|rtt| *rtt > 0)
            .min();
        let stalled = is_stalled(test);
        Some(Self {
            id: observation.id.clone(),
            sender: test.sender,
            streams: test.streams.max(1),
            requested_mss_bytes: test.requested_mss_bytes,
            requested_socket_buffer_bytes: test.requested_socket_buffer_bytes,
            control_name: test.congestion_control.clone(),
            rate: rate(test, stalled),
            stalled,
            complete: !matches!(test.stop, StopReason::PeerGone | StopReason::Cancelled),
            retransmitted: retransmitted(test),
            min_rtt_ns: min_rtt_us.map(|us| u64::from(us) * 1_000),
            loaded_rtt_ns: loaded_rtt_ns(test),
            mss_bytes: accounts.iter().filter_map(|a| a.send_mss_bytes).max(),
            receive_window_share: share(sum(|a| a.receive_window_limited_us)),
            send_buffer_share: share(sum(|a| a.send_buffer_limited_us)),
            peer_window_bytes: accounts.iter().filter_map(|a| a.peer_window_bytes).max(),
            unsteadiness: unsteadiness(&test.intervals),
            sender_cpu: test.sender_cpu,
            receiver_cpu: test.receiver_cpu,
            ipv6: test.destination.is_ipv6(),
        })
    }

    /// A transfer as an ordinary program does it, with the data.
    pub(crate) fn is_plain(&self) -> bool {
        self.sender == End::From
            && self.streams == 1
            && self.requested_mss_bytes.is_none()
            && self.requested_socket_buffer_bytes.is_none()
    }

    /// Several connections at once, otherwise plain.
    pub(crate) fn is_parallel(&self) -> bool {
        self.sender == End::From
            && self.streams > 1
            && self.requested_mss_bytes.is_none()
            && self.requested_socket_buffer_bytes.is_none()
    }

    pub(crate) fn control(&self) -> CongestionControl {
        CongestionControl::named(&self.control_name)
    }

    /// What the response functions need, with `base_rtt_ns` where the transfer itself did not tell.
    pub(crate) fn connection(&self, base_rtt_ns: Option<u64>) -> Option<Connection> {
        let rtt_ns = self.loaded_rtt_ns.or(self.min_rtt_ns).or(base_rtt_ns)?;
        let mss_bytes = self.mss_bytes.unwrap_or(if self.ipv6 { 1_428 } else { 1_448 });
        (rtt_ns > 0).then(|| Connection {
            control: self.control(),
            mss_bytes,
            rtt_s: rtt_ns as f64 / 1e9,
        })
    }

    /// The sending or receiving thread used up a core.
    pub(crate) fn out_of_cpu(&self) -> Option<End> {
        let busy = |share: Option<f64>| share.is_some_and(|share| share >= BUSY_CORE);
        match (busy(self.sender_cpu), busy(self.receiver_cpu)) {
            (true, _) => Some(self.sender),
            (false, true) => Some(self.sender.other()),
            (false, false) => None,
        }
    }

    /// Queueing delay that the transfer itself built up, nanoseconds.
    pub(crate) fn own_queue_ns(&self, base_rtt_ns: Option<u64>) -> Option<u64> {
        let base = [self.min_rtt_ns, base_rtt_ns].into_iter().flatten().min()?;
        Some(self.loaded_rtt_ns?.saturating_sub(base))
    }
}

impl Facts {
    /// The plain transfer with the data: of several complete ones, that with the median rate.
    pub(crate) fn plain_run(&self) -> Option<&TcpRun> {
        let all: Vec<&TcpRun> = self.tcp.iter().filter(|run| run.is_plain()).collect();
        let complete: Vec<&TcpRun> = all.iter().copied().filter(|run| run.complete).collect();
        median_by_rate(if complete.is_empty() { all } else { complete })
    }

    /// The transfer that shows what limits beyond a black hole: the plain one when it runs, else the best single
    /// connection with segments that were asked for.
    pub(crate) fn running_run(&self) -> Option<&TcpRun> {
        let plain = self.plain_run().filter(|run| !run.stalled);
        plain.or_else(|| {
            let single = |run: &&TcpRun| run.sender == End::From && run.streams == 1 && !run.stalled;
            self.tcp
                .iter()
                .filter(single)
                .filter(|run| run.requested_socket_buffer_bytes.is_none())
                .max_by(|a, b| a.rate.0.total_cmp(&b.rate.0).then_with(|| b.id.cmp(&a.id)))
        })
    }

    /// The transfer with several connections.
    pub(crate) fn parallel_run(&self) -> Option<&TcpRun> {
        median_by_rate(
            self.tcp
                .iter()
                .filter(|run| run.is_parallel() && run.complete)
                .collect(),
        )
    }

    /// The best rate that any transfer with the data reached: what the path has proved to carry.
    pub(crate) fn proven_rate(&self) -> Option<RateBps> {
        let tcp = self
            .tcp
            .iter()
            .filter(|run| run.sender == End::From)
            .map(|run| run.rate.0);
        let udp = self
            .udp
            .iter()
            .filter(|run| run.sender == End::From)
            .filter_map(|run| Some(run.received?.0));
        tcp.chain(udp)
            .filter(|rate| *rate > 0.0)
            .max_by(f64::total_cmp)
            .map(RateBps)
    }

    /// The IP packet size that a plain transfer starts with: what the two interfaces allow. `None` when neither is known.
    pub(crate) fn initial_packet_bytes(&self) -> Option<u32> {
        let of = |end| self.host(end).and_then(|host| host.interface_mtu_bytes);
        let seen = self.data_path().sizes.interface_mtu_bytes;
        [of(End::From), of(End::To), seen].into_iter().flatten().min()
    }

    /// Bytes of IP and TCP header without options.
    pub(crate) fn header_bytes(&self) -> u32 {
        let address = self.complaint.to.address.or(self.data_path().hop_ref(0).address);
        if address.is_some_and(|address| address.is_ipv6()) {
            60
        } else {
            40
        }
    }
}

fn median_by_rate(mut runs: Vec<&TcpRun>) -> Option<&TcpRun> {
    runs.sort_by(|a, b| a.rate.0.total_cmp(&b.rate.0).then_with(|| a.id.cmp(&b.id)));
    runs.get(runs.len().saturating_sub(1) / 2).copied()
}

fn is_stalled(test: &TcpThroughput) -> bool {
    if test.stop == StopReason::Stalled || test.bytes_received == 0 {
        return true;
    }
    let total: u64 = test
        .intervals
        .iter()
        .fold(0, |sum, slice| slice.length_ns.saturating_add(sum));
    silent_ns(&test.intervals) as f64 >= STALLED_SHARE * total as f64 && total >= 2 * LEAST_SILENCE_NS
}

/// Time in silences that are long for this path.
fn silent_ns(intervals: &[TcpInterval]) -> u64 {
    let rtt_ns = intervals
        .iter()
        .map(|slice| u64::from(slice.rtt_us) * 1_000)
        .min()
        .unwrap_or(0);
    let least = LEAST_SILENCE_NS.max(LEAST_SILENCE_ROUND_TRIPS * rtt_ns);
    let is_silent = |slice: &TcpInterval| slice.bytes_acked == 0 && slice.bytes_received.unwrap_or(0) == 0;
    intervals
        .chunk_by(|a, b| is_silent(a) == is_silent(b))
        .filter(|run| run.first().is_some_and(is_silent))
        .map(|run| {
            run.iter()
                .fold(0_u64, |sum, slice| slice.length_ns.saturating_add(sum))
        })
        .filter(|silence| *silence >= least)
        .fold(0, u64::saturating_add)
}

/// Of a stalled transfer the mean over all of it counts: what follows the fallback is not what the user gets.
fn rate(test: &TcpThroughput, stalled: bool) -> RateBps {
    let chosen = if stalled {
        test.mean_bps
    } else {
        test.steady_bps.or(test.mean_bps)
    };
    RateBps(chosen.map_or(0.0, |rate| if rate.0.is_finite() { rate.0.max(0.0) } else { 0.0 }))
}

fn retransmitted(test: &TcpThroughput) -> Option<(u64, u64)> {
    let mut total = (0_u64, 0_u64);
    for account in &test.sender_accounts {
        let needless = account.dsack_duplicates.unwrap_or(0);
        let again = account.retransmitted_segments?.saturating_sub(needless);
        total.0 = again.saturating_add(total.0);
        total.1 = account.data_segments_out?.saturating_add(total.1);
    }
    (total.1 > 0).then_some(total)
}

/// The second half, so that slow start does not count.
fn second_half(intervals: &[TcpInterval]) -> &[TcpInterval] {
    intervals.get(intervals.len() / 2..).unwrap_or(&[])
}

fn loaded_rtt_ns(test: &TcpThroughput) -> Option<u64> {
    let mut rtts: Vec<u32> = second_half(&test.intervals)
        .iter()
        .map(|i| i.rtt_us)
        .filter(|rtt| *rtt > 0)
        .collect();
    rtts.sort_unstable();
    let sampled = rtts.get(rtts.len() / 2).copied();
    let closing = || {
        test.sender_accounts
            .iter()
            .filter_map(|a| a.rtt_us)
            .filter(|rtt| *rtt > 0)
            .max()
    };
    sampled.or_else(closing).map(|us| u64::from(us) * 1_000)
}

fn unsteadiness(intervals: &[TcpInterval]) -> Option<f64> {
    let mut rates: Vec<f64> = second_half(intervals)
        .iter()
        .filter(|i| i.length_ns > 0)
        .map(|i| i.bytes_received.unwrap_or(i.bytes_acked) as f64 / i.length_ns as f64)
        .collect();
    rates.sort_by(f64::total_cmp);
    let at = |tenths: usize| rates.get((rates.len().checked_sub(1)?) * tenths / 10).copied();
    (rates.len() >= 5 && at(5)? > 0.0).then_some((at(9)? - at(1)?) / at(5)?)
}
