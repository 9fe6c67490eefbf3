//! What other tools saw of a path: traces, pings, one-way loss.

use crate::{MplsLabel, Node, ProbeProtocol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A trace of a path by traceroute, tracepath, mtr, scamper and their kin.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// Where the probes started; unknown where the tool does not print it.
    pub from: Node,
    /// Where they were sent to.
    pub to: Node,
    /// Which packets were sent.
    pub protocol: Option<ProbeProtocol>,
    /// Size of the whole IP packet, bytes.
    pub size_bytes: Option<u32>,
    /// Whether the probes carried the don't-fragment flag.
    pub dont_fragment: Option<bool>,
    /// One entry per TTL printed, ascending.
    pub hops: Vec<TraceHop>,
    /// Whether the destination itself answered; `None` where the record does not tell.
    pub reached: Option<bool>,
    /// The path MTU that the tool concluded, bytes.
    pub path_mtu_bytes: Option<u32>,
}

/// One TTL of a trace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TraceHop {
    /// The TTL of the probes.
    pub ttl: u8,
    /// Answers in the order printed; empty when the hop stayed silent.
    pub answers: Vec<TraceAnswer>,
    /// Probes without an answer (each `*`, or one "no reply").
    pub unanswered: u16,
    /// Label stack entries that the router reported (RFC 4950), outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mpls: Vec<MplsLabel>,
}

/// One answer to a probe of a trace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TraceAnswer {
    /// Who answered.
    pub node: Node,
    /// Round-trip time, nanoseconds; `None` where the tool printed none for this answer.
    pub rtt_ns: Option<u64>,
    /// The TTL that the answer arrived with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_ttl: Option<u8>,
    /// The autonomous system that the tool printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asn: Option<u32>,
    /// The length of the way back that tracepath guesses from the reply's TTL (`asymm 7`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_hops: Option<u8>,
    /// The next-hop MTU that the answer names (`pmtu 1500`, "frag needed"), bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtu_bytes: Option<u32>,
    /// The tool's own mark (`!H`, `!X`, `!F`), as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

/// Pings: to one host, or a table of hosts or hops.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Pings {
    /// Where the echo requests started; unknown where the tool does not print it.
    pub from: Node,
    /// The destination of the path, for tables of the hops towards it (mtr, pingroute).
    pub destination: Option<Node>,
    /// One row per host and packet size.
    pub rows: Vec<PingRow>,
}

/// One host and packet size of a ping.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PingRow {
    /// The TTL of the hop, in tables of hops.
    pub ttl: Option<u8>,
    /// Who was pinged.
    pub to: Node,
    /// Size of the whole IP packet, bytes (the payload that ping names, plus 8 bytes of ICMP and the IP header).
    pub size_bytes: Option<u32>,
    /// Whether the requests carried the don't-fragment flag.
    pub dont_fragment: Option<bool>,
    /// Echo requests sent.
    pub sent: Option<u64>,
    /// Echo replies received.
    pub received: Option<u64>,
    /// Share of requests without a reply, as printed, 0 to 1: all there is where counts are not printed.
    pub loss_ratio: Option<f64>,
    /// Round-trip times; `None` when there was no reply.
    pub rtt: Option<RttStatistics>,
    /// What came back instead of replies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<PingError>,
}

/// Round-trip times as a tool sums them up, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct RttStatistics {
    /// Smallest.
    pub min_ns: Option<u64>,
    /// Mean.
    pub mean_ns: Option<u64>,
    /// Largest.
    pub max_ns: Option<u64>,
    /// Standard or mean deviation, as the tool defines it.
    pub deviation_ns: Option<u64>,
}

/// Something that came back instead of an echo reply, or that the own host refused.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PingError {
    /// Who said so; `None` for the own host's refusal.
    pub from: Option<Node>,
    /// In the tool's words.
    pub text: String,
    /// The MTU it names, bytes.
    pub mtu_bytes: Option<u32>,
    /// How often.
    pub count: u64,
}

/// Loss and delay of packets in one direction: owping, sting, pScheduler's latency test.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct OneWay {
    /// The sender of the packets.
    pub from: Node,
    /// Their receiver.
    pub to: Node,
    /// Packets sent.
    pub sent: Option<u64>,
    /// Packets lost.
    pub lost: Option<u64>,
    /// Share of packets lost as printed, 0 to 1, where counts are not.
    pub loss_ratio: Option<f64>,
    /// Packets that arrived more than once.
    pub duplicates: Option<u64>,
    /// Packets that arrived out of order.
    pub reordered: Option<u64>,
    /// Smallest delay, nanoseconds; negative when the receiver's clock is behind.
    pub min_ns: Option<i64>,
    /// Median delay, nanoseconds.
    pub median_ns: Option<i64>,
    /// Largest delay, nanoseconds.
    pub max_ns: Option<i64>,
    /// How far the clocks may be apart, nanoseconds, as the tool estimates it.
    pub clock_error_ns: Option<u64>,
    /// TTLs used up on the way.
    pub hops: Option<u8>,
}
