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
mod http;
mod identity;
mod line;
mod location;
pub mod migrate;
mod observation;
mod pairs;
mod probes;
mod record;
mod routing_loop;
mod schema;
mod sorted;
mod tcp_account;
mod trace;
mod transfer;
mod units;
pub mod v1;
mod verdict;
mod written;

pub use ask::{Ask, Cost, Intrusiveness, Privilege};
pub use case::{Case, CaseOf, Complaint, JournalEntry, Observed};
pub use host::{BusiestCpu, CpuFacts, HostFacts, Interface, PcieLink};
pub use http::HttpExchange;
pub use identity::{ObservationId, intact_id};
pub use line::to_json_line;
pub use location::{Direction, End, HopRef, Location};
pub use observation::{NotMeasured, NotMeasuredReason, Observation, Payload, Provenance};
pub use pairs::{Pair, pairs};
pub use probes::{DelayStatistics, EchoContext, EchoMode, ProbeError, ProbeRow, Probes, SizeProbeMode, Way};
pub use record::{
    CounterChain, CounterKind, CounterPoint, InterfaceCounters, InterfaceLoad, KnownRoute, LinkCapacities,
    LinkCapacity, Node, Optics, Party, Quantity, RouteHistory, Series, SeriesMetric, SocketState, Sockets,
    Statement,
};
pub use routing_loop::RoutingLoop;
pub use schema::{CASE_SCHEMA_VERSION, VERDICT_SCHEMA_VERSION, verdict_json_schema};
pub use tcp_account::TcpAccount;
pub use trace::{MplsLabel, ProbeProtocol, ReplyKind, Trace, TraceAnswer, TraceFlow, TraceHop};
pub use transfer::{
    DelaySample, HostDrops, OneWayDelay, StopReason, Transfer, TransferInterval, TransferSide, Transport,
};
pub use units::{Nanos, RateBps, Timestamp, UnitError};
pub use verdict::{
    Argument, Excluded, Explains, Finding, NextAsk, NotTested, RateRange, RedHerring, Verdict, VerdictFile,
    VerdictState,
};
pub use written::{
    CaseComplaint, case_from_parts, complaint_from_json, complaint_to_json, journal_from_jsonl,
    observations_from_jsonl,
};
