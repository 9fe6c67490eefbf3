//! Labels in a trace: the path runs through a tunnel of label switching there, which hides hops and harms nothing.

use crate::facts::Facts;
use crate::records::{answered, hop_ref};
use evidence::{HopRef, Location, ObservationId, RedHerring};
use std::collections::{BTreeMap, BTreeSet};

/// One herring for all hops with labels: the same tunnel shows in every trace.
pub(super) fn find(facts: &Facts) -> Option<RedHerring> {
    let mut seen: BTreeMap<String, HopRef> = BTreeMap::new();
    let mut cites: BTreeSet<ObservationId> = BTreeSet::new();
    for trace in &facts.records.traces {
        for hop in trace.what.hops() {
            let labels = || hop.answers.iter().flat_map(|answer| &answer.mpls);
            let Some(label) = labels().next() else { continue };
            let node = answered(hop).cloned().unwrap_or_default();
            let here = hop_ref(hop.ttl, &node);
            let first = seen
                .entry(format!("{node} (label {})", label.label))
                .or_insert_with(|| here.clone());
            *first = here.min(first.clone());
            cites.insert(trace.id.clone());
        }
    }
    let hop = seen.values().next()?.clone();
    let names: Vec<&str> = seen.keys().map(String::as_str).collect();
    Some(RedHerring {
        code: "mpls-tunnel".into(),
        seen: format!("hops report MPLS labels: {}", names.join(", ")),
        why_not: "label switching forwards like any other link; routers inside may stay hidden, and the round-trip times of \
                  its hops can be those of its far end, but neither loses packets nor slows transfers"
            .into(),
        location: Location::Hop { hop },
        cites: cites.into_iter().collect(),
    })
}
