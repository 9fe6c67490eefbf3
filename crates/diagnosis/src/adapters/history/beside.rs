//! What else was measured on the path over time, its loss and its round-trip time: their steps stand beside those of the
//! rate and of the route.

use crate::judgement::join_cites;
use crate::records::direction;
use crate::records::{Recorded, Records};
use evidence::{Complaint, Direction, ObservationId, SeriesMetric, Timestamp};
use stats::{Span, Step, Steps, find};

/// Points with the records that they are from.
pub(super) type Dated = (Vec<(Timestamp, f64)>, Vec<ObservationId>);

/// All series of a quantity on one way of the path complained about, as one.
pub(super) fn series(
    records: &Records,
    complaint: &Complaint,
    metric: SeriesMetric,
    way: Direction,
) -> Option<Dated> {
    let (mut points, mut cites) = (Vec::new(), Vec::new());
    for Recorded { what, id, .. } in &records.series {
        if what.metric == metric && direction(&what.from, &what.to, complaint) == Some(way) {
            points.extend_from_slice(&what.points);
            cites.push(id.clone());
        }
    }
    (!points.is_empty()).then(|| (points, join_cites([&cites])))
}

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
        let of = |way| {
            let (points, cites) = series(records, complaint, metric, way)?;
            Some((find(metric, &points)?, cites))
        };
        let (steps, cites) = of(Direction::Forward).or_else(|| of(Direction::Reverse))?;
        Some(Self { metric, steps, cites })
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
