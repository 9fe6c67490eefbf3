//! One immutable measurement or record, with where it came from, named by its content.

use crate::{
    Ask, CounterChain, Echo, End, HostFacts, InterfaceCounters, LinkCapacities, OneWay, PathMtu, Pings,
    Route, RouteHistory, Series, Sockets, Statement, TcpThroughput, ThroughputRecord, Timestamp, Trace,
    UdpStream, Vantage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fmt::Write as _;

/// The name of an observation: SHA-256 of its content (provenance and payload), lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ObservationId(pub String);

impl fmt::Display for ObservationId {
    /// The first eight digits: enough to find it in a case, as with git's commits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.get(..8).unwrap_or(&self.0))
    }
}

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

pub(crate) fn content_id(provenance: &impl Serialize, payload: &impl Serialize) -> ObservationId {
    id_of_content(serde_json::json!({ "provenance": provenance, "payload": payload }))
}

/// Whether a record as it was written still has the content that its id names. Asked of the text and not of the
/// [`Observation`] read from it: that one lacks the fields that only a newer version knows, and has those that an
/// older version did not.
pub(crate) fn is_intact(written: &serde_json::Value) -> bool {
    let part = |name| written.get(name).cloned().unwrap_or_default();
    let content = serde_json::json!({ "provenance": part("provenance"), "payload": part("payload") });
    written.get("id").and_then(serde_json::Value::as_str) == Some(id_of_content(content).0.as_str())
}

/// The id of a line of `observations.jsonl` whose content matches it, whether or not this version knows its kind: copies
/// of a case are joined by such lines, so that nothing that a newer version wrote is lost on the way.
#[must_use]
pub fn intact_id(line: &str) -> Option<ObservationId> {
    let written: serde_json::Value = serde_json::from_str(line).ok()?;
    let id = written.get("id")?.as_str()?.to_owned();
    is_intact(&written).then_some(ObservationId(id))
}

fn id_of_content(mut content: serde_json::Value) -> ObservationId {
    // The name must not depend on the order in which fields are declared or were written.
    content.sort_all_objects();
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(content.to_string().as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    ObservationId(hex)
}
