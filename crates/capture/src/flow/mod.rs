//! Connections: what each packet is, and what there was to measure.
//!
//! [`Table`] finds the connection of a segment (`index`, `slab`, `recency`) within a bound of memory. Those that have ended linger
//! for late copies (`ended`), mostly as little more than their sums (`retired`). A `connection` has two
//! halves: `half` is the data of one direction and what answers them. What most segments are costs little (`usual`); `sent`
//! places the others (`islands`: what passed above a gap), `cause` says why it was sent again, `acked` reads the answers
//! (`flight`: when each segment was sent; `sacked`: what has arrived out of order and which copies were needless; `rtt`).
//! What happens seldom lives in a `tally` that is made when it does.
//!
//! What it says is what a capture point can know. Retransmissions of data that passed here were lost behind it (or were
//! needless, where DSACK or Eifel tells); gaps that are filled a round trip later were lost before it; data that were
//! acknowledged and never passed were dropped by the capture, and are no loss.

mod acked;
mod brief;
mod cause;
mod connection;
mod ended;
mod event;
mod flight;
mod followed;
mod half;
mod handshake;
mod index;
mod islands;
mod kept;
mod recency;
mod report;
mod retired;
mod rtt;
mod sacked;
mod sent;
mod slab;
mod slices;
mod spare;
mod summary;
mod table;
mod tally;
mod usual;

pub use brief::{Brief, Extent, Sink};
pub(crate) use event::Hears;
pub use event::{Acked, HalfEvent, RetransmissionCause, Sent, SentKind};
pub use followed::Backlog;
pub use report::{Ending, FlowReport, HalfReport, Handshake, OptionsSeen, RttStatistics};
pub use slices::{Slice, Slices};
pub use table::{Counts, Limits, Table};
