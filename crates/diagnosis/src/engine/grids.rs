//! The values that a parameter away from normal may have, from what was seen.

use evidence::Transport;
use model::{Bound, HEADER_BYTES, Kind, Measurement, Seen};

/// Windows and buffers that may be too small, bytes: from old defaults to what fills 10 Gbit/s over 25 ms.
const WINDOWS: (f64, f64) = (8e3, 3.2e7);
/// Values that were seen, beside the even grid: so many of a kind are tried.
const MOST_SEEN: usize = 4;
/// Fewer lost packets give no ratio.
const LEAST_LOST: f64 = 5.0;
/// How long a survey of a path takes, and how long an interruption lasts, seconds.
const SURVEY_S: f64 = 2.0;
const INTERRUPTION_S: f64 = 0.7;

/// ln of how much rarer a router's own MTU is none of those that people configure, or a program is as idle as [`IDLE`].
const UNUSUAL: f64 = -1.5;
/// Share of the fastest rate of a case.
const IDLE: f64 = 1e-3;

/// The values that faults may have, from what was seen: rates around the rates, sizes between the sizes.
pub(super) struct Grids {
    rates: Vec<f64>,
    fastest: f64,
    losses: Vec<f64>,
    /// The largest size that may pass, and whether an MTU that people configure may be the limit.
    sizes: Vec<(f64, bool)>,
    windows: Vec<f64>,
}

impl Grids {
    pub(super) fn of(measurements: &[Measurement]) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        let mut sizes: Vec<(f64, bool)> = Vec::new();
        let (mut arrived, mut lost, mut windows) = (Vec::new(), Vec::new(), Vec::new());
        let mut reached = Vec::new();
        for measurement in measurements {
            match &measurement.seen {
                Seen::Rate(rate) => {
                    if rate.bps > 1e3 {
                        low = low.min(rate.bps);
                        high = high.max(rate.bps);
                        if rate.bound == Bound::Exact && rate.streams <= 4.0 {
                            // What a link carries of TCP's payload (RFC 791, 9293, IEEE 802.3).
                            reached.push(rate.bps / 0.95);
                        }
                    }
                    // The segments of a transfer are packets of a size that pass, or do not.
                    let segment = rate.mss_bytes.filter(|_| rate.transport == Transport::Tcp);
                    sizes.extend(segment.map(|mss| (mss + HEADER_BYTES, rate.bps > 1e3)));
                }
                Seen::Delivery(seen) => sizes.push((seen.packet_bytes(), seen.answered > 0.0)),
                // A stream above a limit delivers the limit, and one below it loses what the path loses.
                Seen::Loss(loss) if loss.lost >= LEAST_LOST && !loss.router_answers => {
                    let ratio = (loss.lost / loss.sent.max(1.0)).min(0.9);
                    arrived.extend(loss.offered_bps.map(|bps| bps * (1.0 - ratio)));
                    lost.push(ratio);
                }
                Seen::Setting(setting) if (WINDOWS.0..WINDOWS.1).contains(&setting.value) => {
                    windows.push(setting.value);
                }
                _ => {}
            }
        }
        if high == 0.0 {
            (low, high) = (1e6, 1e10);
        }
        arrived.retain(|bps| *bps > low && *bps < 2.0 * high);
        let mut rates = logarithmic(0.4 * low, 2.0 * high, 12);
        rates.extend(distinct(arrived, 1.02));
        rates.extend(distinct(reached, 1.1));
        let mut losses = logarithmic(1e-5, 0.8, 12);
        losses.extend(distinct(lost, 1.5));
        Self {
            rates,
            fastest: high,
            losses,
            sizes: thresholds(sizes),
            windows: distinct(windows, 1.1),
        }
    }

    /// What a router knows as a link's MTU is one that somebody configured; a frame limit may leave any. Programs that ask so
    /// little of a network are seldom complained about.
    pub(super) fn ln_weight(&self, kind: Kind, value: f64) -> f64 {
        let usual = |(size, usual): &(f64, bool)| *size == value && *usual;
        match kind {
            Kind::FilteredMtu if !self.sizes.iter().any(usual) => UNUSUAL,
            Kind::WriterRate | Kind::ReaderRate if value < IDLE * self.fastest => UNUSUAL,
            Kind::Interruption => libm::log(1.0 - missed(value)),
            Kind::RareInterruption => libm::log(missed(value)),
            _ => 0.0,
        }
    }

    pub(super) fn values(&self, kind: Kind) -> Vec<f64> {
        match kind {
            Kind::LossRatio => self.losses.clone(),
            Kind::LossUnderLoad | Kind::ReceiveDrops => logarithmic(1e-4, 0.5, 9),
            Kind::Fragments => vec![1.0],
            Kind::Interruption => vec![0.03, 0.1, 0.2, 0.4],
            Kind::RareInterruption => vec![0.03, 0.1, 0.2],
            Kind::Reordering => logarithmic(1e-3, 0.5, 6),
            Kind::ShortQueue => vec![0.03, 0.1, 0.3, 0.6],
            Kind::Unknown => vec![0.01, 0.05, 0.2, 0.5],
            Kind::UnknownLoss => vec![0.02, 0.1, 0.4],
            Kind::SilentMtu | Kind::FilteredMtu => self.sizes.iter().map(|(size, _)| *size).collect(),
            Kind::ReceiveWindow | Kind::SendBuffer => {
                let mut all = logarithmic(WINDOWS.0, WINDOWS.1, 13);
                all.extend(&self.windows);
                all
            }
            Kind::Capacity
            | Kind::Share
            | Kind::Policer
            | Kind::ReaderRate
            | Kind::WriterRate
            | Kind::ProcessorRate
            | Kind::AdapterRate
            | Kind::FlowLimit => self.rates.clone(),
            Kind::Rivals => logarithmic(1.0, 64.0, 7),
        }
    }
}

