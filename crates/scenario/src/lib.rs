//! Scenario files: a network whose fault is known, written as TOML.
//!
//! This crate exists so that two worlds, real kernels (`lab`) and virtual time (a simulation), read the same
//! file and mean the same network by it. It turns text into a checked [`Scenario`] or into a [`ScenarioError`]
//! that names the line and the reason.
//!
//! It must never know how a network is built: no sockets, no files, no clock, no randomness. Every reference in
//! a [`Scenario`] is resolved, every range checked, every destination that `[run]` needs is reachable; whoever
//! holds one need not check again.
//!
//! The format for people is described in `docs/scenarios.md`.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod change;
mod check;
mod error;
mod event;
mod model;
mod network;
mod paths;
mod prefix;
mod raw;
mod routing;
mod traffic;
mod truth;
mod units;

pub use change::{DirectionChange, GilbertElliott, Loss, Policer, Reorder, SettingsChange};
pub use error::ScenarioError;
pub use event::{Change, Event, When};
pub use model::{Run, Scenario, StaticRoute};
pub use network::{Direction, End, Link, LinkId, Node, NodeId, Role, Settings, Side};
pub use paths::PathError;
pub use prefix::{Family, Prefix};
pub use routing::{NextHop, RouteEntry};
pub use traffic::{Traffic, TrafficKind};
pub use truth::{FaultFamily, PathDirection, RedHerring, RedHerringKind, TrueFault, Truth, TruthLocation};
pub use units::{Delay, Rate, UnitError};

/// Reads and checks one scenario file.
///
/// # Errors
/// A [`ScenarioError`] with the line and the reason: a syntax error, an unknown field, a value out of range, a
/// name that does not exist, an address given twice, a destination without a route.
pub fn parse(text: &str) -> Result<Scenario, ScenarioError> {
    let raw: raw::File = toml::from_str(text).map_err(|e| ScenarioError::syntax(text, &e))?;
    check::check(text, raw)
}
