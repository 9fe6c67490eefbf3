//! The payloads of case format 2: one kind per idea, whoever measured.
//!
//! A trace is a trace, a table of sizes and hops is a table of probes as pings are, and a transfer is a transfer. What we
//! measured ourselves has the most fields filled in; what a foreign tool may leave out is an `Option` or an empty list.
//! Every place is a [`crate::Node`]: where a measurement began, who answered, who is asked for the next one. Which of them
//! are the ends of the complaint is for [`crate::Complaint::end_of`] to say.

mod ask;
mod observation;
mod probes;
mod trace;
mod transfer;

pub use ask::Ask;
pub use observation::{NotMeasured, Observation, Payload, Provenance};
pub use probes::{DelayStatistics, ProbeError, ProbeRow, Probes, Way};
pub use trace::{Trace, TraceAnswer, TraceFlow, TraceHop};
pub use transfer::{OneWayDelay, Transfer, TransferInterval, TransferSide};

// Unchanged between the formats.
pub use crate::{
    CounterChain, CpuFacts, DelaySample, EchoContext, EchoMode, HostDrops, HostFacts, Interface,
    InterfaceCounters, LinkCapacities, MplsLabel, Node, NotMeasuredReason, ObservationId, ProbeProtocol,
    ReplyKind, RouteHistory, Series, Sockets, Statement, StopReason, TcpAccount, Transport,
};
