//! What else was measured on the path over time, its loss and its round-trip time: their steps stand beside those of the
//! rate and of the route.

use super::{Span, Step, Steps, find};
use crate::facts::records::Records;
use crate::facts::records::ends::direction;
use crate::judgement::join_cites;
use evidence::{Complaint, Direction, ObservationId, SeriesMetric};

/// One quantity of the path complained about, over time.
#[derive(Debug, Clone)]
pub(crate) struct Beside {
    pub(crate) metric: SeriesMetric,
    pub(crate) steps: Steps,
    pub(crate) cites: Vec<ObservationId>,
}

impl Beside {
    /// Probes that come back tell of both ways, so that those of the receiver do as well where the sender has none; the
    /// two are not mixed, as their levels need not be the same. `None` without a series of it.
    pub(crate) fn derive(records: &Records, complaint: &Complaint, metric: SeriesMetric) -> Option<Self> {
        let of = |wanted: Direction| {
            let (mut points, mut cites) = (Vec::new(), Vec::new());
            for series in records
                .series
                .iter()
                .filter(|series| series.what.metric == metric)
            {
                if direction(&series.what.from, &series.what.to, complaint) == Some(wanted) {
                    points.extend_from_slice(&series.what.points);
                    cites.push(series.id.clone());
                }
            }
            Some((find(metric, &points)?, cites))
        };
        let (steps, cites) = of(Direction::Forward).or_else(|| of(Direction::Reverse))?;
        Some(Self {
            metric,
            steps,
            cites: join_cites([&cites]),
        })
    }

    /// The step that coincides with `span`: no further from it than one measurement, nor than its own width.
    pub(crate) fn near(&self, span: Span) -> Option<&Step> {
        let reach = |step: &Step| self.steps.interval_ns.min(step.between.width_ns());
        self.steps
            .steps
            .iter()
            .filter(|step| step.between.gap_ns(span) <= reach(step))
            .min_by_key(|step| (step.between.gap_ns(span), step.between))
    }
}
