//! Throughputs from each host to each other, with the round-trip time between them where a record has it.

use super::path::traced;
use super::transfer::mean_rate;
use crate::names::Names;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table};
use crate::words;
use evidence::{EchoMode, Nanos, Observation, Payload, RateBps, Transport, Way};
use stats::quantile;
use std::collections::{BTreeMap, BTreeSet};

/// A larger mesh is no longer read; the hosts with the most measurements are shown.
const MOST_HOSTS: usize = 16;

/// What is known from one host to another.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PairFigures {
    pub(crate) rates_bps: Vec<f64>,
    pub(crate) rtt_ns: Option<u64>,
    cites: Vec<usize>,
}

impl PairFigures {
    pub(crate) fn median_bps(&self) -> Option<f64> {
        quantile(&mut self.rates_bps.clone(), 0.5)
    }
}

/// By (from, to).
pub(crate) type Pairs = BTreeMap<(String, String), PairFigures>;

/// All transfers but UDP streams, whose rate is what they were told to send.
pub(crate) fn pairs(subject: &Subject, round: u32) -> Pairs {
    let names = &subject.names;
    let mut pairs = Pairs::new();
    for (number, transfer) in super::transfer::of(subject, round) {
        if transfer.protocol == Some(Transport::Udp) {
            continue;
        }
        let rate = mean_rate(transfer);
        let Some(rate) = rate.filter(|rate| rate.0.is_finite() && rate.0 >= 0.0) else {
            continue;
        };
        let ends = (names.of(&transfer.from), names.of(&transfer.to));
        let pair = pairs.entry(ends).or_default();
        pair.rates_bps.push(rate.0);
        pair.rtt_ns = pair.rtt_ns.into_iter().chain(transfer.rtt_ns).min();
        pair.cites.push(number);
    }
    let rtts = round_trips(&subject.of_round(round), names);
    for ((from, to), pair) in &mut pairs {
        let known = rtts
            .get(&(from.clone(), to.clone()))
            .or_else(|| rtts.get(&(to.clone(), from.clone())));
        pair.rtt_ns = pair.rtt_ns.or(known.copied());
    }
    pairs
}

/// The smallest round-trip time between two hosts that pings and traces saw.
fn round_trips(seen: &[(usize, &Observation)], names: &Names) -> BTreeMap<(String, String), u64> {
    let mut found: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut add = |from: String, to: String, rtt: u64| {
        let entry = found.entry((from, to)).or_insert(rtt);
        *entry = rtt.min(*entry);
    };
    for (_, o) in seen {
        match &o.payload {
            Payload::Probes(probes) => {
                for row in probes.rows.iter().filter(|row| row.way == Way::RoundTrip) {
                    let to = match row.mode {
                        Some(EchoMode::ToDestination) => probes.destination.as_ref().unwrap_or(&row.to),
                        _ => &row.to,
                    };
                    let rtt = row.delay.and_then(|delay| u64::try_from(delay.min_ns?).ok());
                    if let Some(rtt) = rtt.filter(|_| !to.is_unknown()) {
                        add(names.of(&probes.from), names.of(to), rtt);
                    }
                }
            }
            Payload::Trace(trace) => {
                let view = traced(0, trace, o, names);
                let last = view
                    .reached_ttl
                    .and_then(|ttl| view.hops.iter().find(|hop| hop.ttl == ttl));
                if let Some(rtt) = last.and_then(|hop| hop.rtt_ns) {
                    add(names.of(&view.source), names.of(&view.destination), rtt);
                }
            }
            _ => {}
        }
    }
    found
}

/// The matrix; `None` with fewer than two pairs, of which there is nothing to compare.
pub(crate) fn table(subject: &Subject, round: u32) -> Option<Table> {
    let pairs = pairs(subject, round);
    if pairs.len() < 2 {
        return None;
    }
    let mut weight: BTreeMap<&String, usize> = BTreeMap::new();
    for ((from, to), pair) in &pairs {
        *weight.entry(from).or_insert(0) += pair.rates_bps.len();
        *weight.entry(to).or_insert(0) += pair.rates_bps.len();
    }
    let mut hosts: Vec<&String> = weight.keys().copied().collect();
    hosts.sort_by_key(|host| (std::cmp::Reverse(weight.get(host).copied()), *host));
    let left = hosts.split_off(hosts.len().min(MOST_HOSTS));
    hosts.sort();
    let shown: BTreeSet<&String> = hosts.iter().copied().collect();
    let senders = hosts
        .iter()
        .filter(|from| pairs.keys().any(|(f, t)| f == **from && shown.contains(t)));
    let receivers: Vec<&String> = hosts
        .iter()
        .copied()
        .filter(|to| pairs.keys().any(|(f, t)| t == *to && shown.contains(f)))
        .collect();
    let rows = senders.map(|from| {
        let cells = receivers
            .iter()
            .map(|to| cell(from, to, pairs.get(&((*from).clone(), (*to).clone()))));
        Row::new(std::iter::once(Cell::new(from.as_str())).chain(cells).collect())
    });
    let mut cites: Vec<usize> = pairs.values().flat_map(|p| p.cites.iter().copied()).collect();
    cites.sort_unstable();
    let mut notes = Vec::new();
    if !left.is_empty() {
        notes.push(format!(
            "{} with fewer measurements are left out.",
            words::plural(left.len() as u64, "host", "hosts")
        ));
    }
    Some(Table {
        title: "Throughput from each host (rows) to each other (columns)".to_owned(),
        cites,
        rows: rows.collect(),
        head: std::iter::once("from \\ to".to_owned())
            .chain(receivers.iter().map(|to| (*to).clone()))
            .collect(),
        notes,
    })
}

fn cell(from: &str, to: &str, pair: Option<&PairFigures>) -> Cell {
    let Some((pair, rate)) = pair.and_then(|pair| Some((pair, pair.median_bps()?))) else {
        return if from == to {
            Cell::default()
        } else {
            Cell::absent()
        };
    };
    let rate = RateBps(rate).to_string();
    let mut text = rate.clone();
    if pair.rates_bps.len() > 1 {
        text += &format!(", median of {}", pair.rates_bps.len());
    }
    if let Some(rtt) = pair.rtt_ns {
        text += &format!(", RTT {}", Nanos(rtt));
    }
    Cell::new(text).short(rate)
}
