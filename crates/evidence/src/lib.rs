//! The vocabulary of slowpath: units, asks, observations, findings, verdicts and the case format.
//!
//! Every other crate speaks in these words. This crate knows what was measured and how it is written down;
//! it must never know how to measure (sockets), where a case lies (files), what time it is (clocks) or what
//! an observation means (rules).
//!
//! Absence is a value throughout: an unanswered probe is a count of probes sent without an answer, an ask that
//! could not be carried out is a [`NotMeasured`] observation, and an unread setting is `None`, never zero.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod ask;
mod case;
mod host;
mod location;
pub mod migrate;
mod observation;
mod path;
mod record;
mod schema;
mod transfer;
mod units;
pub mod v2;
mod verdict;

pub use ask::{Ask, Cost, Intrusiveness, Privilege};
pub use case::{
    Case, CaseComplaint, Complaint, JournalEntry, Party, case_from_parts, complaint_from_json,
    complaint_to_json, journal_from_jsonl, observations_from_jsonl, to_json_line,
};
pub use host::{CpuFacts, HostFacts, Interface};
pub use location::{Direction, End, HopRef, Location};
pub use observation::{
    NotMeasured, NotMeasuredReason, Observation, ObservationId, Payload, Provenance, intact_id,
};
pub use path::{
    Echo, EchoContext, EchoMode, EchoSeries, FragmentationNeeded, HopReply, MplsLabel, PathMtu,
    ProbeProtocol, ReplyKind, Route, RouteFlow, RouteHop, RttSummary, SizeCell, SizeProbeMode,
};
pub use record::{
    CounterChain, CounterKind, CounterPoint, InterfaceCounters, InterfaceLoad, KnownRoute, LinkCapacities,
    LinkCapacity, Node, OneWay, PingError, PingRow, Pings, Quantity, RouteHistory, RttStatistics, Series,
    SeriesMetric, SocketState, Sockets, Statement, ThroughputInterval, ThroughputRecord, Trace, TraceAnswer,
    TraceHop, Transport, Vantage,
};
pub use schema::{CASE_SCHEMA_VERSION, VERDICT_SCHEMA_VERSION, verdict_json_schema};
pub use transfer::{
    DelaySample, HostDrops, OneWayDelay, StopReason, TcpAccount, TcpInterval, TcpThroughput, UdpInterval,
    UdpStream,
};
pub use units::{Nanos, RateBps, Timestamp, UnitError};
pub use verdict::{
    Argument, Excluded, Explains, Finding, NextAsk, NotTested, RateRange, RedHerring, Verdict, VerdictFile,
    VerdictState,
};
