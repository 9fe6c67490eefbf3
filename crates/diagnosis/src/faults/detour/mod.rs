//! ROUTE-001: the route moved to a way with less capacity. The model weighs it as a fault where only the slow levels'
//! route goes; what stands here are its words.

use super::words;
use crate::adapters::Beside;
use crate::adapters::Routing;
use crate::declaration::Fault;
use crate::facts::Facts;
use crate::faults::told::Told;
use crate::judgement::join_cites;
use evidence::{Argument, Excluded, ObservationId, RateBps, SeriesMetric};
use stats::{Span, Step};

pub(crate) static FAULT: Fault = Fault {
    code: "ROUTE-001",
    page: include_str!("page.md"),
    parameters: &[],
};

/// Coincidences told one by one; of more, the number says it.
const TOLD: usize = 3;

/// What the slow and the fast levels tell of a detour at `place`.
pub(crate) fn claim(routing: &Routing, place: &str) -> String {
    let of = |slow: bool, best: fn(f64, f64) -> f64| {
        let levels = routing.rates.iter().flat_map(|rates| rates.regimes(slow));
        levels.map(|regime| regime.level).reduce(best).map(RateBps)
    };
    let told =
        |what: &str, rate: Option<RateBps>| rate.map_or_else(String::new, |rate| format!("{what}{rate}"));
    format!(
        "the data take a detour{place}{}{}{}",
        told(" that carries ", of(true, f64::max)),
        told(", as over a link of ", routing.plateau.map(|found| found.link)),
        told("; other routes carry ", of(false, f64::min)),
    )
}

/// The case for a detour and against it, beside what its rates weigh: what was seen when, and on which hops. Only the
/// coincidence in time has a weight of its own; the others say what the model weighs with the rates.
pub(crate) fn arguments(routing: &Routing, place: &str) -> (Vec<Argument>, Vec<Argument>) {
    let (rates, routes) = (routing.rates.iter().flat_map(|r| &r.cites), &routing.routes.cites);
    let rates: Vec<ObservationId> = rates.cloned().collect();
    let both = join_cites([&rates, routes]);
    let say = |text: String, cites: &[ObservationId]| Argument {
        text,
        weight: 0.0,
        cites: cites.to_vec(),
    };
    let mut supports = vec![Argument {
        // A verdict is compared byte for byte: a weight carries three digits.
        weight: (-routing.ln_chance() * 1e3).round() / 1e3,
        ..say(coincidence(routing), &both)
    }];
    supports.extend(returns(routing).map(|text| say(text, &both)));
    for (other, name) in witnesses(routing) {
        let told = beside(routing, other, name);
        supports.extend(told.map(|text| say(text, &join_cites([&other.cites, routes]))));
    }
    let (hops, against) = hops(routing, place);
    supports.extend(hops.into_iter().map(|text| say(text, routes)));
    supports.extend(plateau(routing).map(|text| say(text, &rates)));
    let alone = routing.crossings().filter(|(_, change)| change.is_none()).count();
    let alone = (alone > 0).then(|| format!("{alone} such steps have no change of the route beside them"));
    let contradicts = alone.into_iter().chain(against).map(|text| say(text, &both));
    (supports, contradicts.collect())
}

/// Steps that coincide with changes of the route: how rarely something else comes and goes at such times is their weight.
fn coincidence(routing: &Routing) -> String {
    let told = routing.coincidences().map(|(step, change)| {
        let changed = words::interval(change.from, change.to, zone(routing));
        let step = words::step(SeriesMetric::Throughput, step, zone(routing));
        format!("{step} coincides with the route change in {changed}")
    });
    format!(
        "{} of {} steps of the rate coincide with one of {} changes of the route: {}",
        routing.coincidences().count(),
        routing.crossings().count(),
        routing.routes.changes.len(),
        told.take(TOLD).collect::<Vec<_>>().join("; ")
    )
}

/// The rate came back with another route and went again: one event at the time of the first change cannot do that.
fn returns(routing: &Routing) -> Option<String> {
    let rises = |step: &Step| step.after.level > step.before.level;
    let back = routing.coincidences().find(|(step, _)| rises(step))?.0;
    let falls = routing.coincidences().any(|(step, _)| !rises(step));
    let back = words::step(SeriesMetric::Throughput, back, zone(routing));
    falls.then(|| format!("the rate comes back with another route: {back}"))
}

