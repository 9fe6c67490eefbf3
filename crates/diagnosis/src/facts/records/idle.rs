//! Loss as probes see it that do not load the path: pings, one-way probes, their daily medians. Where transfers lose and
//! these do not, packets are lost under load only.

use super::Records;
use super::ends::end_of;
use evidence::{Complaint, EchoContext, ObservationId, ProbeRow, Probes, SeriesMetric, Way};

/// Packets over this leave an Ethernet host in fragments, and fragments are another matter.
const WHOLE_BYTES: u32 = 1_500;
/// With fewer probes their ratio says nothing.
const LEAST_PROBES: u64 = 10;

/// Loss seen by the probes of a round.
#[derive(Debug, Clone)]
pub(crate) struct IdleLoss {
    /// The least and the largest ratio.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// How many measurements.
    pub(crate) count: usize,
    pub(crate) cites: Vec<ObservationId>,
}

impl IdleLoss {
    /// Over all probes end to end; hosts that answer nothing at all are left out: they filter pings.
    pub(crate) fn of(records: &Records, complaint: &Complaint) -> Option<Self> {
        let probed = records
            .probes
            .iter()
            .filter(|probes| probes.what.context != Some(EchoContext::UnderLoad))
            .flat_map(|probes| {
                let whole = probes
                    .what
                    .rows
                    .iter()
                    .filter(|row| is_whole_way(&probes.what, row, complaint));
                whole.filter_map(loss).map(|ratio| (ratio, probes.id.clone()))
            });
        let series = records
            .series
            .iter()
            .filter(|series| series.what.metric == SeriesMetric::LossRatio)
            .flat_map(|series| {
                series
                    .what
                    .points
                    .iter()
                    .map(|(_, value)| (*value, series.id.clone()))
            });
        let mut seen: Vec<(f64, ObservationId)> = probed
            .chain(series)
            .filter(|(ratio, _)| (0.0..1.0).contains(ratio))
            .collect();
        seen.sort_by(|(a, a_id), (b, b_id)| a.total_cmp(b).then_with(|| a_id.cmp(b_id)));
        let cites = crate::judgement::join_cites([&seen.iter().map(|(_, id)| id.clone()).collect()]);
        Some(Self {
            low: seen.first()?.0,
            high: seen.last()?.0,
            count: seen.len(),
            cites,
        })
    }
}

/// Rows about one of the ends; of a record that names no destination, all that are no table of hops; and what receivers
/// counted.
fn is_whole_way(probes: &Probes, row: &ProbeRow, complaint: &Complaint) -> bool {
    let is_table = probes.destination.is_some() || row.ttl.is_some();
    !is_table || row.way == Way::OneWay || end_of(&row.to, complaint).is_some()
}

fn loss(row: &ProbeRow) -> Option<f64> {
    let few = row.sent.is_some_and(|sent| sent < LEAST_PROBES);
    let pieces = row.size_bytes.is_some_and(|size| size > WHOLE_BYTES);
    row.loss().filter(|_| !few && !pieces)
}
