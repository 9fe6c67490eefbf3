//! The hops of the path from one vantage: who they are, and what is known of how they answer.

use super::echo::EchoFacts;
use super::sizes::{Router, Sizes};
use evidence::v1::{
    Complaint, Direction, End, HopRef, Location, Node, Observation, ObservationId, Payload, Route, RouteFlow,
};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// What was seen of the path from one end, or of its tail from some other place.
#[derive(Debug)]
pub(crate) struct PathFacts {
    pub(crate) vantage: End,
    source: Option<IpAddr>,
    destination: Option<IpAddr>,
    source_name: String,
    destination_name: String,
    /// The place that it was seen from, where that is none of the two ends.
    pub(crate) witness: Option<Node>,
    /// The TTL at which the destination answers.
    pub(crate) destination_ttl: Option<u8>,
    hops: BTreeMap<u8, Hop>,
    names: BTreeMap<IpAddr, String>,
    pub(crate) sizes: Sizes,
    pub(crate) echo: EchoFacts,
    /// The traces that the hops come from.
    pub(crate) route_cites: Vec<ObservationId>,
}

/// One TTL.
#[derive(Debug, Clone, Default)]
struct Hop {
    /// Addresses that answered, with how often.
    addresses: BTreeMap<IpAddr, u64>,
    /// Names that records tell, with how often.
    names: BTreeMap<String, u64>,
    least_rtt_ns: Option<u64>,
    route_probes: u64,
}

impl PathFacts {
    pub(crate) fn derive(complaint: &Complaint, vantage: End, observations: &[&Observation]) -> Self {
        let (own, other) = match vantage {
            End::From => (&complaint.from, &complaint.to),
            End::To => (&complaint.to, &complaint.from),
        };
        let here: Vec<&Observation> = observations
            .iter()
            .copied()
            .filter(|o| o.provenance.vantage == vantage)
            .collect();
        let mut path = Self {
            vantage,
            source: own.address,
            destination: other.address,
            source_name: own.name.clone(),
            destination_name: other.name.clone(),
            witness: None,
            destination_ttl: None,
            hops: BTreeMap::new(),
            names: BTreeMap::new(),
            sizes: Sizes::default(),
            echo: EchoFacts::derive(&here),
            route_cites: Vec::new(),
        };
        for observation in &here {
            match &observation.payload {
                Payload::Route(route) => path.learn_route(route, &observation.id),
                Payload::PathMtu(table) => {
                    path.source = path.source.or(Some(table.source));
                    path.destination = path.destination.or(Some(table.destination));
                    path.learn_destination_ttl(table.destination_ttl);
                }
                _ => {}
            }
        }
        path.sizes = Sizes::derive(&here, path.destination_ttl);
        path.learn_addresses();
        path
    }

    /// A path towards the end `towards` as records show it, from `place` where that is not the other end.
    pub(crate) fn recorded(complaint: &Complaint, towards: End, place: Option<Node>) -> Self {
        let mut path = Self::derive(complaint, towards.other(), &[]);
        if let Some(place) = &place {
            path.source = place.address;
            path.source_name = place.name.clone().unwrap_or_default();
        }
        path.witness = place;
        path
    }

    /// Enters what a record tells of a hop: who answered there.
    pub(crate) fn learn_node(&mut self, ttl: u8, node: &Node, rtt_ns: Option<u64>) {
        let hop = self.hops.entry(ttl).or_default();
        if let Some(address) = node.address {
            *hop.addresses.entry(address).or_default() += 1;
        }
        if let Some(name) = &node.name {
            *hop.names.entry(name.clone()).or_default() += 1;
        }
        hop.least_rtt_ns = [hop.least_rtt_ns, rtt_ns].into_iter().flatten().min();
        self.learn_name(node);
    }

    fn learn_route(&mut self, route: &Route, id: &ObservationId) {
        self.source = self.source.or(Some(route.source));
        self.destination = self.destination.or(Some(route.destination));
        self.route_cites.push(id.clone());
        self.names
            .extend(route.names.iter().map(|(address, name)| (*address, name.clone())));
        for flow in &route.flows {
            self.learn_flow(flow);
        }
    }

    fn learn_flow(&mut self, flow: &RouteFlow) {
        self.learn_destination_ttl(flow.reached_ttl);
        // Probes beyond the destination are answered by it again; they are no hops.
        let within = |ttl: u8| flow.reached_ttl.is_none_or(|reached| ttl <= reached);
        for seen in flow.hops.iter().filter(|hop| within(hop.ttl)) {
            let hop = self.hops.entry(seen.ttl).or_default();
            hop.route_probes += u64::from(seen.sent);
            for reply in &seen.replies {
                *hop.addresses.entry(reply.from).or_default() += 1;
                let least = hop.least_rtt_ns.map_or(reply.rtt_ns, |rtt| rtt.min(reply.rtt_ns));
                hop.least_rtt_ns = Some(least);
            }
        }
    }

    /// Flows of different length: the shortest way counts, as the numbers of the hops before it agree.
    pub(crate) fn learn_destination_ttl(&mut self, ttl: Option<u8>) {
        self.destination_ttl = match (self.destination_ttl, ttl) {
            (Some(known), Some(new)) => Some(known.min(new)),
            (known, new) => known.or(new),
        };
    }

