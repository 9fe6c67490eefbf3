//! Which worlds compete: nothing wrong, or one fault of each kind at each element with each of some values.

use crate::adapters::Gathered;
use crate::faults::registry;
use evidence::Transport;
use model::{Bound, Element, ElementId, Fault, Kind, Measurement, Seen};
use std::collections::BTreeSet;

/// Something that no fault describes.
const UNKNOWN: f64 = 0.07;
/// Something that loses packets, and no fault describes how.
const UNKNOWN_LOSS: f64 = 0.04;
/// Nothing is wrong, or what is wrong does not show.
pub(super) const NOTHING: f64 = 0.16;
/// A fault off the path complained about, and in the direction of the acknowledgements: rarer as its cause.
const OFF_PATH: f64 = 0.15;
const REVERSE: f64 = 0.35;

/// Windows and buffers that may be too small, bytes: from old defaults to what fills 10 Gbit/s over 25 ms.
const WINDOWS: (f64, f64) = (8e3, 3.2e7);

/// In a case with more places than this only those are in question that the packets complained about, or their answers,
/// cross. What was measured elsewhere still speaks for and against them.
const MOST_ELEMENTS: usize = 200;

/// Values that were seen, beside the even grid: so many of a kind are tried.
const MOST_SEEN: usize = 4;
/// Fewer lost packets give no ratio.
const LEAST_LOST: f64 = 5.0;

/// IP and TCP header with time stamps (RFC 7323), bytes.
pub(crate) const HEADER_BYTES: f64 = 52.0;

/// One fault with the logarithm of its prior probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Single {
    pub(super) fault: Fault,
    pub(super) ln_prior: f64,
}

/// Every single fault that some measurement could tell of.
pub(super) fn singles(gathered: &mut Gathered) -> Vec<Single> {
    let weights = Weights::of(gathered);
    let grids = Grids::of(&gathered.measurements);
    let mut all = Vec::new();
    let declared = registry()
        .iter()
        .filter_map(|fault| fault.parameter)
        .map(|p| (p.kind, p.prior));
    for (kind, prior) in declared.chain([(Kind::Unknown, UNKNOWN), (Kind::UnknownLoss, UNKNOWN_LOSS)]) {
        let places: Vec<(ElementId, f64)> = weights.places(gathered, kind);
        let sum: f64 = places.iter().map(|(_, weight)| weight).sum();
        let values = grids.values(kind);
        for (element, weight) in places {
            for value in &values {
                let ln_prior = libm::log(prior * weight / sum / values.len() as f64);
                all.push(Single {
                    fault: Fault {
                        kind,
                        element,
                        value: *value,
                    },
                    ln_prior,
                });
            }
        }
    }
    all
}

/// The elements in question, by their part in the complaint.
struct Weights {
    out: Vec<ElementId>,
    back: Vec<ElementId>,
    touched: BTreeSet<ElementId>,
    sender: ElementId,
    receiver: ElementId,
}

impl Weights {
    fn of(gathered: &mut Gathered) -> Self {
        let (from, to) = (gathered.from, gathered.to);
        let mut touched: BTreeSet<ElementId> = BTreeSet::new();
        for measurement in &gathered.measurements {
            touched.extend(measurement.out.iter().chain(&measurement.back));
        }
        let out = gathered.map.path(from, to).ways;
        let back = gathered.map.path(to, from).ways;
        if touched.len() > MOST_ELEMENTS {
            touched = back.iter().copied().collect();
        }
        touched.extend(out.iter().copied());
        Self {
            out,
            back,
            touched,
            sender: gathered.map.host(from),
            receiver: gathered.map.host(to),
        }
    }

    fn places(&self, gathered: &Gathered, kind: Kind) -> Vec<(ElementId, f64)> {
        let weight = |id: &ElementId| -> Option<f64> {
            let element = gathered.map.element(*id);
            let fits = match element {
                Element::Host(_) => kind.is_of_host() || matches!(kind, Kind::Unknown | Kind::UnknownLoss),
                Element::Interface { .. } => matches!(kind, Kind::LossRatio | Kind::LossUnderLoad),
                Element::Link { .. } | Element::Stretch { .. } | Element::Access { .. } => !kind.is_of_host(),
            };
            let part = if self.out.contains(id) || *id == self.sender || *id == self.receiver {
                1.0
            } else if self.back.contains(id) {
                REVERSE
            } else if matches!(element, Element::Interface { .. }) {
                // Its counters were looked at because of the complaint.
                0.5
            } else {
                OFF_PATH
            };
            let end = match kind {
                Kind::ReceiveWindow | Kind::ReaderRate | Kind::ReceiveDrops => *id != self.sender,
                Kind::SendBuffer | Kind::WriterRate => *id != self.receiver,
                _ => true,
            };
            (fits && end).then(|| part * element.links())
        };
        self.touched
            .iter()
            .chain([&self.sender, &self.receiver])
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter_map(|id| Some((*id, weight(id)?)))
            .collect()
    }
}

/// The values that faults may have, from what was seen: rates around the rates, sizes between the sizes.
struct Grids {
    rates: Vec<f64>,
    losses: Vec<f64>,
    sizes: Vec<f64>,
    windows: Vec<f64>,
}

impl Grids {
    fn of(measurements: &[Measurement]) -> Self {
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
            losses,
            sizes: thresholds(sizes),
            windows: distinct(windows, 1.1),
        }
    }

    fn values(&self, kind: Kind) -> Vec<f64> {
        match kind {
            Kind::LossRatio => self.losses.clone(),
            Kind::LossUnderLoad | Kind::ReceiveDrops => logarithmic(1e-4, 0.5, 9),
            Kind::Fragments => vec![1.0],
            Kind::Interruption => vec![0.03, 0.1, 0.2, 0.4],
            Kind::Reordering => logarithmic(1e-3, 0.5, 6),
            Kind::ShortQueue => vec![0.03, 0.1, 0.3, 0.6],
            Kind::Unknown => vec![0.01, 0.05, 0.2, 0.5],
            Kind::UnknownLoss => vec![0.02, 0.1, 0.4],
            Kind::SilentMtu => self.sizes.clone(),
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
            | Kind::AdapterRate => self.rates.clone(),
            Kind::FlowLimit => self.rates.clone(),
        }
    }
}

/// Sizes that may be the largest to pass: each that was answered somewhere below one that somewhere was not, and what is
/// below all that was tried.
fn thresholds(mut tried: Vec<(f64, bool)>) -> Vec<f64> {
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    let distinct: Vec<&[(f64, bool)]> = tried.chunk_by(|a, b| a.0 == b.0).collect();
    let mut found: Vec<f64> = distinct
        .windows(2)
        .filter(|two| {
            two[0].iter().any(|(_, answered)| *answered) && two[1].iter().any(|(_, answered)| !answered)
        })
        .map(|two| two[0][0].0)
        .collect();
    found.push(
        tried
            .first()
            .map_or(1450.0, |least| f64::min(1450.0, least.0 - 1.0)),
    );
    found
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
