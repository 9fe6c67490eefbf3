//! Connections: what each packet is, and what there was to measure.

mod acked;
mod cause;
mod connection;
mod event;
mod flight;
mod followed;
mod half;
mod handshake;
mod index;
mod islands;
mod recency;
mod report;
mod rtt;
mod sacked;
mod sent;
mod slab;
mod slices;
mod summary;
mod table;
mod tally;

pub use event::{Acked, HalfEvent, RetransmissionCause, Sent, SentKind};
pub use report::{Ending, FlowReport, HalfReport, Handshake, OptionsSeen, RttStatistics};
pub use slices::{Slice, Slices};
pub use table::{Counts, Limits, Table};
