//! The weighing: all single faults, then pairs of the best with what they leave unexplained.

use super::elsewhere;
use super::groups::{Group, groups};
use super::hypotheses::{NOTHING, Single, singles};
use crate::adapters::Gathered;
use crate::declaration::SECOND_AT_SAME_ELEMENT;
use model::{ElementId, Fault, Kind, log_sum_exp};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A second fault is rarer than a first.
const SECOND: f64 = 0.08;
/// So many of the best single faults are tried with a second one, and so many places for that.
const FIRST: usize = 6;
const CANDIDATES: usize = 40;
/// A second fault must make the evidence at least so much likelier by itself (natural logarithm).
pub(super) const LEAST_GAIN: f64 = 1.0;

/// Worlds with their probabilities, the most probable first.
#[derive(Debug)]
pub(crate) struct Posterior {
    /// (faults, probability); no faults: nothing wrong.
    pub(crate) worlds: Vec<(Vec<Fault>, f64)>,
    /// ln of how much likelier the evidence is in the best world than in one without faults.
    pub(crate) ln_gain: f64,
    /// For an element the same cable in the other direction, and what lies beside it on equal routes.
    copies: BTreeMap<ElementId, Vec<ElementId>>,
    elsewhere: BTreeSet<ElementId>,
}

impl Posterior {
    /// The faults of a world without those elsewhere, which come last.
    pub(crate) fn on_path<'f>(&self, faults: &'f [Fault]) -> &'f [Fault] {
        let on_path = faults
            .iter()
            .take_while(|fault| !self.elsewhere.contains(&fault.element));
        &faults[..on_path.count()]
    }

    /// A fault with the same ones in the other direction of its link, or on the equal routes beside it: for an answer they are
    /// one. What is wrong elsewhere does not count.
    pub(super) fn repeated<'f>(&self, faults: &'f [Fault]) -> Option<(Fault, &'f [Fault])> {
        let (first, others) = self.on_path(faults).split_first()?;
        let copies = self.copies.get(&first.element)?;
        let same = |other: &Fault| {
            (other.kind, other.value) == (first.kind, first.value) && copies.contains(&other.element)
        };
        (!others.is_empty() && others.iter().all(same)).then_some((*first, others))
    }
}

/// Weighs all worlds against the measurements.
pub(crate) fn infer(gathered: &mut Gathered) -> Posterior {
    let elsewhere = gathered.beside_the_path();
    let candidates = singles(gathered);
    let mirror = mirror(gathered);
    let equal = equal(gathered);
    let groups = groups(gathered);
    let scores = Scores::of(&groups, Vec::new());
    let copies = Copies { mirror, equal };
    let mut worlds = weigh(&scores, &candidates, &copies, &elsewhere);
    for (faults, score) in elsewhere::sets(&scores, &candidates, &elsewhere) {
        let gain = score - libm::log(NOTHING);
        let beside = weigh(
            &Scores::of(&groups, faults.clone()),
            &candidates,
            &copies,
            &elsewhere,
        );
        worlds.extend(
            beside
                .into_iter()
                .map(|(path, score)| ([&path[..], &faults].concat(), score + gain)),
        );
    }
    let best = worlds
        .iter()
        .map(|(_, score)| *score)
        .fold(f64::NEG_INFINITY, f64::max);
    let total = log_sum_exp(&worlds.iter().map(|(_, score)| *score).collect::<Vec<_>>());
    worlds.retain(|(faults, score)| faults.is_empty() || *score > best - 25.0);
    for (_, score) in &mut worlds {
        *score = libm::exp(*score - total);
    }
    worlds.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| key(&a.0).cmp(&key(&b.0))));
    let ln_gain = worlds.first().map_or(0.0, |(faults, _)| scores.gain(faults));
    Posterior {
        worlds,
        ln_gain,
        copies: copies.all(),
        elsewhere,
    }
}

/// Where a fault may be there a second time.
struct Copies {
    /// In the other direction of a link.
    mirror: BTreeMap<ElementId, ElementId>,
    /// On equal routes.
    equal: BTreeMap<ElementId, Vec<ElementId>>,
}

impl Copies {
    fn all(self) -> BTreeMap<ElementId, Vec<ElementId>> {
        let mut all = self.equal;
        for (element, other) in self.mirror {
            all.entry(element).or_default().push(other);
        }
        all
    }
}

/// All worlds of the path, with their scores beside what is wrong elsewhere in all of them.
fn weigh(
    scores: &Scores<'_>,
    candidates: &[Single],
    copies: &Copies,
    elsewhere: &BTreeSet<ElementId>,
) -> Vec<(Vec<Fault>, f64)> {
    let mut worlds: Vec<(Vec<Fault>, f64)> = vec![(Vec::new(), libm::log(NOTHING))];
    let singles: Vec<(Single, f64)> = candidates
        .iter()
        .filter(|single| !elsewhere.contains(&single.fault.element))
        .map(|single| (*single, single.ln_prior + scores.gain(&[single.fault])))
        .collect();
    worlds.extend(singles.iter().map(|(single, score)| (vec![single.fault], *score)));
    worlds.extend(pairs(scores, &singles));
    worlds.extend(both_ways(scores, &singles, &copies.mirror));
    worlds.extend(on_all_routes(scores, &singles, &copies.equal));
    worlds
}

