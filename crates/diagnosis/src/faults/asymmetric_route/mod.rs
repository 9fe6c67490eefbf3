//! ROUTE-002: data and acknowledgements go different ways. A circumstance that explains what is seen, not a cause.

use crate::declaration::Fault;
use crate::facts::Facts;
use crate::facts::records::direction::{self, FasterBack};
use crate::facts::records::ways::compare;
use crate::faults::told::{Limit, Told};
use crate::judgement::{argument, logistic};
use evidence::{Direction, Excluded, Explains, Finding, Location, ObservationId};

pub(crate) static FAULT: Fault = Fault {
    code: "ROUTE-002",
    name: "asymmetric_route",
    title: "asymmetric route",
    page: include_str!("page.md"),
    parameters: &[],
};

/// Log-odds of ways that differ: before anything was seen, by hops without partners, by rates that differ by direction.
const BEFORE: f64 = -1.5;
const HOPS_DIFFER: f64 = 3.0;
const RATES_DIFFER: f64 = 2.2;
/// Hops at both ends are shared as a rule: a smaller share is little else.
const UNLIKE: f64 = 0.33;
/// The ways go together.
const ALIKE: f64 = 0.6;

/// What hops and rates of both ways tell: that the ways differ, that they do not, or nothing.
pub(super) fn told(facts: &Facts) -> Option<Told> {
    let mut arguments = Vec::new();
    if let Some(found) = compare(facts) {
        if found.share >= ALIKE {
            return Some(Told::Excluded(Excluded {
                code: FAULT.code.to_owned(),
                why: found.text,
                cites: found.cites,
            }));
        }
        if found.share < UNLIKE {
            arguments.push(argument(HOPS_DIFFER, found.text, found.cites));
        }
    }
    arguments.extend(slow_one_way(facts).map(|(text, cites)| argument(RATES_DIFFER, text, cites)));
    if arguments.is_empty() {
        return None;
    }
    let sum: f64 = arguments.iter().map(|argument| argument.weight).sum();
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
        ..limit.finding(&FAULT, logistic(BEFORE + sum))
    })))
}

/// One direction alone got slow with the route of the data: with the same settings, it is fast against them.
fn slow_one_way(facts: &Facts) -> Option<(String, Vec<ObservationId>)> {
    let routing = &facts.routing;
    let moved = routing.coincidences().next().is_some();
    let FasterBack { slow, fast, cites } = direction::faster_back(facts).filter(|_| moved)?;
    let passed = routing.plateau.filter(|plateau| fast.0 > plateau.link.0);
    let passed = passed.map_or_else(String::new, |plateau| {
        format!("; {fast} does not fit through a link of {}", plateau.link)
    });
    let text = format!(
        "since the route of the data moved, {slow} go with the data and {fast} against them with the same settings{passed}"
    );
    Some((text, cites))
}
