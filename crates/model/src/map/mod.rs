//! The places that all evidence of a case speaks of: nodes with their aliases, directed links, paths.

mod build;
mod guess;
mod identity;
pub mod names;
mod routes;
mod sides;

pub use build::{Hops, MapBuilder};
pub use sides::other_ends;

use evidence::Node;
use std::collections::BTreeMap;

/// A host or router, whatever names and addresses it goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A place that can have a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub u32);

/// What kind of place it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// A link, in one direction. Its ends' interfaces belong to it.
    Link {
        /// The node that sends into it.
        from: NodeId,
        /// The node behind it.
        to: NodeId,
        /// Nodes between the two that never answered: with any, this is a stretch of several links.
        silent: u8,
    },
    /// A way of which no record tells the nodes.
    Stretch {
        /// Where it begins.
        from: NodeId,
        /// Where it ends.
        to: NodeId,
    },
    /// What lies between a host and the nearest place that two of its ways share, where no record tells the nodes: its
    /// cable, its switch, its provider.
    Access {
        /// The host.
        host: NodeId,
        /// Away from it, not towards it.
        outbound: bool,
    },
    /// A host with its programs and its interface.
    Host(NodeId),
    /// An interface of a device, of which counters tell, as the packets cross it that pass between the device and one of its
    /// neighbours. Which neighbour is on its link counters do not tell: each is an element of its own.
    Interface {
        /// The device.
        device: NodeId,
        /// The interface's name.
        name: String,
        /// The node before the device, or behind it; the device itself where no record shows one.
        neighbour: NodeId,
        /// Packets come in by it.
        input: bool,
    },
    /// What lies between two neighbouring counters of packets along a path.
    Segment {
        /// The counter before it, in the words of its record.
        before: String,
        /// The counter behind it.
        after: String,
    },
}

impl Element {
    /// Whether counters tell of it: it lies beside the links that traces show, on the same way.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        matches!(self, Self::Interface { .. } | Self::Segment { .. })
    }

    /// The links that it may consist of: how much likelier than a single link it is to hold a fault.
    #[must_use]
    pub fn links(&self) -> f64 {
        match self {
            Self::Link { silent, .. } => 1.0 + f64::from(*silent),
            // An unknown way has some links; as many as a short traceroute shows.
            Self::Stretch { .. } => 4.0,
            Self::Access { .. } => 1.0,
            Self::Host(_) | Self::Interface { .. } | Self::Segment { .. } => 1.0,
        }
    }
}

/// One hop of a path: the node that answered there, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// Its number, counted from the sender.
    pub ttl: u8,
    /// Who is there.
    pub node: NodeId,
}

/// The way from one node to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// The nodes between that are known, in order, the receiver last.
    pub hops: Vec<Hop>,
    /// The elements crossed, in order: no hosts and interfaces. Of a traced way the element before hop `i` has index `i`.
    pub ways: Vec<ElementId>,
    /// Whether some record shows it; otherwise it is one unknown stretch.
    pub traced: bool,
}

/// All places of a case.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Map {
    nodes: Vec<Node>,
    identity: identity::Identity,
    elements: Vec<Element>,
    paths: Vec<Path>,
    /// Paths that one trace showed beside each other.
    side_by_side: Vec<Path>,
    asns: BTreeMap<NodeId, u32>,
}

impl Map {
    /// The element.
    ///
    /// Ids come from this map; one of another map gives some other element, or the first.
    #[must_use]
    pub fn element(&self, id: ElementId) -> &Element {
        const NOWHERE: &Element = &Element::Host(NodeId(0));
        self.elements.get(id.0 as usize).unwrap_or(NOWHERE)
    }

    /// All elements with their ids.
    pub fn elements(&self) -> impl Iterator<Item = (ElementId, &Element)> {
        self.elements
            .iter()
            .enumerate()
            .map(|(index, element)| (ElementId(index as u32), element))
    }

