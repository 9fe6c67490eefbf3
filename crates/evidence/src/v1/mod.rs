//! The payloads of case format 1: what older cases hold, and what code that is not yet ported thinks in.
//!
//! Our own measurements have kinds of their own here, between the two ends of the complaint; records have others.
//! [`crate::migrate`] turns them into the present ones, and back.

mod ask;
mod observation;
mod path;
mod record;
mod throughput;
mod transfer;
mod vantage;

pub use ask::Ask;
pub use observation::{NotMeasured, Observation, Payload, Provenance};
pub use path::{
    Echo, EchoSeries, FragmentationNeeded, HopReply, PathMtu, Route, RouteFlow, RouteHop, RttSummary,
    SizeCell,
};
pub use record::{OneWay, PingError, PingRow, Pings, RttStatistics, Trace, TraceAnswer, TraceHop};
pub use throughput::{ThroughputInterval, ThroughputRecord};
pub use transfer::{OneWayDelay, TcpInterval, TcpThroughput, UdpInterval, UdpStream};
pub use vantage::Vantage;

/// A case whose observations have the shapes of format 1.
pub type Case = crate::CaseOf<Observation>;

// What both formats have in common.
pub use crate::{
    Argument, CASE_SCHEMA_VERSION, CaseComplaint, Complaint, Cost, CounterChain, CounterKind, CounterPoint,
    CpuFacts, DelaySample, Direction, EchoContext, EchoMode, End, Excluded, Explains, Finding, HopRef,
    HostDrops, HostFacts, Interface, InterfaceCounters, InterfaceLoad, Intrusiveness, JournalEntry,
    KnownRoute, LinkCapacities, LinkCapacity, Location, MplsLabel, Nanos, NextAsk, Node, NotMeasuredReason,
    NotTested, ObservationId, Party, Privilege, ProbeProtocol, Quantity, RateBps, RateRange, RedHerring,
    ReplyKind, RouteHistory, Series, SeriesMetric, SizeProbeMode, SocketState, Sockets, Statement,
    StopReason, TcpAccount, Timestamp, Transport, UnitError, VERDICT_SCHEMA_VERSION, Verdict, VerdictFile,
    VerdictState, to_json_line,
};
