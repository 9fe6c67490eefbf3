//! What interfaces count. An interface is on the way of every path that crosses its device.

use super::Intake;
use evidence::{CounterKind, InterfaceCounters, Observation, ObservationId, Payload};
use model::{Count, ElementId, Measurement, NodeId, Seen, Trust};
use std::collections::BTreeMap;

/// Counts of damage and of loss at an interface, and what they are a share of.
const BAD_INPUT: [CounterKind; 7] = [
    CounterKind::InputErrors,
    CounterKind::InputCrc,
    CounterKind::InputFraming,
    CounterKind::InputOverrun,
    CounterKind::InputIgnored,
    CounterKind::InputNoBuffer,
    CounterKind::InputQueueDrops,
];
const BAD_OUTPUT: [CounterKind; 3] = [
    CounterKind::OutputErrors,
    CounterKind::OutputDrops,
    CounterKind::OutputUnderruns,
];

pub(super) fn take_in(intake: &mut Intake, observations: &[&Observation]) {
    let mut snapshots: BTreeMap<(NodeId, &str), Vec<(&Observation, &InterfaceCounters)>> = BTreeMap::new();
    for observation in observations {
        let Payload::InterfaceCounters(counters) = &observation.payload else {
            continue;
        };
        let device = super::or(&counters.device, &observation.provenance.vantage);
        if let Some(device) = intake.map.find(device) {
            snapshots
                .entry((device, counters.interface.as_str()))
                .or_default()
                .push((observation, counters));
        }
    }
    for ((device, name), all) in snapshots {
        let element = intake.map.interface(device, name);
        for (bad, of, fresh, cites) in shares(&all) {
            let seen = Seen::Count(Count {
                bad,
                of,
                fresh,
                drops: true,
            });
            intake.measurements.push(Measurement {
                from: device,
                to: device,
                out: vec![element],
                back: Vec::new(),
                seen,
                trust: Trust::Measured,
                source: 0,
                cites,
            });
        }
        put_on_ways(intake, device, element);
    }
}

/// (bad, of, fresh, from which observations): of several snapshots the difference between the first and the last.
fn shares(all: &[(&Observation, &InterfaceCounters)]) -> Vec<(f64, f64, bool, Vec<ObservationId>)> {
    let mut ordered: Vec<_> = all.to_vec();
    ordered.sort_by_key(|(observation, _)| (observation.provenance.at, observation.id.clone()));
    let (Some((first, before)), Some((last, after))) = (ordered.first(), ordered.last()) else {
        return Vec::new();
    };
    let sides = [
        (&BAD_INPUT[..], CounterKind::InputPackets),
        (&BAD_OUTPUT[..], CounterKind::OutputPackets),
    ];
    sides
        .iter()
        .filter_map(|(bad, of)| {
            // Sums are printed beside their parts: the largest single count is the sure one.
            let worst = |counters: &InterfaceCounters| {
                bad.iter().filter_map(|k| counters.counters.get(k)).max().copied()
            };
            let (total, count) = (after.counters.get(of).copied()?, worst(after)?);
            let step = || {
                let packets = total.checked_sub(before.counters.get(of).copied()?)?;
                Some((count.checked_sub(worst(before)?)? as f64, packets as f64))
            };
            if first.id != last.id
                && let Some((bad, of)) = step()
            {
                return (of > 0.0).then(|| (bad.min(of), of, true, vec![first.id.clone(), last.id.clone()]));
            }
            (total > 0).then(|| {
                (
                    count.min(total) as f64,
                    total as f64,
                    false,
                    vec![last.id.clone()],
                )
            })
        })
        .collect()
}

/// Puts the interface on the way of every measurement whose packets cross its device.
fn put_on_ways(intake: &mut Intake, device: NodeId, element: ElementId) {
    let mut measurements = std::mem::take(&mut intake.measurements);
    for measurement in &mut measurements {
        let path = intake.map.path(measurement.from, measurement.to);
        let crosses = measurement.from == device || path.hops.iter().any(|hop| hop.node == device);
        if crosses && measurement.out.len() > 1 {
            let place = measurement.out.len() - 1;
            measurement.out.insert(place, element);
        }
    }
    intake.measurements = measurements;
}
