//! Observations as format 1 writes them.

use super::{
    Ask, Echo, OneWay, PathMtu, Pings, Route, TcpThroughput, ThroughputRecord, Trace, UdpStream, Vantage,
};
use crate::identity::content_id;
use crate::{
    CounterChain, End, HostFacts, InterfaceCounters, LinkCapacities, NotMeasuredReason, ObservationId,
    Observed, RouteHistory, Series, Sockets, Statement, Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who measured, where, when, with what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The place from which it was measured.
    pub vantage: Vantage,
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
}

impl Provenance {
    /// Of something that we measured ourselves, at one of the two ends.
    #[must_use]
    pub fn measured(vantage: End, at: Timestamp, round: u32, tool: impl Into<String>) -> Self {
        Self {
            vantage: vantage.into(),
            at,
            at_is_import_time: false,
            round,
            tool: tool.into(),
            raw_sha256: None,
            raw_lines: None,
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

/// What was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Payload {
    /// The hops towards the other end.
    Route(Route),
    /// Which packet sizes reach which hop.
    PathMtu(PathMtu),
    /// Loss and round-trip time per hop and size.
    Echo(Echo),
    /// A bulk TCP transfer.
    TcpThroughput(TcpThroughput),
    /// A paced UDP stream.
    UdpStream(UdpStream),
    /// A host's settings and counters.
    HostFacts(HostFacts),
    /// A trace by another tool.
    Trace(Trace),
    /// Pings by another tool.
    Pings(Pings),
    /// Loss and delay in one direction by another tool.
    OneWay(OneWay),
    /// Capacities of links, inferred by another tool.
    LinkCapacities(LinkCapacities),
    /// A transfer by another tool.
    Throughput(ThroughputRecord),
    /// One quantity, measured again and again.
    Series(Series),
    /// Which way a route went over time.
    RouteHistory(RouteHistory),
    /// A snapshot of an interface's counters.
    InterfaceCounters(InterfaceCounters),
    /// Packets of one test counted at several points.
    CounterChain(CounterChain),
    /// TCP connections of a host.
    Sockets(Sockets),
    /// A figure that somebody states.
    Statement(Statement),
    /// Something that was asked for and could not be measured.
    NotMeasured(NotMeasured),
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

impl Observed for Observation {
    fn id(&self) -> &ObservationId {
        &self.id
    }

    fn round(&self) -> u32 {
        self.provenance.round
    }

    fn at(&self) -> Timestamp {
        self.provenance.at
    }
}
