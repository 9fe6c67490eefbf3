//! A to B is fast, B to C is fast, A to C is slow over the same links: why that is no contradiction, what can make it so, and
//! what would tell. What costs a share of the rate per round trip costs more over the sum of two round trips than over each.

use crate::facts::Facts;
use crate::faults::words;
use crate::records;
use crate::records::{Records, answered, hops};
use evidence::{Location, Nanos, Node, ObservationId, RateBps, RedHerring, TraceFlow, Transport};
use model::Control;
use model::forward::{Connection, window_bps};
use std::collections::BTreeMap;

/// Transfers from one host to another, with the route that they take.
#[derive(Debug, Clone)]
struct Pair {
    from: Node,
    to: Node,
    /// Of several transfers the median.
    rate_bps: f64,
    /// Parallel connections; `None` where no record tells.
    streams: Option<u16>,
    rtt_s: f64,
    /// Who answered, in the order of the path, the destination left out.
    hops: Vec<Node>,
    cites: Vec<ObservationId>,
}

/// A slow path that is made of two fast ones.
struct Composition<'a> {
    first: &'a Pair,
    second: &'a Pair,
    whole: &'a Pair,
    /// How many hops of the whole way are on the two parts.
    covered: usize,
    /// Parallel connections of each, as far as the records of these pairs tell.
    streams: f64,
}

/// Slower than each of its parts by this factor is slow.
const SLOWER: f64 = 3.0;
/// This share of the hops of the whole way must be on the parts.
const COVERED: f64 = 0.8;
/// More pairs than these are a mesh: the first ones by name stand for it.
const MOST_PAIRS: usize = 100;
/// A model and a measurement may differ by this factor.
const FACTOR: f64 = 2.0;
/// Segment size without a record of it, bytes.
const USUAL_MSS_BYTES: f64 = 1_448.0;

pub(super) fn find(facts: &Facts) -> Option<RedHerring> {
    let pairs = pairs(&facts.records);
    let found = Composition::of(&pairs)?;
    let (first, second, whole) = (found.first, found.second, found.whole);
    let shorter = f64::min(first.rtt_s, second.rtt_s);
    let causes = found.causes();
    let told = |fits: bool| {
        let of = causes.iter().filter(move |cause| cause.fits == fits);
        of.map(|cause| cause.text.clone()).collect::<Vec<_>>().join("; ")
    };
    let fitting = match told(true).as_str() {
        "" => "Yet neither one loss ratio nor one window explains all three: the transfers differ in something that the records \
               do not tell"
            .to_owned(),
        causes => format!("Each of these fits alone: {causes}"),
    };
    let out = match told(false).as_str() {
        "" => String::new(),
        causes => format!(" Out: {causes}."),
    };
    Some(RedHerring {
        code: "composition-contradiction".into(),
        seen: format!(
            "{} and {}, but {}, though {} of the {} hops that answer on its way are on theirs",
            rated(first),
            rated(second),
            rated(whole),
            found.covered,
            whole.hops.len()
        ),
        why_not: format!(
            "no contradiction: what limits bytes per round trip costs more over {} than over {}. {fitting}.{out} {}",
            seconds(whole.rtt_s),
            seconds(shorter),
            found.next()
        ),
        location: Location::Path,
        cites: crate::judgement::join_cites([&first.cites, &second.cites, &whole.cites]),
    })
}

/// The measurement that would tell the causes apart, in words.
pub(crate) fn next_measurement(facts: &Facts) -> Option<String> {
    Some(Composition::of(&pairs(&facts.records))?.next())
}

/// What may make the whole way slow.
struct Cause {
    text: String,
    /// The part that shares it may be as fast as it is.
    fits: bool,
}

