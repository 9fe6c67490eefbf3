//! From traces to a map: first who is who, then which way leads where.

use super::identity::Identity;
use super::names::{is_site_of, same_loosely};
use super::routes::distinct;
use super::sides::join_sides;
use super::trace::{Hops, Trace};
use super::{Element, Hop, Map, NodeId, Path};
use evidence::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Gathers what records tell of places.
#[derive(Debug, Default)]
pub struct MapBuilder {
    anchors: Vec<Node>,
    called: Vec<Node>,
    traces: Vec<Trace>,
    /// Of each trace with several flows, where they stand in `traces`.
    flows: Vec<Range<usize>>,
    taken: Option<Trace>,
    asns: Vec<(Node, u32)>,
}

impl MapBuilder {
    /// Takes in a node of which it is sure what it is called: where a record contradicts it, the record is wrong.
    pub fn anchor(&mut self, node: &Node) {
        self.anchors.push(node.clone());
    }

    /// Takes in a node that a record names.
    pub fn learn(&mut self, node: &Node) {
        if !node.is_unknown() {
            self.called.push(node.clone());
        }
    }

    /// Takes in a trace. `hops` are ascending by TTL; `reached` says whether the last of them is the destination.
    pub fn trace(&mut self, from: &Node, to: &Node, hops: Hops, reached: bool) {
        self.learn(from);
        self.learn(to);
        for (_, node) in &hops {
            node.iter().for_each(|node| self.learn(node));
        }
        if !from.is_unknown() && !to.is_unknown() {
            let (from, to) = (from.clone(), to.clone());
            self.traces.push(Trace {
                from,
                to,
                hops,
                reached,
            });
        }
    }

    /// Takes in the flows of one trace, each as [`MapBuilder::trace`] takes it: where they differ, ways lie side by side.
    pub fn flows(&mut self, from: &Node, to: &Node, flows: Vec<(Hops, bool)>) {
        let before = self.traces.len();
        for (hops, reached) in flows {
            self.trace(from, to, hops, reached);
        }
        self.flows.push(before..self.traces.len());
    }

    /// Takes in the autonomous system that a record tells of a node.
    pub fn autonomous_system(&mut self, node: &Node, asn: u32) {
        self.asns.push((node.clone(), asn));
    }

    /// Takes in the way that packets took from one node to another when it mattered: traces of other times may differ.
    pub fn taken(&mut self, from: &Node, to: &Node, hops: Hops) {
        self.trace(from, to, hops, false);
        self.taken = self.traces.last().cloned();
    }

    /// The map. The order in which things were taken in does not matter.
    #[must_use]
    pub fn build(mut self) -> Map {
        self.called.sort();
        self.called.dedup();
        // Numbers depend on the sorted names and not on the order of records.
        let mut identity = Identity::default();
        let all = self.anchors.iter().chain(&self.called);
        all.filter(|node| !node.is_unknown())
            .for_each(|node| identity.learn(node));
        shorten(&mut identity);
        self.spell_ends(&mut identity);
        let nodes = spoken(&identity, self.anchors.iter().chain(&self.called));
        join_sides(&mut identity, self.anchors.first(), &self.traces);
        let mut map = Map {
            nodes,
            identity,
            ..Map::default()
        };
        let asns = self
            .asns
            .iter()
            .filter_map(|(node, asn)| Some((map.find(node)?, *asn)));
        map.asns = asns.collect::<BTreeSet<_>>().into_iter().rev().collect();
        let taken = self.taken.as_ref().and_then(|trace| sequence(&map, trace));
        let mut all: Vec<Option<Sequence>> = self.traces.iter().map(|t| sequence(&map, t)).collect();
        let mut seen: Vec<Sequence> = all.iter().flatten().cloned().collect();
        seen.sort();
        seen.dedup();
        let between = between(&seen);
        let sequences = seen.iter_mut().chain(all.iter_mut().flatten());
        sequences.for_each(|sequence| fill_gaps(sequence, &between));
        for sequence in seen {
            let path = lay(&mut map, &sequence);
            if !map.paths.contains(&path) {
                map.paths.push(path);
            }
        }
        // Of several traces between two nodes the one that shows most comes first.
        map.paths
            .sort_by_key(|path| (path.from, path.to, std::cmp::Reverse(path.hops.len())));
        if let Some(taken) = taken.map(|sequence| lay(&mut map, &sequence)) {
            map.paths.insert(0, taken);
            return map;
        }
        for flows in self.flows {
            let laid: Vec<Path> = all[flows]
                .iter()
                .flatten()
                .map(|flow| lay(&mut map, flow))
                .collect();
            map.side_by_side.extend(distinct(laid));
        }
        // Thousands of traces of one path show the same few ways.
        map.side_by_side.sort_by(|a, b| a.ways.cmp(&b.ways));
        map.side_by_side.dedup();
        map
    }

