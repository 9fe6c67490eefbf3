//! What a measurement that was not made yet would tell: how much it is expected to lower the doubt about what is wrong.
//!
//! What is in doubt is which kinds of fault there are at which elements; how bad they are, an answer need not know. Of the
//! posterior the most probable such answers are looked at, each with its likeliest values. Every world predicts an outcome;
//! the outcomes are the few points at which the likelihoods of all worlds are compared. So the expected gain is the mutual
//! information of answer and outcome over a proper joint distribution: never negative, and nothing where all worlds agree.
//! The likelihood of an outcome is that of its whole group with it, so that what was measured already, and the error that
//! tests between two hosts share, make a repeat worth little.

use super::groups::{Group, Shares, divide, shares, usual};
use super::posterior::Posterior;
use crate::adapters::Gathered;
use model::{ElementId, Fault, Kind, Measurement, Seen, forward, log_sum_exp};
use std::collections::BTreeMap;

/// So many answers are looked at, or as many as hold [`ENOUGH_MASS`].
const MOST_ANSWERS: usize = 40;
const ENOUGH_MASS: f64 = 0.99;
/// So many values of each.
const VALUES: usize = 2;
/// Outcomes at which likelihoods are compared.
const MOST_OUTCOMES: usize = 10;

/// The kinds of fault, each at its element; none: nothing wrong.
type Wrong = Vec<(Kind, ElementId)>;

/// The faults of a world, and its probability.
type Weighted = (Vec<Fault>, f64);

/// What is in doubt, before the next measurement.
pub(crate) struct Outlook<'a> {
    gathered: &'a Gathered,
    posterior: &'a Posterior,
    usual_bps: f64,
    worlds: Vec<World<'a>>,
    answers: usize,
}

struct World<'a> {
    faults: &'a [Fault],
    /// The index of its answer, the most probable first.
    answer: usize,
    probability: f64,
}

impl<'a> Outlook<'a> {
    /// What is wrong beside the path is nobody's question.
    pub(crate) fn of(gathered: &'a Gathered, posterior: &'a Posterior) -> Self {
        let mut answers: BTreeMap<Wrong, (f64, Vec<&'a Weighted>)> = BTreeMap::new();
        for world in &posterior.worlds {
            // Acknowledgements are cumulative (RFC 9293): whether they are lost as well hardly matters to the transfer.
            let told = match posterior.repeated(&world.0) {
                Some((there, _)) if there.kind == Kind::LossRatio => &world.0[..1],
                _ => posterior.on_path(&world.0),
            };
            let mut wrong: Wrong = told.iter().map(|fault| (fault.kind, fault.element)).collect();
            wrong.sort_unstable();
            let (mass, worlds) = answers.entry(wrong).or_default();
            *mass += world.1;
            // They come the most probable first. One with the fault in both directions is not like one without.
            let alike = |other: &&&Weighted| other.0.len() == world.0.len();
            if worlds.iter().filter(alike).count() < VALUES {
                worlds.push(world);
            }
        }
        let mut answers: Vec<(f64, Vec<&Weighted>)> = answers.into_values().collect();
        answers.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut held = 0.0;
        let needed = answers.iter().take_while(|(mass, _)| {
            let more = held < ENOUGH_MASS;
            held += mass;
            more
        });
        let kept = needed.count().min(MOST_ANSWERS);
        answers.truncate(kept);
        let all: f64 = answers.iter().map(|(mass, _)| mass).sum();
        let worlds = answers.iter().enumerate().flat_map(|(answer, (mass, worlds))| {
            let told: f64 = worlds.iter().map(|(_, p)| p).sum();
            let share = mass / (all * told).max(f64::MIN_POSITIVE);
            worlds.iter().map(move |(faults, p)| World {
                faults,
                answer,
                probability: p * share,
            })
        });
        Self {
            gathered,
            posterior,
            usual_bps: usual(gathered),
            answers: answers.len(),
            worlds: worlds.collect(),
        }
    }

    /// The faults of the most probable answer with its likeliest values, and the answer's probability.
    pub(crate) fn surest(&self) -> (&'a [Fault], f64) {
        let first = self.worlds.iter().filter(|world| world.answer == 0);
        let probability = first.map(|world| world.probability).sum();
        let likeliest = self.worlds.first().map_or(&[][..], |world| world.faults);
        (self.posterior.on_path(likeliest), probability)
    }

    /// The expected gain of measurements that are made together, bits. Their results are ignored.
    pub(crate) fn gain_bits(&self, asked: &[Measurement]) -> f64 {
        let sharing: Vec<Shares> = asked.iter().map(|one| shares(self.gathered, one)).collect();
        let known: Vec<&Measurement> = self
            .gathered
            .measurements
            .iter()
            .filter(|m| sharing.contains(&shares(self.gathered, m)))
            .collect();
        let before = self.divide(&known, &[]);
        let with = self.divide(&known, asked);
        let mut alike: BTreeMap<Vec<Alike>, usize> = BTreeMap::new();
        let mut distinct: Vec<Distinct> = Vec::new();
        let mut which: Vec<usize> = Vec::new();
        for world in &self.worlds {
            let faults: Vec<Fault> = world
                .faults
                .iter()
                .copied()
                .filter(|fault| with.iter().any(|group| group.touches.contains(&fault.element)))
                .collect();
            let key = faults.iter().map(|fault| seen_alike(fault, &with)).collect();
            let index = *alike.entry(key).or_insert_with(|| {
                let outcome = self.predict(&faults, asked, &before);
                distinct.push(Distinct {
                    faults,
                    outcome,
                    mass: 0.0,
                });
                distinct.len() - 1
            });
            distinct[index].mass += world.probability;
            which.push(index);
        }
        let outcomes = outcomes(&distinct);
        if outcomes.len() < 2 {
            return 0.0;
        }
        let chances = self.chances(&known, &outcomes, &distinct);
        self.information_bits(&which, &chances, outcomes.len())
    }

    fn divide<'m>(&self, known: &[&'m Measurement], more: &'m [Measurement]) -> Vec<Group<'m>> {
        let all = known.iter().copied().chain(more);
        divide(self.gathered, self.usual_bps, all)
    }