impl<'a> Composition<'a> {
    /// The one with the largest contrast; `None` without routes that show the path to be the same.
    fn of(pairs: &'a [Pair]) -> Option<Self> {
        let mut best: Option<(f64, Self)> = None;
        for whole in pairs {
            let fast = |pair: &&Pair| pair.rate_bps >= SLOWER * whole.rate_bps;
            for first in pairs
                .iter()
                .filter(fast)
                .filter(|p| records::is_same_host(&p.from, &whole.from))
            {
                let onwards = |p: &&Pair| {
                    records::is_same_host(&p.to, &whole.to) && records::is_same_place(&first.to, &p.from)
                };
                for second in pairs.iter().filter(fast).filter(onwards) {
                    let contrast = first.rate_bps.min(second.rate_bps) / whole.rate_bps;
                    let on = |hop: &&Node| first.has(hop) || second.has(hop);
                    let covered = whole.hops.iter().filter(on).count();
                    let enough = covered > 0 && covered as f64 >= COVERED * whole.hops.len() as f64;
                    if enough && best.as_ref().is_none_or(|(most, _)| contrast > *most) {
                        let streams = streams(pairs, whole);
                        best = Some((
                            contrast,
                            Self {
                                first,
                                second,
                                whole,
                                covered,
                                streams,
                            },
                        ));
                    }
                }
            }
        }
        best.map(|(_, found)| found)
    }

    /// Loss on either part, and a window at either end: each with the value that the whole way's rate asks for.
    fn causes(&self) -> Vec<Cause> {
        let (first, second, whole) = (self.first, self.second, self.whole);
        let hop = |node: Option<&Node>| node.map_or_else(|| "there".to_owned(), Node::called);
        let parting = whole.hops.iter().rev().find(|hop| first.has(hop));
        let joining = whole.hops.iter().find(|hop| second.has(hop));
        vec![
            self.loss(first, format!("as far as {}", hop(parting))),
            self.loss(second, format!("from {} on", hop(joining))),
            self.window(first, format!("the sending host {}", whole.from.called())),
            self.window(second, format!("the receiving host {}", whole.to.called())),
        ]
    }

    fn loss(&self, part: &Pair, place: String) -> Cause {
        let ratio = |pair: &Pair| {
            self.connection(pair)
                .loss_allowing(pair.rate_bps / self.streams)
                .unwrap_or(0.0)
        };
        let (needed, most) = (ratio(self.whole), ratio(part));
        let allows = self.connection(part).reno_bps(needed) * self.streams;
        let fits = allows * FACTOR >= part.rate_bps;
        let text = if fits {
            format!(
                "a loss of {} {place} ({}; n times as many bear n² times as much), which allows {} over {}",
                words::loss(needed),
                self.connections(),
                RateBps(allows),
                seconds(part.rtt_s)
            )
        } else {
            format!(
                "loss {place}: {} over {} leaves room for {} at most, and {} would be needed",
                rated(part),
                seconds(part.rtt_s),
                words::loss(most),
                words::loss(needed)
            )
        };
        Cause { text, fits }
    }

    fn window(&self, part: &Pair, host: String) -> Cause {
        let bytes = self.whole.rate_bps * self.whole.rtt_s / 8.0;
        let allows = window_bps(bytes, part.rtt_s);
        Cause {
            text: format!(
                "a window of {} in all at {host}, which allows {} over {}",
                words::about_bytes(bytes),
                RateBps(allows),
                seconds(part.rtt_s)
            ),
            fits: allows * FACTOR >= part.rate_bps,
        }
    }

    fn connection(&self, pair: &Pair) -> Connection {
        Connection {
            control: Control::Reno,
            mss_bytes: USUAL_MSS_BYTES,
            rtt_s: pair.rtt_s,
        }
    }

    fn connections(&self) -> String {
        match (self.streams as u16, self.whole.streams) {
            (1, Some(_)) => "one connection".to_owned(),
            (1, None) => "one connection, as no record tells more".to_owned(),
            (n, Some(_)) => format!("{n} connections"),
            (n, None) => format!("{n} connections, which only another pair's record tells"),
        }
    }

    /// What would tell the causes apart.
    fn next(&self) -> String {
        let (from, middle, to) = (
            self.whole.from.called(),
            self.first.to.called(),
            self.whole.to.called(),
        );
        format!(
            "What would tell: {from} to {to} again with the window doubled (twice the rate if it is the window, no more if it is \
             loss); packet counters, or a paced UDP stream from {from} to {middle} and from {middle} to {to}, where TCP over \
             {} hardly feels such a loss; and the number of connections and the window of all transfers, noted",
            seconds(f64::min(self.first.rtt_s, self.second.rtt_s))
        )
    }
}

