//! What other people's tools recorded, between hosts that need not be the ends of the complaint.
//!
//! A record holds only what the tool printed. Addresses that a document lost stay unknown, and so does the time of a
//! table without a date: every field that a tool may leave out is an `Option`. Our own measurements are richer and have
//! kinds of their own ([`crate::Route`], [`crate::TcpThroughput`]…).

mod counters;
mod hosts;
mod node;
mod path;
mod series;
mod throughput;

pub use counters::{CounterChain, CounterKind, CounterPoint, InterfaceCounters, InterfaceLoad};
pub use hosts::{Quantity, SocketState, Sockets, Statement};
pub use node::{Node, Vantage};
pub use path::{
    LinkCapacities, LinkCapacity, OneWay, PingError, PingRow, Pings, RttStatistics, Trace, TraceAnswer,
    TraceHop,
};
pub use series::{KnownRoute, RouteHistory, Series, SeriesMetric};
pub use throughput::{ThroughputInterval, ThroughputRecord, Transport};
