//! Graded worlds: random networks with a known truth, the evidence that somebody might have gathered in them, and how
//! far a verdict agrees.
//!
//! A diagnosis is only tried on what it does not share. So nothing here comes from its forward model: transfers are
//! played in small steps of time, tools have their own gaps and habits, some records are wrong or handed in twice, and
//! some kinds of trouble have no name in the diagnosis at all. This crate must never know how a verdict is reached.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod chance;
mod draw;
mod emit;
mod kind;
pub mod map;
pub mod physics;
mod place;
mod score;
pub mod seen;
mod show;
mod table;
mod tools;
mod world;

pub use kind::{Family, Kind};
pub use place::{Fit, fit};
pub use score::{Cause, Grade, Said, grade};
pub use show::truth_text;
pub use table::{Band, KindRow, Table, Times};
pub use world::{Place, World, limits_as_it_should, world};

use evidence::{Case, Verdict};

/// The case that somebody would have in this world.
#[must_use]
pub fn case(world: &World) -> Case {
    emit::case(world, &tools::records(world))
}

/// The verdict on the newest round of a case.
#[must_use]
pub fn judge(case: &Case) -> Option<Verdict> {
    diagnosis::judge(case).rounds.pop()
}

/// The records of a world before they are written as observations: for those who suspect its physics.
#[must_use]
pub fn records(world: &World) -> Vec<seen::Record> {
    tools::records(world)
}
