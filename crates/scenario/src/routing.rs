//! Who sends what over which link: shortest paths, with the file's own routes on top.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use crate::model::Scenario;
use crate::network::{LinkId, NodeId, Role};
use crate::prefix::{Family, Prefix};

/// One line of a node's routing table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteEntry {
    /// Which destinations.
    pub to: Prefix,
    /// Over what; several share the flows evenly, by a hash of addresses and ports. Never empty.
    pub via: Vec<NextHop>,
}

impl RouteEntry {
    /// Whether the destination is a neighbour's own address.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.via.iter().any(|hop| hop.gateway.is_none())
    }
}

/// One way onwards from a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextHop {
    /// Over which link of the node.
    pub link: LinkId,
    /// The neighbour's address on that link; `None` where the destination is that address itself.
    pub gateway: Option<IpAddr>,
}

impl Scenario {
    /// The routing table of every node, indexed like [`Scenario::nodes`].
    ///
    /// A host with one link gets default routes; everybody else one route per address. Among equally short paths
    /// the one over the link that comes first in the file wins, so the same file always gives the same path.
    #[must_use]
    pub fn routing_tables(&self) -> Vec<Vec<RouteEntry>> {
        let mut tables: Vec<BTreeMap<Prefix, RouteEntry>> = vec![BTreeMap::new(); self.nodes.len()];
        for family in Family::BOTH {
            for to in (0..self.nodes.len()).map(NodeId) {
                let addresses = self
                    .addresses_of(to)
                    .into_iter()
                    .filter(|a| Family::of(*a) == family);
                let addresses: Vec<IpAddr> = addresses.collect();
                let next = self.next_links(to, family);
                for (node, link) in next.iter().enumerate().filter_map(|(n, l)| Some((n, (*l)?))) {
                    for address in &addresses {
                        let to = Prefix::host(*address);
                        self.insert(&mut tables[node], NodeId(node), to, &[link], family);
                    }
                }
            }
        }
        for (node, table) in tables.iter_mut().enumerate() {
            self.shorten_to_default(NodeId(node), table);
        }
        for route in &self.routes {
            for prefix in &route.to {
                let family = Family::of(prefix.address);
                self.insert(
                    &mut tables[route.node.0],
                    route.node,
                    *prefix,
                    &route.links,
                    family,
                );
            }
        }
        tables.into_iter().map(|t| t.into_values().collect()).collect()
    }

    fn insert(
        &self,
        table: &mut BTreeMap<Prefix, RouteEntry>,
        node: NodeId,
        to: Prefix,
        links: &[LinkId],
        family: Family,
    ) {
        let mut via: Vec<NextHop> = Vec::new();
        for link in links {
            let Some(neighbour) = self.neighbour_address(node, *link, family) else {
                continue;
            };
            let gateway = (to != Prefix::host(neighbour)).then_some(neighbour);
            via.push(NextHop { link: *link, gateway });
        }
        // A neighbour's own address is on one link only.
        if let Some(direct) = via.iter().copied().find(|hop| hop.gateway.is_none()) {
            via = vec![direct];
        }
        if !via.is_empty() {
            table.insert(to, RouteEntry { to, via });
        }
    }

    /// A single-homed host is configured with a default route in the real world, and answers to anybody.
    fn shorten_to_default(&self, node: NodeId, table: &mut BTreeMap<Prefix, RouteEntry>) {
        let links: Vec<usize> = (0..self.links.len())
            .filter(|l| self.links[*l].side_of(node).is_some())
            .collect();
        let (Role::Host, [only]) = (self.node(node).role, links.as_slice()) else {
            return;
        };
        table.retain(|_, entry| entry.is_direct());
        for family in Family::BOTH {
            self.insert(table, node, Prefix::default_of(family), &[LinkId(*only)], family);
        }
    }

    fn neighbour_address(&self, node: NodeId, link: LinkId, family: Family) -> Option<IpAddr> {
        let link = self.link(link);
        let far = link.end(link.side_of(node)?.other());
        far.addresses.iter().copied().find(|a| Family::of(*a) == family)
    }

    /// For every node the link that starts a shortest path to `to`, found backwards from there.
    fn next_links(&self, to: NodeId, family: Family) -> Vec<Option<LinkId>> {
        let mut next: Vec<Option<LinkId>> = vec![None; self.nodes.len()];
        let mut queue = VecDeque::from([to]);
        while let Some(node) = queue.pop_front() {
            if node != to && self.node(node).role == Role::Host {
                continue;
            }
            for (index, link) in self.links.iter().enumerate() {
                let Some(side) = link.side_of(node) else { continue };
                let before = link.end(side.other()).node;
                let usable = link
                    .ends
                    .iter()
                    .all(|e| e.addresses.iter().any(|a| Family::of(*a) == family));
                if usable && before != to && next[before.0].is_none() {
                    next[before.0] = Some(LinkId(index));
                    queue.push_back(before);
                }
            }
        }
        next
    }
}