/// How often a fault of a cable or of its two interfaces is there in both directions.
const BOTH_WAYS: f64 = 0.3;

/// Worlds in which a link has the same fault in both directions: its capacity, its errors, its duplex and its MTU are
/// those of one cable and one pair of interfaces. Two hosts with the same small buffers are a system's defaults, or what a
/// device between them made of their handshake.
fn both_ways(
    scores: &Scores<'_>,
    singles: &[(Single, f64)],
    mirror: &BTreeMap<ElementId, ElementId>,
) -> Vec<(Vec<Fault>, f64)> {
    let of_cable = |kind| {
        matches!(
            kind,
            Kind::Capacity
                | Kind::LossRatio
                | Kind::LossUnderLoad
                | Kind::SilentMtu
                | Kind::FilteredMtu
                | Kind::ReceiveWindow
                | Kind::SendBuffer
        )
    };
    let telling = |(single, score): &&(Single, f64)| {
        of_cable(single.fault.kind) && score - single.ln_prior > LEAST_GAIN
    };
    let one = |(single, score): &(Single, f64)| {
        let there = single.fault;
        let element = *mirror.get(&there.element)?;
        let back = Fault { element, ..there };
        let mut of_back = scores.gains(back);
        // That two hosts are set alike speaks for no fault: healthy ones are as well.
        of_back.retain(|index, gain| *gain < 0.0 || !scores.groups[*index].is_setting());
        let gain = scores.gain_of_both((there, &scores.gains(there)), (back, &of_back));
        let alone = score - single.ln_prior;
        (gain > alone).then(|| (vec![there, back], single.ln_prior + libm::log(BOTH_WAYS) + gain))
    };
    singles.iter().filter(telling).filter_map(one).collect()
}

/// How often a fault of one of several equal routes is one of all: they lie in one cable, begin at one router, or are one link
/// between routers that answer from several addresses.
const ON_ALL_ROUTES: f64 = 0.5;

/// Worlds in which equal routes have the same fault.
fn on_all_routes(
    scores: &Scores<'_>,
    singles: &[(Single, f64)],
    equal: &BTreeMap<ElementId, Vec<ElementId>>,
) -> Vec<(Vec<Fault>, f64)> {
    let one = |(single, _): &(Single, f64)| {
        let others = equal.get(&single.fault.element)?;
        let elements = std::iter::once(&single.fault.element).chain(others);
        let faults: Vec<Fault> = elements
            .map(|id| Fault {
                element: *id,
                ..single.fault
            })
            .collect();
        let gain = scores.gain(&faults);
        (gain > LEAST_GAIN).then(|| (faults, single.ln_prior + libm::log(ON_ALL_ROUTES) + gain))
    };
    singles.iter().filter_map(one).collect()
}

/// For each element of the way that equal routes lie beside, those at the same distance on them.
fn equal(gathered: &mut Gathered) -> BTreeMap<ElementId, Vec<ElementId>> {
    let routes = gathered.map.routes(gathered.from, gathered.to);
    let mut equal: BTreeMap<ElementId, Vec<ElementId>> = BTreeMap::new();
    for other in routes.iter().skip(1) {
        for (id, there) in routes[0].ways.iter().zip(&other.ways).filter(|(a, b)| a != b) {
            let known = equal.entry(*id).or_default();
            if !known.contains(there) {
                known.push(*there);
            }
        }
    }
    equal
}

/// For each element of the way complained about the one that is the same cable in the other direction, where both ways
/// show as many hops; else only the links beside the hosts, and the one unknown stretch between.
pub(super) fn mirror(gathered: &mut Gathered) -> BTreeMap<ElementId, ElementId> {
    let (from, to) = (gathered.from, gathered.to);
    let out = gathered.map.path(from, to).ways;
    let mut back = gathered.map.path(to, from).ways;
    back.reverse();
    let alike = |index: usize| match (out.len(), back.len()) {
        (a, b) if a == b => back.get(index),
        _ if index == 0 => back.first(),
        (a, _) if index + 1 == a => back.last(),
        _ => None,
    };
    let cables = out.iter().enumerate();
    let hosts = [gathered.map.host(from), gathered.map.host(to)];
    cables
        .filter_map(|(index, element)| Some((*element, *alike(index)?)))
        .chain([(hosts[0], hosts[1]), (hosts[1], hosts[0])])
        .collect()
}

fn key(faults: &[Fault]) -> Vec<(Kind, ElementId, u64)> {
    faults
        .iter()
        .map(|fault| (fault.kind, fault.element, fault.value.to_bits()))
        .collect()
}

