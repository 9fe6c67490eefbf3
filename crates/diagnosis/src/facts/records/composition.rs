//! Transfers between several hosts whose paths are parts of one another: A to B is fast, B to C is fast, and A to C, over
//! the same links, is slow. Nothing contradicts there: what costs a share of the rate per round trip costs more over the
//! sum of two round trips than over each.

use super::composition_fit::{Hypothesis, hypotheses};
use super::{Recorded, Records, answered, ends, hops};
use crate::facts::Facts;
use evidence::{Direction, Node, ObservationId, Trace, TraceFlow, Transport};

/// Transfers from one host to another, with the route that they take.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) from: Node,
    pub(crate) to: Node,
    /// Of several transfers the median.
    pub(crate) rate_bps: f64,
    /// Parallel connections; `None` where no record tells.
    pub(crate) streams: Option<u16>,
    /// Window of each connection; `None` where no record tells.
    pub(crate) window_bytes: Option<u64>,
    pub(crate) rtt_s: f64,
    /// Who answered, in the order of the path, the destination left out.
    pub(crate) hops: Vec<Node>,
    pub(crate) cites: Vec<ObservationId>,
}

/// A slow path that is made of two fast ones.
#[derive(Debug, Clone)]
pub(crate) struct Composition {
    /// All pairs with a rate, a route and a round-trip time.
    pub(crate) pairs: Vec<Pair>,
    /// Indices into `pairs`: from the first host to the one in the middle, from there to the last, and all the way.
    pub(crate) head: usize,
    pub(crate) tail: usize,
    pub(crate) whole: usize,
    /// Hops of the whole way that answer, and how many of them are on the two parts.
    pub(crate) hops: (usize, usize),
    /// The last hop that the whole way shares with the first part, and the first that it shares with the second.
    pub(crate) parting: Option<Node>,
    pub(crate) joining: Option<Node>,
    /// What could make the whole way slow, each with the rates that it predicts.
    pub(crate) hypotheses: Vec<Hypothesis>,
}

/// Slower than each of its parts by this factor is slow.
const SLOWER: f64 = 3.0;

/// This share of the hops of the whole way must be on the parts.
const COVERED: f64 = 0.8;

/// More pairs than these are a mesh: the first ones by name stand for it.
const MOST_PAIRS: usize = 100;

impl Composition {
    /// The one with the largest contrast; `None` without routes that show the path to be the same.
    pub(crate) fn find(records: &Records) -> Option<Self> {
        let pairs = pairs(records);
        let mut candidates = candidates(&pairs);
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        candidates
            .into_iter()
            .find_map(|(_, [head, tail, whole])| Self::of(&pairs, head, tail, whole))
    }
    fn of(pairs: &[Pair], head: usize, tail: usize, whole: usize) -> Option<Self> {
        let (first, second, slow) = (pairs.get(head)?, pairs.get(tail)?, pairs.get(whole)?);
        let on = |pair: &Pair, hop: &Node| pair.hops.iter().any(|other| is_same_hop(hop, other));
        let covered = slow
            .hops
            .iter()
            .filter(|hop| on(first, hop) || on(second, hop))
            .count();
        if slow.hops.is_empty() || (covered as f64) < COVERED * slow.hops.len() as f64 {
            return None;
        }
        let shared_head = slow.hops.iter().rposition(|hop| on(first, hop));
        let shared_tail = slow.hops.iter().position(|hop| on(second, hop));
        let stretch = |from: usize, to: usize| slow.hops.get(from..to).unwrap_or(&[]).to_vec();
        let head_hops = shared_head.map_or_else(Vec::new, |last| stretch(0, last + 1));
        let tail_hops = shared_tail.map_or_else(Vec::new, |first| stretch(first, slow.hops.len()));
        let at = |index: Option<usize>| slow.hops.get(index?).cloned();
        Some(Self {
            hypotheses: hypotheses(pairs, whole, &head_hops, &tail_hops),
            pairs: pairs.to_vec(),
            head,
            tail,
            whole,
            hops: (slow.hops.len(), covered),
            parting: at(shared_head),
            joining: at(shared_tail),
        })
    }

    /// The three pairs: first part, second part, the whole way.
    pub(crate) fn three(&self) -> Option<(&Pair, &Pair, &Pair)> {
        Some((
            self.pairs.get(self.head)?,
            self.pairs.get(self.tail)?,
            self.pairs.get(self.whole)?,
        ))
    }
}

impl Pair {
    /// Whether its route passes a stretch in the same direction: two hops of it in the same order, or its only one.
    pub(crate) fn passes(&self, stretch: &[Node]) -> bool {
        let mut at = 0;
        let mut met = 0;
        for hop in stretch {
            let rest = self.hops.get(at..).unwrap_or(&[]);
            if let Some(place) = rest.iter().position(|other| is_same_hop(hop, other)) {
                at += place + 1;
                met += 1;
            }
        }
        met >= stretch.len().min(2) && met > 0
    }

