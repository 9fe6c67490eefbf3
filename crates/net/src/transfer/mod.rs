//! Bulk TCP and UDP between the two ends: the data plane.
//!
//! Bytes are moved by plain threads with blocking sockets, not by the asynchronous runtime: a transfer that shares a
//! thread with anything else measures that. Each transfer is one coordinating thread with one thread per stream; it
//! reports over channels and ends within a tenth of a second when told to, or when its handle is dropped.
//!
//! This module must never know the control channel, nor what a result means.

mod host_drops;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod stop;
pub(crate) mod tcp_open;
pub(crate) mod tcp_receive;
pub(crate) mod tcp_send;
mod tcp_slices;
mod tcp_window;
mod tuning;
pub(crate) mod udp_open;
pub(crate) mod udp_receive;
pub(crate) mod udp_send;

pub(crate) use stop::Stop;
pub use tuning::Tuning;
