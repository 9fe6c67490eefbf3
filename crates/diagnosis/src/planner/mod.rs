//! Which measurement to make next: cheap ones first, then those that decide between the hypotheses left.
//!
//! Pure: the plan is a function of what is known. Each step looks at the facts and either asks or has nothing to ask;
//! the first that asks, can be afforded and was not refused before, wins. When none does, measuring is done.

mod loss;
mod means;
mod steps;

pub use means::Means;

use crate::facts::Facts;
use crate::facts::black_hole::BlackHole;
use crate::faults::{ENOUGH, assess_capacity, explaining_hole};
use evidence::v1::{Ask, Case, End, RateBps};
use means::{affordable, refused};

/// Observations in a round beyond which something is wrong with the loop, not with the path.
const MOST_OBSERVATIONS: usize = 100;

/// The next ask worth its cost; `None` when nothing more would change the verdict, or nothing more is allowed.
#[must_use]
pub(crate) fn plan(case: &evidence::Case, old: &Case, round: u32, means: &Means) -> Option<Ask> {
    let facts = Facts::derive(case, old, round);
    if facts.observations >= MOST_OBSERVATIONS {
        return None;
    }
    let view = View::of(&facts, means);
    steps::ALL.iter().filter_map(|step| step(&view)).find_map(|ask| {
        let ask = means::within_bytes(ask, means)?;
        (affordable(&ask, means) && !refused(&facts, &ask)).then_some(ask)
    })
}

/// What the steps look at.
struct View<'a> {
    facts: &'a Facts,
    means: &'a Means,
    /// Both ends take part.
    both_ends: bool,
    /// Where path probes for the data's way start; the receiver's side only when nothing better is to be had.
    probe_from: End,
    hole: Option<BlackHole>,
}

impl<'a> View<'a> {
    fn of(facts: &'a Facts, means: &'a Means) -> Self {
        let both_ends = means.far_end && !means::far_end_lost(facts);
        let probe_from = if both_ends {
            End::From
        } else {
            facts.complaint.local_end
        };
        Self {
            facts,
            means,
            both_ends,
            probe_from,
            hole: explaining_hole(facts),
        }
    }

    /// A plain transfer was measured and is fast enough for the user.
    fn fast_enough(&self) -> bool {
        let rate = self.facts.plain_run().map(|run| run.rate.0);
        rate.zip(self.facts.expected())
            .is_some_and(|(rate, expected)| rate >= ENOUGH * expected.0)
    }

    /// The kernel says that the receiver's window limits.
    fn window_limits(&self) -> bool {
        self.facts
            .plain_run()
            .and_then(|run| run.receive_window_share)
            .is_some_and(|share| share >= 0.5)
    }

    /// Something measured, slow, and neither a black hole nor a window explains it: loss or capacity is left.
    fn loss_or_capacity(&self) -> bool {
        let running = self
            .facts
            .plain_run()
            .is_some_and(|run| !run.stalled && run.rate.0 > 0.0);
        running && !self.fast_enough() && self.hole.is_none() && !self.window_limits()
    }

    fn capacity_is_sure(&self) -> bool {
        assess_capacity(self.facts).is_some_and(|found| found.confidence >= 0.9)
    }

    fn base_rtt_ms(&self) -> u64 {
        self.facts.base_rtt.as_ref().map_or(100, |rtt| rtt.ns / 1_000_000)
    }

    fn proven_bps(&self) -> Option<RateBps> {
        self.facts.proven_rate()
    }
}
