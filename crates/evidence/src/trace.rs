//! The hops of a path.

use crate::Node;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The hops from one node towards another, by probes whose TTL runs out on the way.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// Where the probes started; unknown where the tool does not print it.
    pub from: Node,
    /// Where they were sent to.
    pub to: Node,
    /// Which packets were sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProbeProtocol>,
    /// Size of the whole IP packet, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u32>,
    /// Whether the probes carried the don't-fragment flag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dont_fragment: Option<bool>,
    /// One per flow identifier, where several were tried to show load balancing; a tool that does not hold the
    /// identifier constant, or does not tell, gives one flow.
    pub flows: Vec<TraceFlow>,
    /// Whether the destination itself answered; `None` where the record does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<bool>,
    /// The path MTU that the tool concluded, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_mtu_bytes: Option<u32>,
    /// Probes sent in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_sent: Option<u32>,
    /// From the first probe to the last answer waited for, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ns: Option<u64>,
}

impl Trace {
    /// The hops of all flows: one flow after the other, each with its TTLs ascending.
    pub fn hops(&self) -> impl Iterator<Item = &TraceHop> {
        self.flows.iter().flat_map(|flow| &flow.hops)
    }
}

/// The hops that one flow identifier takes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TraceFlow {
    /// Source port, or ICMP identifier; `None` where it varied or is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_port: Option<u16>,
    /// Destination port; 0 for ICMP; `None` where it varied or is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_port: Option<u16>,
    /// One entry per TTL, ascending, silent ones included as far as the record shows them.
    pub hops: Vec<TraceHop>,
    /// The TTL at which the destination itself answered; `None` when it never did, or the record does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_ttl: Option<u8>,
}

impl TraceFlow {
    /// The one flow of a tool that tells no ports.
    #[must_use]
    pub fn of(hops: Vec<TraceHop>) -> Self {
        Self {
            hops,
            ..Self::default()
        }
    }
}

/// One TTL of one flow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TraceHop {
    /// The TTL of the probes.
    pub ttl: u8,
    /// Answers in the order seen; empty when the hop stayed silent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<TraceAnswer>,
    /// Probes without an answer (each `*`, or one "no reply").
    pub unanswered: u16,
}

impl TraceHop {
    /// Probes sent with this TTL: those answered and those not.
    #[must_use]
    pub fn sent(&self) -> u16 {
        let answered = u16::try_from(self.answers.len()).unwrap_or(u16::MAX);
        answered.saturating_add(self.unanswered)
    }

    /// Takes label stack entries that a tool prints once for the hop: they go with its first answer. They came in an
    /// answer, whether or not the tool shows who sent it.
    pub fn add_labels(&mut self, labels: Vec<MplsLabel>) {
        if labels.is_empty() {
            return;
        }
        if self.answers.is_empty() {
            self.answers.push(TraceAnswer::default());
        }
        if let Some(first) = self.answers.first_mut() {
            first.mpls.extend(labels);
        }
    }
}

/// One answer to one probe.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TraceAnswer {
    /// Who answered: the address that the answer came from, and its name where the tool or the reverse DNS tells it.
    /// Unknown where a record tells of the answer alone (a label stack beside a hop without a name).
    pub node: Node,
    /// Round-trip time, nanoseconds; `None` where the tool printed none for this answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_ns: Option<u64>,
    /// The TTL that the answer arrived with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_ttl: Option<u8>,
    /// What the answer was; `None` where the tool does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ReplyKind>,
    /// Label stack entries that the router reported (RFC 4950), outermost first. A tool that prints them once per hop
    /// gives them with the hop's first answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mpls: Vec<MplsLabel>,
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

/// Which packets a probe sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeProtocol {
    /// UDP to a port on which nobody listens, or to the far end's reflector.
    Udp,
    /// ICMP or ICMPv6 echo request.
    Icmp,
    /// TCP segments with the SYN flag.
    TcpSyn,
}

/// What an answer to a probe was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ReplyKind {
    /// ICMP time exceeded in transit.
    TimeExceeded,
    /// ICMP port unreachable: the destination itself.
    PortUnreachable,
    /// ICMP unreachable with another code (host, network, prohibited…).
    Unreachable {
        /// The ICMP or ICMPv6 code.
        code: u8,
    },
    /// ICMP echo reply.
    EchoReply,
    /// A UDP answer of the far end's reflector.
    Reflected,
    /// TCP SYN+ACK.
    SynAck,
    /// TCP reset.
    Reset,
}

impl ReplyKind {
    /// Whether this answer can only have come from the destination.
    #[must_use]
    pub fn is_from_destination(self) -> bool {
        matches!(
            self,
            Self::PortUnreachable | Self::EchoReply | Self::Reflected | Self::SynAck | Self::Reset
        )
    }
}

/// One entry of an MPLS label stack (RFC 3032).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct MplsLabel {
    /// The label, 20 bits.
    pub label: u32,
    /// Traffic class (formerly EXP), 3 bits.
    pub traffic_class: u8,
    /// Bottom of stack.
    pub bottom: bool,
    /// Time to live; `None` where a tool does not print it.
    pub ttl: Option<u8>,
}
