//! One immutable measurement or record of format 2, with where it came from.

use super::{Ask, Probes, Trace, Transfer};
use crate::observation::content_id;
use crate::{
    CounterChain, HostFacts, InterfaceCounters, LinkCapacities, Node, NotMeasuredReason, ObservationId,
    RouteHistory, Series, Sockets, Statement, Timestamp,
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
    /// The id that it had in an older format, by which it may be cited elsewhere; `None` when it was written in this one.
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
