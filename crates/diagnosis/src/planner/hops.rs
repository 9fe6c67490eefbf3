//! What could be asked of the nodes along the path: which sizes reach them, how they answer, and loss up to one of them.

use super::asks::{Ideas, Purpose};
use super::streams::{LOSSES_WANTED, MOST_PPS, PER_HOP};
use super::suspicion::Suspicion;
use evidence::{Ask, End};
use model::{Delivery, Loss, Measurement, NodeId, Seen};

/// IPv4 packets of hop probes, as their cost assumes.
const PROBE_BYTES: f64 = 64.0;

impl Ideas<'_, '_> {
    /// Where path probes start and where they go.
    fn probed(&self) -> (NodeId, NodeId) {
        match self.view.probe_from {
            End::From => (self.gathered.from, self.gathered.to),
            End::To => (self.gathered.to, self.gathered.from),
        }
    }

    /// Loss up to each router that answers reliably.
    pub(super) fn hops(&mut self) {
        // Without a ratio nobody knows how many packets it takes: it is counted end to end first.
        let hunted = self
            .all
            .iter()
            .any(|idea| idea.purpose == Purpose::Hunt && idea.done);
        let counted = self.suspicion.lost >= Suspicion::LEAST_LOST;
        let suspected = self.suspicion.probability >= Suspicion::WORTH_TRYING;
        if !(counted || suspected && !hunted) || self.limiting_hops() > MOST_UNUSABLE {
            return;
        }
        let (from, to) = self.probed();
        let wanted = (PER_HOP / self.suspicion.loss_ratio).ceil();
        let half_the_path = self
            .view
            .proven_bps()
            .map_or(1_000.0, |bps| bps / 2.0 / (PROBE_BYTES * 8.0));
        let pps = half_the_path.clamp(100.0, MOST_PPS).floor();
        for hop in self.gathered.map.path(from, to).hops {
            if hop.node == to || !self.answers_reliably(hop.node) {
                continue;
            }
            let tested = self.tests(hop.node).any(|loss| loss.sent >= 0.8 * wanted);
            let ask = Ask::HopLoss {
                from: self.view.node(self.view.probe_from),
                to: self.view.node(self.view.probe_from.other()),
                ttls: vec![hop.ttl],
                count: wanted as u64,
                rate_pps: pps as u32,
            };
            let seen = pings(wanted, Some(pps * PROBE_BYTES * 8.0), true);
            let sees = vec![self.measured(from, hop.node, seen)];
            self.add(Purpose::Hop, ask, tested, sees);
        }
    }

    /// Loss tests of one hop.
    fn tests(&self, node: NodeId) -> impl Iterator<Item = &Loss> {
        let of_node = self.gathered.measurements.iter().filter(move |m| m.to == node);
        of_node.filter_map(Measurement::loss).filter(|loss| is_test(loss))
    }

    /// Hops that answered so few probes of a fast stream that they limit their answers.
    fn limiting_hops(&self) -> usize {
        const LIMITS: f64 = 4.0;
        let ratio = self.suspicion.loss_ratio;
        let tests = self.gathered.measurements.iter().filter_map(Measurement::loss);
        let limiting =
            |loss: &&Loss| is_test(loss) && loss.lost > (LIMITS * ratio * loss.sent).max(LOSSES_WANTED);
        tests.filter(limiting).count()
    }

    /// A hop that leaves out slow probes will leave out fast ones.
    fn answers_reliably(&self, node: NodeId) -> bool {
        const MISSING: f64 = 0.1;
        let of_node = self.gathered.measurements.iter().filter(|m| m.to == node);
        let slow = |loss: &&Loss| loss.round_trip && loss.offered_bps.is_none() && !loss.under_load;
        let mut slow = of_node.filter_map(Measurement::loss).filter(slow);
        slow.all(|loss| loss.lost < MISSING * loss.sent)
    }

    /// The nodes along the probed way, the destination last.
    fn nodes(&mut self) -> Vec<NodeId> {
        let (from, to) = self.probed();
        self.gathered
            .map
            .path(from, to)
            .hops
            .iter()
            .map(|hop| hop.node)
            .collect()
    }

    pub(super) fn sizes(&mut self) {
        let mtu = f64::from(self.view.interface_mtu_bytes());
        let sees = self.sizes_seen(self.probed(), mtu);
        let ask = Ask::PathMtu {
            from: self.view.node(self.view.probe_from),
            to: self.view.node(self.view.probe_from.other()),
        };
        self.add(Purpose::Sizes, ask, self.view.has_sizes(), sees);
    }

    /// What a search for the sizes that pass would see along a way: whether the largest packets arrive at each node.
    pub(super) fn sizes_seen(&mut self, (from, to): (NodeId, NodeId), mtu_bytes: f64) -> Vec<Measurement> {
        let size = |node: NodeId| {
            Seen::Delivery(Delivery {
                size_bytes: mtu_bytes,
                dont_fragment: true,
                sender_mtu_bytes: mtu_bytes,
                sent: 3.0,
                answered: 0.0,
                told: false,
                router_answers: node != to,
            })
        };
        let hops = self.gathered.map.path(from, to).hops;
        let one = |hop: &model::Hop| self.measured(from, hop.node, size(hop.node));
        hops.iter().map(one).collect()
    }

    pub(super) fn survey(&mut self) {
        const COUNT: u32 = 50;
        let (from, to) = self.probed();
        let seen = |node: NodeId| pings(f64::from(COUNT), None, node != to);
        let sees = self
            .nodes()
            .into_iter()
            .map(|node| self.measured(from, node, seen(node)))
            .collect();
        let largest = self.view.interface_mtu_bytes();
        let mut sizes_bytes = vec![64];
        sizes_bytes.extend([1_400, largest].into_iter().filter(|size| *size <= largest));
        sizes_bytes.dedup();
        let ask = Ask::Echo {
            from: self.view.node(self.view.probe_from),
            to: self.view.node(self.view.probe_from.other()),
            sizes_bytes,
            count: COUNT,
            interval_ms: 30,
        };
        self.add(Purpose::Survey, ask, self.view.has_survey(), sees);
    }
}

/// Whether it is a loss test of a hop: a fast stream that it answers.
fn is_test(loss: &Loss) -> bool {
    loss.round_trip && loss.router_answers && loss.offered_bps.is_some()
}

/// Where so many hops limit their answers, the others will as well, and each try takes its time.
const MOST_UNUSABLE: usize = 2;

/// Small probes that a node answers.
fn pings(sent: f64, offered_bps: Option<f64>, router_answers: bool) -> Seen {
    Seen::Loss(Loss {
        sent,
        offered_bps,
        round_trip: true,
        router_answers,
        size_bytes: Some(PROBE_BYTES),
        ..Loss::default()
    })
}