    /// Lets other spellings of an anchor mean it, and the name of its site where it fits one anchor only.
    fn spell_ends(&self, identity: &mut Identity) {
        let ids: Vec<Option<NodeId>> = self.anchors.iter().map(|anchor| identity.find(anchor)).collect();
        for node in &self.called {
            let Some(name) = node.name.as_deref().filter(|_| node.address.is_none()) else {
                continue;
            };
            let own = identity.find(node);
            let fits = |anchor: &&Node| {
                anchor
                    .name
                    .as_deref()
                    .is_some_and(|called| same_loosely(name, called))
            };
            let mut fitting = self.anchors.iter().filter(fits);
            if let (Some(anchor), None) = (fitting.next(), fitting.next())
                && !ids.contains(&own)
                && let Some(called) = &anchor.name
            {
                if is_site_of(name, called) {
                    identity.site(name, called);
                } else {
                    identity.alias(name, called);
                }
            }
        }
    }
}

/// A host's first label means the host, where no other host's name begins with it: people write `lindy` for
/// `lindy.stanford.edu`.
fn shorten(identity: &mut Identity) {
    let mut by_label: BTreeMap<String, Vec<(String, NodeId)>> = BTreeMap::new();
    for (name, node) in identity.names() {
        if let Some((label, _)) = name.split_once('.') {
            by_label
                .entry(label.to_owned())
                .or_default()
                .push((name.to_owned(), node));
        }
    }
    for (label, names) in by_label {
        let one = names.iter().all(|(_, node)| *node == names[0].1);
        if one && label.parse::<u32>().is_err() {
            identity.alias(&label, &names[0].0);
        }
    }
}

/// For each node the fullest of what it is called: name and address before a name, a name before an address.
fn spoken<'a>(identity: &Identity, called: impl Iterator<Item = &'a Node>) -> Vec<Node> {
    let mut best = vec![Node::default(); identity.len()];
    let fullness = |node: &Node| {
        (
            node.name.is_some(),
            node.address.is_some(),
            node.name.as_ref().map(String::len),
        )
    };
    for node in called {
        if let Some(id) = identity.find(node)
            && fullness(node) > fullness(&best[id.0 as usize])
        {
            best[id.0 as usize] = node.clone();
        }
    }
    best
}

/// A trace in the map's nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Sequence {
    from: NodeId,
    to: NodeId,
    hops: Vec<(u8, Option<NodeId>)>,
    reached: bool,
}

fn sequence(map: &Map, trace: &Trace) -> Option<Sequence> {
    let (from, to) = (map.find(&trace.from)?, map.find(&trace.to)?);
    let mut hops: Vec<(u8, Option<NodeId>)> = Vec::new();
    for (ttl, node) in &trace.hops {
        let node = node.as_ref().and_then(|node| map.find(node));
        hops.push((*ttl, node));
        if node == Some(to) {
            break;
        }
    }
    let mut reached = trace.reached || hops.last().is_some_and(|(_, node)| *node == Some(to));
    // Silence at the end tells nothing of the way.
    while hops.last().is_some_and(|(_, node)| node.is_none()) {
        hops.pop();
    }
    if let (true, Some(last)) = (reached, hops.last_mut())
        && last.1 != Some(to)
    {
        // The destination answered from another of its addresses.
        last.1 = Some(to);
    }
    reached &= !hops.is_empty();
    (from != to && !hops.is_empty()).then_some(Sequence {
        from,
        to,
        hops,
        reached,
    })
}

/// Of two nodes the one that answered between them.
fn between(all: &[Sequence]) -> BTreeMap<(NodeId, NodeId), NodeId> {
    let mut between: BTreeMap<(NodeId, NodeId), NodeId> = BTreeMap::new();
    for sequence in all {
        let start = [(0, Some(sequence.from))];
        let nodes: Vec<_> = start.iter().chain(&sequence.hops).collect();
        for three in nodes.windows(3) {
            if let [(_, Some(a)), (_, Some(b)), (_, Some(c))] = three {
                between.entry((*a, *c)).or_insert(*b);
            }
        }
    }
    between
}

/// A hop that was silent in one trace answered in another: between the same two neighbours it is the same node.
fn fill_gaps(sequence: &mut Sequence, between: &BTreeMap<(NodeId, NodeId), NodeId>) {
    let mut before = Some(sequence.from);
    for place in 0..sequence.hops.len() {
        let after = sequence.hops.get(place + 1).and_then(|(_, node)| *node);
        if let (None, Some(a), Some(c)) = (sequence.hops[place].1, before, after) {
            sequence.hops[place].1 = between.get(&(a, c)).copied();
        }
        before = sequence.hops[place].1;
    }
}

