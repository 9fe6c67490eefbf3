//! Steps of the rate beside changes of the route: which coincide, and whether chance would do the same.

use super::rate_history::RateHistory;
use super::routes::{RouteChange, Timeline};
use evidence::Timestamp;
use stats::at_least;
use stats::{Span, Step};

/// Which steps coincide with which route changes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alignment {
    /// Per step between slow and fast: its number, and the number of the route change that coincides with it.
    pub(crate) crossings: Vec<(usize, Option<usize>)>,
    /// Route changes of which the time is known well enough to coincide with anything.
    pub(crate) dated_changes: Vec<usize>,
    /// The probability that as many steps coincide by chance.
    pub(crate) p_value: f64,
}

/// A route change that is only known to lie somewhere in more than a day coincides with everything and tells nothing.
pub(crate) const DATED_NS: i64 = 86_400_000_000_000;

impl Alignment {
    /// `None` without steps between slow and fast, or without a dated change.
    pub(crate) fn derive(rates: &RateHistory, routes: &Timeline) -> Option<Self> {
        let longest = DATED_NS.max(rates.steps.interval_ns);
        let is_dated = |change: &RouteChange| change.between.width_ns() <= longest;
        let dated: Vec<usize> = (0..routes.changes.len())
            .filter(|i| routes.changes.get(*i).is_some_and(is_dated))
            .collect();
        let spans: Vec<Span> = dated
            .iter()
            .filter_map(|i| routes.changes.get(*i))
            .map(|change| change.between)
            .collect();
        let crossings: Vec<(usize, Option<usize>)> = rates
            .crossings()
            .map(|(number, step)| {
                let near = nearest(step, &spans, tolerance_ns(step, rates.steps.interval_ns));
                (number, near.and_then(|place| dated.get(place)).copied())
            })
            .collect();
        if crossings.is_empty() || dated.is_empty() {
            return None;
        }
        let p_value = by_chance(rates, routes, &crossings, &spans);
        Some(Self {
            crossings,
            dated_changes: dated,
            p_value,
        })
    }

    pub(crate) fn coincidences(&self) -> impl Iterator<Item = (usize, usize)> {
        self.crossings
            .iter()
            .filter_map(|(step, change)| Some((*step, (*change)?)))
    }

    /// The change that coincides with this step.
    fn change_at(&self, step: usize) -> Option<usize> {
        let place = self
            .crossings
            .binary_search_by_key(&step, |(number, _)| *number)
            .ok()?;
        self.crossings.get(place)?.1
    }

    /// Dated changes that no step coincides with.
    pub(crate) fn without_step(&self) -> usize {
        let mut used: Vec<usize> = self.coincidences().map(|(_, change)| change).collect();
        used.sort_unstable();
        used.dedup();
        self.dated_changes.len().saturating_sub(used.len())
    }

    /// The regime in which the path was at `at`. Where a route change coincides with a step, it tells the regimes apart
    /// more closely than the measurements of the rate do.
    pub(crate) fn regime_at(&self, rates: &RateHistory, routes: &Timeline, at: Timestamp) -> Option<usize> {
        let regimes = &rates.steps.regimes;
        let next = regimes.partition_point(|regime| regime.span.to < at);
        let change_behind = |regime: usize| Some(routes.changes.get(self.change_at(regime)?)?.between);
        let regime = regimes.get(next)?;
        if regime.span.from <= at {
            // The route may change a moment before or after the rate is seen to.
            let early = next
                .checked_sub(1)
                .filter(|before| change_behind(*before).is_some_and(|c| at <= c.from));
            let late = change_behind(next)
                .filter(|change| at >= change.to)
                .map(|_| next + 1);
            return Some(early.or(late).unwrap_or(next));
        }
        let change = change_behind(next.checked_sub(1)?)?;
        if at <= change.from {
            Some(next - 1)
        } else {
            (at >= change.to).then_some(next)
        }
    }
}

/// How far apart a step and a route change may be to coincide: one test interval, and never more than the step's own.
fn tolerance_ns(step: &Step, interval_ns: i64) -> i64 {
    interval_ns.min(step.between.width_ns())
}

/// The closest of the spans (in the order of time, none overlapping the next) within the tolerance; of several that
/// overlap, the shortest.
fn nearest(step: &Step, spans: &[Span], tolerance_ns: i64) -> Option<usize> {
    let earliest = step.between.from.plus_ns(tolerance_ns.saturating_neg());
    let latest = step.between.to.plus_ns(tolerance_ns);
    let first = spans.partition_point(|span| span.to < earliest);
    spans
        .iter()
        .enumerate()
        .skip(first)
        .take_while(|(_, span)| span.from <= latest)
        .min_by_key(|(place, span)| (span.gap_ns(step.between), span.width_ns(), *place))
        .map(|(place, _)| place)
}

/// The probability that at least as many steps would coincide if they were anywhere in the time looked at: each does
/// with the share of that time in which it would meet a change.
fn by_chance(
    rates: &RateHistory,
    routes: &Timeline,
    crossings: &[(usize, Option<usize>)],
    spans: &[Span],
) -> f64 {
    let points = &rates.steps.points;
    let ends = |first: Option<Timestamp>, last: Option<Timestamp>| first.zip(last);
    let rated = ends(
        points.first().map(|(at, _)| *at),
        points.last().map(|(at, _)| *at),
    );
    let seen = &routes.sightings;
    let routed = ends(seen.first().map(|(at, _)| *at), seen.last().map(|(at, _)| *at));
    let (Some((a, b)), Some((c, d))) = (rated, routed) else {
        return 1.0;
    };
    let total = b.max(d).since_ns(a.min(c)).max(1) as f64;
    let width: f64 = spans.iter().map(|span| span.width_ns() as f64).sum();
    let shares = crossings
        .iter()
        .filter_map(|(number, _)| rates.steps.steps.get(*number))
        .map(|step| {
            let reach = step.between.width_ns() + 2 * tolerance_ns(step, rates.steps.interval_ns);
            ((width + spans.len() as f64 * reach as f64) / total).min(1.0)
        });
    let mean = shares.sum::<f64>() / crossings.len().max(1) as f64;
    let met = crossings.iter().filter(|(_, change)| change.is_some()).count();
    at_least(met as u64, crossings.len() as u64, mean)
}
