//! Faults whose figures people state. What follows from these is predicted by the model, and compared with what was measured:
//! an argument weighs what its figures make of the odds, and a folder beside this file only says what is compared.

use crate::declaration::Fault;
use crate::judgement::{argument, logistic};
use crate::records::Stated;
use evidence::{Argument, Direction, Excluded, Explains, Finding, Location, Nanos, ObservationId, RateRange};
use model::forward::agreement;

/// Log-odds before anything was compared: whoever gathers the figures of a limit suspects it, and limits are many.
const SUSPECTED: f64 = -1.0;
/// Standard deviation of the logarithm of what people read off a screen.
pub(super) const OBSERVED_WITHIN: f64 = 0.2;

/// What one figure tells of a fault.
pub(crate) enum Told {
    /// A limit that is not the cause.
    Limit(Box<Finding>),
    /// It is none.
    Excluded(Excluded),
    /// (code, what is missing to tell).
    Missing(&'static str, String),
}

/// A figure set against what the model makes of others, both from lowest to highest.
pub(super) fn compared(
    seen: (f64, f64),
    predicted: (f64, f64),
    sigma: f64,
    text: String,
    cites: Vec<ObservationId>,
) -> Argument {
    argument(agreement(seen, predicted, sigma), text, cites)
}

/// An observed figure as it is told, set against what the model makes of others.
pub(super) fn observed(seen: &Stated, predicted: (f64, f64), text: String) -> Argument {
    compared(
        (seen.low, seen.high),
        predicted,
        OBSERVED_WITHIN,
        text,
        vec![seen.id.clone()],
    )
}

/// A limit that figures tell of.
pub(super) struct Limit {
    pub(super) claim: String,
    pub(super) location: Location,
    pub(super) explains: Explains,
    /// Lowest and highest rate under it, and the rate without, bit/s.
    pub(super) allows: Option<(f64, f64)>,
    pub(super) after_bps: Option<f64>,
    pub(super) remedy: String,
    pub(super) arguments: Vec<Argument>,
}

impl Limit {
    /// The finding, as sure as its arguments make it.
    pub(super) fn weighed(self, fault: &Fault) -> Finding {
        let sum: f64 = self.arguments.iter().map(|argument| argument.weight).sum();
        self.finding(fault, logistic(SUSPECTED + sum))
    }

    pub(super) fn finding(self, fault: &Fault, confidence: f64) -> Finding {
        let (supports, contradicts) = self
            .arguments
            .into_iter()
            .partition(|argument| argument.weight >= 0.0);
        Finding {
            code: fault.code.to_owned(),
            claim: self.claim,
            direction: match self.location {
                Location::OtherHost { .. } => Direction::Both,
                _ => Direction::Forward,
            },
            location: self.location,
            confidence,
            explains: self.explains,
            allows_bps: self
                .allows
                .map(|(low, high)| RateRange::around(low, libm::sqrt(low * high), high)),
            after_fix_bps: self.after_bps.map(|bps| RateRange::around(0.5 * bps, bps, bps)),
            supports,
            contradicts,
            remedy: self.remedy,
            ask_whom: fault.section("Whom to ask"),
            cannot_tell_from: None,
        }
    }
}

/// Seconds as people write them.
pub(super) fn seconds(s: f64) -> Nanos {
    Nanos((s.max(0.0) * 1e9) as u64)
}
