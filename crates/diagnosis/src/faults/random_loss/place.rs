//! Which link loses: the words and arguments of a located loss.

use crate::facts::Facts;
use crate::facts::loss::PathLoss;
use crate::facts::loss_place::LossPlace;
use crate::facts::ratio::Ratio;
use crate::faults::words;
use evidence::v1::{Argument, Location};

/// Where the loss is, said in the three ways that a finding needs.
pub(super) struct Placed {
    pub(super) location: Location,
    pub(super) words: String,
    pub(super) ask_whom: String,
    pub(super) argument: Option<Argument>,
    /// Probability that the place is right; `None` when none is named.
    pub(super) probability: Option<f64>,
}

/// A stretch is named when it holds this much of the probability.
const SURE: f64 = 0.9;

pub(super) fn find(facts: &Facts, loss: &PathLoss) -> Placed {
    let located = LossPlace::locate(facts, loss.packets).filter(|place| !place.tested.is_empty());
    let links = facts.forward.last_ttl().unwrap_or(0);
    match located.map(|place| (place.stretch(SURE), place)) {
        Some(((before, after, probability), place)) if after - before < links => {
            let (near, far) = (facts.forward.hop_ref(before), facts.forward.hop_ref(after));
            let text = format!("{}: {:.0} % sure of this stretch", figures(&place), probability * 100.0);
            Placed {
                words: format!("between {} and {}", words::hop(&near), words::hop(&far)),
                ask_whom: format!(
                    "{}; ask for the error counters of the interfaces between them",
                    words::operators(&near, &far)
                ),
                location: facts.forward.link(before, after),
                probability: Some(probability),
                argument: Some(Argument { text, weight: 1.0, cites: place.cites }),
            }
        }
        _ => Placed {
            location: Location::Path,
            probability: None,
            words: "somewhere on the path".into(),
            ask_whom: "each network on the path, for error counters of its interfaces; streams that expire at each hop \
                       (raw sockets) or packet counters at the borders would say which"
                .into(),
            argument: None,
        },
    }
}

fn figures(place: &LossPlace) -> String {
    let mut tested = place.tested.clone();
    tested.sort_by_key(|(ttl, _)| *ttl);
    let missing = |(ttl, ratio): &(u8, Ratio)| {
        format!(
            "hop {ttl} misses {} of {}",
            words::thousands(ratio.events),
            words::thousands(ratio.trials)
        )
    };
    tested.iter().map(missing).collect::<Vec<_>>().join(", ")
}
