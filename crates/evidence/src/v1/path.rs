//! What our probes of a path saw: hops, packet sizes that pass, loss and delay per hop.

use crate::{EchoContext, EchoMode, MplsLabel, ProbeProtocol, ReplyKind, SizeProbeMode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The hops towards a destination, per flow identifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Route {
    /// The address that the probes came from.
    pub source: IpAddr,
    /// The address that they were sent to.
    pub destination: IpAddr,
    /// Which packets were sent.
    pub protocol: ProbeProtocol,
    /// One trace per flow identifier; at least one.
    pub flows: Vec<RouteFlow>,
    /// Names of the addresses seen, as the reverse DNS gives them.
    pub names: BTreeMap<IpAddr, String>,
    /// Probes sent in all.
    pub packets_sent: u32,
    /// From the first probe to the last answer waited for, nanoseconds.
    pub elapsed_ns: u64,
}

/// The hops that one flow identifier takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RouteFlow {
    /// Source port, or ICMP identifier.
    pub source_port: u16,
    /// Destination port; 0 for ICMP.
    pub destination_port: u16,
    /// One entry per TTL from 1 upwards, silent ones included, up to the destination or the last TTL tried.
    pub hops: Vec<RouteHop>,
    /// The TTL at which the destination itself answered; `None` when it never did.
    pub reached_ttl: Option<u8>,
}

/// One TTL of one flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RouteHop {
    /// The TTL of the probes.
    pub ttl: u8,
    /// Probes sent with it.
    pub sent: u16,
    /// Answers; empty when the hop stayed silent.
    pub replies: Vec<HopReply>,
}

/// One answer to one probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HopReply {
    /// Who answered.
    pub from: IpAddr,
    /// Round-trip time in nanoseconds.
    pub rtt_ns: u64,
    /// The TTL that the answer arrived with; `None` where the kernel does not tell.
    pub reply_ttl: Option<u8>,
    /// What the answer was.
    pub kind: ReplyKind,
    /// Label stack entries that the router reported (RFC 4950), outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mpls: Vec<MplsLabel>,
}

/// Which packet sizes reached which hops: a table of (TTL, size, may it be fragmented) and what came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathMtu {
    /// The address that the probes came from.
    pub source: IpAddr,
    /// The address that they were sent to.
    pub destination: IpAddr,
    /// Which packets were sent.
    pub protocol: ProbeProtocol,
    /// MTU of the local interface that leads there, bytes: no larger packet can leave.
    pub interface_mtu_bytes: u32,
    /// The TTL at which the destination is; `None` when it never answered.
    pub destination_ttl: Option<u8>,
    /// What was tried, ordered by (mode, ttl, size).
    pub cells: Vec<SizeCell>,
    /// Probes sent in all.
    pub packets_sent: u32,
    /// From the first probe to the end, nanoseconds.
    pub elapsed_ns: u64,
}

/// All probes of one size, TTL and mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeCell {
    /// May it be fragmented?
    pub mode: SizeProbeMode,
    /// TTL of the probes; `None` for probes with a full TTL, answered by the destination.
    pub ttl: Option<u8>,
    /// IP packet size in bytes.
    pub size_bytes: u32,
    /// Probes sent.
    pub sent: u16,
    /// Probes answered by the hop (time exceeded) or by the destination.
    pub answered: u16,
    /// Who answered; several when the path is load balanced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered_by: Vec<IpAddr>,
    /// "Fragmentation needed" (RFC 792 type 3 code 4) or "packet too big" (RFC 4443) that came back instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fragmentation_needed: Vec<FragmentationNeeded>,
    /// The local host refused to send (its own interface or cached path MTU is smaller): the limit it named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_locally_mtu_bytes: Option<u32>,
}

/// A router's word that a packet was too big.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FragmentationNeeded {
    /// The router.
    pub from: IpAddr,
    /// The next-hop MTU it named, bytes; `None` for routers older than RFC 1191, which name none.
    pub mtu_bytes: Option<u32>,
}

/// Loss and round-trip time per hop and packet size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Echo {
    /// The address that the probes came from.
    pub source: IpAddr,
    /// The destination of the path.
    pub destination: IpAddr,
    /// Whether a bulk transfer of ours ran meanwhile.
    pub context: EchoContext,
    /// One entry per hop, mode and size.
    pub series: Vec<EchoSeries>,
    /// Answers lost in our own sockets, counted by the kernel (`SO_RXQ_OVFL`); `None` when unknown.
    pub own_socket_drops: Option<u64>,
    /// From the first probe to the end, nanoseconds.
    pub elapsed_ns: u64,
}

/// One hop, one mode, one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EchoSeries {
    /// How the hop was asked.
    pub mode: EchoMode,
    /// The hop's TTL; for the destination the TTL at which it is.
    pub ttl: u8,
    /// Address probed in `Direct` and `ToDestination` mode, or that answered; `None` when nobody ever did.
    pub address: Option<IpAddr>,
    /// IP packet size in bytes.
    pub size_bytes: u32,
    /// Probes sent.
    pub sent: u64,
    /// Probes answered.
    pub answered: u64,
    /// Round-trip times; `None` when nothing was answered.
    pub rtt: Option<RttSummary>,
    /// Probes per second at which the series was sent.
    pub rate_pps: f64,
}

/// Order statistics of round-trip times, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RttSummary {
    /// Smallest.
    pub min_ns: u64,
    /// Median.
    pub p50_ns: u64,
    /// 90th percentile.
    pub p90_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Largest.
    pub max_ns: u64,
}

impl RttSummary {
    /// The order statistics of `samples_ns` (nearest rank); `None` when there are none. Sorts in place.
    #[must_use]
    pub fn of(samples_ns: &mut [u64]) -> Option<Self> {
        samples_ns.sort_unstable();
        let last = samples_ns.len().checked_sub(1)?;
        let rank = |per_mille: usize| samples_ns[(last * per_mille + 500) / 1000];
        Some(Self {
            min_ns: rank(0),
            p50_ns: rank(500),
            p90_ns: rank(900),
            p99_ns: rank(990),
            max_ns: rank(1000),
        })
    }
}
