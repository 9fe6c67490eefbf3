//! The hops between two hosts, as all traces and all tables of probes together show them.

use super::{Records, hop_ref, hops};
use evidence::{EchoContext, EchoMode, HopRef, Node, ObservationId, Way};
use stats::Ratio;
use std::collections::{BTreeMap, BTreeSet};

/// What answers nothing large is another matter: probes up to this size, or of unknown size, count.
const LARGEST_SMALL: u32 = 600;

/// Everything that went from one host to another.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) from: Node,
    pub(crate) to: Node,
    pub(crate) hops: BTreeMap<u8, Hop>,
    /// The traces among it.
    pub(crate) traces: BTreeSet<ObservationId>,
}

/// One TTL.
#[derive(Debug, Default)]
pub(crate) struct Hop {
    /// A trace asked it.
    pub(crate) traced: bool,
    /// Who answered, with how often.
    nodes: Vec<(Node, u64)>,
    /// Probes of a table on their way to the destination that nobody answered, while nothing of ours loaded the path.
    pub(crate) unanswered: Ratio,
    /// The tables that tell it.
    pub(crate) cites: BTreeSet<ObservationId>,
}

impl Hop {
    fn answered(&mut self, node: &Node) {
        let same = |(known, _): &&mut (Node, u64)| {
            known == node || known.address.is_some() && known.address == node.address
        };
        match self.nodes.iter_mut().find(same) {
            Some((known, times)) => {
                known.name = known.name.take().or_else(|| node.name.clone());
                *times += 1;
            }
            None if node.is_unknown() => {}
            None => self.nodes.push((node.clone(), 1)),
        }
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.nodes.is_empty()
    }

    /// It in the words of a verdict: who answered most, of equals the first by name.
    pub(crate) fn at(&self, ttl: u8) -> HopRef {
        let most = self
            .nodes
            .iter()
            .max_by(|(a, n), (b, m)| n.cmp(m).then_with(|| b.cmp(a)));
        most.map_or_else(|| hop_ref(ttl, &Node::default()), |(node, _)| hop_ref(ttl, node))
    }
}

/// All pairs of hosts between which hops were looked at, by name.
pub(crate) fn all(records: &Records) -> Vec<Seen> {
    let mut pairs: BTreeMap<(String, String), Seen> = BTreeMap::new();
    let mut between = |from: &Node, to: &Node, see: &mut dyn FnMut(&mut Seen)| {
        let seen = pairs.entry((from.to_string(), to.to_string())).or_default();
        (seen.from, seen.to) = (from.clone(), to.clone());
        see(seen);
    };
    let small = |size: Option<u32>| size.is_none_or(|size| size <= LARGEST_SMALL);
    for trace in records.traces.iter().filter(|trace| small(trace.what.size_bytes)) {
        between(&trace.what.from, &trace.what.to, &mut |seen| {
            seen.traces.insert(trace.id.clone());
            for asked in trace.what.flows.iter().flat_map(hops) {
                let hop = seen.hops.entry(asked.ttl).or_default();
                hop.traced = true;
                asked.answers.iter().for_each(|answer| hop.answered(&answer.node));
            }
        });
    }
    let idle = |context| context != Some(EchoContext::UnderLoad);
    for table in records.probes.iter().filter(|table| idle(table.what.context)) {
        let Some(to) = &table.what.destination else {
            continue;
        };
        let on_the_way = table.what.rows.iter().filter(|row| {
            row.way == Way::RoundTrip && row.mode != Some(EchoMode::Direct) && small(row.size_bytes)
        });
        between(&table.what.from, to, &mut |seen| {
            for row in on_the_way.clone() {
                let (Some(ttl), Some((sent, received))) = (row.ttl, super::fragments::counts(row)) else {
                    continue;
                };
                let hop = seen.hops.entry(ttl).or_default();
                hop.unanswered = hop.unanswered.plus(Ratio::new(sent - received, sent));
                hop.cites.insert(table.id.clone());
                if received > 0 {
                    hop.answered(&row.to);
                }
            }
        });
    }
    pairs.into_values().collect()
}
