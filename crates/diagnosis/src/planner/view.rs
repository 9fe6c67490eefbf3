//! What was done already in this round, and what it showed of itself.

use super::means::{self, Means};
use evidence::{
    Case, Complaint, EchoContext, End, Node, Observation, Payload, Probes, Trace, Transfer, Transport,
};

/// A round as the planner sees it.
pub(super) struct View<'a> {
    pub(super) complaint: &'a Complaint,
    pub(super) observations: Vec<&'a Observation>,
    pub(super) means: &'a Means,
    /// Both ends take part.
    pub(super) both_ends: bool,
    /// Where path probes for the data's way start; the receiver's side only when nothing better is to be had.
    pub(super) probe_from: End,
}

impl<'a> View<'a> {
    pub(super) fn of(case: &'a Case, round: u32, means: &'a Means) -> Self {
        let observations: Vec<&Observation> = case.round(round).collect();
        let both_ends = means.far_end && !means::far_end_lost(&observations, &case.complaint);
        let local = case.complaint.local_end;
        Self {
            complaint: &case.complaint,
            probe_from: if both_ends && means.far_end_probes {
                End::From
            } else {
                local
            },
            observations,
            means,
            both_ends,
        }
    }

    pub(super) fn node(&self, end: End) -> Node {
        self.complaint.node(end)
    }

    /// The sender and the receiver.
    pub(super) fn with_data(&self) -> (Node, Node) {
        (self.node(End::From), self.node(End::To))
    }

