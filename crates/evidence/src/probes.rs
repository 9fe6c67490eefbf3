//! Tables of probes: pings, one-way streams, and which packet sizes reach which hop.

use crate::{Node, ProbeProtocol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Probes of hosts, hops and packet sizes, and what came back: one row per node, size and kind of probe.
///
/// A ping is a table of one row, mtr one of many hops, a path MTU search one of hops and sizes; a one-way stream is a row
/// that needed no answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Probes {
    /// Where the probes started; unknown where the tool does not print it.
    pub from: Node,
    /// The destination of the path, for tables of the hops towards it; `None` where each row stands for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<Node>,
    /// Which packets were sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProbeProtocol>,
    /// Whether a bulk transfer of ours ran meanwhile; `None` where nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<EchoContext>,
    /// MTU of the local interface that leads there, bytes: no larger packet can leave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface_mtu_bytes: Option<u32>,
    /// The TTL at which the destination is; `None` when it never answered, or the record does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_ttl: Option<u8>,
    /// Answers lost in the prober's own sockets, counted by the kernel (`SO_RXQ_OVFL`); `None` when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_socket_drops: Option<u64>,
    /// Probes sent in all, where that is known beside the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_sent: Option<u32>,
    /// From the first probe to the end, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ns: Option<u64>,
    /// What was tried.
    pub rows: Vec<ProbeRow>,
}

/// Whether the probes were answered or counted where they arrived.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// There and back: what is lost may be lost on either way.
    #[default]
    RoundTrip,
    /// There alone, counted by the receiver.
    OneWay,
}

/// All probes of one node, one size and one kind.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProbeRow {
    /// Whether delay and loss are of both ways or of one.
    pub way: Way,
    /// How the node was asked; `None` where the record does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<EchoMode>,
    /// The TTL of expiring probes, or at which the node is; `None` for probes with a full TTL, or where not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u8>,
    /// The host or hop that was probed. Where probes expire at a TTL it is whoever answered there, the first if there were
    /// several, and unknown when nobody did.
    pub to: Node,
    /// All who answered, where the record tells them; several when the path is load balanced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered_by: Vec<Node>,
    /// Size of the whole IP packet, bytes (the payload that ping names, plus 8 bytes of ICMP and the IP header).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u32>,
    /// Whether the probes carried the don't-fragment flag (always so in IPv6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dont_fragment: Option<bool>,
    /// Probes sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// Round trip: probes answered. One way: distinct probes that arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<u64>,
    /// Probes lost, where the record counts these and not what was received. [`ProbeRow::count_lost`] knows both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// Share of probes lost as printed, 0 to 1: all there is where counts are not printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_ratio: Option<f64>,
    /// Probes that arrived more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<u64>,
    /// Probes that arrived out of order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reordered: Option<u64>,
    /// Round-trip times, or one-way delays; `None` when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<DelayStatistics>,
    /// How far the clocks of the two ends of a one-way measurement may be apart, nanoseconds, as the tool estimates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_ns: Option<u64>,
    /// Probes per second at which the row was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_pps: Option<f64>,
    /// What came back instead of answers, and what the own host refused to send.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ProbeError>,
    /// TTLs used up on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops_used: Option<u8>,
}

impl ProbeRow {
    /// Probes lost, counted by whichever counters the record has; `None` where it has a ratio alone, or nothing. Answers
    /// in excess of the probes are duplicates, not a negative loss.
    #[must_use]
    pub fn count_lost(&self) -> Option<u64> {
        let difference = || Some(self.sent?.saturating_sub(self.received?));
        self.lost.or_else(difference)
    }

    /// Share of probes lost, 0 to 1, from counts where there are some, else as printed.
    #[must_use]
    pub fn loss(&self) -> Option<f64> {
        let counted = || {
            let sent = self.sent.filter(|sent| *sent > 0)?;
            Some(self.count_lost()?.min(sent) as f64 / sent as f64)
        };
        counted().or(self.loss_ratio)
    }
}

/// Delays summed up, nanoseconds. Round-trip times are positive; a one-way delay is negative when the receiver's clock is
/// behind the sender's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DelayStatistics {
    /// Smallest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_ns: Option<i64>,
    /// Mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_ns: Option<i64>,
    /// Median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<i64>,
    /// 90th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90_ns: Option<i64>,
    /// 99th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<i64>,
    /// Largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<i64>,
    /// Standard or mean deviation, as the tool defines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation_ns: Option<i64>,
}

impl DelayStatistics {
    /// The order statistics of `samples_ns` (nearest rank); `None` when there are none. Sorts in place.
    #[must_use]
    pub fn of(samples_ns: &mut [i64]) -> Option<Self> {
        samples_ns.sort_unstable();
        let last = samples_ns.len().checked_sub(1)?;
        let rank = |per_mille: usize| Some(samples_ns[(last * per_mille + 500) / 1000]);
        Some(Self {
            min_ns: rank(0),
            mean_ns: None,
            p50_ns: rank(500),
            p90_ns: rank(900),
            p99_ns: rank(990),
            max_ns: rank(1000),
            deviation_ns: None,
        })
    }
}

/// Something that came back instead of an answer, or that the own host refused to send.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProbeError {
    /// Who said so; `None` for the own host's refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Node>,
    /// In the tool's words; [`ProbeError::FRAGMENTATION_NEEDED`] and [`ProbeError::REFUSED_LOCALLY`] in ours.
    pub text: String,
    /// The MTU it names, bytes; `None` for routers older than RFC 1191, which name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtu_bytes: Option<u32>,
    /// How often.
    pub count: u64,
}

impl ProbeError {
    /// Our word for "fragmentation needed" (RFC 792 type 3 code 4) and "packet too big" (RFC 4443 type 2).
    pub const FRAGMENTATION_NEEDED: &str = "fragmentation needed";
    /// Our word for the own host's refusal (`EMSGSIZE`): its interface or cached path MTU is smaller.
    pub const REFUSED_LOCALLY: &str = "message too long";
}

/// What else we were doing to the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EchoContext {
    /// Nothing of ours but these probes.
    Idle,
    /// A bulk transfer of ours from this vantage, or to it, ran at the same time.
    UnderLoad,
}

/// How a hop was asked to answer. Comparing the two tells "does not forward" from "does not answer".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EchoMode {
    /// The packet is for the destination and expires at the hop: same forwarding as the data.
    Expiring,
    /// The packet is for the hop's own address: its control plane answers, if it wants to.
    Direct,
    /// The packet is for the destination and reaches it.
    ToDestination,
}

/// Whether routers may fragment the probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SizeProbeMode {
    /// DF set (always so in IPv6).
    DontFragment,
    /// DF clear: an IPv4 router with a smaller next MTU fragments it.
    MayFragment,
}