/// How often a survey falls between two interruptions that together take this share of the time: of the time between the
/// beginnings of two, what neither they nor a survey that meets them takes.
fn missed(share: f64) -> f64 {
    (1.0 - share * (1.0 + SURVEY_S / INTERRUPTION_S)).max(0.0)
}

/// Sizes that may be the largest to pass: each that was answered somewhere below one that somewhere was not, and what is
/// below all that was tried; with whether a usual MTU lies between it and the next size tried.
fn thresholds(mut tried: Vec<(f64, bool)>) -> Vec<(f64, bool)> {
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    let distinct: Vec<&[(f64, bool)]> = tried.chunk_by(|a, b| a.0 == b.0).collect();
    let between = |two: &[&[(f64, bool)]]| (two[0][0].0 as u32..two[1][0].0 as u32).any(is_usual_mtu);
    let mut found: Vec<(f64, bool)> = distinct
        .windows(2)
        .filter(|two| {
            two[0].iter().any(|(_, answered)| *answered) && two[1].iter().any(|(_, answered)| !answered)
        })
        .map(|two| (two[0][0].0, between(two)))
        .collect();
    let least = tried
        .first()
        .map_or(1450.0, |least| f64::min(1450.0, least.0 - 1.0));
    found.push((least, true));
    found
}

/// MTUs that people configure: IPv6's least, PPPoE, Ethernet, FDDI, POS, jumbo frames; beside them those of tunnels over
/// Ethernet. Others, 1504 or 1508, are what a frame limit leaves for IP.
const USUAL_MTUS: [u32; 24] = [
    576, 1_006, 1_280, 1_492, 1_500, 2_002, 4_352, 4_464, 4_470, 8_000, 8_192, 8_500, 9_100, 9_150, 9_174,
    9_178, 9_180, 9_192, 9_198, 9_200, 9_202, 9_212, 9_214, 9_216,
];

fn is_usual_mtu(bytes: u32) -> bool {
    matches!(bytes, 1_300..=1_480 | 8_900..=9_000) || USUAL_MTUS.contains(&bytes)
}

/// Some of the values, the smallest first, no two within a factor.
fn distinct(mut values: Vec<f64>, factor: f64) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| *a < factor * *b);
    values.truncate(MOST_SEEN);
    values
}

fn logarithmic(low: f64, high: f64, count: u32) -> Vec<f64> {
    let step = libm::log(high / low) / f64::from(count - 1);
    (0..count).map(|i| low * libm::exp(step * f64::from(i))).collect()
}
