//! ROUTE-001: the route moved to a way with less capacity.

mod arguments;

use super::words;
use crate::declaration::{Fault, Rule};
use crate::facts::Facts;
use crate::facts::records::beside::Beside;
use crate::facts::records::plateau::GOODPUT_SHARE;
use crate::facts::records::rate_history::RateHistory;
use crate::facts::records::routes::RouteChange;
use crate::facts::records::routes_alignment::{Alignment, DATED_NS};
use crate::facts::records::routes_contrast::Contrast;
use crate::facts::records::routing::Routing;
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::{Direction, Explains, HopRef, Location, RateRange};

const PRIOR: f64 = -2.0;

pub(crate) static FAULT: Fault = Fault {
    code: "ROUTE-001",
    name: "detour",
    title: "detour with lower capacity",
    page: include_str!("page.md"),
    rule: Some(Rule { prior: PRIOR, judge }),
    parameters: &[],
};

/// A rate that rests on single transfers is no surer than this.
const SPARSE: f64 = 0.95;

fn judge(facts: &Facts) -> Vec<Outcome> {
    let routing = &facts.routing;
    let (Some(rates), Some(alignment)) = (&routing.rates, &routing.alignment) else {
        return missing(facts).into_iter().collect();
    };
    if alignment.coincidences().next().is_none() {
        return vec![unrelated(rates, routing, alignment)];
    }
    let Some(contrast) = &routing.contrast else {
        return missing(facts).into_iter().collect();
    };
    vec![weigh(facts, rates, alignment, contrast)]
}

fn unrelated(rates: &RateHistory, routing: &Routing, alignment: &Alignment) -> Outcome {
    let why = format!(
        "none of {} steps of the rate coincides with one of {} changes of the route",
        alignment.crossings.len(),
        alignment.dated_changes.len()
    );
    Outcome::Contradicts {
        weight: -3.0,
        why,
        cites: arguments::cites(rates, routing),
    }
}

/// Only where half of what is needed is there: a case without any history has nothing to do with routes.
fn missing(facts: &Facts) -> Option<Outcome> {
    let routing = &facts.routing;
    let steps = routing
        .rates
        .as_ref()
        .is_some_and(|rates| rates.crossings().next().is_some());
    let missing = match (steps, routing.routes.changes.is_empty()) {
        (true, true) => {
            "the rate changed from one measurement to the next; there is no history of the route beside it"
                .into()
        }
        (false, false) => format!(
            "the route changed{}; there is no series of the rate in which a step could be seen beside it",
            moved_with_it(facts)
        ),
        (true, false) => {
            "the rate and the route both changed, but no route was seen at a time of known rate".into()
        }
        (false, true) => return None,
    };
    Some(Outcome::Inconclusive { missing })
}

/// What else is known to have stepped with a change of the route.
fn moved_with_it(facts: &Facts) -> String {
    let routing = &facts.routing;
    let is_dated = |change: &&RouteChange| change.between.width_ns() <= DATED_NS;
    let step = |other: &Beside, name: &str| {
        let mut changes = routing.routes.changes.iter().filter(is_dated);
        let step = changes.find_map(|change| other.near(change.between))?;
        Some(format!(
            ", and {name} with it: {}",
            words::step(other.metric, step, facts.complaint.utc_offset_s)
        ))
    };
    let of = |other: &Option<Beside>, name| other.as_ref().and_then(|other| step(other, name));
    of(&routing.rtt, "the round-trip time")
        .or_else(|| of(&routing.loss, "loss"))
        .unwrap_or_default()
}

fn weigh(facts: &Facts, rates: &RateHistory, alignment: &Alignment, contrast: &Contrast) -> Outcome {
    let routing = &facts.routing;
    let mut weighing = Weighing {
        at_most: rates.is_sparse().then_some(SPARSE),
        ..Weighing::default()
    };
    arguments::coincidence(&mut weighing, rates, routing, alignment);
    arguments::returns(&mut weighing, rates, routing, alignment);
    arguments::beside(&mut weighing, rates, routing, alignment);
    arguments::hops(&mut weighing, routing, contrast);
    arguments::plateau(&mut weighing, rates, routing);
    arguments::against(&mut weighing, rates, routing, alignment, contrast);
    let allows = allowed(rates, routing);
    let after_fix = fast(rates);
    let measured = facts.measured_rate();
    let explains = match measured.zip(allows) {
        Some((rate, allows)) if rate.0 <= 1.1 * allows.high.0 && rate.0 >= 0.5 * allows.low.0 => {
            Explains::Yes
        }
        Some(_) => Explains::No,
        None => Explains::Unknown,
    };
    Outcome::Supports(Box::new(Supported {
        claim: claim(allows, after_fix, routing),
        location: location(contrast),
        direction: Direction::Forward,
        weighing,
        explains,
        allows_bps: allows,
        after_fix_bps: after_fix,
        remedy: "find out why the route moved (next hop, preference, a lost announcement) and move it back, or have the \
            slow link of the new way upgraded"
            .into(),
        ask_whom: ask_whom(contrast),
        cannot_tell_from: None,
    }))
}

fn claim(allows: Option<RateRange>, fast: Option<RateRange>, routing: &Routing) -> String {
    let best = allows.map_or_else(
        || " with lower capacity".to_owned(),
        |range| format!(" that carries {}", range.best),
    );
    let link = routing
        .plateau
        .map_or_else(String::new, |p| format!(", as over a link of {}", p.link));
    let other = fast.map_or_else(String::new, |range| {
        format!("; other routes carry {}", range.best)
    });
    format!("the data take a detour{best}{link}{other}")
}

/// The lowest and the highest rate of the slow stretches, or of the fast ones, single outliers apart.
fn extremes(rates: &RateHistory, slow: bool) -> Option<(f64, f64)> {
    let lowest = rates.regimes(slow).map(|regime| regime.low);
    let highest = rates.regimes(slow).map(|regime| regime.high);
    Some((lowest.min_by(f64::total_cmp)?, highest.max_by(f64::total_cmp)?))
}

/// What the detour carries: the slow levels; at most what its link does.
fn allowed(rates: &RateHistory, routing: &Routing) -> Option<RateRange> {
    let (lowest, highest) = extremes(rates, true)?;
    let levels = rates.regimes(true).map(|regime| regime.level);
    let best = levels.max_by(f64::total_cmp)?;
    let carries = routing
        .plateau
        .map_or(highest, |found| GOODPUT_SHARE * found.link.0);
    Some(words::range(lowest, best, highest.max(carries)))
}

/// What the other routes carry. A tenth either way, as the next slowest link is not known.
fn fast(rates: &RateHistory) -> Option<RateRange> {
    let (lowest, highest) = extremes(rates, false)?;
    let points: usize = rates.regimes(false).map(|regime| regime.points).sum();
    let levels = rates
        .regimes(false)
        .map(|regime| regime.level * regime.points as f64);
    let best = levels.sum::<f64>() / points.max(1) as f64;
    Some(words::range(0.9 * lowest, best, 1.1 * highest))
}

fn location(contrast: &Contrast) -> Location {
    contrast
        .stretch
        .clone()
        .map_or(Location::Path, |(before, after)| Location::Link { before, after })
}

fn ask_whom(contrast: &Contrast) -> String {
    let by = |(before, after): &(HopRef, HopRef)| words::operators(before, after);
    let whom = contrast
        .stretch
        .as_ref()
        .map_or_else(|| "the networks on both routes".to_owned(), by);
    format!("{whom}: which announcement do they follow, and why since then?")
}
