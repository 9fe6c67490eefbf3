//! The places that all evidence of a case speaks of: nodes with their aliases, directed links, paths.

mod build;
mod element;
mod guess;
mod identity;
pub mod names;
mod path;
mod routes;
mod sides;
mod trace;

pub use build::MapBuilder;
pub use element::{Element, ElementId, NodeId};
pub use path::{Hop, Path};
pub use sides::other_ends;
pub use trace::Hops;

use evidence::Node;
use path::part;
use std::collections::BTreeMap;

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