/// What was measured beside the rate.
fn witnesses(routing: &Routing) -> impl Iterator<Item = (&Beside, &'static str)> {
    let rtt = routing.rtt.iter().map(|rtt| (rtt, "the round-trip time"));
    rtt.chain(routing.loss.iter().map(|loss| (loss, "loss")))
}

/// What was measured beside the rate moved with it: one more witness of the time, and no further cause.
fn beside(routing: &Routing, other: &Beside, name: &str) -> Option<String> {
    let near = |(rate, route): (&Step, &Span)| other.near(rate.between).or_else(|| other.near(*route));
    let told: Vec<String> = routing
        .coincidences()
        .filter_map(near)
        .map(|step| words::step(other.metric, step, zone(routing)))
        .collect();
    let first = told
        .get(..told.len().min(TOLD))
        .filter(|first| !first.is_empty())?;
    let (some, all) = (told.len(), routing.coincidences().count());
    Some(format!(
        "{name} steps with the route, {some} of {all}: {}",
        first.join("; ")
    ))
}

/// What fast routes share and slow ones lack, or the reverse; and against it routes that were both.
fn hops(routing: &Routing, place: &str) -> (Vec<String>, Option<String>) {
    let Some(contrast) = &routing.contrast else {
        return (Vec::new(), None);
    };
    let of = |count: usize, kind: &str| format!("{count} {kind} route{}", if count == 1 { "" } else { "s" });
    let (fast, slow) = (of(contrast.fast, "fast"), of(contrast.slow, "slow"));
    let mut told = vec![format!(
        "{fast} and {slow} part{place}, and share the hops before and behind"
    )];
    let (only_fast, only_slow) = (&contrast.only_fast, &contrast.only_slow);
    for (hops, its, other) in [(only_fast, "fast", "slow"), (only_slow, "slow", "fast")] {
        if !hops.is_empty() && contrast.fast + contrast.slow > 2 {
            let hops = words::first_few(hops, TOLD);
            told.push(format!("every {its} route crosses {hops}, no {other} one does"));
        }
    }
    let mixed = contrast.mixed;
    (
        told,
        (mixed > 0).then(|| format!("{mixed} routes were seen both slow and fast")),
    )
}

fn plateau(routing: &Routing) -> Option<String> {
    let found = routing.plateau?;
    Some(format!(
        "the {} slow rates end at {}, just under a link of {}; the fast ones are above it",
        found.points, found.ceiling, found.link
    ))
}

fn zone(routing: &Routing) -> Option<i32> {
    routing.rates.as_ref()?.utc_offset_s
}

/// What excludes a detour, or what is missing where half of what is needed is there: a case without any history has
/// nothing to do with routes.
pub(super) fn open(facts: &Facts) -> Option<Told> {
    let routing = &facts.routing;
    let (steps, changes) = (routing.crossings().count(), routing.routes.changes.len());
    let missing = match (steps, changes) {
        (0, 1..) if routing.rates.is_none() => format!(
            "the route changed{}; there is no series of the rate in which a step could be seen beside it",
            moved_with_it(facts)
        ),
        (1.., 0) => {
            "the rate changed from one measurement to the next; there is no history of the route beside it"
                .to_owned()
        }
        (1.., _) if routing.coincidences().next().is_none() => {
            let (rates, routes) = (routing.rates.iter().map(|r| &r.cites), &routing.routes.cites);
            return Some(Told::Excluded(Excluded {
                code: FAULT.code.to_owned(),
                why: format!(
                    "none of {steps} steps of the rate coincides with one of {changes} changes of the route"
                ),
                cites: join_cites(rates.chain([routes])),
            }));
        }
        _ => return None,
    };
    Some(Told::Missing(FAULT.code, missing))
}

/// What else is known to have stepped with a change of the route.
fn moved_with_it(facts: &Facts) -> String {
    let changes = &facts.routing.routes.changes;
    let step = |(other, name): (&Beside, &str)| {
        let step = changes.iter().find_map(|change| other.near(*change))?;
        let step = words::step(other.metric, step, facts.complaint.utc_offset_s);
        Some(format!(", and {name} with it: {step}"))
    };
    witnesses(&facts.routing).find_map(step).unwrap_or_default()
}
