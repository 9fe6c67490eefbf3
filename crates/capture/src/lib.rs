//! Packet captures: bytes in, flows and what limited them out.
//!
//! Why it exists: whoever can capture at one end of a slow transfer, at both, or in between, has the cause in the packets.
//! This crate reads any capture, follows each TCP connection, and says what its sender waited for, and when.
//!
//! The way of a packet: [`file`] finds it in the bytes of a capture, [`decode`] takes off the layers below TCP and leaves a
//! [`Segment`], [`flow`] follows the connection that it belongs to and tells [`HalfEvent`]s, of which [`causes`] makes
//! intervals with a reason each. [`points`] compares what several captures saw of one connection. [`picture`] draws one
//! direction of a connection.
//!
//! It must never know a clock, a file, a socket or a thread: the binary feeds it, on as many threads as it likes. It never
//! looks at payload, and it holds only so much memory as it is told.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod causes;
pub mod counted;
pub mod decode;
pub mod file;
pub mod flow;
mod key;
pub mod measured;
pub mod picture;
pub mod points;
mod segment;

pub use key::{Endpoint, FlowKey, Way};
pub use segment::{Flags, Options, Segment, Segments, TooBig};
