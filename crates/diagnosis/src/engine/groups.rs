//! Measurements that share an unknown stand in one group: its likelihood is the average over that unknown.

use super::pair::{Normal, Pair};
use crate::adapters::Gathered;
use model::forward;
use model::{
    Bound, Delivery, Element, ElementId, Fault, Kind, Measurement, NodeId, Seen, log_mean_exp, log_sum_exp,
};
use std::collections::{BTreeMap, BTreeSet};

/// A group of measurements.
#[derive(Debug)]
pub(super) struct Group<'a> {
    kind: GroupKind<'a>,
    pub(super) members: Vec<&'a Measurement>,
    /// The elements whose faults change what the group would see.
    pub(super) touches: BTreeSet<ElementId>,
}

#[derive(Debug)]
enum GroupKind<'a> {
    /// Transfers and streams between two hosts: they share the rate that these would reach without any fault, and how far
    /// the model is off for them.
    Pair(Pair<'a>),
    /// Delays beside transfers between two hosts: they share the place where the queue stands.
    Queues {
        normal: Normal,
        loaded: Vec<forward::Loaded<'a>>,
        /// Log likelihood where nothing keeps any of them from filling the path.
        natural: f64,
    },
    /// Probes that one node answers: they share its habits.
    Answers,
    /// Delays at rest, as one node sees them: they share the place of the queue that others fill.
    Rest,
    /// Measurements that share nothing: one, or the counts at one place.
    One,
}

/// How often a site's name means the host that the complaint names.
const SAME_HOST: f64 = 0.5;
/// How well the rate without faults is known: where somebody expects one, and where not.
const EXPECTED_SIGMA: f64 = 0.35;
const UNKNOWN_SIGMA: f64 = 0.8;
/// What the likelihood of a measurement is shared with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shares {
    /// The rate without faults, and the model's error, with all between two hosts, where they are surely those.
    Pair(NodeId, NodeId, Vec<ElementId>),
    /// The place of the queue, with all beside transfers between two hosts.
    Queue(Option<(NodeId, NodeId)>),
    /// The habits of a node, with all that it answers.
    Habits(NodeId, bool),
    /// The place of a queue that others fill, with all that one node asks at rest.
    Rest(NodeId),
    /// What was counted at one place, with all other counts there.
    Counts(Vec<ElementId>),
    /// Nothing.
    Nothing,
}

/// What the likelihood of this measurement is shared with.
pub(super) fn shares(gathered: &Gathered, measurement: &Measurement) -> Shares {
    let (from, to) = (measurement.from, measurement.to);
    match &measurement.seen {
        Seen::Rate(_) => Shares::Pair(from, to, measurement.maybe.clone()),
        Seen::Queue(_) => Shares::Queue(load_ends(gathered, measurement)),
        Seen::Loss(loss) if !loss.round_trip || loss.offered_bps.is_some() => {
            Shares::Pair(from, to, measurement.maybe.clone())
        }
        Seen::Loss(_) | Seen::Delivery(_) => Shares::Habits(to, from < to),
        Seen::Rest(_) => Shares::Rest(from),
        Seen::Count(_) => Shares::Counts(measurement.out.clone()),
        Seen::Setting(setting) if setting.min_rtt_s.is_some() => {
            Shares::Pair(from, to, measurement.maybe.clone())
        }
        Seen::Setting(_) => Shares::Nothing,
    }
}

/// Divides the measurements into groups.
pub(super) fn groups(gathered: &Gathered) -> Vec<Group<'_>> {
    divide(gathered, usual(gathered), &gathered.measurements)
}

