//! What speaks for a detour and against it.

use crate::facts::records::rate_history::RateHistory;
use crate::facts::records::routes_alignment::Alignment;
use crate::facts::records::routes_contrast::Contrast;
use crate::facts::records::routing::Routing;
use crate::faults::words;
use crate::judgement::{Weighing, join_cites};
use evidence::{ObservationId, SeriesMetric};
use libm::log;

/// Coincidences told one by one; of more, the number says it.
const TOLD: usize = 3;
/// No coincidence in time says more than this: what changed the route may have changed something else too.
const MOST: f64 = 4.0;

pub(super) fn cites(rates: &RateHistory, routing: &Routing) -> Vec<ObservationId> {
    join_cites([&rates.cites, &routing.routes.cites])
}

/// Steps that coincide with route changes, against how easily chance does that.
pub(super) fn coincidence(
    weighing: &mut Weighing,
    rates: &RateHistory,
    routing: &Routing,
    alignment: &Alignment,
) {
    let told = alignment.coincidences().filter_map(|(step, change)| {
        let (step, change) = (rates.steps.steps.get(step)?, routing.routes.changes.get(change)?);
        let changed = words::interval(change.between.from, change.between.to, rates.utc_offset_s);
        Some(format!(
            "{} coincides with the route change in {changed}",
            words::step(SeriesMetric::Throughput, step, rates.utc_offset_s)
        ))
    });
    let text = format!(
        "{} of {} steps of the rate coincide with one of {} dated route changes (by chance: p = {:.1e}): {}",
        alignment.coincidences().count(),
        alignment.crossings.len(),
        alignment.dated_changes.len(),
        alignment.p_value,
        told.take(TOLD).collect::<Vec<_>>().join("; ")
    );
    let weight = (-0.5 * log(alignment.p_value.max(1e-12))).clamp(0.0, MOST);
    weighing.add(weight, text, &cites(rates, routing));
}

/// The rate came back with another route and went again: one event at the time of the first change cannot do that.
pub(super) fn returns(
    weighing: &mut Weighing,
    rates: &RateHistory,
    routing: &Routing,
    alignment: &Alignment,
) {
    let steps = || {
        alignment
            .coincidences()
            .filter_map(|(step, _)| rates.steps.steps.get(step))
    };
    let back = steps().find(|step| step.after.level > step.before.level);
    let down = steps().any(|step| step.after.level < step.before.level);
    if let Some(step) = back.filter(|_| down) {
        let text = format!(
            "the rate comes back with another route: {}",
            words::step(SeriesMetric::Throughput, step, rates.utc_offset_s)
        );
        weighing.add(1.5, text, &cites(rates, routing));
    }
}

/// What was measured beside the rate moved with it. Probes that see the new way are one more witness of the time; what
/// they see of it is no further cause.
pub(super) fn beside(weighing: &mut Weighing, rates: &RateHistory, routing: &Routing, alignment: &Alignment) {
    for (other, name) in [(&routing.rtt, "the round-trip time"), (&routing.loss, "loss")] {
        let Some(other) = other else { continue };
        let changes = alignment.coincidences().filter_map(|(rate, change)| {
            let rate = rates.steps.steps.get(rate)?;
            let route = routing.routes.changes.get(change)?;
            other.near(rate.between).or_else(|| other.near(route.between))
        });
        let told: Vec<String> = changes
            .map(|step| words::step(other.metric, step, rates.utc_offset_s))
            .collect();
        if !told.is_empty() {
            let first: Vec<String> = told.iter().take(TOLD).cloned().collect();
            let text = format!(
                "{name} steps with the route, {} of {}: {}",
                told.len(),
                alignment.coincidences().count(),
                first.join("; ")
            );
            weighing.add(0.5, text, &join_cites([&other.cites, &routing.routes.cites]));
        }
    }
}

/// What fast routes share and slow ones lack, or the reverse.
pub(super) fn hops(weighing: &mut Weighing, routing: &Routing, contrast: &Contrast) {
    let of = |count: usize, kind: &str| format!("{count} {kind} route{}", if count == 1 { "" } else { "s" });
    let (fast, slow) = (of(contrast.fast, "fast"), of(contrast.slow, "slow"));
    let sure = contrast.fast + contrast.slow > 2;
    let weight = if sure { 1.0 } else { 0.5 };
    if let Some((before, after)) = &contrast.stretch {
        let text = format!(
            "{fast} and {slow} part between {} and {}, and share the hops before and behind",
            words::hop(before),
            words::hop(after)
        );
        weighing.add(weight, text, &routing.routes.cites);
    }
    for (hops, its, other) in [
        (&contrast.only_fast, "fast", "slow"),
        (&contrast.only_slow, "slow", "fast"),
    ] {
        if !hops.is_empty() && sure {
            let text = format!("every {its} route crosses {}, no {other} one does", listed(hops));
            weighing.add(0.5, text, &routing.routes.cites);
        }
    }
}

pub(super) fn plateau(weighing: &mut Weighing, rates: &RateHistory, routing: &Routing) {
    let Some(found) = routing.plateau else { return };
    let text = format!(
        "the {} slow rates end at {}, just under a link of {}; the fast ones are above it",
        found.points, found.ceiling, found.link
    );
    weighing.add(1.0, text, &rates.cites);
    if found.quarters_near >= 3 && found.quarters_near == found.quarters {
        let text = "they come close to it at all times of the day: it is no cross traffic";
        weighing.add(0.5, text, &rates.cites);
    }
}

pub(super) fn against(
    weighing: &mut Weighing,
    rates: &RateHistory,
    routing: &Routing,
    alignment: &Alignment,
    contrast: &Contrast,
) {
    let alone = alignment.crossings.len() - alignment.coincidences().count();
    // Where route changes are looked for only now and then, a step may well meet none that was recorded.
    if alone > 0 {
        let text = format!("{alone} such steps have no change of the route beside them");
        weighing.add(-0.5 * (alone.min(4) as f64), text, &cites(rates, routing));
    }
    if contrast.mixed > 0 {
        let share = contrast.mixed as f64 / (contrast.fast + contrast.slow + contrast.mixed) as f64;
        let text = format!("{} routes were seen both slow and fast", contrast.mixed);
        weighing.add(-3.0 * share, text, &cites(rates, routing));
    }
    if contrast.stretch.is_none() {
        let text = "slow and fast routes do not part on one stretch between hops that they share";
        weighing.add(-1.0, text, &routing.routes.cites);
    }
}

/// The first few of many.
fn listed(hops: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<&str> = hops.iter().take(SHOWN).map(String::as_str).collect();
    match hops.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
