//! Loss as probes see it that do not load the path: pings, one-way probes, their daily medians. Where transfers lose and
//! these do not, packets are lost under load only.

use super::Records;
use super::ends::end_of;
use evidence::v1::{Complaint, ObservationId, PingRow, Pings, SeriesMetric};

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
        let pinged = records.pings.iter().flat_map(|pings| {
            let ratios = rows_to_the_ends(&pings.what, complaint).filter_map(ping_loss);
            ratios.map(|ratio| (ratio, pings.id.clone()))
        });
        let one_way = records.one_way.iter().filter_map(|probe| {
            let counted = probe
                .what
                .sent
                .zip(probe.what.lost)
                .filter(|(sent, _)| *sent >= LEAST_PROBES);
            let ratio = counted
                .map(|(sent, lost)| lost as f64 / sent as f64)
                .or(probe.what.loss_ratio)?;
            Some((ratio, probe.id.clone()))
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
        let mut seen: Vec<(f64, ObservationId)> = pinged
            .chain(one_way)
            .chain(series)
            .filter(|(ratio, _)| (0.0..1.0).contains(ratio))
            .collect();
        seen.sort_by(|(a, a_id), (b, b_id)| a.total_cmp(b).then_with(|| a_id.cmp(b_id)));
        let mut cites: Vec<ObservationId> = seen.iter().map(|(_, id)| id.clone()).collect();
        cites.sort();
        cites.dedup();
        Some(Self {
            low: seen.first()?.0,
            high: seen.last()?.0,
            count: seen.len(),
            cites,
        })
    }
}

/// Rows about one of the ends; of a record that names no destination, all that are no table of hops.
fn rows_to_the_ends<'a>(pings: &'a Pings, complaint: &'a Complaint) -> impl Iterator<Item = &'a PingRow> {
    pings.rows.iter().filter(move |row| {
        let is_table = pings.destination.is_some() || row.ttl.is_some();
        end_of(&row.to, complaint).is_some() || !is_table
    })
}

fn ping_loss(row: &PingRow) -> Option<f64> {
    if row.size_bytes.is_some_and(|size| size > WHOLE_BYTES) {
        return None;
    }
    match (row.sent, row.received) {
        (Some(sent), Some(received)) if sent >= LEAST_PROBES => {
            Some(sent.saturating_sub(received) as f64 / sent as f64)
        }
        (Some(sent), _) if sent < LEAST_PROBES => None,
        _ => row.loss_ratio,
    }
}
