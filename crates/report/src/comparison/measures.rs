//! What each observation measured, under a name by which another round's measurement of the same is found.

use crate::names::{Names, hosts};
use crate::observations::is_to_target;
use crate::views::transfer::mean_rate;
use crate::words;
use evidence::{
    Case, CounterChain, EchoContext, Observation, ObservationId, Payload, ProbeRow, Probes, Quantity,
    SeriesMetric, Transfer, Transport, Way,
};
use stats::{Role, Standing};
use std::collections::{BTreeMap, BTreeSet};

/// Who tries more sizes than these on one host searches for those that pass.
const MOST_SIZES: usize = 3;

/// The measurements of one round by what they are of.
pub(super) type Measures = BTreeMap<String, Vec<Value>>;

/// What one observation measured of one thing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value {
    pub(super) id: ObservationId,
    /// Rates, finite and not negative.
    pub(super) rates_bps: Vec<f64>,
    /// (lost, sent), sent above 0.
    pub(super) lost_of: Option<(u64, u64)>,
    /// Share lost where counts are not recorded.
    pub(super) share_lost: Option<f64>,
}

impl Value {
    pub(super) fn loss_ratio(&self) -> Option<f64> {
        match self.lost_of {
            Some((lost, sent)) => Some(lost as f64 / sent as f64),
            None => self.share_lost,
        }
    }
}

pub(super) fn measures(case: &Case, round: u32, names: &Names) -> Measures {
    let mut found = Found {
        names,
        measures: Measures::new(),
    };
    case.round(round).for_each(|o| found.observation(o));
    found.measures
}

struct Found<'a> {
    names: &'a Names,
    measures: Measures,
}

impl Found<'_> {
    fn observation(&mut self, o: &Observation) {
        match &o.payload {
            Payload::Transfer(transfer) => self.transfer(o, transfer),
            Payload::Probes(probes) => self.probes(o, probes),
            Payload::Series(series) => {
                let pair = self.names.pair(&series.from, &series.to);
                if series.metric == SeriesMetric::Throughput {
                    self.rates(o, pair, series.points.iter().map(|(_, rate)| *rate));
                } else {
                    self.other(o, format!("{} {pair}", words::metric(series.metric)));
                }
            }
            Payload::Statement(s) if s.quantity == Quantity::Rate && !s.from.is_unknown() => {
                let pair = self.names.pair(&s.from, &s.to);
                self.rates(o, pair, std::iter::once(s.value));
            }
            Payload::CounterChain(chain) => self.chain(o, chain),
            Payload::InterfaceCounters(i) => {
                self.other(o, format!("interface {} of {}", i.called(&o.id), i.device))
            }
            Payload::NotMeasured(_) | Payload::Statement(_) | Payload::HostFacts(_) | Payload::Sockets(_) => {
            }
            other => {
                let pair = match hosts(other) {
                    Some((from, to)) => self.names.pair(from, to),
                    None => format!("seen by {}", self.names.the(&o.provenance.vantage)),
                };
                self.other(o, format!("{} {pair}", words::kind(other)));
            }
        }
    }

    fn transfer(&mut self, o: &Observation, transfer: &Transfer) {
        let pair = self.names.pair(&transfer.from, &transfer.to);
        if transfer.protocol == Some(Transport::Udp) {
            // What a UDP test delivers is what it was told to send; its loss is what says something.
            let counts = transfer.lost_on_path().zip(transfer.packets_sent);
            self.loss(o, format!("UDP {pair}"), counts, None);
        } else {
            self.rates(o, pair, mean_rate(transfer).iter().map(|rate| rate.0));
        }
    }

    /// In a table of hops only the destination's rows speak of the path; the others are one measurement together, and so
    /// is a search among sizes, of which no two try the same.
    fn probes(&mut self, o: &Observation, probes: &Probes) {
        let (ends, hops): (Vec<&ProbeRow>, Vec<&ProbeRow>) = probes
            .rows
            .iter()
            .partition(|row| is_to_target(row, probes) || probes.destination.is_none());
        let sizes: BTreeSet<Option<u32>> = ends.iter().map(|row| row.size_bytes).collect();
        if let (true, Some(end)) = (sizes.len() > MOST_SIZES, &probes.destination) {
            self.other(o, format!("packet sizes {}", self.names.pair(&probes.from, end)));
            return;
        }
        let context = match probes.context {
            Some(EchoContext::UnderLoad) => ", while a transfer ran",
            Some(EchoContext::Idle) | None => "",
        };
        for row in ends {
            let to = probes.destination.as_ref().unwrap_or(&row.to);
            let pair = self.names.pair(&probes.from, to);
            let size = size_words(row);
            let what = match row.way {
                Way::OneWay => format!("one way {pair}{size}"),
                Way::RoundTrip => format!("ping {pair}{size}{context}"),
            };
            self.loss(o, what, row.count_lost().zip(row.sent), row.loss_ratio);
        }
        let to_hops = hops.iter().zip(probes.destination.iter().cycle());
        let to_hops: BTreeSet<String> = to_hops
            .map(|(row, end)| {
                let pair = self.names.pair(&probes.from, end);
                format!("pings to the hops {pair}{}{context}", size_words(row))
            })
            .collect();
        to_hops.into_iter().for_each(|what| self.other(o, what));
    }

    /// From the first to the last counter that is believed.
    fn chain(&mut self, o: &Observation, chain: &CounterChain) {
        let what = format!("packet counters {}", self.names.pair(&chain.from, &chain.to));
        let stations = stats::stations(chain, &stats::counting([chain]));
        let believed = stations
            .iter()
            .filter(|s| (s.role, s.standing) == (Role::Point, Standing::Trusted));
        let mut counts = believed.filter_map(|station| station.packets);
        let ends = counts.next().zip(counts.next_back());
        self.loss(
            o,
            what,
            ends.map(|(first, last)| (first.saturating_sub(last), first)),
            None,
        );
    }

    fn rates(&mut self, o: &Observation, what: String, rates: impl Iterator<Item = f64>) {
        let rates: Vec<f64> = rates.filter(|rate| rate.is_finite() && *rate >= 0.0).collect();
        if !rates.is_empty() {
            self.add(o, what, |value| value.rates_bps = rates);
        }
    }

    fn loss(&mut self, o: &Observation, what: String, lost_of: Option<(u64, u64)>, share: Option<f64>) {
        let lost_of = lost_of.filter(|(_, sent)| *sent > 0);
        let share = share.filter(|share| (0.0..=1.0).contains(share));
        if lost_of.is_some() || share.is_some() {
            self.add(o, what, |value| {
                (value.lost_of, value.share_lost) = (lost_of, share)
            });
        }
    }

    fn other(&mut self, o: &Observation, what: String) {
        self.add(o, what, |_| {});
    }

    fn add(&mut self, o: &Observation, what: String, fill: impl FnOnce(&mut Value)) {
        let mut value = Value {
            id: o.id.clone(),
            rates_bps: Vec::new(),
            lost_of: None,
            share_lost: None,
        };
        fill(&mut value);
        self.measures.entry(what).or_default().push(value);
    }
}

fn size_words(row: &ProbeRow) -> String {
    let size = row.size_bytes;
    size.map_or_else(String::new, |size| format!(", {size} bytes"))
}