    /// Name and address under which people know a node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes.get(id.0 as usize).cloned().unwrap_or_default()
    }

    /// The network that two nodes share, as their names or a record of autonomous systems tell; `None` where neither does.
    #[must_use]
    pub fn shared_network(&self, a: NodeId, b: NodeId) -> Option<String> {
        let domain = self
            .node(a)
            .domain()
            .filter(|domain| self.node(b).domain().as_ref() == Some(domain));
        let asn = self.asns.get(&a).filter(|asn| self.asns.get(&b) == Some(asn));
        match (domain, asn) {
            (Some(domain), Some(asn)) => Some(format!("{domain} (AS{asn})")),
            (domain, asn) => domain.or_else(|| asn.map(|asn| format!("AS{asn}"))),
        }
    }

    /// The node that a record means; `None` when it names nobody, or somebody of whom the map was not told.
    #[must_use]
    pub fn find(&self, node: &Node) -> Option<NodeId> {
        self.identity.find(node)
    }

    /// Whether a record may mean another host than the one that [`Map::find`] gives: it names its site alone.
    #[must_use]
    pub fn may_differ(&self, node: &Node) -> bool {
        self.identity.is_site(node)
    }

    /// The paths that records show.
    #[must_use]
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The link that an interface sends into or receives from, where a record shows it: they are one place.
    #[must_use]
    pub fn link_of(&self, interface: ElementId) -> Option<ElementId> {
        let Element::Interface {
            device,
            neighbour,
            input,
            ..
        } = self.element(interface)
        else {
            return None;
        };
        let ends = if *input {
            (neighbour, device)
        } else {
            (device, neighbour)
        };
        let is_it =
            |element: &Element| matches!(element, Element::Link { from, to, .. } if (from, to) == ends);
        self.elements()
            .find(|(_, element)| is_it(element))
            .map(|(id, _)| id)
    }

    /// The element of a host.
    #[must_use]
    pub fn host(&mut self, node: NodeId) -> ElementId {
        self.intern(Element::Host(node))
    }

    /// The element that stands for any place on the way from one node to another.
    #[must_use]
    pub fn somewhere(&mut self, from: NodeId, to: NodeId) -> ElementId {
        self.intern(Element::Stretch { from, to })
    }

    /// The id of an element.
    pub fn intern(&mut self, element: Element) -> ElementId {
        let place = self.elements.iter().position(|known| *known == element);
        let place = place.unwrap_or_else(|| {
            self.elements.push(element);
            self.elements.len() - 1
        });
        ElementId(place as u32)
    }

    /// The way from one node to another: as traced; else as part of a longer way that was traced; else an unknown
    /// stretch.
    pub fn path(&mut self, from: NodeId, to: NodeId) -> Path {
        let whole = |p: &&Path| p.from == from && p.to == to;
        let known = self.paths.iter().find(whole).cloned();
        let known = known.or_else(|| self.paths.iter().find_map(|path| part(path, from, to)));
        if let Some(known) = known {
            return known;
        }
        self.mirrored(from, to).unwrap_or_else(|| self.untraced(from, to))
    }

    fn link(&self, id: ElementId) -> Option<(NodeId, NodeId, u8)> {
        match self.element(id) {
            Element::Link { from, to, silent } => Some((*from, *to, *silent)),
            // Silence beside the host: nobody knows its neighbour.
            Element::Stretch { from, to } => Some((*from, *to, 1)),
            Element::Access { .. }
            | Element::Host(_)
            | Element::Interface { .. }
            | Element::Segment { .. } => None,
        }
    }
}

impl Path {
    /// The path between two of its nodes, itself included; `None` where it does not lead from the one to the other.
    #[must_use]
    pub fn as_far_as(&self, from: NodeId, to: NodeId) -> Option<Self> {
        if (self.from, self.to) == (from, to) {
            return Some(self.clone());
        }
        part(self, from, to)
    }
}

/// The part of a path between two of its nodes: packets to an inner node take the same links.
fn part(path: &Path, from: NodeId, to: NodeId) -> Option<Path> {
    let start = if path.from == from {
        0
    } else {
        path.hops.iter().position(|hop| hop.node == from)? + 1
    };
    let end = path.hops.iter().position(|hop| hop.node == to)? + 1;
    (start < end).then(|| Path {
        from,
        to,
        hops: path.hops[start..end].to_vec(),
        ways: path.ways[start..end].to_vec(),
        traced: path.traced,
    })
}
