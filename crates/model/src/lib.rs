//! What a network is, and what each kind of measurement would see in it.
//!
//! A [`Map`] holds the places that all evidence of a case speaks of; a [`Measurement`] is one quantity with its
//! conditions between two of them; a [`Fault`] is one parameter of one element away from its normal value. The module
//! [`forward`] is the one place where physics lives: it says what a measurement would see in a world with given
//! faults, as a density of what was seen.
//!
//! This crate must never know who made a measurement (own probes and foreign tools look alike here), nor how probable
//! a fault is before anything was measured, nor what a verdict says.
//!
//! All transcendental functions come from the `libm` crate, so that a density has the same bits on every platform.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod density;
mod fault;
pub mod forward;
mod map;
mod measurement;

pub use density::{log_mean_exp, log_sum_exp, normal, student_t4};
pub use fault::{Family, Fault, Kind};
pub use map::{Element, ElementId, Hop, Hops, Map, MapBuilder, NodeId, Path};
pub use map::{names, other_ends};
pub use measurement::{
    Bound, Control, Count, Counted, Delivery, HEADER_BYTES, Loss, Measurement, OPTIONS_BYTES, Program, Queue,
    Rate, Rest, Seen, Setting, Trust, Waits,
};
