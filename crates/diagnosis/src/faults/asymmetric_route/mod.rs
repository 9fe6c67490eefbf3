//! ROUTE-002: data and acknowledgements go different ways. A circumstance that explains what is seen, not a cause.

use crate::declaration::{Fault, Rule};
use crate::facts::Facts;
use crate::facts::records::direction;
use crate::facts::records::ways::{Comparison, compare};
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::{Direction, Explains, Location};

const PRIOR: f64 = -1.5;

pub(crate) static FAULT: Fault = Fault {
    code: "ROUTE-002",
    name: "asymmetric_route",
    title: "asymmetric route",
    page: include_str!("page.md"),
    rule: Some(Rule { prior: PRIOR, judge }),
    parameters: &[],
};

fn judge(facts: &Facts) -> Vec<Outcome> {
    let mut weighing = Weighing::default();
    weigh_hops(&mut weighing, compare(&facts.records, &facts.complaint).as_ref());
    weigh_rates(&mut weighing, facts);
    if weighing.supports.is_empty() {
        return contradicted(weighing).into_iter().collect();
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

/// Said only where both ways were traced.
fn contradicted(weighing: Weighing) -> Option<Outcome> {
    let against = weighing.contradicts.into_iter().next()?;
    Some(Outcome::Contradicts {
        weight: against.weight,
        why: against.text,
        cites: against.cites,
    })
}

fn weigh_hops(weighing: &mut Weighing, found: Option<&Comparison>) {
    let Some(found) = found else { return };
    let figures = format!(
        "of {} hops traced with the data and {} against them, {} have a partner on the other way",
        found.forward, found.reverse, found.matched
    );
    if found.differ() {
        weighing.add(3.0, figures, &found.cites);
    } else if found.agree() {
        weighing.add(-3.0, figures, &found.cites);
    }
}

/// One direction alone got slow with the route of the data.
fn weigh_rates(weighing: &mut Weighing, facts: &Facts) {
    let Some(pair) = direction::of_complaint(&facts.records, &facts.complaint) else {
        return;
    };
    let routing = &facts.routing;
    let moved = routing.contrast.is_some()
        && routing
            .alignment
            .as_ref()
            .is_some_and(|found| found.coincidences().next().is_some());
    let with_data = pair.slow.direction(&facts.complaint) == Some(Direction::Forward);
    if !moved || !with_data || !pair.differ() {
        return;
    }
    let like = if pair.like_with_like {
        " with the same settings"
    } else {
        ""
    };
    let text = format!(
        "since the route of the data moved, {} go with the data and {} against them{like}",
        pair.slow.rate, pair.fast.rate
    );
    let weight = if pair.like_with_like { 2.2 } else { 1.6 };
    weighing.add(weight, text, &pair.cites());
    let passed = routing
        .plateau
        .filter(|plateau| pair.fast.rate.0 > plateau.link.0);
    if let Some(plateau) = passed {
        let text = format!(
            "{} back does not fit through a link of {}",
            pair.fast.rate, plateau.link
        );
        let cites = routing
            .rates
            .as_ref()
            .map(|rates| rates.cites.clone())
            .unwrap_or_default();
        weighing.add(0.5, text, &cites);
    }
}