/// Parallel connections of a pair: as recorded, else as the one number that others of the matrix tell, else one.
fn streams(pairs: &[Pair], pair: &Pair) -> f64 {
    let mut told: Vec<u16> = pairs.iter().filter_map(|pair| pair.streams).collect();
    told.dedup();
    let others = match told.as_slice() {
        [one] => *one,
        _ => 1,
    };
    f64::from(pair.streams.unwrap_or(others))
}

fn rated(pair: &Pair) -> String {
    format!(
        "{} to {} {}",
        pair.from.called(),
        pair.to.called(),
        RateBps(pair.rate_bps)
    )
}

fn seconds(s: f64) -> String {
    Nanos((s * 1e9) as u64).to_string()
}

impl Pair {
    /// By address where both have one: names of interfaces tell directions apart, as addresses do.
    fn has(&self, hop: &Node) -> bool {
        self.hops.iter().any(|other| match (hop.address, other.address) {
            (Some(a), Some(b)) => a == b,
            _ => hop.same_as(other) == Some(true),
        })
    }
}

/// All pairs of which rate, route and round-trip time are known, by name.
fn pairs(records: &Records) -> Vec<Pair> {
    let mut groups: BTreeMap<(&Node, &Node), Vec<usize>> = BTreeMap::new();
    for (index, transfer) in records.transfers.iter().enumerate() {
        let what = &transfer.what;
        if !what.from.is_unknown() && !what.to.is_unknown() && what.protocol != Some(Transport::Udp) {
            groups.entry((&what.from, &what.to)).or_default().push(index);
        }
    }
    let pair = |((from, to), members): ((&Node, &Node), Vec<usize>)| pair(records, from, to, &members);
    groups.into_iter().filter_map(pair).take(MOST_PAIRS).collect()
}

fn pair(records: &Records, from: &Node, to: &Node, members: &[usize]) -> Option<Pair> {
    let transfers = || members.iter().filter_map(|index| records.transfers.get(*index));
    let rates = transfers().filter_map(|transfer| Some(transfer.rate()?.0));
    let mut rates: Vec<f64> = rates.filter(|rate| rate.is_finite() && *rate > 0.0).collect();
    rates.sort_by(f64::total_cmp);
    let rate_bps = rates.get(rates.len().checked_sub(1)? / 2).copied()?;
    let (hops, rtt_ns, trace) = route(records, from, to)?;
    let streams = transfers()
        .filter_map(|t| t.what.streams)
        .filter(|streams| *streams > 0)
        .max();
    let mut cites: Vec<ObservationId> = transfers().map(|transfer| transfer.id.clone()).collect();
    cites.push(trace);
    Some(Pair {
        from: from.clone(),
        to: to.clone(),
        rate_bps,
        streams,
        rtt_s: rtt_ns as f64 / 1e9,
        hops,
        cites,
    })
}

/// The route between two hosts, in the direction of the data; of the same site where no trace is of the same hosts.
fn route(records: &Records, from: &Node, to: &Node) -> Option<(Vec<Node>, u64, ObservationId)> {
    let of = |alike: fn(&Node, &Node) -> bool| {
        let traces = records
            .traces
            .iter()
            .filter(|t| alike(&t.what.from, from) && alike(&t.what.to, to));
        traces
            .filter(|trace| trace.what.reached != Some(false))
            .flat_map(|trace| trace.what.flows.iter().map(move |flow| (flow, &trace.id)))
            .filter_map(|(flow, id)| {
                let (nodes, rtt_ns) = reached(flow)?;
                Some((rtt_ns, nodes, id.clone()))
            })
            .min()
    };
    let (rtt_ns, hops, id) = of(records::is_same_host).or_else(|| of(records::is_same_place))?;
    Some((hops, rtt_ns, id))
}

/// Hops that answered, without the destination, and the round-trip time to it; `None` where it was not reached.
fn reached(flow: &TraceFlow) -> Option<(Vec<Node>, u64)> {
    let (last, before) = hops(flow).split_last()?;
    let rtts = last.answers.iter().filter_map(|answer| answer.rtt_ns);
    let rtt_ns = rtts.filter(|ns| *ns > 0).min()?;
    Some((before.iter().filter_map(answered).cloned().collect(), rtt_ns))
}
