//! The same judgement where the transfer was made by another tool: its rate is known, what limits it is not.

use super::{fast_enough, supported};
use crate::facts::Facts;
use crate::faults::words;
use crate::judgement::{Outcome, Weighing};
use evidence::v1::{Location, RateBps};

/// So many times as fast as before is no chance: rates of one path easily double with the time of day.
const MUCH_FASTER: f64 = 4.0;

pub(super) fn judge(facts: &Facts) -> Outcome {
    let Some((record, rate)) = facts.records.complained(&facts.complaint) else {
        return Outcome::Inconclusive {
            missing: "no TCP transfer between the two ends was measured".into(),
        };
    };
    let cites = vec![record.id.clone()];
    let compared = facts
        .expected()
        .map(|expected| format!("{rate} measured, {expected} expected"));
    match (facts.expected(), compared) {
        (Some(expected), Some(why)) => match fast_enough(rate, expected, &cites) {
            Some(fast) => Outcome::Supports(Box::new(fast)),
            None => Outcome::Contradicts {
                weight: -5.0,
                why,
                cites,
            },
        },
        _ => faster_than_before(facts, rate, &cites),
    }
}

/// Without an expectation: much faster than before it was repaired, and nothing wrong was found.
fn faster_than_before(facts: &Facts, rate: RateBps, cites: &[evidence::v1::ObservationId]) -> Outcome {
    let before = facts.rate_before.as_ref().filter(|before| before.rate.0 > 0.0);
    let Some(before) = before.filter(|before| rate.0 >= MUCH_FASTER * before.rate.0) else {
        return Outcome::Inconclusive {
            missing: "no rate was expected and what limits the transfer is not known".into(),
        };
    };
    let times = (rate.0 / before.rate.0).round() as u64;
    let text = format!("{rate} now, {} in round {}", before.rate, before.round);
    let mut weighing = Weighing::default();
    weighing.add(2.0, text, &[cites, std::slice::from_ref(&before.id)].concat());
    let claim = format!("{rate}, {} times as fast as before", words::thousands(times));
    supported(rate, claim, Location::Path, weighing)
}
