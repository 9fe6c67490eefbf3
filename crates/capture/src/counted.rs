//! What captures at several places say in the vocabulary of cases: how many packets of a transfer passed each of them.

use crate::Way;
use crate::measured::{node, title};
use crate::points::{ComparisonReport, DirectionReport};
use evidence::{CounterChain, CounterPoint, Transport};

/// Fewer packets with data than this are a handshake and little more: the other direction of a transfer.
const LEAST_PACKETS: u64 = 100;

/// The packets with data of each direction that carried enough, counted at each place in the order of the path.
///
/// A packet that a capture missed, although it passed, counts as passed: otherwise a capture that drops packets would look
/// like a network that does.
#[must_use]
pub fn chains(report: &ComparisonReport) -> Vec<CounterChain> {
    let ways = [Way::Up, Way::Down].into_iter();
    ways.filter_map(|way| chain(report, way)).collect()
}

fn chain(report: &ComparisonReport, way: Way) -> Option<CounterChain> {
    let first = report.points.get(*report.path.first()?)?;
    let key = first.key.as_ref()?;
    let stretches = report.stretches.iter();
    let mut stretches: Vec<&DirectionReport> = stretches
        .filter_map(|stretch| stretch.directions.iter().find(|one| one.way == way))
        .collect();
    if way == Way::Down {
        stretches.reverse();
    }
    let entry = *stretches.first()?;
    let data = &entry.data;
    let mut passed = data.arrived + data.lost + data.missed_by_to + data.missed_by_from;
    if passed < LEAST_PACKETS {
        return None;
    }
    let mut points = vec![point(report, entry.from, passed)?];
    for stretch in stretches {
        passed = passed.saturating_sub(stretch.data.lost);
        points.push(point(report, stretch.to, passed)?);
    }
    let duration_ns = first
        .seen_ns
        .and_then(|(from, to)| u64::try_from(to.saturating_sub(from)).ok());
    Some(CounterChain {
        label: title(key, way),
        from: node(key, way),
        to: node(key, way.reversed()),
        protocol: Some(Transport::Tcp),
        streams: Some(1),
        duration_ns,
        points,
        ..CounterChain::default()
    })
}

fn point(report: &ComparisonReport, place: usize, packets: u64) -> Option<CounterPoint> {
    Some(CounterPoint {
        network: report.points.get(place)?.name.clone(),
        description: "capture".to_owned(),
        packets: Some(packets),
    })
}
