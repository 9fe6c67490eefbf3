//! What to say of a posterior: the finest mechanism and place that it holds with the probability that an answer needs.

use super::detour;
use super::level::{Answer, ENOUGH, Level, NEVER_SURER, WORTH_SAYING};
use super::posterior::{Posterior, mirror};
use super::run::{HELD_BY_PLACE, Ways, place};
use super::trust::{REFUTED, counted, counted_places, is_refuted, trust};
use crate::adapters::Gathered;
use crate::faults::told_alike;
use model::{Element, ElementId, Family, Fault, Kind, Path};
use std::collections::BTreeSet;

/// What has less beside an answer is excluded.
const NOT_EXCLUDED: f64 = 0.1;
/// Families with kinds of other families that evidence from outside takes for theirs: packets that a host drops are lost
/// packets, and a program is as slow as the host that it runs on.
const TOGETHER: [(Family, &[Kind]); 3] = [
    (Family::Loss, &[Kind::ReceiveDrops]),
    (Family::Host, &[Kind::WriterRate]),
    (Family::Application, &OF_HOSTS),
];
const OF_HOSTS: [Kind; 6] = [
    Kind::ReceiveWindow,
    Kind::SendBuffer,
    Kind::ReaderRate,
    Kind::ProcessorRate,
    Kind::AdapterRate,
    Kind::ReceiveDrops,
];

/// The answers that the posterior gives, the most probable first.
pub(crate) fn answers(gathered: &mut Gathered, posterior: &Posterior) -> Vec<Answer> {
    let (from, to) = (gathered.from, gathered.to);
    let hosts = [from, to].map(|node| gathered.map.host(node));
    let routes = gathered.map.routes(from, to);
    let traced = routes.iter().any(|route| route.traced);
    let whole = |route: Path| [&hosts[..1], &route.ways, &hosts[1..]].concat();
    let routes: Vec<Vec<ElementId>> = routes.into_iter().map(whole).collect();
    let way = routes[0].clone();
    let back = gathered.map.path(to, from).ways;
    let beside = gathered.counted.concat();
    let interfaces: Vec<(ElementId, ElementId)> = beside
        .iter()
        .filter_map(|id| Some((*id, gathered.map.link_of(*id)?)))
        .collect();
    let ways = Ways {
        way: &way,
        routes: &routes,
        back: &back,
        counted: &beside,
        interfaces: &interfaces,
        mirror: &mirror(gathered),
        lossy: &counted_places(gathered),
    };
    let counted = counted(gathered);
    let families: BTreeSet<Family> = posterior
        .worlds
        .iter()
        .flat_map(|(faults, _)| faults)
        .map(|fault| fault.kind.family())
        .collect();
    let mut found: Vec<Answer> = Vec::new();
    for family in families.into_iter().filter(|family| *family != Family::Unknown) {
        // Two faults of one family at two places are two answers: the second is what the first does not hold.
        let mut taken: Vec<ElementId> = Vec::new();
        let of = |kind: Kind| kind.family() == family;
        while let Some(answer) = answer(family, &[], &faults(posterior, &of, &taken), ways, &counted) {
            let repeated = posterior
                .worlds
                .iter()
                .filter_map(|(faults, _)| posterior.repeated(faults));
            let others = repeated
                .filter(|(there, _)| answer.place.contains(&there.element))
                .flat_map(|(_, others)| others);
            taken.extend(others.map(|fault| fault.element));
            taken.extend(answer.place.iter().chain(&answer.other_way));
            found.extend(other_black_hole(posterior, &answer));
            found.push(answer);
        }
    }
    for (family, also) in TOGETHER {
        let of = |kind: Kind| kind.family() == family || also.contains(&kind);
        let told = |answer: &Answer| answer.probability >= ENOUGH && of(answer.likeliest.kind);
        let together = faults(posterior, &of, &[]);
        let of_family = together.iter().filter(|(fault, _)| fault.kind.family() == family);
        let (own, all) = (mass(of_family), mass(together.iter()));
        if found.iter().any(told) || own < 0.5 * all {
            continue;
        }
        let together = answer(family, also, &together, ways, &counted);
        if let Some(together) = together.filter(|answer| answer.probability >= ENOUGH) {
            found.retain(|answer| !of(answer.likeliest.kind));
            found.push(together);
        }
    }
    if !traced {
        // What lies between the hosts is not known: a link beside one of them stands for all that may be there, unless packets
        // between others crossed it as well.
        let others = gathered
            .measurements
            .iter()
            .filter(|m| (m.from, m.to) != (from, to));
        let crossed: BTreeSet<&ElementId> = others.flat_map(|m| &m.out).collect();
        let alone = |id: &ElementId| match gathered.map.element(*id) {
            Element::Link { .. } => !crossed.contains(id),
            Element::Stretch { .. } => true,
            _ => false,
        };
        for answer in found
            .iter_mut()
            .filter(|answer| answer.on_way && answer.place.iter().any(alone))
        {
            answer.place.clone_from(&way);
        }
    }
    if let Some(detour) = detour::answer(gathered, posterior) {
        found.retain(|answer| !detour.place.contains(&answer.likeliest.element));
        found.push(detour);
    }
    for answer in &mut found {
        if is_refuted(gathered, &answer.likeliest) {
            answer.probability = answer.probability.min(REFUTED);
        }
    }
    found.sort_by(|a, b| {
        b.probability
            .total_cmp(&a.probability)
            .then_with(|| a.level.cmp(&b.level))
    });
    found
}

