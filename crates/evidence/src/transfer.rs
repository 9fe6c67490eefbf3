//! Transfers of data between two nodes, by whatever program.

use crate::{DelayStatistics, HttpExchange, Node, RateBps, TcpAccount};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One transfer, all its connections together: ours over TCP or UDP, or by iperf, nuttcp, pScheduler, FTP or any other
/// program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Transfer {
    /// The sender of the data.
    pub from: Node,
    /// Its receiver.
    pub to: Node,
    /// The protocol; `None` where the record does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Transport>,
    /// The application or test profile, where it matters: `ftp get`, `hsi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// Parallel connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u16>,
    /// Socket buffer or TCP window asked for, bytes; `None`: automatic tuning, or not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_bytes: Option<u64>,
    /// Maximum segment size asked for, bytes of payload; `None`: the kernel chose, or not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mss_bytes: Option<u32>,
    /// Size of the IP packets of a UDP stream, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet_size_bytes: Option<u32>,
    /// Congestion control at the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion_control: Option<String>,
    /// Length, nanoseconds: from the first byte sent to the last one read, where it is ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<u64>,
    /// The rate asked for (UDP: of IP packets; or paced TCP).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_bps: Option<RateBps>,
    /// Rate at the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_bps: Option<RateBps>,
    /// Rate at the receiver over the whole transfer (TCP: goodput); `None` when nothing arrived, or not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_bps: Option<RateBps>,
    /// Goodput at the receiver after slow start: the mean over the second half.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_bps: Option<RateBps>,
    /// Application bytes that the receiver read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_received: Option<u64>,
    /// TCP segments sent again, where the record sums them up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmits: Option<u64>,
    /// UDP packets sent: that the sending kernel accepted, where it is ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_sent: Option<u64>,
    /// Distinct UDP packets that arrived at the receiving application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_received: Option<u64>,
    /// UDP packets that the receiver missed, where the record counts these. [`Transfer::count_lost`] knows both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_lost: Option<u64>,
    /// UDP packets that arrived more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<u64>,
    /// UDP packets that arrived after a packet sent later (RFC 4737).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reordered: Option<u64>,
    /// Delay variation that the receiver computed (RFC 3550 section 6.4.1), nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter_ns: Option<u64>,
    /// Round-trip time as the sender's TCP saw it (the receiver's, where nobody asked the sender), nanoseconds, where the record
    /// sums it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_ns: Option<u64>,
    /// What its author says of it, where it was written down by a person: `after the interface was cleared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Slices, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<TransferInterval>,
    /// What the sending host says of it; `None` where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<TransferSide>,
    /// What the receiving host says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<TransferSide>,
    /// UDP packets lost in the two hosts, not on the path, as far as their kernels count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_drops: Option<HostDrops>,
    /// Runs of consecutive losses of a UDP stream: (first sequence number, length), the first 1,000 runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loss_runs: Vec<(u64, u64)>,
    /// One-way delay of a UDP stream from kernel transmit and receive stamps; `None` when stamps were not to be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_way_delay: Option<OneWayDelay>,
    /// Why it ended; `None` where the record does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// Ports used: (source, destination) of each stream, for finding the packets in a capture.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<(u16, u16)>,
    /// The HTTP exchange that it was a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpExchange>,
}

impl Transfer {
    /// The rate that the tool headlines and people quote: for TCP the sender's, as all of it arrives sooner or later; for
    /// UDP the receiver's. Where only the other is known, that.
    #[must_use]
    pub fn rate(&self) -> Option<RateBps> {
        match self.protocol {
            Some(Transport::Udp) => self.received_bps.or(self.sent_bps),
            Some(Transport::Tcp) | None => self.sent_bps.or(self.received_bps),
        }
    }

    /// UDP packets that did not arrive at the receiving application, counted by whichever counters there are.
    #[must_use]
    pub fn count_lost(&self) -> Option<u64> {
        let difference = || Some(self.packets_sent?.saturating_sub(self.packets_received?));
        self.packets_lost.or_else(difference)
    }

