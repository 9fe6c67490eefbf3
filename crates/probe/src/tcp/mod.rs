//! Loss in each direction with any TCP server: sting (Savage, 1999) by what selective acknowledgements tell, without a socket.
//!
//! After the handshake the first byte is never sent, and each probe is one byte behind it. A receiver has to acknowledge what
//! arrives out of order at once (RFC 5681, 4.2), and names what it holds (SACK, RFC 2018). A probe that no acknowledgement ever
//! names was lost on the forward path; one that is named, and drew no acknowledgement of its own that came, lost it on the reverse
//! path. Sting filled the gap at last, to read from cumulative acknowledgements what had arrived, and so gave its bytes to the
//! program there, which took them for a request. With the gap left open the program gets not one byte.
//!
//! Between probes the byte *before* the first is sent, as a keep-alive does (RFC 9293, 3.8.4). It is old, so any receiver has to
//! acknowledge it at once (3.10.7.4), and Linux, which otherwise joins acknowledgements that would leave within a millisecond,
//! then sends each by itself for a while. Where fewer probes than keep-alives are answered, the receiver joins them all the
//! same, and the reverse path stays unknown.

mod connection;
mod outcome;
mod scoreboard;
mod segment;

#[cfg(test)]
mod tests;

pub use crate::direction::Direction;
pub use connection::{Connection, End, Plan, Turn};
pub use outcome::{Handshakes, Outcome, Reverse};
pub use segment::Offer;

/// Probes that one connection may have outstanding: no window that is not scaled holds more than 65,535.
pub const MOST_PROBES: u32 = 2_000;
