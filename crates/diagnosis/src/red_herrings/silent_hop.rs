//! A hop that never answers anybody, though traffic passes it.

use crate::facts::Facts;
use crate::facts::path::PathFacts;
use crate::facts::records::Recorded;
use crate::facts::records::ends;
use evidence::v1::{HopRef, Location, ObservationId, RedHerring, Trace};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn find(path: &PathFacts) -> Vec<RedHerring> {
    let herring = |ttl: u8| {
        let behind = path.answering().find(|other| *other > ttl)?;
        Some(RedHerring {
            code: "silent-hop".into(),
            seen: format!("hop {ttl} never answers"),
            why_not: format!("{} behind it answers, so it forwards", path.hop_ref(behind)),
            location: Location::Hop {
                hop: path.hop_ref(ttl),
            },
            cites: path.route_cites.clone(),
        })
    };
    path.silent().into_iter().filter_map(herring).collect()
}

/// Silent hops in traces by other tools, one herring for each pair of hosts traced.
pub(super) fn in_records(facts: &Facts) -> Vec<RedHerring> {
    let mut by_pair: BTreeMap<(String, String), Vec<&Recorded<Trace>>> = BTreeMap::new();
    // What answers nothing large is another matter: only traces with small probes, or of unknown size, count.
    let small = |trace: &&Recorded<Trace>| trace.what.size_bytes.is_none_or(|size| size <= LARGEST_SMALL);
    for trace in facts.records.traces.iter().filter(small) {
        let from = ends::origin(&trace.what.from, &trace.vantage, &facts.complaint);
        let pair = (from.to_string(), trace.what.to.to_string());
        by_pair.entry(pair).or_default().push(trace);
    }
    by_pair
        .into_iter()
        .filter_map(|(pair, traces)| recorded_herring(&pair, &traces))
        .collect()
}

/// Larger probes can be refused for their size.
const LARGEST_SMALL: u32 = 600;

fn recorded_herring((from, to): &(String, String), traces: &[&Recorded<Trace>]) -> Option<RedHerring> {
    let mut answered: BTreeMap<u8, BTreeSet<HopRef>> = BTreeMap::new();
    for hop in traces.iter().flat_map(|trace| &trace.what.hops) {
        let entry = answered.entry(hop.ttl).or_default();
        entry.extend(hop.answers.iter().map(|answer| HopRef {
            ttl: hop.ttl,
            address: answer.node.address,
            name: answer.node.name.clone(),
        }));
    }
    let last = answered
        .iter()
        .rev()
        .find_map(|(_, hops)| hops.first().cloned())?;
    let silent: Vec<u8> = answered
        .iter()
        .filter(|(ttl, hops)| hops.is_empty() && **ttl < last.ttl)
        .map(|(ttl, _)| *ttl)
        .collect();
    let first = *silent.first()?;
    let behind = answered
        .range(first..)
        .find_map(|(_, hops)| hops.first().cloned())?;
    let mut cites: Vec<ObservationId> = traces.iter().map(|trace| trace.id.clone()).collect();
    cites.sort();
    Some(RedHerring {
        code: "silent-hop".into(),
        seen: format!("from {from} to {to}, {} answers", listed(&silent)),
        why_not: format!(
            "{} behind answers, so what lies before it forwards",
            spoken(&behind)
        ),
        location: Location::Hop {
            hop: HopRef {
                ttl: first,
                address: None,
                name: None,
            },
        },
        cites,
    })
}

/// "hop 3 never", "none of the hops 3, 4".
fn listed(ttls: &[u8]) -> String {
    match ttls {
        [one] => format!("hop {one} never"),
        many => {
            let numbers: Vec<String> = many.iter().map(u8::to_string).collect();
            format!("none of the hops {}", numbers.join(", "))
        }
    }
}

/// A hop whose address the document lost still has its name.
fn spoken(hop: &HopRef) -> String {
    match (&hop.name, hop.address) {
        (Some(name), None) => format!("hop {} ({name})", hop.ttl),
        _ => hop.to_string(),
    }
}
