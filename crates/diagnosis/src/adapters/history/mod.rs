//! The rate and the route of the transfer complained about, over time and side by side: levels of the one, epochs of the
//! other.

mod beside;
mod contrast;
mod plateau;
mod rates;
mod routes;

pub(crate) use beside::Beside;
pub(crate) use routes::Timeline;

use crate::records::Records;
use contrast::{Contrast, Parting};
use evidence::{Complaint, End, SeriesMetric, Timestamp};
use plateau::Plateau;
use rates::RateHistory;
use stats::{Span, Step};

/// What records tell of rate and route over time.
#[derive(Debug, Default)]
pub(crate) struct Routing {
    /// The rate; `None` without a series of it.
    pub(crate) rates: Option<RateHistory>,
    /// The ceiling of the slow stretches, where they end under a usual link's rate and the fast ones do not.
    pub(crate) plateau: Option<Plateau>,
    /// The way of the data.
    pub(crate) routes: Timeline,
    /// Slow routes beside fast ones.
    pub(crate) contrast: Option<Contrast>,
    /// The round-trip time and the loss of the path, where they were measured over time as well.
    pub(crate) rtt: Option<Beside>,
    pub(crate) loss: Option<Beside>,
}

impl Routing {
    pub(crate) fn derive(records: &Records, complaint: &Complaint) -> Self {
        let beside = |metric| Beside::derive(records, complaint, metric);
        let mut routing = Self {
            rates: RateHistory::derive(records, complaint),
            routes: Timeline::derive(records, complaint, End::From),
            rtt: beside(SeriesMetric::Rtt),
            loss: beside(SeriesMetric::LossRatio),
            ..Self::default()
        };
        if let Some(rates) = &routing.rates {
            let is_passed = |found: &Plateau| rates.regimes(false).all(|regime| regime.level > found.link.0);
            routing.plateau = plateau::of(rates.slow_rates()).filter(is_passed);
            routing.contrast = Contrast::derive(rates, &routing.routes, &routing.epochs(rates));
        }
        routing
    }

    /// Where slow routes leave the fast ones.
    pub(crate) fn parting(&self) -> Option<&Parting> {
        self.contrast.as_ref()?.parting.as_ref()
    }

    /// The steps between slow and fast, each with the change of the route that coincides with it: none further away than
    /// one test interval, nor than the step's own width; of several that touch it, the one known best.
    pub(crate) fn crossings(&self) -> impl Iterator<Item = (&Step, Option<&Span>)> {
        let rates = self.rates.iter();
        rates
            .flat_map(RateHistory::crossings)
            .map(|(_, step)| (step, self.change_at(step)))
    }

    /// The steps that coincide with a change of the route.
    pub(crate) fn coincidences(&self) -> impl Iterator<Item = (&Step, &Span)> {
        self.crossings()
            .filter_map(|(step, change)| Some((step, change?)))
    }

    fn change_at(&self, step: &Step) -> Option<&Span> {
        let interval_ns = self.rates.as_ref()?.steps.interval_ns;
        let reach_ns = interval_ns.min(step.between.width_ns());
        let far = |change: &&Span| change.gap_ns(step.between);
        let near = self
            .routes
            .changes
            .iter()
            .filter(|change| far(change) <= reach_ns);
        near.min_by_key(|change| (far(change), change.width_ns(), **change))
    }

    /// When the route of each level was in use. Where a change of the route coincides with a step, it tells the levels
    /// apart more closely than the measurements of the rate do.
    fn epochs(&self, rates: &RateHistory) -> Vec<Span> {
        let mut epochs: Vec<Span> = rates.steps.regimes.iter().map(|regime| regime.span).collect();
        for (number, step) in rates.crossings() {
            if let Some(change) = self.change_at(step) {
                epochs[number].to = change.from;
                epochs[number + 1].from = change.to;
            }
        }
        epochs
    }

    /// ln of how much rarer it is that something else than the route came and went just when the rate stepped: its onsets
    /// may lie anywhere in the time looked at, and lie where a step, or the change of the route beside it, is known to.
    pub(crate) fn ln_chance(&self) -> f64 {
        let points = self.rates.iter().flat_map(|rates| &rates.steps.points);
        let times = points
            .map(|(at, _)| *at)
            .chain(self.routes.sightings.iter().map(|(at, _)| *at));
        let (first, last) = times.fold((Timestamp(i64::MAX), Timestamp(i64::MIN)), |(a, b), at| {
            (a.min(at), b.max(at))
        });
        let total = last.since_ns(first).max(1) as f64;
        let chance = |(step, change): (&Step, Option<&Span>)| {
            let width = change.map_or(0, |change| change.width_ns());
            libm::log((width.max(step.between.width_ns()).max(1) as f64 / total).min(1.0))
        };
        self.crossings().map(chance).sum()
    }
}