    /// What a world expects to see, given what it takes to explain what was seen between the same hosts.
    fn predict(&self, faults: &[Fault], asked: &[Measurement], before: &[Group<'_>]) -> Vec<Measurement> {
        let one = |asked: &Measurement| {
            let own = |group: &&Group<'_>| {
                let mut members = group.members.iter();
                members.any(|m| shares(self.gathered, m) == shares(self.gathered, asked))
            };
            let fitted = before.iter().find(own).and_then(|group| group.likeliest(faults));
            let usual = match asked.seen {
                Seen::Rate(_) => self.gathered.expected_bps.unwrap_or(self.usual_bps),
                _ => f64::INFINITY,
            };
            let (normal_bps, error) = fitted.unwrap_or((usual, 0.0));
            let seen = forward::predict(faults, asked, normal_bps, error);
            Measurement {
                seen,
                ..asked.clone()
            }
        };
        asked.iter().map(one).collect()
    }

    /// For each distinct world how probable each outcome is.
    fn chances(
        &self,
        known: &[&Measurement],
        outcomes: &[&[Measurement]],
        distinct: &[Distinct],
    ) -> Vec<Vec<f64>> {
        let mut chances: Vec<Vec<f64>> = vec![Vec::with_capacity(outcomes.len()); distinct.len()];
        for outcome in outcomes {
            let groups = self.divide(known, outcome);
            let normal: Vec<f64> = groups.iter().map(|group| group.ln_likelihood(&[])).collect();
            for (world, chances) in distinct.iter().zip(&mut chances) {
                let each = groups.iter().zip(&normal).map(|(group, normal)| {
                    let felt = |f: &Fault| group.feels(f.kind) && group.touches.contains(&f.element);
                    match world.faults.iter().any(felt) {
                        true => group.ln_likelihood(&world.faults),
                        false => *normal,
                    }
                });
                chances.push(each.sum());
            }
        }
        for chances in &mut chances {
            let total = log_sum_exp(chances);
            chances.iter_mut().for_each(|ln| *ln = libm::exp(*ln - total));
        }
        chances
    }

    /// The mutual information of answer and outcome, bits.
    fn information_bits(&self, which: &[usize], chances: &[Vec<f64>], outcomes: usize) -> f64 {
        let mut joint = vec![vec![0.0; outcomes]; self.answers];
        for (world, index) in self.worlds.iter().zip(which) {
            for (sum, chance) in joint[world.answer].iter_mut().zip(&chances[*index]) {
                *sum += world.probability * chance;
            }
        }
        let of_outcome: Vec<f64> = (0..outcomes)
            .map(|outcome| joint.iter().map(|row| row[outcome]).sum())
            .collect();
        let mut bits = 0.0;
        for row in &joint {
            let of_answer: f64 = row.iter().sum();
            for (both, of_outcome) in row.iter().zip(&of_outcome) {
                if *both > 0.0 {
                    bits += both * libm::log2(both / (of_answer * of_outcome));
                }
            }
        }
        bits.max(0.0)
    }
}

/// Worlds that the measurements in question cannot tell apart.
struct Distinct {
    faults: Vec<Fault>,
    outcome: Vec<Measurement>,
    mass: f64,
}

/// A kind with its value, and how its element lies on the ways of all members: where two faults agree in it, they look alike.
type Alike = (Kind, u64, Vec<u32>);

fn seen_alike(fault: &Fault, groups: &[Group<'_>]) -> Alike {
    let ways = groups.iter().flat_map(|group| group.incidence(fault.element));
    (fault.kind, fault.value.to_bits(), ways.collect())
}

/// The outcomes that are expected most, those that nobody could tell apart once.
fn outcomes(distinct: &[Distinct]) -> Vec<&[Measurement]> {
    let mut all: BTreeMap<Vec<i64>, (f64, &[Measurement])> = BTreeMap::new();
    for world in distinct {
        let figures = world.outcome.iter().flat_map(|m| rounded(&m.seen)).collect();
        let (mass, _) = all.entry(figures).or_insert((0.0, &world.outcome));
        *mass += world.mass;
    }
    let mut all: Vec<(f64, &[Measurement])> = all.into_values().collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.truncate(MOST_OUTCOMES);
    all.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Its figures in steps of about the noise of a test.
fn rounded(seen: &Seen) -> [i64; 2] {
    const STEP: f64 = 0.25;
    let steps = |value: f64| libm::round(libm::log(value.max(1e-9)) / STEP) as i64;
    match seen {
        Seen::Rate(rate) => [steps(rate.bps.max(1.0)), 0],
        Seen::Loss(loss) => {
            let lost = loss.lost / loss.sent.max(1.0);
            let lost = if lost > 0.5 {
                -steps(1.0 - lost)
            } else {
                steps(lost)
            };
            [lost, steps(loss.reordered.unwrap_or(0.0) / loss.sent.max(1.0))]
        }
        Seen::Delivery(delivery) => [delivery.answered as i64, 0],
        Seen::Queue(_) | Seen::Rest(_) | Seen::Count(_) | Seen::Setting(_) => [0, 0],
    }
}
