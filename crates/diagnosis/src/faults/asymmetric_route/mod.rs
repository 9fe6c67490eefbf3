//! ROUTE-002: data and acknowledgements go different ways. A circumstance that explains what is seen, not a cause.

use crate::declaration::{Fault, Rule};
use crate::facts::Facts;
use crate::facts::records::direction::{self, FasterBack};
use crate::facts::records::ways::compare;
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::{Direction, Explains, Location, ObservationId};

pub(crate) static FAULT: Fault = Fault {
    code: "ROUTE-002",
    name: "asymmetric_route",
    title: "asymmetric route",
    page: include_str!("page.md"),
    rule: Some(Rule { prior: -1.5, judge }),
    parameters: &[],
};

/// Hops at both ends are shared as a rule: a smaller share is little else.
const UNLIKE: f64 = 0.33;
/// The ways go together.
const ALIKE: f64 = 0.6;

fn judge(facts: &Facts) -> Vec<Outcome> {
    let mut weighing = Weighing::default();
    if let Some(found) = compare(facts) {
        if found.share >= ALIKE {
            return vec![Outcome::Contradicts {
                weight: -3.0,
                why: found.text,
                cites: found.cites,
            }];
        }
        if found.share < UNLIKE {
            weighing.add(3.0, found.text, &found.cites);
        }
    }
    if let Some((text, cites)) = slow_one_way(facts) {
        weighing.add(2.2, text, &cites);
    }
    if weighing.supports.is_empty() {
        return Vec::new();
    }
    vec![Outcome::Supports(Box::new(Supported {
        claim:
            "data and acknowledgements take different ways: what harms one direction need not harm the other"
                .into(),
        location: Location::Path,
        direction: Direction::Both,
        weighing,
        explains: Explains::No,
        allows_bps: None,
        after_fix_bps: None,
        remedy: "none needed: look for the fault on the way of the data, and trace from both ends".into(),
        ask_whom: "the network of each end, about its own way out".into(),
        cannot_tell_from: None,
    }))]
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
