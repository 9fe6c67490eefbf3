//! The rate and the route of the transfer complained about, over time and side by side: derived once, as archives are
//! long.

use super::Records;
use super::beside::Beside;
use super::plateau::{self, Plateau};
use super::rate_history::RateHistory;
use super::routes::Timeline;
use super::routes_alignment::Alignment;
use super::routes_contrast::Contrast;
use evidence::{Complaint, End, SeriesMetric};

/// What records tell of rate and route over time.
#[derive(Debug, Default)]
pub(crate) struct Routing {
    /// The rate; `None` without a series of it.
    pub(crate) rates: Option<RateHistory>,
    /// The ceiling of the slow stretches, where they end under a usual link's rate and the fast ones do not.
    pub(crate) plateau: Option<Plateau>,
    /// The way of the data.
    pub(crate) routes: Timeline,
    /// Steps beside route changes; `None` without steps or without changes.
    pub(crate) alignment: Option<Alignment>,
    /// Slow routes beside fast ones.
    pub(crate) contrast: Option<Contrast>,
    /// The round-trip time and the loss of the path, where they were measured over time as well.
    pub(crate) rtt: Option<Beside>,
    pub(crate) loss: Option<Beside>,
}

impl Routing {
    pub(crate) fn derive(records: &Records, complaint: &Complaint) -> Self {
        let beside = |metric| Beside::derive(records, complaint, metric);
        let routing = Self {
            routes: Timeline::derive(records, complaint, End::From),
            rtt: beside(SeriesMetric::Rtt),
            loss: beside(SeriesMetric::LossRatio),
            ..Self::default()
        };
        match RateHistory::derive(records, complaint) {
            Some(rates) => routing.with(rates),
            None => routing,
        }
    }

    fn with(self, rates: RateHistory) -> Self {
        let routes = &self.routes;
        let alignment = Alignment::derive(&rates, routes);
        let contrast = alignment
            .as_ref()
            .and_then(|found| Contrast::derive(&rates, routes, found));
        let is_passed = |found: &Plateau| rates.regimes(false).all(|regime| regime.level > found.link.0);
        Self {
            plateau: plateau::of(&rates.slow_points()).filter(is_passed),
            rates: Some(rates),
            alignment,
            contrast,
            ..self
        }
    }
}
