//! The answer that the route is to blame, whatever is wrong where it went.

use super::level::{Answer, Level, NEVER_SURER, WORTH_SAYING};
use super::posterior::Posterior;
use super::trust::trust;
use crate::adapters::Gathered;
use model::{Family, Fault};

/// Whatever is wrong where only the slow levels' route goes: other routes avoid it.
pub(super) fn answer(gathered: &Gathered, posterior: &Posterior) -> Option<Answer> {
    let place = &gathered.epochs.detour;
    let there = |(faults, probability): &(Vec<Fault>, f64)| {
        let fault = faults.iter().find(|fault| place.contains(&fault.element))?;
        Some((*fault, *probability))
    };
    let there: Vec<(Fault, f64)> = posterior.worlds.iter().filter_map(there).collect();
    let whole: f64 = there.iter().map(|(_, probability)| probability).sum();
    // What a vague kind would do to rates is vague.
    let known = |(fault, _): &(Fault, f64)| fault.kind.family() != Family::Unknown;
    let likelier = |a: &&(Fault, f64), b: &&(Fault, f64)| known(a).cmp(&known(b)).then(a.1.total_cmp(&b.1));
    let likeliest = there.iter().max_by(likelier)?.0;
    (whole >= WORTH_SAYING).then(|| Answer {
        level: Level::Detour,
        also: &[],
        place: place.clone(),
        on_way: true,
        other_way: Vec::new(),
        probability: (trust(false, whole) * whole).min(NEVER_SURER),
        likeliest,
    })
}
