//! What bulk transfers between the two ends did, as both kernels tell it.

use crate::{End, RateBps, RttSummary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// One TCP transfer over one or more parallel connections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TcpThroughput {
    /// Which end sent.
    pub sender: End,
    /// Address of the sender.
    pub source: IpAddr,
    /// Address of the receiver.
    pub destination: IpAddr,
    /// Parallel connections.
    pub streams: u16,
    /// Maximum segment size that was asked for, bytes; `None`: the kernel chose.
    pub requested_mss_bytes: Option<u32>,
    /// Socket buffer that was asked for at both ends, bytes; `None`: automatic tuning.
    pub requested_socket_buffer_bytes: Option<u32>,
    /// Congestion control that ran at the sender (read back from the kernel).
    pub congestion_control: String,
    /// Application bytes that the receiver read.
    pub bytes_received: u64,
    /// From the first byte sent to the last byte read, nanoseconds.
    pub duration_ns: u64,
    /// Goodput at the receiver over the whole transfer; `None` when nothing arrived.
    pub mean_bps: Option<RateBps>,
    /// Goodput at the receiver after slow start: the mean over the second half.
    pub steady_bps: Option<RateBps>,
    /// Every 100 ms, all streams together.
    pub intervals: Vec<TcpInterval>,
    /// The sending kernel's closing account, one per stream.
    pub sender_accounts: Vec<TcpAccount>,
    /// The receiving kernel's closing account, one per stream; empty when the far end went away.
    pub receiver_accounts: Vec<TcpAccount>,
    /// Why the test ended.
    pub stop: StopReason,
    /// Share of one core that the sending threads used, 0 to the number of cores.
    pub sender_cpu: Option<f64>,
    /// Share of one core that the receiving threads used.
    pub receiver_cpu: Option<f64>,
    /// IPv4/IPv6 TCP ports used: (source, destination) of each stream, for finding the packets in a capture.
    pub ports: Vec<(u16, u16)>,
}

/// A slice of a TCP transfer. Counts are for the slice, sums over the streams; states are sampled at its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TcpInterval {
    /// Start, nanoseconds from the start of the transfer.
    pub start_ns: u64,
    /// Length in nanoseconds.
    pub length_ns: u64,
    /// Bytes acknowledged by the receiver's kernel, seen at the sender.
    pub bytes_acked: u64,
    /// Bytes read by the receiving application; `None` when the receiver's half is missing.
    pub bytes_received: Option<u64>,
    /// Segments sent again.
    pub retransmits: u32,
    /// Congestion window, bytes, sum over the streams.
    pub cwnd_bytes: u64,
    /// Smoothed round-trip time, microseconds, mean over the streams.
    pub rtt_us: u32,
    /// The kernel's delivery rate estimate, sum over the streams; `None` before there is one.
    pub delivery_rate_bps: Option<RateBps>,
}

/// What one kernel says of one connection at its end (`struct tcp_info`). Each field is `None` where the running
/// kernel does not report it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TcpAccount {
    /// Data segments sent, retransmissions included.
    pub data_segments_out: Option<u64>,
    /// Segments sent again.
    pub retransmitted_segments: Option<u64>,
    /// Bytes sent again.
    pub retransmitted_bytes: Option<u64>,
    /// Bytes acknowledged.
    pub bytes_acked: Option<u64>,
    /// Bytes received in order.
    pub bytes_received: Option<u64>,
    /// Segments received out of order.
    pub out_of_order_segments: Option<u64>,
    /// Duplicate segments that the peer reported by D-SACK: spurious retransmissions.
    pub dsack_duplicates: Option<u64>,
    /// Retransmission timeouts since the connection began.
    pub timeouts: Option<u64>,
    /// Time with unacknowledged or unsent data, microseconds. Includes the two below.
    pub busy_us: Option<u64>,
    /// Time limited by the receiver's advertised window, microseconds.
    pub receive_window_limited_us: Option<u64>,
    /// Time limited by the own send buffer, microseconds. Linux counts this unreliably on shaped links.
    pub send_buffer_limited_us: Option<u64>,
    /// Maximum segment size in use for sending, bytes.
    pub send_mss_bytes: Option<u32>,
    /// Path MTU that the connection believes in, bytes.
    pub path_mtu_bytes: Option<u32>,
    /// Largest receive window the peer advertised, bytes.
    pub peer_window_bytes: Option<u64>,
    /// Own receive buffer space as tuned by the kernel, bytes.
    pub receive_space_bytes: Option<u32>,
    /// Smallest round-trip time seen, microseconds.
    pub min_rtt_us: Option<u32>,
    /// Smoothed round-trip time at the end, microseconds.
    pub rtt_us: Option<u32>,
    /// Congestion window at the end, segments.
    pub cwnd_segments: Option<u32>,
    /// Slow start threshold at the end, segments; `None` as long as it is infinite.
    pub ssthresh_segments: Option<u32>,
    /// Packets reordered by up to so many places (`tcpi_reordering`).
    pub reordering_segments: Option<u32>,
    /// Whether the connection uses selective acknowledgements (RFC 2018).
    pub sack: Option<bool>,
    /// Whether the connection uses timestamps (RFC 7323).
    pub timestamps: Option<bool>,
    /// Window scale sent and received (RFC 7323); `None` when not negotiated.
    pub window_scale: Option<(u8, u8)>,
    /// Whether the connection uses ECN (RFC 3168).
    pub ecn: Option<bool>,
    /// ECN-marked segments that the peer reported.
    pub ecn_marked_segments: Option<u64>,
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

