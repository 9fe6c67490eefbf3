//! Whether what a record names is what a finding located. Records of different tools and networks name one router
//! differently: by address, by its full name, by the first label of it.

use crate::names::bare;
use evidence::{Finding, HopRef, Location, Node, Observation, Verdict, VerdictState};
use std::collections::BTreeSet;

/// Whether two names mean one device: equal, or one is the other with its domain.
fn same_device(a: &str, b: &str) -> bool {
    let (a, b) = (bare(a), bare(b));
    let inside = |short: &str, long: &str| {
        !short.is_empty() && long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'))
    };
    !a.is_empty() && (a == b || inside(&a, &b) || inside(&b, &a))
}

/// Whether `node` is the router that `hop` names, whatever its hop number there. A silent hop is nobody.
fn is_router(hop: &HopRef, node: &Node) -> bool {
    match (hop.address, node.address) {
        (Some(a), Some(b)) => a == b,
        _ => match (&hop.name, &node.name) {
            (Some(a), Some(b)) => same_device(a, b),
            _ => false,
        },
    }
}

/// Whether `node` is the device of the interface.
pub(crate) fn is_device(device: &str, hop: Option<&HopRef>, node: &Node) -> bool {
    let named = node.name.as_deref().is_some_and(|name| same_device(device, name));
    let addressed = node.address.is_some_and(|address| address.to_string() == device);
    named || addressed || hop.is_some_and(|hop| is_router(hop, node))
}

/// Where among `hops` (number, who answered) the one is that a finding names. A router is known by its address or name
/// wherever it stands, for seen from elsewhere its number is another; a silent hop by its number only.
pub(crate) fn position(there: &HopRef, hops: &[(u8, &[Node])]) -> Option<usize> {
    let is = |(ttl, routers): &(u8, &[Node])| match (there.address, &there.name) {
        // The vantage itself goes by other names and addresses of its own; another's vantage is another place.
        _ if there.ttl == 0 || *ttl == 0 => {
            let differ = |own: &Node| {
                there
                    .address
                    .is_some_and(|a| own.address.is_some_and(|own| own != a))
            };
            there.ttl == *ttl && !routers.iter().any(differ)
        }
        (None, None) => *ttl == there.ttl && routers.is_empty(),
        _ => routers.iter().any(|router| is_router(there, router)),
    };
    let exact = hops.iter().position(|hop| hop.0 == there.ttl && is(hop));
    exact.or_else(|| hops.iter().position(is))
}

/// Where among `hops` a finding lies, as the first and the last index: those between which the located link or stretch
/// is, or twice the router that is named.
pub(crate) fn among(location: &Location, hops: &[(u8, &[Node])]) -> Option<(usize, usize)> {
    let device = |name: &str, hop: Option<&HopRef>| {
        let is = |(_, routers): &(u8, &[Node])| routers.iter().any(|router| is_device(name, hop, router));
        hops.iter().position(is)
    };
    let one = match location {
        Location::Link { before, after } => {
            let (first, last) = (position(before, hops)?, position(after, hops)?);
            return (first < last).then_some((first, last));
        }
        Location::Hop { hop } => position(hop, hops),
        Location::Interface {
            device: name, hop, ..
        } => device(name, hop.as_ref()),
        Location::OtherHost { name } => device(name, None),
        Location::Host { .. } | Location::Segment { .. } | Location::Path => None,
    };
    one.map(|place| (place, place))
}

/// The faults of a verdict that rest on one of the observations with these numbers: a table marks no other. Of a transfer that is
/// as it should be, what limits it is no fault.
pub(crate) fn faults_of<'v>(
    verdict: &'v Verdict,
    seen: &[(usize, &Observation)],
    numbers: &BTreeSet<usize>,
) -> Vec<&'v Finding> {
    let shown: Vec<_> = seen
        .iter()
        .filter(|(number, _)| numbers.contains(number))
        .map(|(_, o)| &o.id)
        .collect();
    let rests_on_it = |finding: &&Finding| {
        let mut cites = finding.supports.iter().flat_map(|argument| &argument.cites);
        cites.any(|id| shown.contains(&id))
    };
    match verdict.state {
        VerdictState::Ok => Vec::new(),
        _ => verdict.findings.iter().filter(rests_on_it).collect(),
    }
}

/// The codes of findings at the rows of a table between which they lie; the first finding of a row stays.
pub(crate) fn marks(
    rows: usize,
    faults: impl Iterator<Item = (String, (usize, usize))>,
) -> Vec<Option<String>> {
    let mut marks: Vec<Option<String>> = vec![None; rows];
    for (code, (first, last)) in faults {
        for mark in marks.get_mut(first..=last).into_iter().flatten() {
            mark.get_or_insert_with(|| code.clone());
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_known_with_and_without_its_domain() {
        for (a, b, same) in [
            ("RTR-DMZ", "rtr-dmz.slac.example.", true),
            ("rtr-dmz.slac.example", "RTR-DMZ", true),
            ("rtr-dmz", "rtr-dmz2.slac.example", false),
            ("rtr-dmz", "rtr", false),
            ("", "rtr", false),
            ("", "", false),
        ] {
            assert_eq!(same_device(a, b), same, "{a} {b}");
        }
    }
}
