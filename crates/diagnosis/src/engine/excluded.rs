//! What the measurements exclude, and which of them does most.

use super::arguments::{cites, told};
use super::findings::mass_of;
use super::groups::groups;
use super::posterior::Posterior;
use crate::adapters::Gathered;
use crate::faults::of_kind;
use evidence::Excluded;
use model::{Family, Fault, Kind};

/// A family with less is excluded.
const EXCLUDED: f64 = 0.02;
/// By a group of measurements that is so many times as likely without it (natural logarithm).
const BY_EVIDENCE: f64 = 3.0;
/// What people think of first, one of each family.
const USUAL: [Kind; 4] = [
    Kind::LossRatio,
    Kind::Capacity,
    Kind::SilentMtu,
    Kind::ReceiveWindow,
];

/// The usual causes that the evidence excludes: each with the measurements that speak most against its best place and size.
pub(crate) fn excluded(gathered: &Gathered, posterior: &Posterior) -> Vec<Excluded> {
    let groups = groups(gathered);
    let best = posterior.worlds.first().map_or(&[][..], |(faults, _)| faults);
    let one = |kind: Kind| {
        let family: Family = kind.family();
        let alone = |(faults, _): &&(Vec<Fault>, f64)| {
            let on_path = posterior.on_path(faults);
            matches!(on_path, [one] if one.kind == kind)
        };
        let (its, _) = posterior.worlds.iter().find(alone)?;
        // What people set speaks for no limit, and excludes none that lies elsewhere.
        let against = groups
            .iter()
            .filter(|group| !group.is_setting())
            .map(|group| (group, group.ln_likelihood(best) - group.ln_likelihood(its)))
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        let shown = mass_of(posterior, family, |_| true) < EXCLUDED && against.1 >= BY_EVIDENCE;
        shown.then(|| Excluded {
            code: of_kind(kind).code.to_owned(),
            why: told(gathered, against.0),
            cites: cites(against.0),
        })
    };
    let mut all: Vec<Excluded> = USUAL.into_iter().filter_map(one).collect();
    all.retain(|excluded| !excluded.why.is_empty());
    all
}
