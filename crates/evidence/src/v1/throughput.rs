//! Transfers that other tools made or that people timed.

use crate::{Node, RateBps, Transport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One transfer by iperf, nuttcp, pScheduler, FTP or any other program; all its connections together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ThroughputRecord {
    /// The sender of the data.
    pub from: Node,
    /// Its receiver.
    pub to: Node,
    /// The protocol; `None` where the record does not tell.
    pub protocol: Option<Transport>,
    /// The application or test profile, where it matters: `ftp get`, `hsi`.
    pub application: Option<String>,
    /// Parallel connections.
    pub streams: Option<u16>,
    /// Socket buffer or TCP window asked for, bytes.
    pub window_bytes: Option<u64>,
    /// Maximum segment size, bytes.
    pub mss_bytes: Option<u32>,
    /// Congestion control at the sender.
    pub congestion_control: Option<String>,
    /// Length, nanoseconds.
    pub duration_ns: Option<u64>,
    /// The rate asked for (UDP, or paced TCP).
    pub target_bps: Option<RateBps>,
    /// Rate at the sender.
    pub sent_bps: Option<RateBps>,
    /// Rate at the receiver.
    pub received_bps: Option<RateBps>,
    /// TCP segments sent again.
    pub retransmits: Option<u64>,
    /// UDP packets sent.
    pub packets_sent: Option<u64>,
    /// UDP packets that the receiver missed.
    pub packets_lost: Option<u64>,
    /// UDP packets that arrived out of order.
    pub packets_reordered: Option<u64>,
    /// Delay variation that the receiver computed (RFC 3550 section 6.4.1), nanoseconds.
    pub jitter_ns: Option<u64>,
    /// Round-trip time as the sender's TCP saw it, nanoseconds.
    pub rtt_ns: Option<u64>,
    /// What its author says of it, where it was written down by a person: `after the interface was cleared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Slices, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<ThroughputInterval>,
}

impl ThroughputRecord {
    /// The rate that the tool headlines and people quote: for TCP the sender's, as all of it arrives sooner or later; for
    /// UDP the receiver's. Where only the other is known, that.
    #[must_use]
    pub fn rate(&self) -> Option<RateBps> {
        match self.protocol {
            Some(Transport::Udp) => self.received_bps.or(self.sent_bps),
            Some(Transport::Tcp) | None => self.sent_bps.or(self.received_bps),
        }
    }
}

/// A slice of a transfer; all its connections together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThroughputInterval {
    /// Start, nanoseconds from the start of the transfer.
    pub start_ns: u64,
    /// Length in nanoseconds.
    pub length_ns: u64,
    /// The rate; zero is a rate.
    pub rate_bps: RateBps,
    /// Segments sent again.
    pub retransmits: Option<u64>,
    /// Congestion window at the end of the slice, bytes, sum over the connections.
    pub cwnd_bytes: Option<u64>,
    /// UDP packets lost in the slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_lost: Option<u64>,
}
