//! The smallest round-trip time between two nodes, in either direction, from whatever record tells it: queues only add to it.

use evidence::ObservationId;
use model::NodeId;
use std::collections::BTreeMap;

/// How exactly a round-trip time is known; what is less exact counts only where nothing else is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exactness {
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
    pub(super) fn note(&mut self, ends: (NodeId, NodeId), ns: f64, exactness: Exactness, id: &ObservationId) {
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

pub(super) fn exactness(ns: f64) -> Exactness {
    const MILLISECOND_NS: f64 = 1e6;
    if ns % MILLISECOND_NS == 0.0 && ns < 20.0 * MILLISECOND_NS {
        Exactness::Coarse
    } else {
        Exactness::Fine
    }
}
