//! Faults beside the path: at the accesses of third places, and wherever else somebody measured.
//!
//! Whether a link elsewhere is sound has nothing to do with what is wrong with the path: such a fault is no rival of a cause, but
//! may be there beside any, and each third place may have its own. So all worlds are weighed once more with what seems wrong
//! elsewhere, and both count.

use super::hypotheses::{NOTHING, Single};
use super::posterior::{LEAST_GAIN, Scores};
use model::{ElementId, Fault, Kind};
use std::collections::BTreeSet;

/// So many faults elsewhere are looked for.
const MOST: usize = 6;

/// What may be wrong elsewhere, with the scores of worlds in which nothing else is: the likeliest fault, with the likeliest
/// beside it, and so on as long as each makes the world likelier.
pub(super) fn sets(
    scores: &Scores<'_>,
    singles: &[Single],
    elsewhere: &BTreeSet<ElementId>,
) -> Vec<(Vec<Fault>, f64)> {
    let known = |single: &&Single| {
        elsewhere.contains(&single.fault.element)
            && !matches!(single.fault.kind, Kind::Unknown | Kind::UnknownLoss)
            && scores.gain(&[single.fault]) > LEAST_GAIN
    };
    let candidates: Vec<&Single> = singles.iter().filter(known).collect();
    let mut sets: Vec<(Vec<Fault>, f64)> = vec![(Vec::new(), libm::log(NOTHING))];
    while let Some((faults, score)) = sets.last()
        && faults.len() < MOST
    {
        let alone = scores.gain(faults);
        let open = candidates
            .iter()
            .filter(|other| faults.iter().all(|fault| fault.element != other.fault.element));
        let with = open.map(|other| {
            let with = [&faults[..], &[other.fault]].concat();
            (score + other.ln_prior + scores.gain(&with) - alone, with)
        });
        let Some((better, with)) = with
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .filter(|(better, _)| better > score)
        else {
            break;
        };
        sets.push((with, better));
    }
    sets.split_off(1)
}
