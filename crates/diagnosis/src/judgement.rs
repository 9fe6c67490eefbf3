//! How sure arguments make a finding, and what they cite.

use evidence::{Argument, ObservationId};

/// An argument with its weight in log-odds. A verdict is compared byte for byte: a weight carries three digits.
pub(crate) fn argument(weight: f64, text: String, cites: Vec<ObservationId>) -> Argument {
    Argument {
        text,
        weight: (weight * 1e3).round() / 1e3,
        cites,
    }
}

/// The probability with these log-odds. Kept off 0 and 1: a comparison can be wrong in ways that it does not know.
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
