//! Links with a rate, a delay, loss and the rest, between two TUN devices.
//!
//! The decisions (what happens to a packet of this size at this moment) are pure and live in [`shaper`], with
//! `now` and the random numbers as arguments. [`worker`] is the loop that reads one TUN device, asks the shaper
//! and writes the other; one thread for each direction of a link, sharing nothing but counters.
//!
//! It must never look into a packet beyond finding where a corrupted bit may go, and never know which fault a
//! scenario wants to show.

pub(crate) mod counters;
mod delay_line;
mod loss;
mod policer;
mod shaper;
mod worker;

pub use counters::{DirectionCounters, DropReason};
pub(crate) use worker::{DirectionControl, Wiring, spawn};
