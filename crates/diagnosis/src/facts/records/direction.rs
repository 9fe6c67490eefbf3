//! How fast data go each way between two hosts. A path is two paths: what is slow one way and fast the other is no
//! matter of the hosts' processors, of the distance, nor of a window that is the same at both ends.

use super::ends::{direction, end_of};
use super::{Recorded, Records};
use crate::facts::Facts;
use evidence::{Complaint, Direction, End, Node, ObservationId, RateBps, Transfer, Transport};

/// Slower by this factor is slower: transfers over one path, one after the other, easily differ by a half.
const CLEARLY: f64 = 2.0;

/// The transfers one way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Way {
    pub(crate) from: Node,
    pub(crate) to: Node,
    /// The median of the rates.
    pub(crate) rate: RateBps,
    /// Rates with their records, slowest first.
    pub(crate) rates: Vec<(RateBps, ObservationId)>,
}

impl Way {
    pub(crate) fn cites(&self) -> Vec<ObservationId> {
        self.rates.iter().map(|(_, id)| id.clone()).collect()
    }

    /// Which way it is in the complaint; `None` between other hosts.
    pub(crate) fn direction(&self, complaint: &Complaint) -> Option<Direction> {
        match (end_of(&self.from, complaint), end_of(&self.to, complaint)) {
            (Some(from), Some(to)) if from != to => Some(from.outbound()),
            _ => None,
        }
    }
}

/// A pair of hosts with transfers both ways.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BothWays {
    pub(crate) slow: Way,
    pub(crate) fast: Way,
    /// Some transfers of each way had the same window, number of connections and congestion control, or none of them
    /// tells: then only those that have are compared.
    pub(crate) like_with_like: bool,
}

impl BothWays {
    /// The fast way's rate over the slow way's.
    pub(crate) fn ratio(&self) -> f64 {
        self.fast.rate.0 / self.slow.rate.0.max(1.0)
    }

    /// The two ways differ by more than transfers over one path do.
    pub(crate) fn differ(&self) -> bool {
        self.ratio() >= CLEARLY && self.slow.rates.iter().all(|(rate, _)| rate.0 < self.fast.rate.0)
    }

    pub(crate) fn cites(&self) -> Vec<ObservationId> {
        crate::judgement::join_cites([&self.slow.cites(), &self.fast.cites()])
    }
}

/// Every pair of hosts with TCP transfers (or such as do not say over what) both ways, in the order of their names.
pub(crate) fn both_ways(records: &Records) -> Vec<BothWays> {
    let mut transfers: Vec<&Recorded<Transfer>> = records
        .transfers
        .iter()
        .filter(|t| t.what.protocol != Some(Transport::Udp))
        .filter(|t| !t.what.from.is_unknown() && !t.what.to.is_unknown() && t.rate().is_some())
        .collect();
    transfers.sort_by(|a, b| (&a.what.from, &a.what.to, &a.id).cmp(&(&b.what.from, &b.what.to, &b.id)));
    let mut pairs: Vec<(&Node, &Node)> = Vec::new();
    for transfer in &transfers {
        let (a, b) = (&transfer.what.from, &transfer.what.to);
        let known = |(c, d): &(&Node, &Node)| same(a, c) && same(b, d) || same(a, d) && same(b, c);
        if !pairs.iter().any(known) {
            pairs.push((a, b));
        }
    }
    pairs
        .into_iter()
        .filter_map(|(a, b)| compare(&between(&transfers, a, b), &between(&transfers, b, a)))
        .collect()
}

/// The two ways between the ends of the complaint.
pub(crate) fn of_complaint(records: &Records, complaint: &Complaint) -> Option<BothWays> {
    both_ways(records)
        .into_iter()
        .find(|pair| pair.slow.direction(complaint).is_some())
}

fn same(a: &Node, b: &Node) -> bool {
    a.same_as(b) == Some(true)
}

fn between<'a>(transfers: &[&'a Recorded<Transfer>], from: &Node, to: &Node) -> Vec<&'a Recorded<Transfer>> {
    let along = |t: &&&Recorded<Transfer>| same(&t.what.from, from) && same(&t.what.to, to);
    transfers.iter().filter(along).copied().collect()
}

/// What goes with the data is slow, and fast against them.
pub(crate) struct FasterBack {
    pub(crate) slow: RateBps,
    pub(crate) fast: RateBps,
    pub(crate) cites: Vec<ObservationId>,
}

/// Of transfers with the same settings each is clearly faster against the data than with them: the slowest of both.
pub(crate) fn faster_back(facts: &Facts) -> Option<FasterBack> {
    let [there, back] = [End::From, End::To].map(|end| transfers(facts, end));
    let mut slowest = None;
    for (slow, t) in &there {
        for (fast, b) in back
            .iter()
            .filter(|(_, b)| settings(&b.what) == settings(&t.what))
        {
            if fast.0 < CLEARLY * slow.0 {
                return None;
            }
            slowest.get_or_insert((*slow, *fast, vec![t.id.clone(), b.id.clone()]));
        }
    }
    let (slow, fast, cites) = slowest?;
    let cites = crate::judgement::join_cites([&cites]);
    Some(FasterBack { slow, fast, cites })
}