fn lay(map: &mut Map, sequence: &Sequence) -> Path {
    let (mut hops, mut ways) = (Vec::new(), Vec::new());
    let (mut at, mut at_ttl) = (sequence.from, 0);
    for (ttl, node) in &sequence.hops {
        let Some(node) = *node else { continue };
        if node == at {
            at_ttl = *ttl;
            continue;
        }
        let silent = ttl.saturating_sub(at_ttl).saturating_sub(1);
        ways.push(map.intern(Element::Link {
            from: at,
            to: node,
            silent,
        }));
        hops.push(Hop { ttl: *ttl, node });
        (at, at_ttl) = (node, *ttl);
    }
    if !sequence.reached && at != sequence.to {
        ways.push(map.intern(Element::Stretch {
            from: at,
            to: sequence.to,
        }));
        hops.push(Hop {
            ttl: at_ttl.saturating_add(1),
            node: sequence.to,
        });
    }
    Path {
        from: sequence.from,
        to: sequence.to,
        hops,
        ways,
        traced: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node {
        Node::read(text)
    }

    fn trace(builder: &mut MapBuilder, from: &str, to: &str, hops: &str) {
        let hops: Vec<_> = hops
            .split(' ')
            .enumerate()
            .map(|(i, hop)| (i as u8 + 1, (hop != "*").then(|| node(hop))))
            .collect();
        let reached = hops.last().is_some_and(|(_, hop)| *hop == Some(node(to)));
        builder.trace(&node(from), &node(to), hops, reached);
    }

    #[test]
    fn traces_that_share_links_share_elements() {
        let mut builder = MapBuilder::default();
        trace(&mut builder, "a", "z", "r1 r2 r3 z");
        trace(&mut builder, "b", "z", "q r2 r3 z");
        let mut map = builder.build();
        let [a, b, z, r3] = ["a", "b", "z", "r3"].map(|name| map.find(&node(name)).unwrap());
        let (from_a, from_b) = (map.path(a, z), map.path(b, z));
        assert_eq!(from_a.ways[2..], from_b.ways[2..]);
        assert_ne!(from_a.ways[1], from_b.ways[1]);
        assert_eq!(map.path(a, r3).ways, from_a.ways[..3]);
        assert!(!map.path(z, a).traced, "the way back is not known");
    }

    #[test]
    fn a_silent_hop_is_part_of_a_longer_link_unless_another_trace_knows_it() {
        let mut builder = MapBuilder::default();
        trace(&mut builder, "a", "z", "r1 * r3 z");
        let mut map = builder.build();
        let [a, z] = ["a", "z"].map(|name| map.find(&node(name)).unwrap());
        assert_eq!(map.path(a, z).ways.len(), 3);
        let mut builder = MapBuilder::default();
        trace(&mut builder, "a", "z", "r1 * r3 z");
        trace(&mut builder, "b", "z", "r1 r2 r3 z");
        let mut map = builder.build();
        let [a, z] = ["a", "z"].map(|name| map.find(&node(name)).unwrap());
        assert_eq!(map.path(a, z).ways.len(), 4);
    }

    #[test]
    fn a_trace_that_ends_in_silence_leaves_a_stretch() {
        let mut builder = MapBuilder::default();
        trace(&mut builder, "a", "z", "r1 r2 * * *");
        let mut map = builder.build();
        let [a, z] = ["a", "z"].map(|name| map.find(&node(name)).unwrap());
        let path = map.path(a, z);
        assert_eq!(path.ways.len(), 3);
        assert!(matches!(map.element(path.ways[2]), Element::Stretch { .. }));
    }

    #[test]
    fn a_wrong_record_does_not_make_two_hosts_one() {
        let mut builder = MapBuilder::default();
        let called = |name: &str, address: &str| Node {
            name: Some(name.to_owned()),
            address: address.parse().ok(),
        };
        builder.anchor(&called("b.example", "10.0.0.1"));
        builder.anchor(&called("a.example", "10.0.0.2"));
        builder.learn(&called("a.example", "10.0.0.1"));
        let map = builder.build();
        assert_ne!(map.find(&node("a.example")), map.find(&node("b.example")));
        assert_eq!(map.find(&node("10.0.0.1")), map.find(&node("b.example")));
    }

    #[test]
    fn a_name_and_an_address_are_joined_by_the_record_that_has_both() {
        let mut builder = MapBuilder::default();
        builder.learn(&node("a.example"));
        builder.learn(&node("10.0.0.1"));
        builder.learn(&Node {
            name: Some("a.example".into()),
            address: "10.0.0.1".parse().ok(),
        });
        let map = builder.build();
        assert_eq!(map.find(&node("a.example")), map.find(&node("10.0.0.1")));
    }

    #[test]
    fn short_names_mean_the_host_that_they_begin() {
        let mut builder = MapBuilder::default();
        builder.learn(&node("lindy.stanford.edu"));
        let map = builder.build();
        assert!(map.find(&node("lindy")).is_some());
        assert_eq!(map.find(&node("lindy")), map.find(&node("Lindy.Stanford.EDU.")));
        assert_eq!(map.find(&node("elaine")), None);
    }
}
