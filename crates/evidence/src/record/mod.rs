//! What hosts, routers and people recorded beside traces, probes and transfers.
//!
//! A record holds only what its author told. Addresses that a document lost stay unknown, and so does the time of a
//! table without a date: every field that may be left out is an `Option`.

mod counters;
mod hosts;
mod links;
mod node;
mod series;

pub use counters::{CounterChain, CounterKind, CounterPoint, InterfaceCounters, InterfaceLoad, Optics};
pub use hosts::{Quantity, SocketState, Sockets, Statement};
pub use links::{LinkCapacities, LinkCapacity};
pub use node::{Node, Party};
pub use series::{KnownRoute, RouteHistory, Series, SeriesMetric};
