//! The rate and the route over time, and the two ways of a path.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
mod detour;
mod incident;
mod ways;