fn pairs(scores: &Scores<'_>, singles: &[(Single, f64)]) -> Vec<(Vec<Fault>, f64)> {
    let mut best: BTreeMap<(Kind, ElementId), (Single, f64)> = BTreeMap::new();
    for (single, score) in singles {
        let kept = best
            .entry((single.fault.kind, single.fault.element))
            .or_insert((*single, *score));
        if *score > kept.1 {
            *kept = (*single, *score);
        }
    }
    let mut ranked: Vec<(Single, f64)> = best
        .into_values()
        .filter(|(single, score)| {
            score - single.ln_prior > LEAST_GAIN
                && !matches!(single.fault.kind, Kind::Unknown | Kind::UnknownLoss)
        })
        .collect();
    ranked.sort_by(|a, b| {
        let same = || (a.0.fault.kind, a.0.fault.element).cmp(&(b.0.fault.kind, b.0.fault.element));
        b.1.total_cmp(&a.1).then_with(same)
    });
    ranked.truncate(CANDIDATES);
    let gains: Vec<_> = ranked
        .iter()
        .map(|(single, _)| scores.gains(single.fault))
        .collect();
    let mut pairs = Vec::new();
    for (place, (first, _)) in ranked.iter().take(FIRST).enumerate() {
        for (other, (second, _)) in ranked.iter().enumerate().skip(place + 1) {
            let (a, b) = (first.fault, second.fault);
            let rarity = if a.element == b.element {
                SECOND_AT_SAME_ELEMENT
            } else {
                SECOND
            };
            let faults = vec![a, b];
            let gain = scores.gain_of_both((a, &gains[place]), (b, &gains[other]));
            let score = first.ln_prior + second.ln_prior + libm::log(rarity) + gain;
            pairs.push((faults, score));
        }
    }
    pairs
}

/// A group, a kind with its value, and how the element lies on the ways of the group's members.
type Alike = (usize, Kind, u64, Vec<u32>);

/// What each group gains over a world without faults, computed only where a fault can change it.
pub(super) struct Scores<'g> {
    groups: &'g [Group<'g>],
    /// What is wrong elsewhere in all these worlds.
    beside: Vec<Fault>,
    normal: Vec<f64>,
    touching: BTreeMap<ElementId, Vec<usize>>,
    /// What a group gains from one fault. Links that the same packets cross are alike to a group: it is weighed once for
    /// all of them.
    alike: RefCell<BTreeMap<Alike, f64>>,
}

impl<'g> Scores<'g> {
    fn of(groups: &'g [Group<'g>], beside: Vec<Fault>) -> Self {
        let mut touching: BTreeMap<ElementId, Vec<usize>> = BTreeMap::new();
        for (index, group) in groups.iter().enumerate() {
            for element in &group.touches {
                touching.entry(*element).or_default().push(index);
            }
        }
        let normal = groups.iter().map(|group| group.ln_likelihood(&beside)).collect();
        Self {
            groups,
            beside,
            normal,
            touching,
            alike: RefCell::default(),
        }
    }

    pub(super) fn gain(&self, faults: &[Fault]) -> f64 {
        if let [fault] = faults {
            return self.gains(*fault).values().sum();
        }
        let mut touched: Vec<usize> = faults.iter().flat_map(|fault| self.touched(fault)).collect();
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().map(|index| self.gained(index, faults)).sum()
    }

    fn gained(&self, index: usize, faults: &[Fault]) -> f64 {
        let all = [faults, &self.beside].concat();
        self.groups[index].ln_likelihood(&all) - self.normal[index]
    }

    /// The groups that a fault can change.
    fn touched(&self, fault: &Fault) -> impl Iterator<Item = usize> {
        let near = self.touching.get(&fault.element).into_iter().flatten().copied();
        let kind = fault.kind;
        near.filter(move |index| self.groups[*index].feels(kind))
    }

    /// What each group gains from one fault.
    fn gains(&self, fault: Fault) -> BTreeMap<usize, f64> {
        self.touched(&fault)
            .map(|index| (index, self.gain_of(index, fault)))
            .collect()
    }

    fn gain_of(&self, index: usize, fault: Fault) -> f64 {
        let group = &self.groups[index];
        let key = (
            index,
            fault.kind,
            fault.value.to_bits(),
            group.incidence(fault.element),
        );
        if let Some(known) = self.alike.borrow().get(&key) {
            return *known;
        }
        let gain = self.gained(index, &[fault]);
        self.alike.borrow_mut().insert(key, gain);
        gain
    }

    /// What two faults gain together, from what each gains alone: only groups that feel both are weighed again.
    fn gain_of_both(&self, a: (Fault, &BTreeMap<usize, f64>), b: (Fault, &BTreeMap<usize, f64>)) -> f64 {
        let mut sum: f64 =
            b.1.iter()
                .filter(|(index, _)| !a.1.contains_key(index))
                .map(|(_, gain)| gain)
                .sum();
        for (index, gain) in a.1 {
            sum += if b.1.contains_key(index) {
                self.gained(*index, &[a.0, b.0])
            } else {
                *gain
            };
        }
        sum
    }
}
