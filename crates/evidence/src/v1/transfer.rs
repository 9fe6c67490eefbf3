//! What bulk transfers between the two ends did, as both kernels tell it.

use super::RttSummary;
use crate::{DelaySample, End, HostDrops, RateBps, StopReason, TcpAccount};
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