/// Divides these measurements into groups. `usual_bps` is what a pair of the case reaches of which nobody expects anything.
pub(super) fn divide<'a>(
    gathered: &Gathered,
    usual_bps: f64,
    measurements: impl IntoIterator<Item = &'a Measurement>,
) -> Vec<Group<'a>> {
    let mut together: BTreeMap<Shares, Vec<&Measurement>> = BTreeMap::new();
    let mut rest = Vec::new();
    for measurement in measurements {
        match shares(gathered, measurement) {
            Shares::Nothing => rest.push(Group::new(GroupKind::One, vec![measurement])),
            shares => together.entry(shares).or_default().push(measurement),
        }
    }
    let normal = |ends: Option<(NodeId, NodeId)>| {
        let complained = ends == Some((gathered.from, gathered.to));
        let expected = gathered.expected_bps.filter(|_| complained);
        // Where nothing fast was seen either, what is normal is anybody's guess.
        let unknown = if usual_bps > LEAST_USUAL {
            UNKNOWN_SIGMA
        } else {
            2.0 * UNKNOWN_SIGMA
        };
        let (normal, sigma) = expected.map_or((usual_bps, unknown), |bps| (bps, EXPECTED_SIGMA));
        Normal::around(libm::log(normal), sigma)
    };
    let together = together.into_iter().map(|(shares, members)| {
        let kind = match shares {
            Shares::Pair(from, to, _) => GroupKind::Pair(Pair::new(normal(Some((from, to))), &members)),
            Shares::Queue(ends) => {
                let loaded = forward::Loaded::by_load(&members);
                GroupKind::Queues {
                    normal: normal(ends),
                    natural: forward::Loaded::natural(&loaded),
                    loaded,
                }
            }
            Shares::Rest(_) => GroupKind::Rest,
            Shares::Counts(_) => GroupKind::One,
            Shares::Habits(..) | Shares::Nothing => GroupKind::Answers,
        };
        Group::new(kind, members)
    });
    together.chain(rest).collect()
}

/// The hosts between which the transfer runs that loads the path while a node is probed.
fn load_ends(gathered: &Gathered, measurement: &Measurement) -> Option<(NodeId, NodeId)> {
    let Seen::Queue(queue) = &measurement.seen else {
        return None;
    };
    let host = |id: &ElementId| match gathered.map.element(*id) {
        Element::Host(node) => Some(*node),
        _ => None,
    };
    Some((host(queue.load_out.first()?)?, host(queue.load_out.last()?)?))
}

/// The least that a path is taken for where nothing is known of it, bit/s.
const LEAST_USUAL: f64 = 1e6;

/// What a pair of hosts reaches of which nobody expects anything: what the better pairs of the case reach. The very best of
/// many is a wrong record, or a path that is shorter than all others.
pub(super) fn usual(gathered: &Gathered) -> f64 {
    let mut best: BTreeMap<(NodeId, NodeId), f64> = BTreeMap::new();
    for measurement in &gathered.measurements {
        if let Some(rate) = measurement.rate()
            && rate.bound != Bound::AtMost
        {
            let known = best.entry((measurement.from, measurement.to)).or_default();
            *known = known.max(rate.bps);
        }
    }
    let mut best: Vec<f64> = best.into_values().collect();
    best.sort_by(f64::total_cmp);
    let last = best.len().saturating_sub(1);
    let upper = best.get((3 * last + 2) / 4).copied();
    upper
        .into_iter()
        .chain(gathered.expected_bps)
        .fold(LEAST_USUAL, f64::max)
}

impl<'a> Group<'a> {
    fn new(kind: GroupKind<'a>, members: Vec<&'a Measurement>) -> Self {
        let mut touches = BTreeSet::new();
        for member in &members {
            touches.extend(member.out.iter().chain(&member.back).copied());
            if let Seen::Queue(queue) = &member.seen {
                touches.extend(queue.load_out.iter().copied());
            }
        }
        Self {
            kind,
            members,
            touches,
        }
    }

    /// In which way an element lies on the way of each member: where two elements lie alike, their faults look alike.
    pub(super) fn incidence(&self, element: ElementId) -> Vec<u32> {
        let of = |member: &&Measurement| {
            let out = &member.out;
            let load = matches!(&member.seen, Seen::Queue(queue) if queue.load_out.contains(&element));
            let lies = [
                out.contains(&element),
                out.first() == Some(&element),
                out.last() == Some(&element),
                member.back.contains(&element),
                load,
            ];
            let routes = member.routes.iter().map(|route| route.contains(&element));
            let bits = lies.into_iter().chain(routes);
            bits.enumerate().map(|(place, bit)| u32::from(bit) << place).sum()
        };
        self.members.iter().map(of).collect()
    }

    /// Whether it is what a host says of its own settings.
    pub(super) fn is_setting(&self) -> bool {
        self.members
            .iter()
            .all(|member| matches!(member.seen, Seen::Setting(_)))
    }

