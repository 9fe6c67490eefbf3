//! From observations to a verdict: measurements and inference over the model, what people state beside it, red herrings, and
//! the planner that asks for what is missing.
//!
//! Everything here is pure: the same case gives the same verdict, byte for byte, under the same [`RULES_VERSION`],
//! whatever order the observations came in. This crate sees observations only; it must never know packets, sockets,
//! files or clocks, nor how an ask is carried out.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod adapters;
mod declaration;
mod engine;
mod facts;
mod faults;
mod judgement;
mod planner;
mod records;
mod red_herrings;
mod verdict;

pub use declaration::{Fault, SECTIONS};
pub use faults::{explain, registry};
pub use planner::{Candidate, Means, Plan, Standing, Stopped, explain_plan, plan};
pub use verdict::{judge, judge_round};

/// Version of the reasoning. Raised whenever the same observations may get another verdict.
pub const RULES_VERSION: &str = "9";
