//! Places that counters show: they lie on the ways that traces show, beside their links.

use model::{Element, ElementId, Map, NodeId, Path};
use std::collections::{BTreeMap, BTreeSet};

/// The counted places of a case.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// By device, and whether packets come in by them.
    interfaces: BTreeMap<(NodeId, bool), BTreeSet<String>>,
    /// Between which two hosts stretches between counters lie, in their order.
    segments: BTreeMap<(NodeId, NodeId), Vec<ElementId>>,
}

impl Places {
    pub(super) fn add_interface(&mut self, device: NodeId, name: &str, input: bool) {
        self.interfaces
            .entry((device, input))
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
                found.extend(self.of(map, before, behind, false));
                found.extend(self.of(map, behind, before, true));
            }
        }
        found.extend(self.segments.get(&(path.from, path.to)).into_iter().flatten());
        found
    }

    fn of(&self, map: &mut Map, device: NodeId, neighbour: NodeId, input: bool) -> Vec<ElementId> {
        let names = self.interfaces.get(&(device, input)).into_iter().flatten();
        names
            .map(|name| map.intern(element(device, name, neighbour, input)))
            .collect()
    }

    /// All that an interface may be, by the neighbours that packets come from or go to; one of its own where nothing that was
    /// measured crosses it.
    pub(super) fn interface(&self, map: &mut Map, device: NodeId, name: &str, input: bool) -> Vec<ElementId> {
        let its = |found: &Element| match found {
            Element::Interface { neighbour, .. } => *found == element(device, name, *neighbour, input),
            _ => false,
        };
        let found = map.elements().filter(|(_, element)| its(element));
        let found: Vec<ElementId> = found.map(|(id, _)| id).collect();
        if found.is_empty() {
            return vec![map.intern(element(device, name, device, input))];
        }
        found
    }
}

fn element(device: NodeId, name: &str, neighbour: NodeId, input: bool) -> Element {
    let name = name.to_owned();
    Element::Interface {
        device,
        name,
        neighbour,
        input,
    }
}
