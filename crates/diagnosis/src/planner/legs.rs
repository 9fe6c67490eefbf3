//! What could be measured from, to and between third places: the tests that are made between the two ends, over ways that share
//! a part of the path with them.
//!
//! Of a way that nobody has traced it is known before more is asked what it shares with the path. Until then it may join or
//! leave the path anywhere, and its trace is worth what could then be measured, on average: so a place in the middle of what is in
//! doubt is looked for where it may be.

use super::asks::{Ideas, Purpose, patience_ms, transfer};
use super::streams::{SMALL_BYTES, per_ms};
use super::view::best;
use evidence::{Ask, Node, Payload, ProbeProtocol, Probes, Transport};
use model::{Element, ElementId, Measurement, NodeId};

impl Ideas<'_, '_> {
    pub(super) fn legs(&mut self) {
        for (from, to) in self.view.legs() {
            let map = &self.gathered.map;
            if let (Some(first), Some(last)) = (map.find(&from), map.find(&to)) {
                self.leg((&from, &to), (first, last));
            }
        }
    }

    fn leg(&mut self, (from, to): (&Node, &Node), ids: (NodeId, NodeId)) {
        let is_there = |node: &Node| node.same_as(to) == Some(true);
        let seen = || self.view.seen_at(from);
        let traced = seen().any(|payload| matches!(payload, Payload::Trace(trace) if is_there(&trace.to)));
        let searched = |table: &Probes| {
            table.interface_mtu_bytes.is_some() && table.destination.as_ref().is_some_and(is_there)
        };
        let sized = seen().any(|payload| matches!(payload, Payload::Probes(table) if searched(table)));
        let route = Ask::Route {
            from: from.clone(),
            to: to.clone(),
            protocol: ProbeProtocol::Udp,
            flows: 1,
        };
        self.add(Purpose::Trace(ids.0, ids.1), route, traced, Vec::new());
        self.leg_transfers((from, to), ids);
        self.leg_sizes((from, to), ids, sized);
    }

    /// A plain transfer, and small packets for as long as the suspected loss takes to show.
    fn leg_transfers(&mut self, (from, to): (&Node, &Node), ids: (NodeId, NodeId)) {
        let purpose = Purpose::Leg(ids.0, ids.1);
        let made = || self.view.between((from, to));
        let (streams, transfers): (Vec<_>, Vec<_>) =
            made().partition(|transfer| transfer.protocol == Some(Transport::Udp));
        let half = best(made()).map_or(f64::INFINITY, |bps| bps / 2.0);
        let sent: u64 = streams.iter().filter_map(|stream| stream.packets_sent).sum();
        let ask = transfer(
            (from.clone(), to.clone()),
            1,
            None,
            patience_ms(self.rtt_ms),
            false,
        );
        self.tcp_between(ids, purpose, ask, !transfers.is_empty());
        let bps = self.gentle_bps().min(half);
        let ms = self.long_ms(per_ms(bps), 0.0);
        let counted = sent as f64 >= 0.8 * ms * per_ms(bps);
        let ends = (from.clone(), to.clone());
        self.stream_between(ends, ids, purpose, (SMALL_BYTES, bps, ms), counted);
    }

    /// What a measurement between two would be over each way that it may go. One where that is known, or guessed to its end from
    /// other ways (`model/src/map/guess.rs`).
    pub(super) fn over_ways(&mut self, one: Measurement) -> Vec<Vec<Measurement>> {
        let map = &mut self.gathered.map;
        let path = map.path(one.from, one.to);
        let is_open = |id: &ElementId| matches!(map.element(*id), Element::Stretch { .. });
        let (from, to) = (self.gathered.from, self.gathered.to);
        let is_end = |node: NodeId| node == from || node == to;
        if path.traced || !path.ways.iter().any(is_open) || is_end(one.from) == is_end(one.to) {
            return vec![vec![one]];
        }
        // A way from an end leaves the path from there, and a way to an end joins the path that leads there.
        let leaves = is_end(one.from);
        let (start, end) = match (leaves, one.from == from, one.to == to) {
            (true, true, _) | (false, _, true) => (from, to),
            _ => (to, from),
        };
        let along = map.path(start, end);
        let (first, last) = (map.host(one.from), map.host(one.to));
        let stops = along.hops.iter().zip(1..).filter(|(hop, _)| hop.node != end);
        stops
            .map(|(hop, crossed)| {
                let rest = if leaves {
                    (hop.node, one.to)
                } else {
                    (one.from, hop.node)
                };
                let rest = map.somewhere(rest.0, rest.1);
                let out = match leaves {
                    true => [
                        &[first],
                        &along.ways[..crossed.min(along.ways.len())],
                        &[rest, last],
                    ]
                    .concat(),
                    false => [
                        &[first, rest],
                        &along.ways[crossed.min(along.ways.len())..],
                        &[last],
                    ]
                    .concat(),
                };
                vec![Measurement {
                    out,
                    routes: Vec::new(),
                    ..one.clone()
                }]
            })
            .collect()
    }

    fn leg_sizes(&mut self, (from, to): (&Node, &Node), ids: (NodeId, NodeId), done: bool) {
        let mtu = f64::from(self.view.mtu_bytes_at(from));
        let sees = self.sizes_seen(ids, mtu);
        let ask = Ask::PathMtu {
            from: from.clone(),
            to: to.clone(),
        };
        self.add(Purpose::Leg(ids.0, ids.1), ask, done, sees);
    }
}
