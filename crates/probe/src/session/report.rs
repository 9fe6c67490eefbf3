//! What each end saw of a transfer, as it crosses the control channel.

use evidence::{HostDrops, StopReason, TcpAccount};
use serde::{Deserialize, Serialize};

/// A slice of a TCP transfer at one end, all streams together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpSlice {
    /// Start, nanoseconds from this end's first byte.
    pub start_ns: u64,
    /// Length in nanoseconds.
    pub length_ns: u64,
    /// Sender: bytes acknowledged. Receiver: bytes read by the application.
    pub bytes: u64,
    /// Segments sent again (sender).
    pub retransmits: u32,
    /// Congestion window, bytes, sum over the streams (sender).
    pub cwnd_bytes: u64,
    /// Smoothed round-trip time, microseconds, mean over the streams.
    pub rtt_us: u32,
    /// The kernel's delivery rate, bit/s, sum over the streams.
    pub delivery_rate_bps: Option<f64>,
}

impl TcpSlice {
    /// Where it ends, nanoseconds from this end's first byte.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.length_ns)
    }
}

/// One end's half of a TCP transfer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpHalf {
    /// Congestion control read back from the kernel.
    pub congestion_control: String,
    /// Every 100 ms.
    pub slices: Vec<TcpSlice>,
    /// One per stream.
    pub accounts: Vec<TcpAccount>,
    /// Sender: bytes acknowledged. Receiver: bytes read.
    pub bytes: u64,
    /// Sender: from the first write to the stop. Receiver: from the first byte read to the last.
    pub active_ns: u64,
    /// Why this end stopped; the sender's word counts.
    pub stop: StopReason,
    /// Share of one core.
    pub cpu: Option<f64>,
}

impl TcpHalf {
    /// Of an end that moved nothing, or that did not tell.
    #[must_use]
    pub fn nothing(stop: StopReason) -> Self {
        Self {
            congestion_control: String::new(),
            slices: Vec::new(),
            accounts: Vec::new(),
            bytes: 0,
            active_ns: 0,
            stop,
            cpu: None,
        }
    }
}

/// A kernel stamp of one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp(
    /// The packet's sequence number.
    pub u64,
    /// Nanoseconds since the Unix epoch by the clock of the end that stamped.
    pub i64,
);

/// The sender's half of a UDP stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UdpSent {
    /// Sequence numbers used: packets that the kernel accepted have those from 0 up to this, less the refused.
    pub sequences: u64,
    /// Packets that the kernel accepted.
    pub packets: u64,
    /// Sends refused for want of buffer space.
    pub refused: u64,
    /// Dropped by the sender's interface or queueing discipline meanwhile; `None` when unknown.
    pub interface_drops: Option<u64>,
    /// Transmit stamps of the packets that carry [`super::UdpKind::Stamped`].
    pub stamps: Vec<Stamp>,
    /// From the first packet to the last.
    pub active_ns: u64,
    /// Why it stopped.
    pub stop: StopReason,
    /// Share of one core.
    pub cpu: Option<f64>,
}

/// A slice of a UDP stream at the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceivedSlice {
    /// Start, nanoseconds from the first packet.
    pub start_ns: u64,
    /// Length in nanoseconds.
    pub length_ns: u64,
    /// Packets received.
    pub packets: u64,
    /// Sequence numbers skipped, less late arrivals; can be negative.
    pub lost: i64,
}

/// The receiver's half of a UDP stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UdpReceived {
    /// Distinct packets.
    pub packets: u64,
    /// Packets that arrived more than once.
    pub duplicates: u64,
    /// Packets that arrived after a later one (RFC 4737).
    pub reordered: u64,
    /// Runs of packets that never came: (first sequence number, length).
    pub loss_runs: Vec<(u64, u64)>,
    /// Every 100 ms.
    pub slices: Vec<ReceivedSlice>,
    /// Drops at this host; the sender's fields are `None`.
    pub drops: HostDrops,
    /// Receive stamps of the stamped packets.
    pub stamps: Vec<Stamp>,
    /// From the first packet to the last.
    pub active_ns: u64,
    /// Share of one core.
    pub cpu: Option<f64>,
}
