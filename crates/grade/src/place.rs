//! Whether the place that a verdict names is where the fault is.

use crate::map::{Network, RECEIVER, SENDER};
use crate::world::{Place, World};
use evidence::{End, HopRef, Location};
use serde::Serialize;
use std::net::IpAddr;

/// How a named place lies to the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// It is the place.
    Exact,
    /// It contains the place.
    Wider,
    /// It does not.
    Wrong,
    /// There is no place.
    Nowhere,
}

/// Compares a location with a place of the world.
#[must_use]
pub fn fit(world: &World, location: &Location, place: &Place) -> Fit {
    let map = Map {
        network: &world.network,
        world,
    };
    match place {
        Place::Nowhere => Fit::Nowhere,
        _ if *location == Location::Path => Fit::Wider,
        Place::Host { host } => map.fits_host(location, *host),
        Place::Links { links } => map.fits_links(location, links),
    }
}

struct Map<'a> {
    network: &'a Network,
    world: &'a World,
}

impl Map<'_> {
    fn fits_host(&self, location: &Location, host: usize) -> Fit {
        let node = self.network.hosts[host].node;
        let exact = match location {
            Location::Host { end } => index(*end) == host,
            Location::OtherHost { name } => self.node_called(name) == Some(node),
            Location::Interface { device, hop, .. } => self.device(device, hop.as_ref()) == Some(node),
            Location::Hop { hop } => self.known(hop) == Some(node),
            _ => false,
        };
        if exact {
            return Fit::Exact;
        }
        // A stretch that ends at the host contains it.
        let ends_there = |links: &[usize]| {
            links
                .iter()
                .any(|l| self.network.links[*l].to == node || self.network.links[*l].from == node)
        };
        match self.stretch(location) {
            Some(links) if ends_there(&links) => Fit::Wider,
            _ => Fit::Wrong,
        }
    }

    fn fits_links(&self, location: &Location, truth: &[usize]) -> Fit {
        let touches = |node: Option<usize>| {
            truth.iter().any(|l| {
                let link = &self.network.links[*l];
                node == Some(link.from) || node == Some(link.to)
            })
        };
        match location {
            Location::Host { end } => {
                if touches(Some(self.network.hosts[index(*end)].node)) {
                    Fit::Exact
                } else {
                    Fit::Wrong
                }
            }
            Location::Hop { hop } => {
                if touches(self.known(hop)) {
                    Fit::Exact
                } else {
                    Fit::Wrong
                }
            }
            Location::Interface { device, hop, .. } => {
                if touches(self.device(device, hop.as_ref())) {
                    Fit::Exact
                } else {
                    Fit::Wrong
                }
            }
            _ => self
                .stretch(location)
                .map_or(Fit::Wrong, |links| self.compare(&links, truth)),
        }
    }

    fn compare(&self, named: &[usize], truth: &[usize]) -> Fit {
        let same = |a: usize, b: usize| a == b || self.network.links[a].mirror == b;
        let inside = |link: &usize, links: &[usize]| links.iter().any(|other| same(*link, *other));
        if !named.is_empty() && named.iter().all(|link| inside(link, truth)) {
            Fit::Exact
        } else if truth.iter().all(|link| inside(link, named)) {
            Fit::Wider
        } else {
            Fit::Wrong
        }
    }

    /// The links of a location that is a stretch.
    fn stretch(&self, location: &Location) -> Option<Vec<usize>> {
        match location {
            Location::Link { before, after } => {
                self.ways().find_map(|(x, way)| self.span(x, &way, before, after))
            }
            Location::Segment { before, after } => Some(self.segment(before, after)),
            _ => None,
        }
    }

    /// All ways between hosts, those of the complaint first.
    fn ways(&self) -> impl Iterator<Item = (usize, Vec<usize>)> {
        let hosts = self.network.hosts.len();
        let main = [(SENDER, RECEIVER), (RECEIVER, SENDER)];
        let others = (0..hosts).flat_map(move |x| (0..hosts).map(move |y| (x, y)));
        let all = main
            .into_iter()
            .chain(others.filter(move |pair| pair.0 != pair.1 && !main.contains(pair)));
        all.map(|(x, y)| (x, self.network.way(x, y)))
    }

    /// The links of `way` between two hops. A silent hop has a number only: it counts on a way on which the other hop has
    /// the number that it is named with.
    fn span(&self, x: usize, way: &[usize], before: &HopRef, after: &HopRef) -> Option<Vec<usize>> {
        let nodes: Vec<usize> = std::iter::once(self.network.hosts[x].node)
            .chain(way.iter().map(|link| self.network.links[*link].to))
            .collect();
        let at = |hop: &HopRef| self.known(hop).map(|node| nodes.iter().position(|n| *n == node));
        let by_number = |hop: &HopRef| Some(usize::from(hop.ttl)).filter(|ttl| *ttl < nodes.len());
        let (from, to) = match (at(before), at(after)) {
            (Some(from), Some(to)) => (from?, to?),
            (Some(from), None) => (
                from.filter(|at| *at == usize::from(before.ttl))?,
                by_number(after)?,
            ),
            (None, Some(to)) => (by_number(before)?, to.filter(|at| *at == usize::from(after.ttl))?),
            (None, None) => (by_number(before)?, by_number(after)?),
        };
        (from != to).then(|| way[from.min(to)..from.max(to)].to_vec())
    }

    /// The links behind the point called `before` up to that called `after`.
    fn segment(&self, before: &str, after: &str) -> Vec<usize> {
        let way = self.network.way(SENDER, RECEIVER);
        let at = |text: &str| {
            let name = text.rsplit("-> ").next().unwrap_or(text).trim();
            let called = |link: &usize| {
                self.network.name_behind(*link).as_deref() == Some(name)
                    || self.network.links[*link].address.to_string() == name
            };
            way.iter().position(called)
        };
        let from = at(before).map_or(0, |index| index + 1);
        let to = at(after).map_or(way.len(), |index| index + 1);
        way.get(from..to).map(<[usize]>::to_vec).unwrap_or_default()
    }

    fn device(&self, device: &str, hop: Option<&HopRef>) -> Option<usize> {
        hop.and_then(|hop| self.known(hop))
            .or_else(|| self.node_called(device))
    }

    fn known(&self, hop: &HopRef) -> Option<usize> {
        let by_address = hop.address.and_then(|address| self.node_at(address));
        by_address.or_else(|| hop.name.as_deref().and_then(|name| self.node_called(name)))
    }

    fn node_at(&self, address: IpAddr) -> Option<usize> {
        let IpAddr::V4(address) = address else { return None };
        let link = self.network.links.iter().find(|link| link.address == address);
        // A hop of the former route lies where the present one has its stretch.
        let former = || {
            self.world
                .former
                .as_ref()
                .filter(|_| address.octets()[1] == 19)
                .map(|f| self.network.backbone[f.between.0])
        };
        link.map(|link| link.to).or_else(former)
    }

    /// Whatever a report may print of a device: its name, that of an interface, an address, or both.
    fn node_called(&self, text: &str) -> Option<usize> {
        text.split([' ', '(', ')', ','])
            .filter(|word| !word.is_empty())
            .find_map(|word| {
                let by_address = word.parse().ok().and_then(|address| self.node_at(address));
                let by_link = || {
                    (0..self.network.links.len())
                        .find(|l| self.network.name_behind(*l).as_deref() == Some(word))
                        .map(|l| self.network.links[l].to)
                };
                let by_node = || {
                    self.network
                        .nodes
                        .iter()
                        .position(|node| node.name.as_deref() == Some(word))
                };
                by_address.or_else(by_node).or_else(by_link)
            })
    }
}

fn index(end: End) -> usize {
    match end {
        End::From => SENDER,
        End::To => RECEIVER,
    }
}
