//! Which connections are told of: the largest are kept whole, of all others the sums.

use capture::flow::{Brief, Extent, FlowReport, HalfReport, Sink};
use capture::{FlowKey, Way};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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

/// As far as it is known before a connection is handed out.
type Size = (u64, Reverse<i64>);

fn size(extent: &Extent) -> Size {
    (extent.unique_bytes, Reverse(extent.first_ns))
}

struct Ranked(Box<FlowReport>);

impl Ranked {
    fn size(&self) -> Size {
        let (bytes, first, _) = rank(&self.0);
        (bytes, first)
    }
}

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
    pub(crate) all: Brief,
}

impl Sums {
    fn count(&mut self, flow: &Brief) {
        self.flows += flow.connections;
        self.all.add(flow);
    }

    fn add(&mut self, other: &Self) {
        self.flows += other.flows;
        self.all.add(&other.all);
    }
}

/// The largest connections, and sums over all.
pub(crate) struct Ranking {
    most: usize,
    /// The smallest is on top.
    kept: BinaryHeap<Reverse<Ranked>>,
    /// Likewise of those that have ended and are yet to come: thousands of connections may end before the first is handed
    /// out, and only as many of them as are kept are worth being looked at.
    expected: BinaryHeap<Reverse<Size>>,
    sums: Sums,
}

impl Ranking {
    pub(crate) fn keeping(most: usize) -> Self {
        Self {
            most,
            kept: BinaryHeap::new(),
            expected: BinaryHeap::new(),
            sums: Sums::default(),
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

impl Sink for Ranking {
    /// Whether it may be among the largest.
    fn wants(&self, extent: &Extent) -> bool {
        let size = size(extent);
        let kept = self.kept.peek().filter(|_| self.kept.len() >= self.most);
        let expected = self.expected.peek().filter(|_| self.expected.len() >= self.most);
        kept.is_none_or(|Reverse(least)| size >= least.size())
            && expected.is_none_or(|Reverse(least)| size >= *least)
    }

    fn expect(&mut self, extent: &Extent) {
        self.expected.push(Reverse(size(extent)));
        if self.expected.len() > self.most {
            self.expected.pop();
        }
    }

    fn whole(&mut self, flow: FlowReport) {
        self.sums.count(&Brief::of(&flow));
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

    fn brief(&mut self, flow: &Brief) {
        self.sums.count(flow);
    }
}
