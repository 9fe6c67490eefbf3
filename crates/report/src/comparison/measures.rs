//! What each observation measured, under a name by which another round's measurement of the same is found.

use crate::names::{Names, hosts};
use crate::words;
use evidence::v1::{
    Case, CounterChain, Echo, EchoContext, EchoMode, Observation, ObservationId, OneWay, Payload, Pings,
    Quantity, SeriesMetric, ThroughputRecord, Transport,
};
use std::collections::{BTreeMap, BTreeSet};

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
            Payload::TcpThroughput(tcp) => {
                let what = self.names.ends(tcp.sender);
                self.rates(o, what, tcp.mean_bps.iter().map(|rate| rate.0));
            }
            Payload::UdpStream(udp) => {
                let what = format!("UDP {}", self.names.ends(udp.sender));
                self.loss(o, what, Some((udp.lost_on_path(), udp.packets_sent)), None);
            }
            Payload::Echo(echo) => self.echo(o, echo),
            Payload::Throughput(transfer) => self.transfer(o, transfer),
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
            Payload::Pings(pings) => self.pings(o, pings),
            Payload::OneWay(one_way) => self.one_way(o, one_way),
            Payload::CounterChain(chain) => self.chain(o, chain),
            Payload::InterfaceCounters(i) => {
                self.other(o, format!("interface {} of {}", i.interface, i.device))
            }
            Payload::NotMeasured(_) | Payload::Statement(_) | Payload::HostFacts(_) | Payload::Sockets(_) => {
            }
            other => {
                let pair = match hosts(other) {
                    Some((from, to)) => self.names.pair(from, to),
                    None => format!("seen by the {}", words::vantage(&o.provenance.vantage)),
                };
                self.other(o, format!("{} {pair}", words::kind(other)));
            }
        }
    }

    fn transfer(&mut self, o: &Observation, transfer: &ThroughputRecord) {
        let pair = self.names.pair(&transfer.from, &transfer.to);
        if transfer.protocol == Some(Transport::Udp) {
            // What a UDP test delivers is what it was told to send; its loss is what says something.
            let counts = transfer.packets_lost.zip(transfer.packets_sent);
            self.loss(o, format!("UDP {pair}"), counts, None);
        } else {
            self.rates(o, pair, transfer.rate().iter().map(|rate| rate.0));
        }
    }

    fn echo(&mut self, o: &Observation, echo: &Echo) {
        let vantage = words::vantage(&o.provenance.vantage);
        let context = match echo.context {
            EchoContext::Idle => "idle",
            EchoContext::UnderLoad => "under load",
        };
        for series in echo.series.iter().filter(|s| s.mode == EchoMode::ToDestination) {
            let what = format!("echo from the {vantage}, {context}, {} bytes", series.size_bytes);
            let lost = series.sent.saturating_sub(series.answered);
            self.loss(o, what, Some((lost, series.sent)), None);
        }
    }

    /// In a table of hops only the destination's row speaks of the path; the others are one measurement together.
    fn pings(&mut self, o: &Observation, pings: &Pings) {
        let mut hop_sizes = BTreeSet::new();
        for row in &pings.rows {
            let size = row
                .size_bytes
                .map_or_else(String::new, |size| format!(", {size} bytes"));
            let end = pings.destination.as_ref();
            if let Some(end) = end.filter(|end| end.same_as(&row.to) != Some(true)) {
                let to_hops = format!("pings to the hops {}{size}", self.names.pair(&pings.from, end));
                if hop_sizes.insert(row.size_bytes) {
                    self.other(o, to_hops);
                }
                continue;
            }
            let what = format!("ping {}{size}", self.names.pair(&pings.from, &row.to));
            let counts = row.sent.zip(row.received);
            let counts = counts.map(|(sent, received)| (sent.saturating_sub(received), sent));
            self.loss(o, what, counts, row.loss_ratio);
        }
    }

    fn one_way(&mut self, o: &Observation, one_way: &OneWay) {
        let what = format!("one way {}", self.names.pair(&one_way.from, &one_way.to));
        self.loss(o, what, one_way.lost.zip(one_way.sent), one_way.loss_ratio);
    }

    /// From the first to the last counter that counted anything.
    fn chain(&mut self, o: &Observation, chain: &CounterChain) {
        let what = format!("packet counters {}", self.names.pair(&chain.from, &chain.to));
        let mut counts = chain.points.iter().filter_map(|p| p.packets).filter(|n| *n > 0);
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