    fn learn_addresses(&mut self) {
        let answers: Vec<(u8, IpAddr)> = self
            .sizes
            .hop_addresses()
            .chain(self.echo.hop_addresses())
            .collect();
        for (ttl, address) in answers {
            *self
                .hops
                .entry(ttl)
                .or_default()
                .addresses
                .entry(address)
                .or_default() += 1;
        }
        if let Some(last) = self.destination_ttl {
            self.hops.retain(|ttl, _| *ttl <= last);
        }
    }

    /// Whether anything of this path was looked at.
    pub(crate) fn was_probed(&self) -> bool {
        !self.route_cites.is_empty() || self.sizes.was_probed() || self.echo.was_probed()
    }

    /// The direction of the packets that the vantage sends.
    pub(crate) fn direction(&self) -> Direction {
        self.vantage.outbound()
    }

    /// The last TTL of the path: the destination's, or the furthest that answered.
    pub(crate) fn last_ttl(&self) -> Option<u8> {
        self.destination_ttl.or_else(|| self.answering().last())
    }

    /// TTLs at which somebody answered something, ascending.
    pub(crate) fn answering(&self) -> impl Iterator<Item = u8> {
        self.hops
            .iter()
            .filter(|(_, hop)| !hop.is_silent())
            .map(|(ttl, _)| *ttl)
    }

    /// The hop at `ttl` in the words of a verdict; 0 is the vantage itself.
    pub(crate) fn hop_ref(&self, ttl: u8) -> HopRef {
        if ttl == 0 {
            return end_ref(ttl, self.source, Some(&self.source_name));
        }
        if self.destination_ttl == Some(ttl) {
            let resolved = self.destination.and_then(|address| self.names.get(&address));
            return end_ref(ttl, self.destination, resolved.or(Some(&self.destination_name)));
        }
        let hop = self.hops.get(&ttl);
        let address = hop.and_then(|hop| most_frequent(&hop.addresses)).copied();
        let resolved = address.and_then(|address| self.names.get(&address));
        let told = || hop.and_then(|hop| most_frequent(&hop.names));
        HopRef {
            ttl,
            address,
            name: resolved.or_else(told).cloned(),
        }
    }

    /// A router in the words of a verdict: hop 0 where it is on no trace.
    pub(crate) fn router_ref(&self, router: &Router) -> HopRef {
        let Some(ttl) = self.ttl_of(router) else {
            let (address, told) = match router {
                Router::Address(address) => (Some(*address), None),
                Router::Name(name) => (None, Some(name)),
            };
            let resolved = address.and_then(|address| self.names.get(&address));
            return HopRef {
                ttl: 0,
                address,
                name: resolved.or(told).cloned(),
            };
        };
        self.hop_ref(ttl)
    }

    /// Enters the name of an address.
    pub(crate) fn learn_name(&mut self, node: &Node) {
        if let (Some(address), Some(name)) = (node.address, &node.name) {
            self.names.entry(address).or_insert_with(|| name.clone());
        }
    }

    pub(crate) fn link(&self, before: u8, after: u8) -> Location {
        Location::Link {
            before: self.hop_ref(before),
            after: self.hop_ref(after),
        }
    }

    /// The TTL of a router by one of its addresses or names.
    pub(crate) fn ttl_of(&self, router: &Router) -> Option<u8> {
        let is_it = |hop: &Hop| match router {
            Router::Address(address) => hop.addresses.contains_key(address),
            Router::Name(name) => {
                let resolved = |address| self.names.get(address).is_some_and(|known| known == name);
                hop.names.contains_key(name) || hop.addresses.keys().any(resolved)
            }
        };
        self.hops.iter().find(|(_, hop)| is_it(hop)).map(|(ttl, _)| *ttl)
    }

    /// Smallest round-trip time to `ttl` seen by a trace, nanoseconds.
    pub(crate) fn route_rtt_ns(&self, ttl: u8) -> Option<u64> {
        self.hops.get(&ttl)?.least_rtt_ns
    }

    /// Smallest round-trip time to the destination, with its evidence.
    pub(crate) fn destination_rtt(&self) -> Option<(u64, Vec<ObservationId>)> {
        let last = self.destination_ttl?;
        let traced = self.route_rtt_ns(last).map(|ns| (ns, self.route_cites.clone()));
        traced.into_iter().chain(self.echo.least_rtt(last)).min()
    }
}

/// One of the two ends. The name that the user gave may be the address itself: that is no name.
fn end_ref(ttl: u8, address: Option<IpAddr>, name: Option<&String>) -> HopRef {
    let is_name = |name: &&String| !name.is_empty() && name.parse::<IpAddr>().is_err();
    HopRef {
        ttl,
        address,
        name: name.filter(is_name).cloned(),
    }
}

impl Hop {
    fn is_silent(&self) -> bool {
        self.addresses.is_empty() && self.names.is_empty()
    }
}

fn most_frequent<K>(counts: &BTreeMap<K, u64>) -> Option<&K> {
    // Ties go to the lowest, so that the answer does not depend on anything but the counts.
    let best = counts.values().max()?;
    counts
        .iter()
        .find(|(_, count)| *count == best)
        .map(|(key, _)| key)
}
