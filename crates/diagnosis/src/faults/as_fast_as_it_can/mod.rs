//! OK-001: nothing is wrong.

use crate::declaration::Fault;
use crate::facts::Facts;
use crate::faults::words;
use crate::judgement::{argument, logistic};
use evidence::{Direction, Explains, Finding, Location, ObservationId, RateBps, RateRange};

pub(crate) static FAULT: Fault = Fault {
    code: "OK-001",
    page: include_str!("page.md"),
    parameters: &[],
};

/// Reaching this share of the expected rate is reaching it.
pub(crate) const ENOUGH: f64 = 0.9;

/// So many times as fast as before is no chance: rates of one path easily double with the time of day.
const MUCH_FASTER: f64 = 4.0;

/// That a transfer is as fast as it should be, or as it can be; `None` where it is not, or nobody can tell. `limit` is what
/// limits it, where nothing faster was seen.
pub(crate) fn judge(
    facts: &Facts,
    rate: RateBps,
    cites: &[ObservationId],
    limit: Option<&Finding>,
) -> Option<Finding> {
    let limited = limit.map_or_else(String::new, |limit| format!("; what limits: {}", limit.claim));
    let before = facts.rate_before.as_ref().filter(|before| before.rate.0 > 0.0);
    let times = before.map(|before| rate.0 / before.rate.0);
    let cited = || cites.to_vec();
    let (claim, why) = match (facts.expected(), before, limit) {
        (Some(expected), ..) => {
            if rate.0 < ENOUGH * expected.0 {
                return None;
            }
            let why = argument(5.0, format!("{rate} measured, {expected} expected"), cited());
            (format!("as fast as it should be{limited}"), why)
        }
        (None, Some(before), _) if times.is_some_and(|times| times >= MUCH_FASTER) => {
            let text = format!("{rate} now, {} in round {}", before.rate, before.round);
            let why = argument(2.0, text, [cites, std::slice::from_ref(&before.id)].concat());
            let times = words::count(times.unwrap_or(1.0).round() as u64);
            (format!("{rate}, {times} times as fast as before"), why)
        }
        // Whether what limits is enough only the user knows.
        (None, _, Some(_)) => {
            let why = argument(1.1, format!("{rate} measured{limited}"), cited());
            (format!("{rate} is what this path can do{limited}"), why)
        }
        (None, _, None) => return None,
    };
    Some(Finding {
        code: FAULT.code.to_owned(),
        confidence: logistic(why.weight),
        supports: vec![why],
        contradicts: Vec::new(),
        claim,
        location: limit.map_or(Location::Path, |limit| limit.location.clone()),
        direction: Direction::Forward,
        explains: Explains::Yes,
        allows_bps: Some(RateRange {
            low: rate,
            best: rate,
            high: rate,
        }),
        after_fix_bps: None,
        remedy: "none needed".into(),
        ask_whom: "nobody".into(),
        cannot_tell_from: None,
    })
}
