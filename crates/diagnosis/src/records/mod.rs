//! What was measured and recorded in a round, by whatever tool: sorted by kind, with the ends that it means. A record alone
//! says nothing; what follows from several is for adapters and facts to derive.
//!
//! Nothing here depends on the order of the observations: sums, extremes and medians only.

mod ends;
mod hops;
mod round;
mod silence;
mod stated;

pub(crate) use ends::{direction, end_of, goes_between, is_same_host, is_same_place, or};
pub(crate) use hops::{answered, hop_ref, hops};
pub(crate) use round::{RateBefore, Recorded, Records, rate_before, settings};
pub(crate) use silence::{LEAST_GAP_NS, LEAST_SILENCE_NS, gaps, is_silent, rate_until_gone, silent, stalled};
pub(crate) use stated::Stated;