    /// The direction of the complaint in which its data run, where its path shares hops with one between the ends.
    pub(crate) fn runs_with(&self, facts: &Facts) -> Option<Direction> {
        let mut told = facts.records.traces.iter().filter_map(|trace| {
            let direction = ends::direction(&trace.what.from, &trace.what.to, &facts.complaint)?;
            let shared: Vec<Node> = trace
                .what
                .hops()
                .filter_map(answered)
                .filter(|node| self.hops.iter().any(|hop| is_same_hop(node, hop)))
                .cloned()
                .collect();
            (shared.len() >= 2 && self.passes(&shared)).then_some(direction)
        });
        let first = told.next()?;
        told.all(|other| other == first).then_some(first)
    }
}

/// Pairs that meet in the middle: the contrast, and which they are.
fn candidates(pairs: &[Pair]) -> Vec<(f64, [usize; 3])> {
    let mut found = Vec::new();
    for (whole, slow) in pairs.iter().enumerate() {
        let fast = |pair: &Pair| pair.rate_bps >= SLOWER * slow.rate_bps;
        let parts = |alike: &dyn Fn(&Pair) -> bool| -> Vec<(usize, &Pair)> {
            pairs
                .iter()
                .enumerate()
                .filter(|(_, pair)| fast(pair) && alike(pair))
                .collect()
        };
        let heads = parts(&|pair| ends::is_same_host(&pair.from, &slow.from));
        let tails = parts(&|pair| ends::is_same_host(&pair.to, &slow.to));
        for (head, first) in &heads {
            for (tail, second) in tails
                .iter()
                .filter(|(_, second)| ends::is_same_place(&first.to, &second.from))
            {
                let contrast = first.rate_bps.min(second.rate_bps) / slow.rate_bps;
                found.push((contrast, [*head, *tail, whole]));
            }
        }
    }
    found
}

/// By address where both have one: names of interfaces tell directions apart, as addresses do.
pub(crate) fn is_same_hop(a: &Node, b: &Node) -> bool {
    match (a.address, b.address) {
        (Some(a), Some(b)) => a == b,
        _ => a.same_as(b) == Some(true),
    }
}

/// All pairs of which rate, route and round-trip time are known, by name.
fn pairs(records: &Records) -> Vec<Pair> {
    let mut groups: std::collections::BTreeMap<(Node, Node), Vec<usize>> = std::collections::BTreeMap::new();
    for (index, transfer) in records.transfers.iter().enumerate() {
        let named = !transfer.what.from.is_unknown() && !transfer.what.to.is_unknown();
        if named && transfer.what.protocol != Some(Transport::Udp) {
            let key = (transfer.what.from.clone(), transfer.what.to.clone());
            groups.entry(key).or_default().push(index);
        }
    }
    groups
        .into_iter()
        .filter_map(|((from, to), members)| pair(records, from, to, &members))
        .take(MOST_PAIRS)
        .collect()
}

fn pair(records: &Records, from: Node, to: Node, members: &[usize]) -> Option<Pair> {
    let transfers: Vec<_> = members
        .iter()
        .filter_map(|index| records.transfers.get(*index))
        .collect();
    let mut rates: Vec<f64> = transfers
        .iter()
        .filter_map(|transfer| Some(transfer.rate()?.0))
        .filter(|rate| rate.is_finite() && *rate > 0.0)
        .collect();
    rates.sort_by(f64::total_cmp);
    let rate_bps = rates.get(rates.len().checked_sub(1)? / 2).copied()?;
    let (hops, rtt_ns, trace) = route(records, &from, &to)?;
    let mut cites: Vec<ObservationId> = transfers.iter().map(|transfer| transfer.id.clone()).collect();
    cites.push(trace);
    cites.sort();
    Some(Pair {
        rate_bps,
        streams: transfers
            .iter()
            .filter_map(|t| t.what.streams)
            .filter(|streams| *streams > 0)
            .max(),
        window_bytes: transfers.iter().filter_map(|t| t.what.window_bytes).max(),
        rtt_s: rtt_ns as f64 / 1e9,
        hops,
        cites,
        from,
        to,
    })
}

/// The route between two hosts, in the direction of the data; of the same site where no trace is of the same hosts.
fn route(records: &Records, from: &Node, to: &Node) -> Option<(Vec<Node>, u64, ObservationId)> {
    let of = |alike: fn(&Node, &Node) -> bool| {
        let between = |t: &&Recorded<Trace>| alike(&t.what.from, from) && alike(&t.what.to, to);
        let traces = records.traces.iter().filter(between);
        traces
            .filter(|trace| trace.what.reached != Some(false))
            .flat_map(|trace| trace.what.flows.iter().map(move |flow| (flow, &trace.id)))
            .filter_map(|(flow, id)| {
                let (nodes, rtt_ns) = reached(flow)?;
                Some((rtt_ns, nodes, id.clone()))
            })
            .min()
    };
    let (rtt_ns, hops, id) = of(ends::is_same_host).or_else(|| of(ends::is_same_place))?;
    Some((hops, rtt_ns, id))
}

/// Hops that answered, without the destination, and the round-trip time to it; `None` where it was not reached.
fn reached(flow: &TraceFlow) -> Option<(Vec<Node>, u64)> {
    let (last, before) = hops(flow).split_last()?;
    let rtts = last.answers.iter().filter_map(|answer| answer.rtt_ns);
    let rtt_ns = rtts.filter(|ns| *ns > 0).min()?;
    Some((before.iter().filter_map(answered).cloned().collect(), rtt_ns))
}
