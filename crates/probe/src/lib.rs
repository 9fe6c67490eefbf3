//! Sans-IO measurement machines: what to send next and what the answers mean, without a socket or a clock.
//!
//! `now` (nanoseconds from an arbitrary start) and received packets are arguments; packets to send and the time of
//! the next call are return values. `net` drives these machines with kernel sockets, `sim` with a virtual network.
//! This crate must never know the operating system.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod asn;
mod direction;
mod echo;
pub mod http;
pub mod iperf3;
mod ledger;
mod packet;
mod path_mtu;
mod reflect;
mod rounds;
mod route;
pub mod session;
pub mod stamp;
pub mod tcp;
pub mod wire;

#[cfg(test)]
mod simulated_path;
#[cfg(test)]
mod whole_tests;

pub use echo::{EchoConfig, EchoMachine, SeriesPlan};
pub use packet::{Answer, Identity, Machine, Probe, Refusal, Reply};
pub use path_mtu::{PathMtuConfig, PathMtuMachine};
pub use reflect::{REFLECT_BYTES, ReflectReply, ReflectRequest, SessionKey};
pub use rounds::{Answered, Asked, RoundEvent, RoundsConfig, RoundsMachine};
pub use route::{RouteConfig, RouteMachine};