    fn at(&self, end: End) -> impl Iterator<Item = &'a Payload> {
        let here = move |o: &&&Observation| self.complaint.end_of(&o.provenance.vantage) == Some(end);
        self.observations.iter().filter(here).map(|o| &o.payload)
    }

    pub(super) fn has_settings(&self, end: End) -> bool {
        self.at(end)
            .any(|payload| matches!(payload, Payload::HostFacts(_)))
    }

    pub(super) fn has_route(&self) -> bool {
        let goes_there = |trace: &Trace| !self.goes_elsewhere(&trace.to);
        self.at(self.probe_from)
            .any(|payload| matches!(payload, Payload::Trace(trace) if goes_there(trace)))
    }

    /// Whether probes from an end go to a third place, and not to the other end.
    fn goes_elsewhere(&self, to: &Node) -> bool {
        let is_it = |place: &Node| place.same_as(to) == Some(true);
        self.means.third_places.iter().any(is_it)
    }

    /// Tables of probes along the data's way.
    fn tables(&self) -> impl Iterator<Item = &'a Probes> {
        let goes_there = |probes: &&Probes| {
            let to = probes.destination.as_ref();
            !to.is_some_and(|to| self.goes_elsewhere(to))
        };
        self.at(self.probe_from)
            .filter_map(|payload| match payload {
                Payload::Probes(probes) => Some(probes),
                _ => None,
            })
            .filter(goes_there)
    }

    /// A search for the sizes that pass tells the interface's own.
    pub(super) fn has_sizes(&self) -> bool {
        self.tables().any(|table| table.interface_mtu_bytes.is_some())
    }

    /// A single row is a loss test of one hop, not a look at all of them.
    pub(super) fn has_survey(&self) -> bool {
        self.tables()
            .any(|table| table.context == Some(EchoContext::Idle) && table.rows.len() != 1)
    }

    /// The largest packet that leaves where path probes start, bytes.
    pub(super) fn interface_mtu_bytes(&self) -> u32 {
        mtu_bytes(self.at(self.probe_from))
    }

    /// The largest packet that leaves this place, bytes.
    pub(super) fn mtu_bytes_at(&self, place: &Node) -> u32 {
        mtu_bytes(self.seen_at(place))
    }

    /// The third places that take part.
    pub(super) fn third_places(&self) -> impl Iterator<Item = &'a Node> {
        let lost = |place: &&Node| means::place_lost(&self.observations, place);
        self.means.third_places.iter().filter(move |place| !lost(place))
    }

    /// What somebody at a place observed.
    pub(super) fn seen_at(&self, place: &Node) -> impl Iterator<Item = &'a Payload> {
        let here = move |o: &&&Observation| o.provenance.vantage.same_as(place) == Some(true);
        self.observations.iter().filter(here).map(|o| &o.payload)
    }

    /// Any two who can measure between each other, in both orders, but for the two ends.
    pub(super) fn legs(&self) -> Vec<(Node, Node)> {
        let local = self.complaint.local_end;
        let far = Some(local.other()).filter(|_| self.both_ends && self.means.far_end_probes);
        let ends: Vec<Node> = [Some(local), far]
            .into_iter()
            .flatten()
            .map(|end| self.node(end))
            .collect();
        let thirds: Vec<&Node> = self.third_places().collect();
        let all = || ends.iter().chain(thirds.iter().copied());
        let is_third = |node: &Node| thirds.contains(&node);
        all()
            .flat_map(|from| all().map(move |to| (from, to)))
            .filter(|(from, to)| from != to && (is_third(from) || is_third(to)))
            .map(|(from, to)| (from.clone(), to.clone()))
            .collect()
    }

    /// Transfers from one of two to the other.
    pub(super) fn between(&self, (from, to): (&Node, &Node)) -> impl Iterator<Item = &'a Transfer> {
        let is = |one: &Node, other: &Node| one.same_as(other) == Some(true);
        self.observations.iter().filter_map(move |o| match &o.payload {
            Payload::Transfer(transfer) => {
                (is(&transfer.from, from) && is(&transfer.to, to)).then_some(transfer.as_ref())
            }
            _ => None,
        })
    }

    /// Transfers from one end to the other.
    pub(super) fn transfers(&self, sender: End) -> impl Iterator<Item = &'a Transfer> {
        let complaint = self.complaint;
        self.observations.iter().filter_map(move |o| match &o.payload {
            Payload::Transfer(transfer) => {
                let ends = (complaint.end_of(&transfer.from), complaint.end_of(&transfer.to));
                (ends == (Some(sender), Some(sender.other()))).then_some(transfer.as_ref())
            }
            _ => None,
        })
    }

    /// TCP transfers with the data.
    pub(super) fn tcp(&self) -> impl Iterator<Item = &'a Transfer> {
        self.transfers(End::From)
            .filter(|t| t.protocol != Some(Transport::Udp))
    }

    /// UDP streams of an end.
    pub(super) fn udp(&self, sender: End) -> impl Iterator<Item = &'a Transfer> {
        self.transfers(sender)
            .filter(|t| t.protocol == Some(Transport::Udp))
    }

    /// Transfers of one connection that nothing was asked of.
    pub(super) fn plain(&self) -> impl Iterator<Item = &'a Transfer> {
        self.tcp()
            .filter(|t| t.streams.unwrap_or(1) <= 1 && t.mss_bytes.is_none() && t.window_bytes.is_none())
    }

    /// The median rate of the plain transfers, bit/s.
    pub(super) fn plain_bps(&self) -> Option<f64> {
        let mut rates: Vec<f64> = self.plain().filter_map(rate).collect();
        rates.sort_by(f64::total_cmp);
        rates.get(rates.len().checked_sub(1)? / 2).copied()
    }

    /// The rate of the slowest plain transfer, bit/s.
    pub(super) fn slowest_bps(&self) -> Option<f64> {
        self.plain().filter_map(rate).min_by(f64::total_cmp)
    }

    /// The best rate that TCP reached with the data, bit/s.
    pub(super) fn best_tcp_bps(&self) -> Option<f64> {
        best(self.tcp())
    }

    /// The best rate that anything reached with the data, bit/s: what the path has proved to carry.
    pub(super) fn proven_bps(&self) -> Option<f64> {
        best(self.transfers(End::From))
    }
}

fn mtu_bytes<'a>(mut seen: impl Iterator<Item = &'a Payload>) -> u32 {
    let own = seen.find_map(|payload| match payload {
        Payload::HostFacts(facts) => facts.interface.as_ref()?.mtu_bytes,
        Payload::Probes(table) => table.interface_mtu_bytes,
        _ => None,
    });
    own.unwrap_or(1_500)
}

pub(super) fn best<'a>(transfers: impl Iterator<Item = &'a Transfer>) -> Option<f64> {
    let rates = transfers.filter_map(rate);
    rates.max_by(f64::total_cmp).filter(|bps| *bps > 0.0)
}

fn rate(transfer: &Transfer) -> Option<f64> {
    let bps = transfer.steady_bps.or(transfer.received_bps)?.0;
    bps.is_finite().then_some(bps.max(0.0))
}
