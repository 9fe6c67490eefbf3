//! Which way the route went over time: route archives and dated traces as one line of time.

use crate::records::direction;
use crate::records::{Records, answered, hops};
use evidence::{Complaint, End, Node, ObservationId, Timestamp, Trace};
use stats::Span;
use std::collections::BTreeMap;

/// A hop by its number in [`Timeline::hops`]; `None`: silent.
pub(crate) type Hop = Option<u32>;

/// The routes of one direction over time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timeline {
    /// Every node that appears as a hop.
    pub(crate) hops: Vec<Node>,
    /// Every different route: its hops in their order, from hop 1.
    pub(crate) routes: Vec<Vec<Hop>>,
    /// (when, index into `routes`), in the order of time.
    pub(crate) sightings: Vec<(Timestamp, usize)>,
    /// Routes that were seen nobody knows when.
    undated: Vec<usize>,
    /// When the route became another: from one sighting to the next.
    pub(crate) changes: Vec<Span>,
    pub(crate) cites: Vec<ObservationId>,
}

impl Timeline {
    /// All that the records show of the routes from `from` to the other end.
    pub(crate) fn derive(records: &Records, complaint: &Complaint, from: End) -> Self {
        let mut builder = Builder::default();
        for history in &records.histories {
            let what = &history.what;
            if !leads(&what.from, &what.to, complaint, from) {
                continue;
            }
            // Each route once: an archive looks at the same ones over and over.
            let known: Vec<Option<usize>> = what
                .routes
                .iter()
                .map(|route| builder.route(route.hops.iter()))
                .collect();
            for (at, index) in &what.seen {
                if let Some(Some(route)) = known.get(*index as usize) {
                    builder.timeline.sightings.push((*at, *route));
                }
            }
            builder.timeline.cites.push(history.id.clone());
        }
        for trace in &records.traces {
            let what = &trace.what;
            let complete = what.reached != Some(false);
            if !leads(&what.from, &what.to, complaint, from) {
                continue;
            }
            match (builder.route(nodes(what).iter()), trace.at.filter(|_| complete)) {
                (Some(route), Some(at)) => builder.timeline.sightings.push((at, route)),
                (Some(route), None) => builder.timeline.undated.push(route),
                (None, _) => {}
            }
            builder.timeline.cites.push(trace.id.clone());
        }
        builder.finish()
    }

    pub(crate) fn route(&self, index: usize) -> &[Hop] {
        self.routes.get(index).map_or(&[], Vec::as_slice)
    }

    /// The hops that stand for now: those seen last, as an archive holds all there ever were, and those without a time.
    pub(crate) fn now(&self) -> impl Iterator<Item = &Node> {
        let last = self.sightings.last().map(|(_, route)| route);
        let routes = self.undated.iter().chain(last);
        routes.flat_map(|route| self.nodes(*route)).flatten()
    }

    /// The nodes of a route from hop 1; `None`: silent.
    pub(crate) fn nodes(&self, route: usize) -> impl Iterator<Item = Option<&Node>> {
        let hops = self.route(route).iter();
        hops.map(|hop| self.hops.get((*hop)? as usize))
    }

    /// A hop's name and address as one reads them.
    pub(crate) fn words(&self, hop: u32) -> String {
        self.hops
            .get(hop as usize)
            .map_or_else(String::new, Node::to_string)
    }
}

/// Whether a record is about the way from `start` to the other end. One that names neither host is taken for that of
/// the data: whoever adds it to the case means it.
fn leads(from: &Node, to: &Node, complaint: &Complaint, start: End) -> bool {
    let nameless = from.is_unknown() && to.is_unknown();
    nameless && start == End::From || direction(from, to, complaint) == Some(start.outbound())
}

/// One node a TTL. Where the flows of a trace differ, ways lie side by side, and which of them a later trace takes is no
/// change: as if nobody had answered there.
fn nodes(trace: &Trace) -> Vec<Node> {
    let all = || trace.flows.iter().flat_map(hops);
    let one = |ttl: u8| {
        let mut nodes = all().filter(|hop| hop.ttl == ttl).filter_map(answered);
        let first = nodes.next()?;
        nodes.all(|node| node == first).then(|| first.clone())
    };
    let last = all().map(|hop| hop.ttl).max().unwrap_or(0);
    (1..=last).map(|ttl| one(ttl).unwrap_or_default()).collect()
}

#[derive(Default)]
struct Builder {
    timeline: Timeline,
    numbers: BTreeMap<Node, u32>,
    routes: BTreeMap<Vec<Hop>, usize>,
}

impl Builder {
    /// The number of a route; `None` where all of it was silent.
    fn route<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>) -> Option<usize> {
        let hops: Vec<Hop> = nodes.map(|node| self.number(node)).collect();
        if hops.iter().all(Option::is_none) {
            return None;
        }
        let next = self.timeline.routes.len();
        let index = *self.routes.entry(hops).or_insert_with_key(|hops| {
            self.timeline.routes.push(hops.clone());
            next
        });
        Some(index)
    }

    /// A hop goes by its address where it has one: names of one router differ between tools.
    fn number(&mut self, node: &Node) -> Hop {
        if node.is_unknown() {
            return None;
        }
        let key = Node {
            name: node.name.clone().filter(|_| node.address.is_none()),
            address: node.address,
        };
        let next = u32::try_from(self.timeline.hops.len()).ok()?;
        let number = *self.numbers.entry(key).or_insert_with(|| {
            self.timeline.hops.push(node.clone());
            next
        });
        if let Some(known) = self.timeline.hops.get_mut(number as usize) {
            known.name = known.name.take().or_else(|| node.name.clone());
        }
        Some(number)
    }

    fn finish(mut self) -> Timeline {
        let timeline = &mut self.timeline;
        let routes = &timeline.routes;
        timeline
            .sightings
            .sort_by(|(a, r), (b, s)| a.cmp(b).then_with(|| routes.get(*r).cmp(&routes.get(*s))));
        timeline.sightings.dedup();
        timeline.changes = changes(&timeline.sightings, &timeline.routes);
        timeline.cites = crate::judgement::join_cites([&timeline.cites]);
        self.timeline
    }
}

fn changes(sightings: &[(Timestamp, usize)], routes: &[Vec<Hop>]) -> Vec<Span> {
    let of = |index: usize| routes.get(index).map_or(&[][..], Vec::as_slice);
    sightings
        .iter()
        .zip(sightings.iter().skip(1))
        .filter(|((_, old), (_, new))| old != new && !may_be_one(of(*old), of(*new)))
        .map(|((from, _), (to, _))| Span { from: *from, to: *to })
        .collect()
}

/// Two routes that differ only where a hop was silent may be one.
fn may_be_one(a: &[Hop], b: &[Hop]) -> bool {
    let fits = |(a, b): (&Hop, &Hop)| a == b || a.is_none() || b.is_none();
    a.len() == b.len() && a.iter().zip(b).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hops(text: &str) -> Vec<Hop> {
        text.chars().map(|c| c.to_digit(36)).collect()
    }

    #[test]
    fn a_silent_hop_is_no_other_route() {
        let routes = vec![hops("123"), hops("1*3"), hops("143")];
        let at = |hour: i64, route| (Timestamp(hour * 3_600_000_000_000), route);
        let found = changes(&[at(0, 0), at(1, 1), at(2, 0), at(3, 2)], &routes);
        let (from, to) = (at(2, 0).0, at(3, 2).0);
        assert_eq!(found, [Span { from, to }]);
    }
}
