//! Ways that no record shows, guessed from those that records show.

use super::path::part;
use super::{Element, Hop, Map, NodeId, Path};

impl Map {
    /// The way back along a trace of the other direction. Routes are often not symmetric, so that it counts as untraced; but
    /// a device on one way is more probably on the other than any that no record names.
    pub(super) fn mirrored(&mut self, from: NodeId, to: NodeId) -> Option<Path> {
        let mut traced = self.paths.iter().filter(|path| path.traced && path.from == to);
        let other = traced.find_map(|path| part(path, to, from))?;
        let silent: Option<Vec<u8>> = other.ways.iter().map(|id| Some(self.link(*id)?.2)).collect();
        let mut stops: Vec<NodeId> = other.hops.iter().rev().map(|hop| hop.node).collect();
        stops.push(to);
        let (mut hops, mut ways, mut ttl) = (Vec::new(), Vec::new(), 0_u8);
        for (two, silent) in stops.windows(2).zip(silent?.into_iter().rev()) {
            let (from, to) = (two[0], two[1]);
            ways.push(self.intern(Element::Link { from, to, silent }));
            ttl = ttl.saturating_add(silent).saturating_add(1);
            hops.push(Hop { ttl, node: to });
        }
        Some(Path {
            from,
            to,
            hops,
            ways,
            traced: false,
        })
    }

    /// A way that no record shows. What all traces from a host share at their beginning, and all traces to a host at their
    /// end, whatever else leaves or reaches it crosses as well.
    pub(super) fn untraced(&mut self, from: NodeId, to: NodeId) -> Path {
        let mut head = self.shared(from, true);
        let mut tail = self.shared(to, false);
        let (no_head, no_tail) = (head.is_empty(), tail.is_empty());
        head.truncate(head.iter().position(|node| *node == to).unwrap_or(head.len()));
        tail.truncate(tail.iter().position(|node| *node == from).unwrap_or(tail.len()));
        let mut join = None;
        if let Some(met) = head.iter().position(|node| tail.contains(node)) {
            tail.truncate(tail.iter().position(|node| *node == head[met]).unwrap_or(0));
            head.truncate(met + 1);
            join = Some(head.len());
        }
        let stretch = join.is_none().then_some(head.len());
        let stops: Vec<NodeId> = std::iter::once(from)
            .chain(head)
            .chain(tail.into_iter().rev())
            .chain([to])
            .collect();
        let (mut hops, mut ways) = (Vec::new(), Vec::new());
        if no_head {
            let outbound = true;
            ways.push(self.intern(Element::Access { host: from, outbound }));
        }
        for (index, two) in stops.windows(2).enumerate() {
            let (from, to) = (two[0], two[1]);
            ways.push(self.intern(if stretch == Some(index) {
                Element::Stretch { from, to }
            } else {
                let silent = 0;
                Element::Link { from, to, silent }
            }));
            let ttl = u8::try_from(index + 1).unwrap_or(u8::MAX);
            hops.push(Hop { ttl, node: to });
        }
        if no_tail {
            let outbound = false;
            ways.push(self.intern(Element::Access { host: to, outbound }));
        }
        Path {
            from,
            to,
            hops,
            ways,
            traced: false,
        }
    }

    /// The nodes that stand next to a host in all traces that leave it, or that reach it, the nearest first. Where none goes
    /// that way those of the other: a router may answer from another address there, but it is the same cable.
    fn shared(&self, host: NodeId, outbound: bool) -> Vec<NodeId> {
        let leaving = || self.paths.iter().filter(|path| path.from == host);
        let reaching = || self.paths.iter().filter(|path| path.to == host);
        let first: Vec<(NodeId, Vec<NodeId>)> =
            leaving().map(|path| (path.to, self.nodes_after(path))).collect();
        let last: Vec<(NodeId, Vec<NodeId>)> = reaching()
            .map(|path| (path.from, self.nodes_before(path)))
            .collect();
        let (sought, mut other) = if outbound { (first, last) } else { (last, first) };
        if sought.is_empty() {
            other.iter_mut().for_each(|(_, nodes)| nodes.truncate(1));
            return in_common(&other);
        }
        in_common(&sought)
    }

    /// The nodes behind the start of a path, up to the first silence.
    fn nodes_after(&self, path: &Path) -> Vec<NodeId> {
        let links = path
            .ways
            .iter()
            .map_while(|id| self.link(*id).filter(|link| link.2 == 0));
        links.map(|(_, to, _)| to).collect()
    }

    /// The nodes before the end of a path, the nearest to the end first, up to the first silence.
    fn nodes_before(&self, path: &Path) -> Vec<NodeId> {
        let links = path
            .ways
            .iter()
            .rev()
            .map_while(|id| self.link(*id).filter(|link| link.2 == 0));
        links.map(|(from, _, _)| from).collect()
    }
}

/// What all have in common at their beginning; a trace with silence beside the host does not tell. Where traces go to one place only, nobody knows where others leave them: half
/// of the way is as good a guess as any.
fn in_common(all: &[(NodeId, Vec<NodeId>)]) -> Vec<NodeId> {
    let all: Vec<&(NodeId, Vec<NodeId>)> = all.iter().filter(|(_, nodes)| !nodes.is_empty()).collect();
    let Some((place, nodes)) = all.first() else {
        return Vec::new();
    };
    let agree = |index: usize| all.iter().all(|(_, other)| other.get(index) == nodes.get(index));
    let mut common = nodes.clone();
    common.truncate((0..nodes.len()).take_while(|index| agree(*index)).count());
    if all.iter().all(|(other, _)| other == place) {
        common.truncate(nodes.len().div_ceil(2).max(1));
    }
    common
}
