//! Places that counters show: they lie on the ways that traces show, beside their links.

use model::{Element, ElementId, Map, NodeId, Path};
use std::collections::{BTreeMap, BTreeSet};

/// Which way packets cross an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Input,
    Output,
}

/// The counted places of a case.
#[derive(Debug, Default)]
pub(super) struct Places {
    interfaces: BTreeMap<(NodeId, Side), BTreeSet<String>>,
    /// Between which two hosts stretches between counters lie, in their order.
    segments: BTreeMap<(NodeId, NodeId), Vec<ElementId>>,
}

impl Places {
    pub(super) fn add_interface(&mut self, device: NodeId, name: &str, side: Side) {
        self.interfaces
            .entry((device, side))
            .or_default()
            .insert(name.to_owned());
    }

    pub(super) fn add_segments(&mut self, ends: (NodeId, NodeId), segments: Vec<ElementId>) {
        self.segments.insert(ends, segments);
    }

    pub(super) fn segments(&self, ends: (NodeId, NodeId)) -> &[ElementId] {
        self.segments.get(&ends).map_or(&[], Vec::as_slice)
    }

    /// The counted places on a way, in the order of its nodes.
    pub(super) fn on(&self, map: &mut Map, path: &Path) -> Vec<ElementId> {
        let mut found = Vec::new();
        if !self.interfaces.is_empty() {
            let nodes: Vec<NodeId> = std::iter::once(path.from)
                .chain(path.hops.iter().map(|hop| hop.node))
                .collect();
            for pair in nodes.windows(2) {
                let [before, behind] = [pair[0], pair[1]];
                found.extend(self.of(map, before, behind, Side::Output));
                found.extend(self.of(map, behind, before, Side::Input));
            }
        }
        found.extend(self.segments.get(&(path.from, path.to)).into_iter().flatten());
        found
    }

    fn of(&self, map: &mut Map, device: NodeId, neighbour: NodeId, side: Side) -> Vec<ElementId> {
        let names = self.interfaces.get(&(device, side)).into_iter().flatten();
        let element = |name: &String| Element::Interface {
            device,
            name: name.clone(),
            neighbour,
            input: side == Side::Input,
        };
        names.map(|name| map.intern(element(name))).collect()
    }

    /// All that an interface may be, by the neighbours that packets come from or go to; one of its own where nothing that was
    /// measured crosses it.
    pub(super) fn interface(&self, map: &mut Map, device: NodeId, name: &str, side: Side) -> Vec<ElementId> {
        let its = |element: &Element| {
            matches!(element, Element::Interface { device: d, name: n, input, .. }
                if *d == device && n == name && *input == (side == Side::Input))
        };
        let found: Vec<ElementId> = map
            .elements()
            .filter(|(_, element)| its(element))
            .map(|(id, _)| id)
            .collect();
        if !found.is_empty() {
            return found;
        }
        vec![map.intern(Element::Interface {
            device,
            name: name.to_owned(),
            neighbour: device,
            input: side == Side::Input,
        })]
    }
}
