//! What the adapters have at hand, and where they put what they find.

use super::places::Places;
use super::rtts::Rtts;
use evidence::{Complaint, End, Node, ObservationId};
use model::{Count, Element, ElementId, Map, Measurement, NodeId, Path, Seen, Trust};
use std::collections::{BTreeMap, BTreeSet};

/// The map, what is known before the first record is measured, and the measurements so far.
pub(super) struct Intake<'a> {
    pub(super) complaint: &'a Complaint,
    pub(super) map: &'a mut Map,
    pub(super) rtts: Rtts,
    /// The largest packet that each host's interface sends, bytes.
    pub(super) mtus: BTreeMap<NodeId, f64>,
    /// Nodes that are hosts: they answer as hosts do, and limit as hosts do.
    pub(super) hosts: BTreeSet<NodeId>,
    /// The ends of the complaint.
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// Where counters counted.
    pub(super) places: Places,
    /// For pairs of hosts the application that got least.
    pub(super) slowest: BTreeMap<(NodeId, NodeId), String>,
    /// Of the record at hand, the elements that its packets may not cross.
    pub(super) maybe: Vec<ElementId>,
    /// The route that its packets took, where it tells which of several.
    pub(super) via: Option<Path>,
    pub(super) measurements: Vec<Measurement>,
}

impl Intake<'_> {
    /// The two ends of something that went from one node to another. A record that does not name its sender was made
    /// where it was observed; one that names nobody is of the transfer complained about.
    pub(super) fn ends(&mut self, from: &Node, to: &Node, vantage: &Node) -> Option<(NodeId, NodeId)> {
        self.maybe = [from, to]
            .into_iter()
            .flat_map(|node| self.beside_site(node))
            .collect();
        let [start, end] = [End::From, End::To].map(|end| self.map.find(&self.complaint.node(end)));
        let known = |node: &Node| self.map.find(node);
        let to = known(to);
        let from = known(from).or_else(|| known(vantage).filter(|place| Some(*place) != to));
        let (from, to) = match (from, to) {
            (Some(from), Some(to)) => (from, to),
            (None, Some(to)) if Some(to) == start => (end?, to),
            (None, Some(to)) => (start?, to),
            (Some(from), None) if Some(from) == end => (from, start?),
            (Some(from), None) => (from, end?),
            (None, None) => (start?, end?),
        };
        (from != to).then_some((from, to))
    }

    /// The host that a record names by its site alone, with the links next to it.
    fn beside_site(&mut self, node: &Node) -> Vec<ElementId> {
        let host = self.map.find(node).filter(|_| self.map.may_differ(node));
        let beside = |host| {
            let access = [true, false].map(|outbound| Element::Access { host, outbound });
            [Element::Host(host)].into_iter().chain(access)
        };
        let elements: Vec<Element> = host.into_iter().flat_map(beside).collect();
        elements
            .into_iter()
            .map(|element| self.map.intern(element))
            .collect()
    }

    /// The elements that packets cross from one node to another, hosts at its ends included.
    pub(super) fn way(&mut self, from: NodeId, to: NodeId) -> Vec<ElementId> {
        let mut all = vec![self.map.host(from)];
        let via = self.via.as_ref().and_then(|via| via.as_far_as(from, to));
        all.extend(via.unwrap_or_else(|| self.map.path(from, to)).ways);
        all.extend(self.counted(from, to));
        if self.hosts.contains(&to) {
            all.push(self.map.host(to));
        }
        all
    }

    /// The places that counters show on the way.
    pub(super) fn counted(&mut self, from: NodeId, to: NodeId) -> Vec<ElementId> {
        let path = self.map.path(from, to);
        self.places.on(self.map, &path)
    }

    /// What somebody counted on these elements.
    pub(super) fn put_count(
        &mut self,
        (from, to): (NodeId, NodeId),
        out: Vec<ElementId>,
        count: Count,
        trust: Trust,
        cites: Vec<ObservationId>,
    ) {
        self.measurements.push(Measurement {
            from,
            to,
            out,
            back: Vec::new(),
            seen: Seen::Count(count),
            trust,
            maybe: Vec::new(),
            routes: Vec::new(),
            cites,
        });
    }

    pub(super) fn put(&mut self, from: NodeId, to: NodeId, seen: Seen, trust: Trust, cites: &ObservationId) {
        let (mut out, back) = (self.way(from, to), self.way(to, from));
        let open = self.via.is_none();
        let routes = open.then(|| self.map.open_routes(from, to, &mut out));
        self.measurements.push(Measurement {
            from,
            to,
            out,
            back,
            seen,
            trust,
            maybe: self.maybe.clone(),
            routes: routes.unwrap_or_default(),
            cites: vec![cites.clone()],
        });
    }
}
