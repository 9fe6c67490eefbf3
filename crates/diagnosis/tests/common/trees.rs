//! Random trees of routers with hosts at them, and what the tools see of them.
#![allow(dead_code, reason = "each test program uses a part of it")]

use evidence::{
    Location, Node, Observation, Payload, ProbeRow, Probes, Provenance, Timestamp, Trace, TraceAnswer,
    TraceFlow, TraceHop, Way,
};
use rand::Rng;
use rand::rngs::StdRng;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

/// A tree of routers with hosts at it. Nodes are numbered, hosts behind the routers.
pub(crate) struct Tree {
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) routers: usize,
}

/// A direction of a cable.
pub(crate) type Link = (usize, usize);

impl Tree {
    pub(crate) fn random(rng: &mut StdRng, routers: usize, hosts: usize) -> Self {
        let of_router = |router: usize, rng: &mut StdRng| (router > 0).then(|| rng.random_range(0..router));
        let mut parents: Vec<Option<usize>> = (0..routers).map(|router| of_router(router, rng)).collect();
        parents.extend((0..hosts).map(|_| Some(rng.random_range(0..routers))));
        Self { parents, routers }
    }

    pub(crate) fn hosts(&self) -> std::ops::Range<usize> {
        self.routers..self.parents.len()
    }

    pub(crate) fn up(&self, node: usize) -> Vec<usize> {
        std::iter::successors(Some(node), |node| self.parents[*node]).collect()
    }

    /// The nodes from one to another, both included.
    pub(crate) fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let (up, mut down) = (self.up(from), self.up(to));
        let meet = *up.iter().find(|node| down.contains(node)).unwrap();
        let mut path: Vec<usize> = up.into_iter().take_while(|node| *node != meet).collect();
        path.push(meet);
        down.truncate(down.iter().position(|node| *node == meet).unwrap());
        path.extend(down.into_iter().rev());
        path
    }

    pub(crate) fn pairs(&self) -> Vec<(usize, usize)> {
        let all = self
            .hosts()
            .flat_map(|from| self.hosts().map(move |to| (from, to)));
        all.filter(|(from, to)| from != to).collect()
    }

    /// The pairs whose packets cross a link.
    pub(crate) fn across(&self, link: Link) -> BTreeSet<(usize, usize)> {
        let crosses = |(from, to): &(usize, usize)| {
            self.path(*from, *to)
                .windows(2)
                .any(|two| two == [link.0, link.1])
        };
        self.pairs().into_iter().filter(crosses).collect()
    }

    pub(crate) fn address(&self, node: usize) -> IpAddr {
        Ipv4Addr::new(10, 0, node as u8, 1).into()
    }

    pub(crate) fn node(&self, node: usize) -> Node {
        Node {
            name: (node >= self.routers).then(|| format!("h{node}")),
            address: Some(self.address(node)),
        }
    }

    pub(crate) fn trace(&self, from: usize, to: usize) -> Payload {
        let hop = |(ttl, node): (u8, &usize)| TraceHop {
            ttl,
            answers: vec![TraceAnswer {
                node: self.node(*node),
                rtt_ns: Some(1_000_000 * u64::from(ttl)),
                ..TraceAnswer::default()
            }],
            unanswered: 0,
        };
        let path = self.path(from, to);
        Payload::Trace(Trace {
            from: self.node(from),
            to: self.node(to),
            flows: vec![TraceFlow {
                reached_ttl: Some(path.len() as u8 - 1),
                ..TraceFlow::of((1..).zip(&path[1..]).map(hop).collect())
            }],
            reached: Some(true),
            ..Trace::default()
        })
    }

    pub(crate) fn probes(&self, from: usize, to: usize, sent: u64, lost: u64) -> Payload {
        Payload::Probes(Probes {
            from: self.node(from),
            destination: Some(self.node(to)),
            rows: vec![ProbeRow {
                way: Way::OneWay,
                to: self.node(to),
                size_bytes: Some(64),
                sent: Some(sent),
                received: Some(sent - lost),
                rate_pps: Some(40.0),
                ..ProbeRow::default()
            }],
            ..Probes::default()
        })
    }

    /// What the tools see where these links lose this share of packets.
    pub(crate) fn seen(&self, faults: &[(Link, f64)]) -> Vec<Observation> {
        let mut seen = Vec::new();
        for (from, to) in self.pairs() {
            let survive: f64 = faults
                .iter()
                .filter(|(link, _)| self.across(*link).contains(&(from, to)))
                .map(|(_, loss)| 1.0 - loss)
                .product();
            let lost = (800.0 * (1.0 - survive)).round() as u64;
            for payload in [self.trace(from, to), self.probes(from, to, 800, lost)] {
                let provenance = Provenance::measured(self.node(from), Timestamp(1), 1, "test");
                seen.push(Observation::new(provenance, payload));
            }
        }
        seen
    }

    /// Whether a stretch is on some way, with this link in it; and all links of it.
    pub(crate) fn stretch(&self, location: &Location) -> Option<Vec<Link>> {
        let Location::Link { before, after } = location else {
            return None;
        };
        self.pairs().into_iter().find_map(|(from, to)| {
            let path = self.path(from, to);
            let at =
                |address: Option<IpAddr>| path.iter().position(|node| Some(self.address(*node)) == address);
            let (before, after) = (at(before.address)?, at(after.address)?);
            (before < after).then(|| {
                path[before..=after]
                    .windows(2)
                    .map(|two| (two[0], two[1]))
                    .collect()
            })
        })
    }
}
