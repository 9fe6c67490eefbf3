//! Which worlds compete: nothing wrong, or one fault of each kind at each element with each of some values.

use super::grids::Grids;
use crate::adapters::Gathered;
use crate::faults::{is_counted, registry};
use model::{Element, ElementId, Fault, Kind};
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

/// In a case with more places than this only those are in question that the packets complained about, or their answers,
/// cross. What was measured elsewhere still speaks for and against them.
const MOST_ELEMENTS: usize = 200;

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
    let declared = registry().iter().flat_map(|fault| {
        let counted = is_counted(fault);
        fault.parameters.iter().map(move |p| (p.kind, counted, p.prior))
    });
    let unknown = [
        (Kind::Unknown, false, UNKNOWN),
        (Kind::UnknownLoss, false, UNKNOWN_LOSS),
    ];
    for (kind, counted, prior) in declared.chain(unknown) {
        let mut places: Vec<(ElementId, f64)> = weights.places(gathered, kind);
        places.retain(|(id, _)| gathered.map.element(*id).is_counted() == counted);
        let sum: f64 = places.iter().map(|(_, weight)| weight).sum();
        // Counters that are not on the way do not make it likelier that a counted place is at fault.
        let sum = if counted { sum.max(1.0) } else { sum };
        let values = grids.values(kind);
        for (element, weight) in places {
            for value in &values {
                let ln_prior =
                    libm::log(prior * weight / sum / values.len() as f64) + grids.ln_weight(kind, *value);
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
        let [out, back] = gathered.crossed();
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
                Element::Interface { .. } | Element::Segment { .. } => {
                    matches!(kind, Kind::LossRatio | Kind::LossUnderLoad)
                }
                Element::Link { .. } | Element::Stretch { .. } | Element::Access { .. } => !kind.is_of_host(),
            };
            let part = if let Some(ln_rarity) = gathered.epochs.ln_rarity(*id) {
                libm::exp(ln_rarity)
            } else if self.out.contains(id) || *id == self.sender || *id == self.receiver {
                1.0
            } else if self.back.contains(id) {
                REVERSE
            } else {
                OFF_PATH
            };
            let end = match kind {
                Kind::ReceiveWindow | Kind::ReaderRate | Kind::ReceiveDrops => *id != self.sender,
                Kind::SendBuffer | Kind::WriterRate => *id != self.receiver,
                _ => true,
            };
            // Where no router stands before a link, none could have told its sender.
            let told = match (kind, element) {
                (Kind::FilteredMtu, Element::Link { from, silent: 0, .. }) => {
                    ![gathered.from, gathered.to].contains(from)
                }
                _ => true,
            };
            (fits && end && told).then(|| part * element.links())
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
