//! Which connections are told of: the largest are kept whole, of all others the sums.

use capture::causes::{Causes, Label};
use capture::flow::{FlowReport, HalfReport};
use capture::{FlowKey, Way};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The direction of a connection that carried most.
#[must_use]
pub(crate) fn main_way(flow: &FlowReport) -> Way {
    let [up, down] = &flow.halves;
    if down.unique_bytes > up.unique_bytes {
        Way::Down
    } else {
        Way::Up
    }
}

/// The half of the direction that carried most.
pub(crate) fn main_half(flow: &FlowReport) -> &HalfReport {
    &flow.halves[main_way(flow).index()]
}

/// Payload of both directions, each byte once.
pub(crate) fn bytes(flow: &FlowReport) -> u64 {
    flow.halves
        .iter()
        .map(|half| half.unique_bytes)
        .fold(0, u64::saturating_add)
}

/// The largest connection first; of equal ones the earlier.
type Rank = (u64, Reverse<i64>, Reverse<FlowKey>);

fn rank(flow: &FlowReport) -> Rank {
    (bytes(flow), Reverse(flow.first_ns), Reverse(flow.key))
}

struct Ranked(Box<FlowReport>);

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        rank(&self.0) == rank(&other.0)
    }
}
impl Eq for Ranked {}
impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        rank(&self.0).cmp(&rank(&other.0))
    }
}

/// Sums over connections.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) flows: u64,
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    pub(crate) data_packets: u64,
    pub(crate) retransmitted_packets: u64,
    /// Bytes that were acknowledged while this was the reason.
    pub(crate) by_label: BTreeMap<Label, u64>,
    /// Bytes that were acknowledged and never captured.
    pub(crate) unseen_bytes: u64,
    pub(crate) clock_went_back: u64,
}

impl Sums {
    fn count(&mut self, flow: &FlowReport) {
        self.flows += 1;
        self.bytes = self.bytes.saturating_add(bytes(flow));
        self.clock_went_back = self.clock_went_back.saturating_add(flow.clock_went_back);
        for half in &flow.halves {
            self.packets = self.packets.saturating_add(half.packets);
            self.data_packets = self.data_packets.saturating_add(half.data_packets);
            self.retransmitted_packets = self
                .retransmitted_packets
                .saturating_add(half.retransmitted_packets);
            self.unseen_bytes = self.unseen_bytes.saturating_add(half.unseen_bytes);
            for share in half.causes.iter().flat_map(|causes: &Causes| &causes.shares) {
                let sum = self.by_label.entry(share.label).or_default();
                *sum = sum.saturating_add(share.bytes);
            }
        }
    }

    fn add(&mut self, other: &Self) {
        self.flows += other.flows;
        self.packets = self.packets.saturating_add(other.packets);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.data_packets = self.data_packets.saturating_add(other.data_packets);
        self.retransmitted_packets = self
            .retransmitted_packets
            .saturating_add(other.retransmitted_packets);
        self.unseen_bytes = self.unseen_bytes.saturating_add(other.unseen_bytes);
        self.clock_went_back = self.clock_went_back.saturating_add(other.clock_went_back);
        for (label, bytes) in &other.by_label {
            let sum = self.by_label.entry(*label).or_default();
            *sum = sum.saturating_add(*bytes);
        }
    }
}

/// The largest connections, and sums over all.
pub(crate) struct Ranking {
    most: usize,
    /// The smallest is on top.
    kept: BinaryHeap<Reverse<Ranked>>,
    sums: Sums,
}

impl Ranking {
    pub(crate) fn keeping(most: usize) -> Self {
        Self {
            most,
            kept: BinaryHeap::new(),
            sums: Sums::default(),
        }
    }

    pub(crate) fn take(&mut self, flow: FlowReport) {
        self.sums.count(&flow);
        if self.kept.len() >= self.most
            && self
                .kept
                .peek()
                .is_none_or(|least| rank(&flow) <= rank(&least.0.0))
        {
            return;
        }
        self.kept.push(Reverse(Ranked(Box::new(flow))));
        if self.kept.len() > self.most {
            self.kept.pop();
        }
    }

    /// Several rankings of different connections as one: the largest first.
    pub(crate) fn joined(all: impl IntoIterator<Item = Self>) -> (Vec<FlowReport>, Sums) {
        let (mut kept, mut sums, mut most) = (Vec::new(), Sums::default(), 0);
        for ranking in all {
            most = most.max(ranking.most);
            sums.add(&ranking.sums);
            kept.extend(ranking.kept.into_iter().map(|Reverse(Ranked(flow))| *flow));
        }
        kept.sort_by_cached_key(|flow| Reverse(rank(flow)));
        kept.truncate(most);
        (kept, sums)
    }
}
