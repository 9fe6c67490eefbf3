//! What was measured from each host of a round to each other one, whoever measured it: the cells of a matrix.

use crate::{DelayStatistics, Node, Observation, ObservationId, Payload, ProbeRow, RateBps, Way};
use std::collections::BTreeMap;

/// What was measured from one host to another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pair {
    /// The sender of the packets.
    pub from: Node,
    /// Their receiver.
    pub to: Node,
    /// Probes or datagrams sent, where losses were counted.
    pub sent: u64,
    /// Of these, lost.
    pub lost: u64,
    /// Whether `sent` and `lost` are of the way there alone, or of there and back.
    pub way: Way,
    /// Round-trip times, whichever end they were measured at.
    pub rtt: Option<DelayStatistics>,
    /// One-way delays; they contain how far the two clocks are apart.
    pub delay: Option<DelayStatistics>,
    /// Rate of the fastest transfer.
    pub rate_bps: Option<RateBps>,
    /// Rate at which probes were sent.
    pub probed_bps: Option<RateBps>,
    /// Why something that was asked for gave nothing.
    pub not_measured: Vec<String>,
    /// The observations that it comes from.
    pub cites: Vec<ObservationId>,
}

impl Pair {
    /// Whether anything is known of it.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.sent > 0 || self.rtt.is_some() || self.rate_bps.is_some()
    }

    /// Share of packets lost, 0 to 1; `None` where none were counted.
    #[must_use]
    pub fn loss(&self) -> Option<f64> {
        (self.sent > 0).then(|| self.lost.min(self.sent) as f64 / self.sent as f64)
    }
}

/// The pairs of hosts between which these observations measured, or were to measure, something; in the order of their names.
/// Rows about hops are of no pair. Losses of one way count before those of both.
#[must_use]
pub fn pairs<'a>(observations: impl IntoIterator<Item = &'a Observation>) -> Vec<Pair> {
    let mut pairs: BTreeMap<(String, String), Pair> = BTreeMap::new();
    for observation in observations {
        let vantage = &observation.provenance.vantage;
        let mut put = |from: &Node, to: &Node, change: &dyn Fn(&mut Pair)| {
            let from = if from.is_unknown() { vantage } else { from };
            if from.is_unknown() || to.is_unknown() || from.called() == to.called() {
                return;
            }
            let pair = pairs.entry((from.called(), to.called())).or_insert_with(|| Pair {
                from: from.clone(),
                to: to.clone(),
                way: Way::RoundTrip,
                ..Pair::default()
            });
            change(pair);
            pair.cites.push(observation.id.clone());
        };
        match &observation.payload {
            Payload::Probes(probes) => {
                for row in probes.rows.iter().filter(|row| row.ttl.is_none()) {
                    put(&probes.from, &row.to, &|pair| take_row(pair, row));
                }
            }
            Payload::Transfer(transfer) => put(&transfer.from, &transfer.to, &|pair| {
                let faster = transfer
                    .rate()
                    .filter(|rate| pair.rate_bps.is_none_or(|known| rate.0 > known.0));
                pair.rate_bps = faster.or(pair.rate_bps);
            }),
            Payload::NotMeasured(not) => {
                if let Some(to) = not.ask.target() {
                    put(not.ask.vantage(), to, &|pair| {
                        pair.not_measured.push(not.detail.clone())
                    });
                }
            }
            _ => {}
        }
    }
    // There and back is the same from either end.
    let rtts: BTreeMap<(String, String), DelayStatistics> = pairs
        .iter()
        .filter_map(|((from, to), pair)| Some(((to.clone(), from.clone()), pair.rtt?)))
        .collect();
    for (ends, pair) in &mut pairs {
        pair.rtt = pair.rtt.or_else(|| rtts.get(ends).copied());
    }
    let mut pairs: Vec<Pair> = pairs.into_values().collect();
    for pair in &mut pairs {
        pair.cites.sort();
        pair.cites.dedup();
        pair.not_measured.sort();
        pair.not_measured.dedup();
    }
    pairs
}

fn take_row(pair: &mut Pair, row: &ProbeRow) {
    if let (Some(sent), Some(lost)) = (row.sent, row.count_lost()) {
        match (pair.way, row.way) {
            (Way::OneWay, Way::RoundTrip) => {}
            (Way::RoundTrip, Way::OneWay) => {
                (pair.way, pair.sent, pair.lost) = (Way::OneWay, sent, lost);
            }
            _ => {
                pair.sent += sent;
                pair.lost += lost;
            }
        }
    }
    if let (Some(pps), Some(size)) = (row.rate_pps, row.size_bytes) {
        pair.probed_bps = Some(RateBps(pps * 8.0 * f64::from(size)));
    }
    // Of several the one with the smallest minimum: it was disturbed least, and order plays no part.
    let known = match row.way {
        Way::RoundTrip => &mut pair.rtt,
        Way::OneWay => &mut pair.delay,
    };
    let order = |delay: &DelayStatistics| {
        (
            delay.min_ns.or(delay.mean_ns).unwrap_or(i64::MAX),
            delay.p99_ns,
            delay.max_ns,
        )
    };
    *known = known.take().into_iter().chain(row.delay).min_by_key(order);
}
