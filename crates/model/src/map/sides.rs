//! The two sides of a router. It answers from the interface at which a probe came in, so that ways in opposite directions
//! show another address of it each. Where two neighbours of one way and two of another answer from the two ends of one
//! link, they are the same two routers (Gunes and Sarac, "Resolving IP aliases in building traceroute-based Internet maps",
//! 2009).

use super::element::NodeId;
use super::identity::Identity;
use super::trace::Trace;
use evidence::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// The addresses that the other end of an address's point-to-point link may have: of a /31 (RFC 3021) or a /30, for IPv6 a /127
/// (RFC 6164) or a /126.
#[must_use]
pub fn other_ends(address: IpAddr) -> Vec<IpAddr> {
    let last = match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    };
    let flips = if matches!(last & 3, 1 | 2) {
        &[1, 3][..]
    } else {
        &[1]
    };
    let flipped = |flip: &u32| match address {
        IpAddr::V4(address) => IpAddr::from((u32::from(address) ^ flip).to_be_bytes()),
        IpAddr::V6(address) => IpAddr::from((u128::from(address) ^ u128::from(*flip)).to_be_bytes()),
    };
    flips.iter().map(flipped).collect()
}

/// Two neighbours of one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    /// The index of the way.
    way: usize,
    before: NodeId,
    at: NodeId,
}

/// Joins what ways in opposite directions show of one router. It goes by what the way from `first` calls it.
pub(super) fn join_sides(identity: &mut Identity, first: Option<&Node>, traces: &[Trace]) {
    let mut traces: Vec<&Trace> = traces.iter().collect();
    // The order in which they were taken in must not matter.
    traces.sort_by_key(|trace| (first != Some(&trace.from), &trace.from, &trace.to, &trace.hops));
    let nodes = |trace: &Trace| -> BTreeSet<NodeId> {
        let hops = trace.hops.iter().filter_map(|(_, node)| node.as_ref());
        hops.filter_map(|node| identity.find(node)).collect()
    };
    let on: Vec<BTreeSet<NodeId>> = traces.iter().map(|trace| nodes(trace)).collect();
    let mut links: BTreeMap<IpAddr, Vec<Link>> = BTreeMap::new();
    for (way, trace) in traces.iter().enumerate() {
        let hosts = [identity.find(&trace.from), identity.find(&trace.to)];
        let inner = |node: &Node| identity.find(node).filter(|id| !hosts.contains(&Some(*id)));
        for two in trace.hops.windows(2) {
            if let [(ttl, Some(before)), (next, Some(at))] = two
                && ttl.checked_add(1) == Some(*next)
                && let (Some(before), Some(id), Some(address)) = (inner(before), inner(at), at.address)
            {
                let known = links.entry(address).or_default();
                if known.iter().all(|link| link.before != before) {
                    known.push(Link { way, before, at: id });
                }
            }
        }
    }
    // Two nodes of one way are two.
    let apart = |a: &Link, b: &Link| !on[a.way].contains(&b.before) && !on[a.way].contains(&b.at);
    for (address, here) in &links {
        for there in other_ends(*address).iter().filter_map(|mate| links.get(mate)) {
            // An address behind several nodes is on no link between two.
            if let ([a], [b]) = (here.as_slice(), there.as_slice())
                && a < b
                && apart(a, b)
                && apart(b, a)
            {
                identity.stand_for(a.before, b.at);
                identity.stand_for(a.at, b.before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Map, MapBuilder};

    fn map(ways: &[(&str, &str, &str)]) -> Map {
        let mut builder = MapBuilder::default();
        builder.anchor(&Node::read("10.0.0.1"));
        for (from, to, hops) in ways {
            let hops = hops
                .split(' ')
                .zip(1..)
                .map(|(hop, ttl)| (ttl, Some(Node::read(hop))))
                .collect();
            builder.trace(&Node::read(from), &Node::read(to), hops, true);
        }
        builder.build()
    }

    const THERE: (&str, &str, &str) = ("10.0.0.1", "10.9.0.1", "10.0.0.2 10.1.0.2 10.2.0.2 10.9.0.1");

    #[test]
    fn ways_in_opposite_directions_show_the_two_sides_of_each_router() {
        let back = ("10.9.0.1", "10.0.0.1", "10.9.0.2 10.2.0.1 10.1.0.1 10.0.0.1");
        for ways in [[THERE, back], [back, THERE]] {
            let mut map = map(&ways);
            let id = |address: &str| map.find(&Node::read(address)).unwrap();
            let [first, middle, last] = ["10.0.0.2", "10.1.0.2", "10.2.0.2"].map(id);
            assert_eq!(
                ["10.1.0.1", "10.2.0.1", "10.9.0.2"].map(id),
                [first, middle, last]
            );
            assert_eq!(
                map.node(middle),
                Node::read("10.1.0.2"),
                "as the way from the first anchor calls it"
            );
            let home = id("10.0.0.1");
            assert!(
                map.path(middle, home).traced,
                "answers of a router take the way that the trace back shows"
            );
        }
    }

    #[test]
    fn an_address_behind_several_routers_and_two_of_one_way_are_not_joined() {
        let back = ("10.9.0.1", "10.0.0.1", "10.9.0.2 10.2.0.1 10.1.0.1 10.0.0.1");
        let other = ("10.7.0.1", "10.0.0.1", "10.7.0.2 10.2.0.1 10.1.0.1 10.0.0.1");
        let map_of_three = map(&[THERE, back, other]);
        let id = |map: &Map, address: &str| map.find(&Node::read(address)).unwrap();
        assert_ne!(id(&map_of_three, "10.9.0.2"), id(&map_of_three, "10.7.0.2"));
        assert_ne!(id(&map_of_three, "10.9.0.2"), id(&map_of_three, "10.2.0.2"));
        let lan = ("10.0.0.1", "10.9.0.1", "10.5.0.1 10.5.0.2 10.5.0.3 10.9.0.1");
        let one_way = map(&[lan]);
        assert_ne!(id(&one_way, "10.5.0.1"), id(&one_way, "10.5.0.2"));
        assert_ne!(id(&one_way, "10.5.0.2"), id(&one_way, "10.5.0.3"));
    }
}