    /// Whether a fault of this kind could change what the group sees.
    pub(super) fn feels(&self, kind: Kind) -> bool {
        match self.kind {
            GroupKind::Pair(_) | GroupKind::Queues { .. } => true,
            GroupKind::Answers => {
                let mut losses = self.members.iter().filter_map(|member| member.loss());
                let mut sizes = self.members.iter().filter_map(|member| member.delivery());
                match kind {
                    Kind::LossRatio | Kind::Interruption | Kind::UnknownLoss => true,
                    Kind::RareInterruption => losses.next().is_some(),
                    Kind::LossUnderLoad => losses.any(|loss| loss.under_load),
                    Kind::Fragments => sizes.any(Delivery::is_fragmented),
                    Kind::SilentMtu | Kind::FilteredMtu => sizes.next().is_some(),
                    _ => false,
                }
            }
            GroupKind::Rest => matches!(kind, Kind::Rivals | Kind::Share | Kind::ReaderRate),
            GroupKind::One => self.members.iter().any(|member| match &member.seen {
                Seen::Setting(setting) => setting.kind == kind,
                _ => true,
            }),
        }
    }

    /// The rate without faults, bit/s, and the model's error that fit a pair of hosts best in a world with these faults;
    /// `None` for other groups.
    pub(super) fn likeliest(&self, faults: &[Fault]) -> Option<(f64, f64)> {
        match &self.kind {
            GroupKind::Pair(pair) => Some(pair.likeliest(faults)),
            _ => None,
        }
    }

    /// Log likelihood of the group in a world with these faults. Where its records may mean another host than the faulty one,
    /// the average over both.
    pub(super) fn ln_likelihood(&self, faults: &[Fault]) -> f64 {
        let maybe = self.members.first().map_or(&[][..], |member| &member.maybe);
        let sure = |fault: &&Fault| !maybe.contains(&fault.element);
        if faults.iter().all(|fault| sure(&fault)) {
            return self.given(faults);
        }
        let others: Vec<Fault> = faults.iter().filter(sure).copied().collect();
        let each = [
            (SAME_HOST, self.given(faults)),
            (1.0 - SAME_HOST, self.given(&others)),
        ];
        log_sum_exp(&each.map(|(weight, ln)| libm::log(weight) + ln))
    }

    fn given(&self, faults: &[Fault]) -> f64 {
        match &self.kind {
            GroupKind::Pair(pair) => pair.ln_likelihood(faults),
            GroupKind::Queues {
                normal,
                loaded,
                natural,
            } => of_queues(faults, loaded, normal, *natural),
            GroupKind::Answers => forward::answers(faults, &self.members),
            GroupKind::Rest => forward::rest(faults, &self.members),
            GroupKind::One => self.members.iter().map(|member| one(faults, member)).sum(),
        }
    }
}

/// Delays beside transfers: averaged over the rate that these would reach without any fault.
fn of_queues(faults: &[Fault], loaded: &[forward::Loaded<'_>], normal: &Normal, natural: f64) -> f64 {
    let mut last: Vec<Option<(forward::LimitedBy, f64)>> = vec![None; loaded.len()];
    normal.average(|normal_bps| {
        let fills =
            |load: &forward::Loaded<'_>| forward::Loaded::is_natural(load.limited_by(faults, normal_bps));
        if loaded.iter().all(fills) {
            return natural;
        }
        let each = loaded.iter().zip(&mut last).map(|(load, last)| {
            if let Some(routes) = load.by_route(faults) {
                let along = |met: &Vec<Fault>| load.ln_likelihood(met, load.limited_by(met, normal_bps));
                return log_mean_exp(&routes.iter().map(along).collect::<Vec<f64>>());
            }
            let by = load.limited_by(faults, normal_bps);
            let value = match last {
                Some((before, value)) if *before == by => *value,
                _ => load.ln_likelihood(faults, by),
            };
            *last = Some((by, value));
            value
        });
        each.sum()
    })
}

fn one(faults: &[Fault], member: &Measurement) -> f64 {
    match &member.seen {
        Seen::Count(count) => forward::count(faults, member, count),
        Seen::Setting(setting) => forward::setting(faults, member, setting, f64::INFINITY),
        _ => 0.0,
    }
}
