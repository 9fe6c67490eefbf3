//! One immutable measurement or record with where it came from, named by its content.

use crate::identity::content_id;
use crate::{
    Ask, CounterChain, HostFacts, InterfaceCounters, LinkCapacities, Node, ObservationId, Probes,
    RouteHistory, Series, Sockets, Statement, Timestamp, Trace, Transfer, to_json_line,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who measured, where, when, with what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The place from which it was observed: a host, a router, or the name of a network. Unknown where the record does
    /// not say.
    pub vantage: Node,
    /// When it began; where that is not known (`at_is_import_time`), when the record was added to the case.
    pub at: Timestamp,
    /// The record does not tell when it was made, and nobody said.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_is_import_time: bool,
    /// The run of measurements that it belongs to, counted from 1 in each case: a re-test after a repair is the
    /// next round. Facts of different rounds are never mixed.
    pub round: u32,
    /// Program and version.
    pub tool: String,
    /// SHA-256 of the raw record in the case's `raw/`, for imported observations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_sha256: Option<String>,
    /// First and last line of it in that raw record, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_lines: Option<(u64, u64)>,
    /// The observation that this one corrects, and that counts no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<ObservationId>,
    /// The id that it has in format 1, by which it may be cited elsewhere; `None` when it was first written in this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<ObservationId>,
}

impl Provenance {
    /// Of something that we measured ourselves.
    #[must_use]
    pub fn measured(vantage: Node, at: Timestamp, round: u32, tool: impl Into<String>) -> Self {
        Self {
            vantage,
            at,
            at_is_import_time: false,
            round,
            tool: tool.into(),
            raw_sha256: None,
            raw_lines: None,
            supersedes: None,
            was: None,
        }
    }
}

/// One immutable measurement or record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// Its content address.
    pub id: ObservationId,
    /// Where it came from.
    pub provenance: Provenance,
    /// What was seen.
    pub payload: Payload,
}

impl Observation {
    /// Names `payload` by its content.
    #[must_use]
    pub fn new(provenance: Provenance, payload: Payload) -> Self {
        let id = content_id(&provenance, &payload);
        Self {
            id,
            provenance,
            payload,
        }
    }

    /// It as a line of `observations.jsonl`, newline included. What was read in format 1 goes by the id that it had there,
    /// which does not name what is written now: it gets a name of its own, and says which it had.
    #[must_use]
    pub fn to_line(&self) -> String {
        if self.provenance.was.as_ref() == Some(&self.id) {
            return to_json_line(&Self::new(self.provenance.clone(), self.payload.clone()));
        }
        to_json_line(self)
    }
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Payload {
    /// The hops of a path.
    Trace(Trace),
    /// Pings, one-way streams, and which packet sizes reach which hop.
    Probes(Probes),
    /// A transfer of data; boxed, as it is several times larger than the others.
    Transfer(Box<Transfer>),
    /// A host's settings and counters.
    HostFacts(HostFacts),
    /// TCP connections of a host.
    Sockets(Sockets),
    /// Capacities of links, inferred from delays.
    LinkCapacities(LinkCapacities),
    /// One quantity, measured again and again.
    Series(Series),
    /// Which way a route went over time.
    RouteHistory(RouteHistory),
    /// A snapshot of an interface's counters.
    InterfaceCounters(InterfaceCounters),
    /// Packets of one test counted at several points.
    CounterChain(CounterChain),
    /// A figure that somebody states.
    Statement(Statement),
    /// Something that was asked for and could not be measured.
    NotMeasured(NotMeasured),
}

impl From<Transfer> for Payload {
    fn from(transfer: Transfer) -> Self {
        Self::Transfer(Box::new(transfer))
    }
}

/// An ask that gave no measurement, and why. Not tested is not fine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotMeasured {
    /// What was asked for.
    pub ask: Ask,
    /// The kind of obstacle.
    pub reason: NotMeasuredReason,
    /// In words, with the operating system's own message where there is one.
    pub detail: String,
}

/// Why an ask gave nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NotMeasuredReason {
    /// The operating system refused for want of a privilege.
    Privilege,
    /// There is no far end of ours at the other end.
    NoFarEnd,
    /// The far end refused: wrong token, busy, over its limits.
    Refused,
    /// The far end went away.
    PeerGone,
    /// The other end does not answer at all.
    Unreachable,
    /// This system or protocol has no such thing.
    Unsupported,
    /// The budget of time or bytes was used up.
    Budget,
    /// The user stopped it.
    Cancelled,
    /// Anything else; see the text.
    Failed,
}
