//! How a rule answers: the outcomes, and the weighing of arguments.

use evidence::{Argument, Direction, Explains, Location, ObservationId, RateRange};

/// What a rule says of its fault.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The evidence names it at a place. Whether that becomes a finding is decided by the sum of the weights.
    Supports(Box<Supported>),
    /// The evidence speaks against it.
    Contradicts {
        weight: f64,
        why: String,
        cites: Vec<ObservationId>,
    },
    /// Nothing can be said without what is missing.
    Inconclusive { missing: String },
}

/// A fault at a place with the case for and against it.
#[derive(Debug)]
pub(crate) struct Supported {
    pub(crate) claim: String,
    pub(crate) location: Location,
    pub(crate) direction: Direction,
    pub(crate) weighing: Weighing,
    pub(crate) explains: Explains,
    pub(crate) allows_bps: Option<RateRange>,
    pub(crate) after_fix_bps: Option<RateRange>,
    pub(crate) remedy: String,
    pub(crate) ask_whom: String,
    pub(crate) cannot_tell_from: Option<String>,
}

/// Arguments with their weights in log-odds. They add up (naive Bayes): a rule must not enter one observation twice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Weighing {
    pub(crate) supports: Vec<Argument>,
    pub(crate) contradicts: Vec<Argument>,
    /// No argument makes the fault surer than its least sure necessary step.
    pub(crate) at_most: Option<f64>,
}

impl Weighing {
    /// Enters an argument on the side that the sign of its weight says.
    pub(crate) fn add(&mut self, weight: f64, text: impl Into<String>, cites: &[ObservationId]) {
        let side = if weight >= 0.0 {
            &mut self.supports
        } else {
            &mut self.contradicts
        };
        side.push(Argument {
            text: text.into(),
            weight,
            cites: cites.to_vec(),
        });
    }

    pub(crate) fn sum(&self) -> f64 {
        self.supports
            .iter()
            .chain(&self.contradicts)
            .map(|argument| argument.weight)
            .sum()
    }

    /// The probability that the fault is there.
    pub(crate) fn confidence(&self, prior: f64) -> f64 {
        logistic(prior + self.sum()).min(self.at_most.unwrap_or(1.0))
    }
}

/// The probability with these log-odds. Kept off 0 and 1: a rule can be wrong in ways that it does not know.
pub(crate) fn logistic(log_odds: f64) -> f64 {
    const NEVER_SURER: f64 = 0.995;
    (1.0 / (1.0 + libm::exp(-log_odds))).clamp(1.0 - NEVER_SURER, NEVER_SURER)
}

/// Joins citations without repeating any, in a stable order.
pub(crate) fn join_cites<'a>(parts: impl IntoIterator<Item = &'a Vec<ObservationId>>) -> Vec<ObservationId> {
    let mut all: Vec<ObservationId> = parts.into_iter().flatten().cloned().collect();
    all.sort();
    all.dedup();
    all
}
