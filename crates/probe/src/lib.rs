//! Sans-IO measurement machines: what to send next and what the answers mean, without a socket or a clock.
//!
//! `now` (nanoseconds from an arbitrary start) and received packets are arguments; packets to send and the time of
//! the next call are return values. `net` drives these machines with kernel sockets, `sim` with a virtual network.
//! This crate must never know the operating system.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod reflect;

pub use reflect::{REFLECT_BYTES, ReflectReply, ReflectRequest, SessionKey};
