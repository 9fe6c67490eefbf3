//! STAMP, the Simple Two-way Active Measurement Protocol (RFC 8762) with its TLVs (RFC 8972): packets, the reflector and the
//! sender, without a socket. Routers of many makers answer it, as they answer the older TWAMP Light (RFC 5357, appendix I),
//! whose open packets have the same fields at the same places.
//!
//! A reflector that counts for itself (*stateful*) numbers its answers by their own order. What it did not count was lost on
//! the way there, and what it answered and never came was lost on the way back: loss in each direction, with a sender at one
//! end alone.

mod account;
mod outcome;
mod packet;
mod reflector;
mod seal;
mod sender;
mod sessions;
mod time;
mod tlv;

#[cfg(test)]
mod tests;

pub use crate::direction::Direction;
pub use account::{Answered, Counting};
pub use outcome::{Outcome, Tail};
pub use packet::{Mode, Reflected, TestPacket};
pub use reflector::{Arrival, Reflector, ReflectorConfig, Reply, Silence};
pub use seal::{Key, KeyError, MIN_KEY_BYTES};
pub use sender::{Ignored, Sender, SenderPlan, Turn};
pub use time::{Clock, ErrorEstimate, TimeFormat};
pub use tlv::{ClassOfService, TlvKind};

/// The port that is registered for it (RFC 8762, section 4.1).
pub const PORT: u16 = 862;
/// The TTL or hop limit that both ends send with (RFC 8762, section 4.1.1): what is missing on arrival are the hops.
pub const TTL: u8 = 255;
