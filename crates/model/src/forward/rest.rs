//! Delays that scatter while nobody loads the path on purpose: the queue is that of others.

use super::queue::LEAST_QUEUE_S;
use crate::density::log_sum_exp;
use crate::{ElementId, Fault, Kind, Measurement, Seen};
use libm::log;
use std::collections::BTreeSet;

/// How often answers scatter whose packets cross a queue of others, and how often all the same: routers answer late as they
/// please, and hosts wake up.
const MET: f64 = 0.9;
const ROUTER_ALONE: f64 = 0.04;
const HOST_ALONE: f64 = 0.2;
/// How often a queue stands where connections of others compete, where their streams leave a rest, and somewhere on a path
/// that is fast enough.
const RIVALS: f64 = 0.85;
const SHARED: f64 = 0.1;
/// How often a host whose program reads slowly answers late as well: its processor is busy, or held back.
const SLOW_READER: f64 = 0.3;
const NATURAL: f64 = 0.1;

/// Log probability of how delays at rest scatter at the nodes that one host asked.
#[must_use]
pub fn rest(faults: &[Fault], members: &[&Measurement]) -> f64 {
    let at = |place: Option<ElementId>| -> f64 { members.iter().map(|member| one(member, place)).sum() };
    let places: BTreeSet<ElementId> = members
        .iter()
        .flat_map(|m| m.out.iter().chain(&m.back))
        .copied()
        .collect();
    let each = log(NATURAL / places.len().max(1) as f64);
    let mut terms: Vec<f64> = places.iter().map(|place| each + at(Some(*place))).collect();
    terms.push(log(1.0 - NATURAL) + at(None));
    let natural = log_sum_exp(&terms);
    let known = faults.iter().find_map(|fault| match fault.kind {
        Kind::Rivals => Some((fault.element, RIVALS)),
        Kind::Share => Some((fault.element, SHARED)),
        Kind::ReaderRate => Some((fault.element, SLOW_READER)),
        _ => None,
    });
    match known {
        Some((place, often)) => log_sum_exp(&[log(often) + at(Some(place)), log(1.0 - often) + natural]),
        None => natural,
    }
}

fn one(member: &Measurement, place: Option<ElementId>) -> f64 {
    let Seen::Rest(seen) = &member.seen else {
        return 0.0;
    };
    let met = place.is_some_and(|place| member.out.contains(&place) || member.back.contains(&place));
    let scatters = match (met, seen.by_host) {
        (true, _) => MET,
        (false, true) => HOST_ALONE,
        (false, false) => ROUTER_ALONE,
    };
    log(if seen.above_min_s >= LEAST_QUEUE_S {
        scatters
    } else {
        1.0 - scatters
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MapBuilder, NodeId, Rest, Trust};
    use evidence::Node;

    /// Three nodes in a row, of which the last two scatter.
    fn seen(scatter: [f64; 3]) -> (Vec<Measurement>, Vec<ElementId>) {
        let names = ["a.example", "r1.example", "r2.example", "b.example"].map(Node::read);
        let mut builder = MapBuilder::default();
        names.iter().for_each(|name| builder.learn(name));
        let mut map = builder.build();
        let nodes: Vec<NodeId> = names.iter().filter_map(|name| map.find(name)).collect();
        let ways: Vec<ElementId> = nodes.iter().map(|node| map.host(*node)).collect();
        let asked = scatter.iter().enumerate().map(|(i, above_min_s)| Measurement {
            from: nodes[0],
            to: nodes[i + 1],
            out: ways[1..=i + 1].to_vec(),
            back: Vec::new(),
            seen: Seen::Rest(Rest {
                above_min_s: *above_min_s,
                by_host: false,
            }),
            trust: Trust::Measured,
            maybe: Vec::new(),
            routes: Vec::new(),
            cites: Vec::new(),
        });
        (asked.collect(), ways)
    }

    #[test]
    fn a_queue_of_others_is_where_delays_begin_to_scatter() {
        let (asked, places) = seen([1e-5, 6e-3, 7e-3]);
        let members: Vec<&Measurement> = asked.iter().collect();
        let share = |element| {
            [Fault {
                element,
                kind: Kind::Rivals,
                value: 4.0,
            }]
        };
        let [before, here, behind] = [1, 2, 3].map(|i| rest(&share(places[i]), &members));
        assert!(here > before + 2.0 && here > behind + 2.0 && here > rest(&[], &members) + 2.0);
    }

    #[test]
    fn delays_that_hardly_scatter_speak_against_others() {
        let (asked, places) = seen([1e-5, 2e-5, 3e-5]);
        let members: Vec<&Measurement> = asked.iter().collect();
        let share = [Fault {
            element: places[2],
            kind: Kind::Rivals,
            value: 4.0,
        }];
        assert!(rest(&share, &members) < rest(&[], &members) - 0.5);
    }
}
