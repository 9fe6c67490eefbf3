//! What hosts say of their connections, and figures that people state.

use super::Node;
use crate::{RateBps, TcpAccount};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// TCP connections of a host as `ss -ti` prints them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Sockets {
    /// The connections.
    pub connections: Vec<SocketState>,
}

/// One connection of [`Sockets`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SocketState {
    /// Own address and port as printed.
    pub local: String,
    /// The peer's.
    pub peer: String,
    /// Congestion control.
    pub congestion_control: Option<String>,
    /// The kernel's account of the connection.
    pub account: TcpAccount,
    /// Delivery rate.
    pub delivery_rate_bps: Option<RateBps>,
    /// Pacing rate.
    pub pacing_rate_bps: Option<RateBps>,
    /// The application, not the network, limits now.
    pub app_limited: bool,
    /// Its state (`ESTAB`, `LISTEN`, `UNCONN`); absent where the tool does not print it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// `udp`, `mptcp` and so on; absent for TCP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Received bytes that the application has not read; of a listening socket, connections that wait to be accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_queue: Option<u64>,
    /// Bytes of the application that the peer has not acknowledged; of a listening socket, the longest queue of
    /// connections that wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_queue: Option<u64>,
    /// Further figures by the tool's names (`rto`, `skmem.d`, `unacked`, `bbr.bw`), in its words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, String>,
}

/// A figure that somebody states without the output of a tool: read off a graph, a data sheet, a remembered value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// What it is a figure of.
    pub quantity: Quantity,
    /// The sender of the data that it is about; unknown where it is not about a transfer.
    pub from: Node,
    /// The receiver.
    pub to: Node,
    /// The link, device or program that it is about: `security monitoring link`, `hsi`.
    pub subject: Option<String>,
    /// The figure, in the quantity's unit.
    pub value: f64,
    /// Lowest and highest, where a range is stated.
    pub range: Option<(f64, f64)>,
    /// The statement in its author's words.
    pub text: String,
}

/// What a [`Statement`] is about, and in which unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Round-trip time, seconds.
    Rtt,
    /// Capacity of a link, bit/s.
    LinkCapacity,
    /// Capacity of the link by which the data come in at a place where a slower one leads on, bit/s.
    InputCapacity,
    /// Share of a link's capacity in use, 0 to 1.
    Utilisation,
    /// Queue of a device, bytes.
    QueueBytes,
    /// Share of packets lost, 0 to 1.
    LossRatio,
    /// Largest receive window or socket buffer of the receiver, bytes.
    ReceiveWindow,
    /// Socket buffer that is recommended or tried, bytes.
    SocketBuffer,
    /// Rate of a transfer over its whole length, bit/s.
    Rate,
    /// Highest rate of a transfer for a short time, bit/s.
    PeakRate,
    /// From the start of a transfer to its first loss, seconds.
    TimeToFirstLoss,
    /// How long a transfer stands still after a loss, seconds.
    StallAfterLoss,
    /// From a stall until the rate is reasonable again, seconds.
    TimeToRecover,
    /// Bytes that the application hands over in one write.
    WriteBytes,
    /// Pause between two writes, seconds.
    WritePause,
    /// Rate within one write, bit/s.
    WriteRate,
    /// Bytes after which the application makes a longer pause (its disk buffer).
    BlockBytes,
    /// That longer pause, seconds.
    BlockPause,
}