/// The rates of TCP transfers from one end to the other, the slowest first.
fn transfers(facts: &Facts, from: End) -> Vec<(RateBps, &Recorded<Transfer>)> {
    let way = Some(from.outbound());
    let tcp = |t: &&Recorded<Transfer>| t.what.protocol != Some(Transport::Udp);
    let along = |t: &&Recorded<Transfer>| direction(&t.what.from, &t.what.to, &facts.complaint) == way;
    let all = facts.records.transfers.iter().filter(tcp).filter(along);
    let mut all: Vec<_> = all.filter_map(|t| Some((t.rate()?, t))).collect();
    all.sort_by(|(a, t), (b, u)| a.0.total_cmp(&b.0).then_with(|| t.id.cmp(&u.id)));
    all
}

/// What must agree for two transfers to be compared.
pub(super) type Settings<'a> = (Option<u64>, Option<u16>, Option<u32>, Option<&'a str>);

pub(super) fn settings(transfer: &Transfer) -> Settings<'_> {
    let control = transfer.congestion_control.as_deref();
    (
        transfer.window_bytes,
        transfer.streams,
        transfer.mss_bytes,
        control,
    )
}

fn compare(there: &[&Recorded<Transfer>], back: &[&Recorded<Transfer>]) -> Option<BothWays> {
    let has = |others: &[&Recorded<Transfer>], t: &Recorded<Transfer>| {
        others.iter().any(|o| settings(&o.what) == settings(&t.what))
    };
    let alike = |some: &[&Recorded<Transfer>], others: &[&Recorded<Transfer>]| {
        way(some.iter().copied().filter(|t| has(others, t)))
    };
    let (a, b, like_with_like) = match (alike(there, back), alike(back, there)) {
        (Some(a), Some(b)) => (a, b, true),
        _ => (way(there.iter().copied())?, way(back.iter().copied())?, false),
    };
    let (slow, fast) = if a.rate.0 <= b.rate.0 { (a, b) } else { (b, a) };
    Some(BothWays {
        slow,
        fast,
        like_with_like,
    })
}

fn way<'a>(transfers: impl Iterator<Item = &'a Recorded<Transfer>>) -> Option<Way> {
    let mut ends = None;
    let mut rates: Vec<(RateBps, ObservationId)> = transfers
        .filter_map(|t| {
            let rate = t.rate().filter(|rate| rate.0.is_finite())?;
            ends.get_or_insert_with(|| (t.what.from.clone(), t.what.to.clone()));
            Some((rate, t.id.clone()))
        })
        .collect();
    rates.sort_by(|(a, a_id), (b, b_id)| a.0.total_cmp(&b.0).then_with(|| a_id.cmp(b_id)));
    let (rate, _) = rates.get(rates.len().saturating_sub(1) / 2)?.clone();
    let (from, to) = ends?;
    Some(Way {
        from,
        to,
        rate,
        rates,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer(from: &str, to: &str, rate: f64, window: Option<u64>) -> Recorded<Transfer> {
        let what = Transfer {
            from: Node::named(from),
            to: Node::named(to),
            protocol: Some(Transport::Tcp),
            window_bytes: window,
            received_bps: Some(RateBps(rate)),
            ..Transfer::default()
        };
        Recorded {
            id: ObservationId(format!("{from}{to}{rate}")),
            vantage: Node::default(),
            at: None,
            what,
        }
    }

    fn of(transfers: Vec<Recorded<Transfer>>) -> Vec<BothWays> {
        both_ways(&Records {
            transfers,
            ..Records::default()
        })
    }

    #[test]
    fn each_pair_is_compared_both_ways_whatever_the_order() {
        let mut transfers = vec![
            transfer("a", "b", 2.4e3, None),
            transfer("B.", "A", 900e3, None),
            transfer("a", "c", 5e6, None),
        ];
        let found = of(transfers.clone());
        transfers.reverse();
        assert_eq!(of(transfers), found);
        let [pair] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert!(pair.differ() && pair.slow.from == Node::named("a") && (pair.ratio() - 375.0).abs() < 1e-9);
    }

    #[test]
    fn like_is_compared_with_like() {
        let found = of(vec![
            transfer("a", "b", 90e6, Some(4_000_000)),
            transfer("b", "a", 10e6, Some(64_000)),
            transfer("b", "a", 200e6, Some(4_000_000)),
        ]);
        let [pair] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert!(pair.like_with_like && pair.differ());
        assert_eq!((pair.slow.rate.0, pair.fast.rate.0), (90e6, 200e6));
    }

    #[test]
    fn ways_that_differ_by_less_than_chance_do_not_differ() {
        let found = of(vec![
            transfer("a", "b", 90e6, None),
            transfer("b", "a", 120e6, None),
        ]);
        assert!(found.iter().all(|pair| !pair.differ()));
        // One slow transfer of several is no slow way.
        let found = of(vec![
            transfer("a", "b", 90e6, None),
            transfer("a", "b", 91e6, None),
            transfer("a", "b", 300e6, None),
            transfer("b", "a", 200e6, None),
        ]);
        assert!(found.iter().all(|pair| !pair.differ()));
    }
}
