//! Labels in a trace: the path runs through a tunnel of label switching there, which hides hops and harms nothing.

use crate::facts::Facts;
use evidence::v1::{HopRef, Location, ObservationId, RedHerring};
use std::collections::BTreeMap;

/// One herring for all hops with labels: the same tunnel shows in every trace.
pub(super) fn find(facts: &Facts) -> Option<RedHerring> {
    let mut seen: BTreeMap<String, HopRef> = BTreeMap::new();
    let mut cites: Vec<ObservationId> = Vec::new();
    for trace in &facts.records.traces {
        for hop in trace.what.hops.iter().filter(|hop| !hop.mpls.is_empty()) {
            let node = hop
                .answers
                .first()
                .map(|answer| answer.node.clone())
                .unwrap_or_default();
            let here = HopRef {
                ttl: hop.ttl,
                address: node.address,
                name: node.name.clone(),
            };
            let label = hop.mpls.first().map(|label| label.label).unwrap_or_default();
            let first = seen
                .entry(format!("{node} (label {label})"))
                .or_insert_with(|| here.clone());
            *first = here.min(first.clone());
            cites.push(trace.id.clone());
        }
    }
    let hop = seen.values().next()?.clone();
    cites.sort();
    cites.dedup();
    let names: Vec<&str> = seen.keys().map(String::as_str).collect();
    Some(RedHerring {
        code: "mpls-tunnel".into(),
        seen: format!("hops report MPLS labels: {}", names.join(", ")),
        why_not: "label switching forwards like any other link; routers inside may stay hidden, and the round-trip times of \
                  its hops can be those of its far end, but neither loses packets nor slows transfers"
            .into(),
        location: Location::Hop { hop },
        cites,
    })
}
