//! Repeats of one measurement become one: counts add up.

use model::{ElementId, Loss, Measurement, NodeId, Seen, Trust};
use std::collections::BTreeMap;

/// What two counts must have in common to be added.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    ends: (NodeId, NodeId),
    out: Vec<ElementId>,
    trust: Trust,
    /// Size, and whether it is a test of sizes, may be fragmented, was told.
    size: Option<u64>,
    delivery: Option<(bool, bool)>,
    /// Round trip, under load, paced.
    conditions: (bool, bool, bool),
}

/// Adds up counts of the same thing: pings and size probes of a node under the same conditions. Runs of losses that one
/// stream counted tell of all measurements between the same hosts.
pub(super) fn merge(measurements: Vec<Measurement>) -> Vec<Measurement> {
    let mut merged: Vec<Measurement> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for measurement in measurements {
        let Some(key) = key(&measurement) else {
            merged.push(measurement);
            continue;
        };
        match places.get(&key).and_then(|place| merged.get_mut(*place)) {
            Some(known) => add(known, measurement),
            None => {
                places.insert(key, merged.len());
                merged.push(measurement);
            }
        }
    }
    spread_runs(&mut merged);
    merged
}

fn key(measurement: &Measurement) -> Option<Key> {
    let (size, delivery, conditions) = match &measurement.seen {
        Seen::Loss(loss) if loss.offered_bps.is_none() => {
            // Whether a node refuses large packets is another question than whether it answers.
            let class = loss.size_bytes.map(|size| u64::from(size > 600.0));
            (
                class,
                None,
                (loss.round_trip, loss.under_load, loss.router_answers),
            )
        }
        Seen::Delivery(delivery) => {
            let size = Some(delivery.size_bytes as u64);
            (
                size,
                Some((delivery.dont_fragment, delivery.told)),
                (true, false, delivery.router_answers),
            )
        }
        _ => return None,
    };
    let ends = (measurement.from, measurement.to);
    Some(Key {
        ends,
        out: measurement.out.clone(),
        trust: measurement.trust,
        size,
        delivery,
        conditions,
    })
}

fn add(known: &mut Measurement, more: Measurement) {
    match (&mut known.seen, &more.seen) {
        (Seen::Loss(known), Seen::Loss(more)) => {
            known.sent += more.sent;
            known.lost += more.lost;
        }
        (Seen::Delivery(known), Seen::Delivery(more)) => {
            known.sent += more.sent;
            known.answered += more.answered;
        }
        _ => {}
    }
    known.cites.extend(more.cites);
    known.cites.sort();
    known.cites.dedup();
}

fn spread_runs(measurements: &mut [Measurement]) {
    let counted = measurements.iter().filter_map(|m| match &m.seen {
        Seen::Loss(Loss { mean_run, .. }) => *mean_run,
        _ => None,
    });
    let Some(longest) = counted.max_by(f64::total_cmp) else {
        return;
    };
    for measurement in measurements {
        if let Seen::Loss(loss) = &mut measurement.seen {
            loss.mean_run = Some(longest);
        }
    }
}