/// The other way in which the place of an answer may swallow large packets, where it is not excluded.
fn other_black_hole(posterior: &Posterior, answer: &Answer) -> Option<Answer> {
    let Level::Kind(kind) = answer.level else {
        return None;
    };
    let other = match kind {
        Kind::SilentMtu => Kind::FilteredMtu,
        Kind::FilteredMtu => Kind::SilentMtu,
        _ => return None,
    };
    let mut there = faults(posterior, &|kind| kind == other, &[]);
    there.retain(|(fault, _)| answer.place.contains(&fault.element));
    let probability = mass(there.iter());
    let likeliest = there.iter().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
    (probability >= NOT_EXCLUDED).then(|| Answer {
        level: Level::Kind(other),
        probability,
        likeliest,
        ..answer.clone()
    })
}

/// For each world its fault of these kinds that lies outside of what was answered, with the world's probability.
fn faults(posterior: &Posterior, of: &dyn Fn(Kind) -> bool, taken: &[ElementId]) -> Vec<(Fault, f64)> {
    let fits = |fault: &&Fault| of(fault.kind) && !taken.contains(&fault.element);
    let one = |(faults, probability): &(Vec<Fault>, f64)| {
        let inside = faults.iter().any(|fault| taken.contains(&fault.element));
        let fault = faults.iter().find(fits).filter(|_| taken.is_empty() || inside)?;
        Some((*fault, *probability))
    };
    posterior.worlds.iter().filter_map(one).collect()
}

fn mass<'a>(faults: impl Iterator<Item = &'a (Fault, f64)>) -> f64 {
    faults.map(|(_, probability)| probability).sum()
}

fn answer(
    family: Family,
    also: &'static [Kind],
    faults: &[(Fault, f64)],
    ways: Ways<'_>,
    counted: &BTreeSet<Family>,
) -> Option<Answer> {
    let mass = |keep: &dyn Fn(&Fault) -> bool| -> f64 {
        faults
            .iter()
            .filter(|(fault, _)| keep(fault))
            .map(|(_, p)| p)
            .sum()
    };
    let whole = mass(&|_| true);
    if whole < WORTH_SAYING {
        return None;
    }
    let at_counters = mass(&|fault| ways.lossy.contains(&fault.element)) >= HELD_BY_PLACE * whole;
    let trust = trust(counted.contains(&family) || at_counters, whole);
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.family() == family);
    let (kind, of_kind) = kinds
        .map(|kind| (kind, mass(&|fault| told_alike(fault.kind, kind))))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    // The mechanism is said where it holds nearly all that the family has: a sibling with a tenth is not told apart. Of
    // limits the siblings differ by how deep a queue is, which is badly known. Why large packets vanish, sizes do not tell;
    // nor does a rate tell a slow disk from a program that waits for its peer or for a name service.
    let counted_there = |kind: Kind| {
        let there = |fault: &Fault| fault.kind == kind && ways.counted.contains(&fault.element);
        mass(&there) > 0.9 * of_kind
    };
    let sharp = match family {
        _ if kind == Kind::UnknownLoss => false,
        // Signs of how large packets are lost are few and clear: the other black hole is told beside the one.
        Family::Mtu => of_kind >= ENOUGH * whole,
        Family::Application => false,
        // That it is the adapter, or the load that makes a link lose, hardly anything shows from outside.
        // What a counter calls dropped for want of room it need not be told.
        _ if kind == Kind::LossUnderLoad && counted_there(kind) => of_kind >= 0.92 * whole,
        _ if matches!(kind, Kind::AdapterRate | Kind::LossUnderLoad) => of_kind >= 0.99 * whole,
        _ => of_kind >= 0.92 * whole,
    };
    let (level, held) = if sharp {
        (Level::Kind(kind), of_kind)
    } else {
        (Level::Family(family), whole)
    };
    // Both ways to swallow large packets are at one place.
    let counts = |fault: &Fault| {
        !sharp || told_alike(fault.kind, kind) || (kind.is_black_hole() && fault.kind.is_black_hole())
    };
    let place = place(
        &|element| mass(&|f| counts(f) && f.element == element),
        held,
        ways,
        faults,
        ENOUGH / trust,
    )?;
    let there = |element: &ElementId| place.run.contains(element) || place.other_way.contains(element);
    let of_level = |fault: &Fault| (!sharp || told_alike(fault.kind, kind)) && there(&fault.element);
    let probability = if sharp && kind.is_black_hole() {
        mass(&of_level)
    } else {
        place.held
    };
    let likeliest = faults
        .iter()
        .filter(|(fault, _)| of_level(fault))
        .max_by(|a, b| a.1.total_cmp(&b.1))?
        .0;
    Some(Answer {
        level,
        also: if sharp { &[] } else { also },
        place: place.run,
        other_way: place.other_way,
        on_way: place.on_way,
        probability: (trust * probability).min(NEVER_SURER),
        likeliest,
    })
}
