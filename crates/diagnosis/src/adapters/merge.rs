//! Repeats of one measurement become one: counts add up.

use model::{ElementId, Measurement, NodeId, Seen, Trust};
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
    for measurement in &mut merged {
        measurement.cites.sort();
        measurement.cites.dedup();
    }
    spread_runs(&mut merged);
    thin(merged)
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
            known.reordered = known.reordered.zip(more.reordered).map(|(a, b)| a + b);
        }
        (Seen::Delivery(known), Seen::Delivery(more)) => {
            known.sent += more.sent;
            known.answered += more.answered;
        }
        _ => {}
    }
    known.cites.extend(more.cites);
}

/// Probes a second where nobody tells: between the one of ping and the tens of other tools.
const USUAL_PPS: f64 = 10.0;

/// What one stream shows of how long losses last holds for all that pass: a second without a packet is thousands of a stream's and
/// a few pings.
fn spread_runs(measurements: &mut [Measurement]) {
    let losses = measurements.iter().filter_map(Measurement::loss);
    // A single packet is lost at once.
    let counted = losses.filter_map(|loss| Some((loss.mean_run? - 1.0) / loss.pps?));
    let Some(longest_s) = counted.max_by(f64::total_cmp) else {
        return;
    };
    for measurement in measurements {
        if let Seen::Loss(loss) = &mut measurement.seen {
            let run = 1.0 + longest_s * loss.pps.unwrap_or(USUAL_PPS);
            loss.mean_run.get_or_insert(run);
        }
    }
}

/// A transfer repeated a thousand times tells its distribution, which so many of its quantiles tell as well.
const QUANTILES: usize = 9;

/// Of many transfers, streams or delays between the same nodes over the same way, evenly spaced ones by their value.
fn thin(measurements: Vec<Measurement>) -> Vec<Measurement> {
    let mut alike: BTreeMap<(NodeId, NodeId, u8, Vec<ElementId>), Vec<Measurement>> = BTreeMap::new();
    let mut kept = Vec::new();
    for measurement in measurements {
        let kind = match &measurement.seen {
            Seen::Rate(rate) => u8::from(rate.streams > 1.0) | u8::from(rate.window_bytes.is_some()) << 1,
            Seen::Queue(_) => 4,
            Seen::Loss(loss) => 5 + u8::from(loss.offered_bps.is_some()),
            Seen::Delivery(_) | Seen::Rest(_) | Seen::Count(_) | Seen::Setting(_) => {
                kept.push(measurement);
                continue;
            }
        };
        let key = (measurement.from, measurement.to, kind, measurement.out.clone());
        alike.entry(key).or_default().push(measurement);
    }
    for mut group in alike.into_values() {
        if group.len() > 3 * QUANTILES {
            group.sort_by(|a, b| value(a).total_cmp(&value(b)));
            let last = group.len() - 1;
            let places: Vec<usize> = (0..QUANTILES).map(|i| i * last / (QUANTILES - 1)).collect();
            kept.extend(places.into_iter().filter_map(|place| group.get(place).cloned()));
        } else {
            kept.append(&mut group);
        }
    }
    kept
}

fn value(measurement: &Measurement) -> f64 {
    match &measurement.seen {
        Seen::Rate(rate) => rate.bps,
        Seen::Loss(loss) => loss.lost / loss.sent.max(1.0),
        Seen::Queue(queue) => queue.above_min_s,
        Seen::Delivery(_) | Seen::Rest(_) | Seen::Count(_) | Seen::Setting(_) => 0.0,
    }
}
