//! How far delays scatter at rest: what others leave in the queues on the way.

use super::intake::Intake;
use crate::records::or;
use evidence::{DelayStatistics, EchoContext, Observation, ObservationId, Payload, Transfer, Transport, Way};
use model::forward::LEAST_QUEUE_S;
use model::{Measurement, NodeId, Rest, Seen, Trust};
use std::collections::BTreeMap;

/// Fewer answers have no middle.
const LEAST_ANSWERS: u64 = 10;

pub(super) fn take_in(intake: &mut Intake, observations: &[&Observation]) {
    let mut nodes: BTreeMap<(NodeId, NodeId), Vec<(f64, &ObservationId)>> = BTreeMap::new();
    for observation in observations {
        match &observation.payload {
            Payload::Probes(probes) if probes.context != Some(EchoContext::UnderLoad) => {
                let Some(from) = intake.map.find(or(&probes.from, &observation.provenance.vantage)) else {
                    continue;
                };
                let asked = probes.rows.iter().filter(|row| row.way == Way::RoundTrip);
                for row in asked.filter(|row| row.received.is_some_and(|count| count >= LEAST_ANSWERS)) {
                    let to = intake.map.find(&row.to).filter(|to| *to != from);
                    if let (Some(to), Some(scatter)) = (to, row.delay.as_ref().and_then(scatter_s)) {
                        nodes
                            .entry((from, to))
                            .or_default()
                            .push((scatter, &observation.id));
                    }
                }
            }
            Payload::Transfer(transfer) if transfer.protocol == Some(Transport::Udp) => {
                let Some(above_min_s) = one_way_scatter_s(transfer) else {
                    continue;
                };
                let vantage = &observation.provenance.vantage;
                if let Some((from, to)) = intake.ends(&transfer.from, &transfer.to, vantage)
                    && (above_min_s < LEAST_QUEUE_S || is_gentle(&intake.measurements, &observation.id))
                {
                    // The packets of a stream are stamped as they come.
                    let seen = Seen::Rest(Rest {
                        above_min_s,
                        by_host: false,
                    });
                    intake.put(from, to, seen, Trust::Measured, &observation.id);
                    let put = intake.measurements.last_mut();
                    put.into_iter().for_each(|one_way| one_way.back.clear());
                }
            }
            _ => {}
        }
    }
    for ((from, to), mut rows) in nodes {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
        if let Some((above_min_s, id)) = rows.get(rows.len() / 2) {
            let seen = Seen::Rest(Rest {
                above_min_s: *above_min_s,
                by_host: intake.hosts.contains(&to),
            });
            intake.put(from, to, seen, Trust::Measured, id);
        }
    }
}

/// How far the one-way delays of a stream scatter, seconds.
pub(super) fn one_way_scatter_s(transfer: &Transfer) -> Option<f64> {
    scatter_s(&transfer.one_way_delay.as_ref()?.above_min)
}

/// The median above the smallest, seconds.
fn scatter_s(delay: &DelayStatistics) -> Option<f64> {
    let middle = delay.p50_ns.or(delay.mean_ns)?;
    Some((middle - delay.min_ns?).max(0) as f64 / 1e9)
}

/// Whether a stream is slower than what TCP got through, and lost next to nothing: then the delays of its packets are not its
/// own doing.
fn is_gentle(measurements: &[Measurement], id: &ObservationId) -> bool {
    const NEXT_TO_NOTHING: f64 = 0.01;
    let of = |m: &&Measurement| m.cites.contains(id);
    let mut streams = measurements.iter().filter(of);
    let stream = streams.find_map(|m| {
        m.loss()
            .and_then(|loss| Some(((m.from, m.to), loss, loss.offered_bps?)))
    });
    let Some((ends, loss, offered)) = stream else {
        return false;
    };
    let beside = measurements.iter().filter(|m| (m.from, m.to) == ends);
    let mut rates = beside.filter_map(Measurement::rate);
    loss.lost < NEXT_TO_NOTHING * loss.sent.max(1.0)
        && rates.any(|rate| rate.transport == Transport::Tcp && rate.bps > offered)
}
