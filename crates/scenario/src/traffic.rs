//! Traffic of others: what crosses the network beside the transfer complained about.

use crate::network::NodeId;

/// One sender and one receiver, from a moment to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traffic {
    /// The sending host.
    pub from: NodeId,
    /// The receiving host.
    pub to: NodeId,
    /// What is sent.
    pub kind: TrafficKind,
    /// Rate of the IP packets that are sent, of all streams together, in bit/s. `None`: as fast as TCP can.
    pub rate_bps: Option<u64>,
    /// Size of each IP packet of a UDP stream in bytes. TCP makes its own.
    pub packet_bytes: u32,
    /// Connections or UDP flows side by side.
    pub streams: u32,
    /// When it begins, in ns after the network came up.
    pub start_ns: u64,
    /// When it ends; `None`: with the network.
    pub end_ns: Option<u64>,
}

/// Transport of [`Traffic`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrafficKind {
    /// A stream of evenly spaced packets that yields to nobody.
    Udp,
    /// Connections that share as TCP does.
    Tcp,
}
