//! A hop that never answers anybody, though traffic passes it.

use crate::facts::records::seen::Seen;
use evidence::{HopRef, Location, Node, RedHerring};

/// One herring for all silent hops between two hosts.
pub(super) fn find(seen: &Seen) -> Option<RedHerring> {
    let answering = |ttl: u8| seen.hops.range(ttl..).find(|(_, hop)| !hop.is_silent());
    let silent = seen.hops.iter().filter(|(_, hop)| hop.traced && hop.is_silent());
    let silent: Vec<u8> = silent
        .map(|(ttl, _)| *ttl)
        .filter(|ttl| answering(*ttl).is_some())
        .collect();
    let first = *silent.first()?;
    let (behind, hop) = answering(*silent.last()?)?;
    Some(RedHerring {
        code: "silent-hop".into(),
        seen: format!("from {} to {}, {} answers", seen.from, seen.to, listed(&silent)),
        why_not: format!(
            "{} behind answers, so what lies before it forwards",
            spoken(&hop.at(*behind))
        ),
        location: Location::Hop {
            hop: crate::facts::records::hop_ref(first, &Node::default()),
        },
        cites: seen.traces.iter().cloned().collect(),
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
pub(super) fn spoken(hop: &HopRef) -> String {
    match (&hop.name, hop.address) {
        (Some(name), None) => format!("hop {} ({name})", hop.ttl),
        _ => hop.to_string(),
    }
}
