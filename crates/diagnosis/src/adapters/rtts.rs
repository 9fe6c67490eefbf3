//! The smallest round-trip time between two nodes, in either direction, from whatever record tells it: queues only add to it.

use super::{or, probes, sockets, statement, trace, transfer};
use evidence::{Complaint, End, Node, Observation, ObservationId, Payload};
use model::{Map, NodeId};
use std::collections::BTreeMap;

/// How exactly a round-trip time is known; what is less exact counts only where nothing else is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exactness {
    /// Measured.
    Fine,
    /// Some pings count in whole milliseconds: "1 ms" may be 2.4. Of a long path that does not matter.
    Coarse,
    /// Told by a person.
    Stated,
}

/// A round-trip time with the record that tells it.
#[derive(Debug, Clone)]
pub(crate) struct Rtt {
    exactness: Exactness,
    pub(crate) seconds: f64,
    pub(crate) cites: Vec<ObservationId>,
}

impl Rtt {
    pub(crate) fn ns(&self) -> u64 {
        (self.seconds * 1e9).round() as u64
    }
}

/// The smallest for each pair of nodes.
#[derive(Debug, Default)]
pub(super) struct Rtts(BTreeMap<(NodeId, NodeId), Rtt>);

impl Rtts {
    pub(super) fn of(map: &Map, observations: &[&Observation], complaint: &Complaint) -> Self {
        let mut rtts = Self::default();
        for observation in observations {
            let vantage = &observation.provenance.vantage;
            let mut note = |from: &Node, to: &Node, ns: f64, exactness| {
                if let (Some(from), Some(to)) = (map.find(from), map.find(to))
                    && ns > 0.0
                {
                    rtts.note((from.min(to), from.max(to)), ns, exactness, &observation.id);
                }
            };
            let fine = Exactness::Fine;
            match &observation.payload {
                Payload::Trace(trace) => {
                    trace::rtts(trace, |to, ns| note(or(&trace.from, vantage), to, ns, fine));
                }
                Payload::Probes(probes) => {
                    probes::rtts(probes, |to, ns| {
                        note(or(&probes.from, vantage), to, ns, exactness(ns))
                    });
                }
                Payload::Transfer(transfer) => {
                    let from = or(&transfer.from, vantage);
                    transfer::rtts(transfer, |ns| note(from, &transfer.to, ns, fine));
                }
                Payload::Sockets(list) => sockets::rtts(list, |from, to, ns| note(from, to, ns, fine)),
                Payload::Statement(said) => {
                    let [start, end] = [End::From, End::To].map(|end| complaint.node(end));
                    let (from, to) = (or(&said.from, &start), or(&said.to, &end));
                    statement::rtts(said, |ns| note(from, to, ns, Exactness::Stated));
                }
                _ => {}
            }
        }
        rtts
    }

    fn note(&mut self, ends: (NodeId, NodeId), ns: f64, exactness: Exactness, id: &ObservationId) {
        let rtt = Rtt {
            exactness,
            seconds: ns / 1e9,
            cites: vec![id.clone()],
        };
        let better = |known: &Rtt| {
            let by_value = rtt.seconds.total_cmp(&known.seconds);
            let order = rtt.exactness.cmp(&known.exactness).then(by_value);
            order.then_with(|| rtt.cites.cmp(&known.cites)).is_lt()
        };
        if self.0.get(&ends).is_none_or(better) {
            self.0.insert(ends, rtt);
        }
    }

    pub(super) fn seen(&self, from: NodeId, to: NodeId) -> Option<&Rtt> {
        self.0.get(&(from.min(to), from.max(to)))
    }

    /// In seconds.
    pub(super) fn between(&self, from: NodeId, to: NodeId) -> Option<f64> {
        Some(self.seen(from, to)?.seconds)
    }
}

fn exactness(ns: f64) -> Exactness {
    const MILLISECOND_NS: f64 = 1e6;
    if ns % MILLISECOND_NS == 0.0 && ns < 20.0 * MILLISECOND_NS {
        Exactness::Coarse
    } else {
        Exactness::Fine
    }
}
