//! Connections: what each packet is, and what there was to measure.

mod event;
mod report;

pub use event::{Acked, HalfEvent, RetransmissionCause, Sent, SentKind};
pub use report::{Ending, FlowReport, HalfReport, Handshake, OptionsSeen, RttStatistics};