    /// UDP packets that neither arrived nor were dropped in a host, as far as the kernels count: lost on the path. An upper
    /// bound when some host counter is unknown.
    #[must_use]
    pub fn lost_on_path(&self) -> Option<u64> {
        let in_hosts = self.host_drops.as_ref().map_or(0, HostDrops::known_total);
        Some(self.count_lost()?.saturating_sub(in_hosts))
    }
}

/// What one host says of a transfer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TransferSide {
    /// Its kernel's closing account, one per TCP connection; empty when the host went away, and for UDP.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<TcpAccount>,
    /// Share of one core that its threads used, 0 to the number of cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<f64>,
}

/// A slice of a transfer, all its connections together. Counts are for the slice, states are sampled at its end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TransferInterval {
    /// Start, nanoseconds from the start of the transfer (UDP, ours: from the first packet).
    pub start_ns: u64,
    /// Length in nanoseconds.
    pub length_ns: u64,
    /// The rate as printed; zero is a rate. [`TransferInterval::rate`] computes it where bytes are known instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<RateBps>,
    /// Bytes acknowledged by the receiver's kernel, seen at the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_acked: Option<u64>,
    /// Bytes read by the receiving application; `None` when the receiver's half is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_received: Option<u64>,
    /// Segments sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmits: Option<u64>,
    /// Congestion window, bytes, sum over the connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwnd_bytes: Option<u64>,
    /// Smoothed round-trip time, nanoseconds, mean over the connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_ns: Option<u64>,
    /// The kernel's delivery rate estimate, sum over the connections; `None` before there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery_rate_bps: Option<RateBps>,
    /// UDP packets received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_received: Option<u64>,
    /// UDP packets lost in the slice. Where it counts sequence numbers skipped less late arrivals it can be negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_lost: Option<i64>,
}

impl TransferInterval {
    /// The rate of the slice: as printed, else of the bytes read, else of the bytes acknowledged; `None` where neither is
    /// known, and when no time passed.
    #[must_use]
    pub fn rate(&self) -> Option<RateBps> {
        let bytes = self.bytes_received.or(self.bytes_acked);
        self.rate_bps
            .or_else(|| RateBps::of_bytes(bytes?, self.length_ns))
    }
}

/// One-way delays of a stream. The clocks of two hosts differ by an unknown offset: only differences of delays are sure
/// unless both ends share a clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OneWayDelay {
    /// Whether both stamps come from the same clock (both ends on one machine).
    pub same_clock: bool,
    /// Smallest delay, nanoseconds; negative when the receiver's clock is behind.
    pub min_ns: i64,
    /// Delay above the smallest: order statistics.
    pub above_min: DelayStatistics,
    /// Samples, at most 2,000 evenly picked.
    pub samples: Vec<DelaySample>,
}

/// One stamped packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DelaySample {
    /// Sequence number.
    pub sequence: u64,
    /// Receive stamp less transmit stamp, nanoseconds.
    pub delay_ns: i64,
}

/// Drops inside the two hosts during the stream. `None`: the counter could not be read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostDrops {
    /// Sends refused for want of buffer space at the sender (`ENOBUFS`); such packets are not in `packets_sent`.
    pub sender_refused: Option<u64>,
    /// Packets dropped by the sender's own queueing discipline or interface.
    pub sender_interface: Option<u64>,
    /// Packets dropped because the receiving socket's buffer was full.
    pub receiver_socket: Option<u64>,
    /// Packets dropped by the receiver's interface or softirq backlog (`/proc/net/softnet_stat`).
    pub receiver_interface: Option<u64>,
}

impl HostDrops {
    /// Drops of packets counted as sent, as far as known.
    #[must_use]
    pub fn known_total(&self) -> u64 {
        [
            self.sender_interface,
            self.receiver_socket,
            self.receiver_interface,
        ]
        .into_iter()
        .flatten()
        .fold(0, u64::saturating_add)
    }
}

/// Why a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The answer did not change any more.
    Stable,
    /// No byte was acknowledged for seconds.
    Stalled,
    /// The time limit.
    MaxTime,
    /// The byte limit.
    MaxBytes,
    /// The far end went away: what stands here is partial.
    PeerGone,
    /// The user stopped it: what stands here is partial.
    Cancelled,
}

/// The protocol of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}
