//! ROUTE-002: data and acknowledgements go different ways. A circumstance that explains what is seen, not a cause.

mod ways;

use crate::declaration::Fault;
use crate::facts::Facts;
use crate::facts::directions::{self, FasterBack};
use crate::faults::told::{Limit, Told};
use crate::judgement::{argument, logistic};
use evidence::{Argument, Direction, Excluded, Explains, Finding, Location};
use libm::log;

use ways::compare;

pub(crate) static FAULT: Fault = Fault {
    code: "ROUTE-002",
    page: include_str!("page.md"),
    parameters: &[],
};

/// Of the hops of both ways that many have a partner on the other: where the ways are the same, as some go without a name and
/// with addresses that tell nothing, and where they differ, as both begin and end in the same networks.
const PARTNERED_IF_SAME: f64 = 0.85;
const PARTNERED_IF_DIFFERENT: f64 = 0.25;
/// Hops of one network are alike: so many count as one.
const ALIKE_IN_A_ROW: f64 = 3.0;
/// How often data that are slow on one way are fast on the other: over one cable that a fault hurts in one direction, through
/// a link of which the rate is that of a narrower one, and over another cable.
const FAST_OVER_SAME_CABLE: f64 = 0.7;
const FAST_THROUGH_NARROWER: f64 = 0.05;
const FAST_OVER_OTHER: f64 = 0.97;
/// What is less probable is excluded.
const EXCLUDED: f64 = 0.1;

/// What hops and rates of both ways tell: that the ways differ, that they do not, or nothing. Before either is seen, the odds
/// are even: half of all pairs of hosts have ways that differ (Paxson, "End-to-end routing behavior in the Internet", 1997).
pub(super) fn told(facts: &Facts) -> Option<Told> {
    let arguments: Vec<Argument> = hops(facts).into_iter().chain(slow_one_way(facts)).collect();
    let probability = logistic(arguments.iter().map(|argument| argument.weight).sum());
    let against = arguments.iter().min_by(|a, b| a.weight.total_cmp(&b.weight))?;
    if probability < EXCLUDED {
        return Some(Told::Excluded(Excluded {
            code: FAULT.code.to_owned(),
            why: against.text.clone(),
            cites: against.cites.clone(),
        }));
    }
    let limit = Limit {
        claim:
            "data and acknowledgements take different ways: what harms one direction need not harm the other"
                .into(),
        location: Location::Path,
        explains: Explains::No,
        allows: None,
        after_bps: None,
        remedy: FAULT.section("Remedy"),
        arguments,
    };
    Some(Told::Limit(Box::new(Finding {
        direction: Direction::Both,
        ..limit.finding(&FAULT, probability)
    })))
}

/// Whether the hops of one way have partners on the other.
fn hops(facts: &Facts) -> Option<Argument> {
    let found = compare(facts)?;
    let alone = found.hops - found.partnered;
    let weight = found.partnered * log(PARTNERED_IF_DIFFERENT / PARTNERED_IF_SAME)
        + alone * log((1.0 - PARTNERED_IF_DIFFERENT) / (1.0 - PARTNERED_IF_SAME));
    Some(argument(weight / ALIKE_IN_A_ROW, found.text, found.cites))
}

/// One direction alone got slow with the route of the data: with the same settings, it is fast against them.
fn slow_one_way(facts: &Facts) -> Option<Argument> {
    let routing = &facts.routing;
    let moved = routing.coincidences().next().is_some();
    let FasterBack { slow, fast, cites } = directions::faster_back(facts).filter(|_| moved)?;
    let passed = routing.plateau.filter(|plateau| fast.0 > plateau.link.0);
    let over_same = if passed.is_some() {
        FAST_THROUGH_NARROWER
    } else {
        FAST_OVER_SAME_CABLE
    };
    let passed = passed.map_or_else(String::new, |plateau| {
        format!("; {fast} does not fit through a link of {}", plateau.link)
    });
    let text = format!(
        "since the route of the data moved, {slow} go with the data and {fast} against them with the same settings{passed}"
    );
    Some(argument(log(FAST_OVER_OTHER / over_same), text, cites))
}