/// One paced stream of UDP packets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UdpStream {
    /// Which end sent.
    pub sender: End,
    /// Address of the sender.
    pub source: IpAddr,
    /// Address of the receiver.
    pub destination: IpAddr,
    /// IP packet size in bytes.
    pub size_bytes: u32,
    /// The rate asked for, IP packets in bit/s.
    pub target_bps: RateBps,
    /// Packets that the sending kernel accepted.
    pub packets_sent: u64,
    /// Distinct packets that arrived at the receiving application.
    pub packets_received: u64,
    /// Packets that arrived more than once.
    pub duplicates: u64,
    /// Packets that arrived after a packet sent later (RFC 4737).
    pub reordered: u64,
    /// Rate at which packets left, IP bytes.
    pub sent_bps: Option<RateBps>,
    /// Rate at which packets arrived, IP bytes.
    pub received_bps: Option<RateBps>,
    /// Packets lost in the two hosts, not on the path, as far as their kernels count them.
    pub host_drops: HostDrops,
    /// Runs of consecutive losses: (first sequence number, length), the first 1,000 runs.
    pub loss_runs: Vec<(u64, u64)>,
    /// Every 100 ms at the receiver.
    pub intervals: Vec<UdpInterval>,
    /// One-way delay from kernel transmit and receive stamps; `None` when stamps were not to be had.
    pub one_way_delay: Option<OneWayDelay>,
    /// Length of the stream, nanoseconds.
    pub duration_ns: u64,
    /// Why the test ended.
    pub stop: StopReason,
    /// Share of one core that the sending thread used.
    pub sender_cpu: Option<f64>,
    /// Share of one core that the receiving thread used.
    pub receiver_cpu: Option<f64>,
}

impl UdpStream {
    /// Packets that neither arrived nor were dropped in a host, as far as the kernels count: lost on the path.
    /// An upper bound when some host counter is unknown.
    #[must_use]
    pub fn lost_on_path(&self) -> u64 {
        let lost = self.packets_sent.saturating_sub(self.packets_received);
        lost.saturating_sub(self.host_drops.known_total())
    }
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

/// A slice of a UDP stream, at the receiver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UdpInterval {
    /// Start, nanoseconds from the first packet.
    pub start_ns: u64,
    /// Length in nanoseconds.
    pub length_ns: u64,
    /// Packets received.
    pub packets: u64,
    /// Sequence numbers skipped, less late arrivals; can be negative.
    pub lost: i64,
}

/// One-way delays. The clocks of two hosts differ by an unknown offset: only differences of delays are sure unless
/// both ends share a clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OneWayDelay {
    /// Whether both stamps come from the same clock (both ends on one machine).
    pub same_clock: bool,
    /// Smallest delay, nanoseconds; negative when the receiver's clock is behind.
    pub min_ns: i64,
    /// Delay above the smallest: order statistics.
    pub above_min: RttSummary,
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
