//! Transfers and streams between two hosts: averaged over the rate that these would reach without any fault, and over
//! how far the model is off for all of them.
//!
//! Most of what was seen depends neither on that rate nor on the error, or only on which fault limits. What does not
//! change from one tried rate to the next is not weighed again: that is most of the time that an inference takes.

use model::{Fault, Measurement, Program, Rate, Seen, forward, log_mean_exp, log_sum_exp};

/// Values of the rate without faults that are tried, in half standard deviations, evenly.
const STEPS: i32 = 6;
/// How many those are.
const RATES: usize = 2 * STEPS as usize + 1;
/// Values of the shared error of the model, in standard deviations, with the logarithms of their weights (Gauss–Hermite,
/// three nodes: 1/6, 2/3, 1/6).
const SHARED: [(f64, f64); 3] = [
    (-1.732_050_807_568_877, -1.791_759_469_228_055),
    (0.0, -0.405_465_108_108_164_4),
    (1.732_050_807_568_877, -1.791_759_469_228_055),
];
/// For each rate without faults, and each shared error, the log density of some members.
type Sums = [[f64; SHARED.len()]; RATES];

/// ln Σ exp(−z²/2) over the steps: √(2π)/0.5.
const NORMALISATION: f64 = 1.612_085_713_764_618;

/// The rates that two hosts may reach without any fault, the most and the least likely: (ln of its weight, bit/s).
#[derive(Debug)]
pub(super) struct Normal([(f64, f64); RATES]);

impl Normal {
    /// Around `exp(ln_bps)`, known to a factor `exp(sigma)`.
    pub(super) fn around(ln_bps: f64, sigma: f64) -> Self {
        Self(std::array::from_fn(|index| {
            let z = f64::from(index as i32 - STEPS) * 0.5;
            (-0.5 * z * z, libm::exp(ln_bps + sigma * z))
        }))
    }

    /// The average of a log density over these rates.
    pub(super) fn average(&self, mut at: impl FnMut(f64) -> f64) -> f64 {
        log_sum_exp(&self.0.map(|(weight, bps)| weight + at(bps))) - NORMALISATION
    }
}

/// A group of measurements between two hosts.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    normal: Normal,
    members: Vec<Member<'a>>,
}

#[derive(Debug)]
struct Member<'a> {
    measurement: &'a Measurement,
    /// What it counts: repeats of one test share its errors, so that together they count little more than one.
    counts: f64,
    /// Of a stream slower than the path, its log probability where nothing loses packets.
    clean: Option<f64>,
}

impl<'a> Pair<'a> {
    pub(super) fn new(normal: Normal, members: &[&'a Measurement]) -> Self {
        let members = members.iter().map(|measurement| Member {
            measurement,
            counts: counts_together(measurement, members),
            clean: match &measurement.seen {
                Seen::Loss(loss) => Some(forward::stream_loss(&[], measurement, loss, f64::INFINITY)),
                _ => None,
            },
        });
        Self {
            normal,
            members: members.collect(),
        }
    }

    /// Log likelihood in a world with these faults.
    pub(super) fn ln_likelihood(&self, faults: &[Fault]) -> f64 {
        log_sum_exp(&self.terms(faults)) - NORMALISATION
    }

    /// The rate without faults, bit/s, and the shared error, in standard deviations, that are likeliest in a world with
    /// these faults.
    pub(super) fn likeliest(&self, faults: &[Fault]) -> (f64, f64) {
        let terms = self.terms(faults);
        let best = (0..terms.len()).max_by(|a, b| terms[*a].total_cmp(&terms[*b]).then(b.cmp(a)));
        let best = best.unwrap_or_default();
        let rate = self.normal.0[best / SHARED.len()].1;
        (rate, SHARED[best % SHARED.len()].0)
    }

    /// For each rate without faults, and each shared error, its log weight and the log density of all members.
    fn terms(&self, faults: &[Fault]) -> [f64; SHARED.len() * RATES] {
        let mut sums = Sums::default();
        for member in &self.members {
            let Some(routes) = member.measurement.by_route(faults) else {
                self.add(&mut sums, faults, member);
                continue;
            };
            let each = routes.iter().map(|met| {
                let mut own = Sums::default();
                self.add(&mut own, met, member);
                own
            });
            let each: Vec<Sums> = each.collect();
            for (place, sum) in sums.iter_mut().flatten().enumerate() {
                let terms = each
                    .iter()
                    .filter_map(|own| own.iter().flatten().nth(place).copied());
                *sum += log_mean_exp(&terms.collect::<Vec<f64>>());
            }
        }
        let mut terms = [0.0; SHARED.len() * RATES];
        let each = self.normal.0.iter().zip(&sums);
        let all = each.flat_map(|((weight, _), sums)| {
            SHARED
                .iter()
                .zip(sums)
                .map(move |((_, share), sum)| weight + share + sum)
        });
        for (term, value) in terms.iter_mut().zip(all) {
            *term = value;
        }
        terms
    }

    fn add(&self, sums: &mut Sums, faults: &[Fault], member: &Member<'_>) {
        match &member.measurement.seen {
            Seen::Rate(rate) => self.add_rate(sums, faults, member, rate),
            Seen::Loss(_) => self.add_loss(sums, faults, member),
            Seen::Setting(setting) => {
                for ((_, normal_bps), sums) in self.normal.0.iter().zip(sums) {
                    let value = forward::setting(faults, member.measurement, setting, *normal_bps);
                    sums.iter_mut().for_each(|sum| *sum += value);
                }
            }
            _ => {}
        }
    }

    fn add_rate(&self, sums: &mut Sums, faults: &[Fault], member: &Member<'_>, rate: &Rate) {
        let mut last: Option<(forward::Limit, [f64; SHARED.len()])> = None;
        let mut companions: Option<(forward::LimitedBy, f64)> = None;
        for ((_, normal_bps), sums) in self.normal.0.iter().zip(sums) {
            let limit = forward::limit(faults, member.measurement, rate, *normal_bps);
            let known = last.filter(|(before, _)| *before == limit);
            let values = known.map_or_else(
                || {
                    let beside = match companions {
                        Some((by, value)) if by == limit.by => value,
                        _ => forward::waits(faults, member.measurement, rate, &limit),
                    };
                    companions = Some((limit.by, beside));
                    let exact = |error: f64| member.counts * (beside + forward::rate(rate, &limit, error));
                    if limit.sigma == 0.0 {
                        return [exact(0.0); SHARED.len()];
                    }
                    SHARED.map(|(error, _)| exact(error))
                },
                |(_, values)| values,
            );
            last = Some((limit, values));
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value;
            }
        }
    }

    fn add_loss(&self, sums: &mut Sums, faults: &[Fault], member: &Member<'_>) {
        let Seen::Loss(loss) = &member.measurement.seen else {
            return;
        };
        let touched = faults.iter().any(|fault| {
            let there = member.measurement.out.contains(&fault.element)
                || (loss.round_trip && member.measurement.back.contains(&fault.element));
            there && forward::changes_loss(fault.kind)
        });
        let mut below: Option<f64> = member.clean.filter(|_| !touched);
        for ((_, normal_bps), sums) in self.normal.0.iter().zip(sums) {
            let over = loss.offered_bps.is_some_and(|offered| offered > *normal_bps);
            let weigh = |bps| forward::stream_loss(faults, member.measurement, loss, bps);
            let value = if over {
                weigh(*normal_bps)
            } else {
                *below.get_or_insert_with(|| weigh(f64::INFINITY))
            };
            for sum in sums {
                *sum += member.counts * value;
            }
        }
    }
}

/// Repeats count like the logarithm of their number.
fn counts_together(member: &Measurement, all: &[&Measurement]) -> f64 {
    let alike = all.iter().filter(|other| same_test(member, other)).count() as f64;
    (1.0 + libm::log(alike)) / alike
}

fn same_test(a: &Measurement, b: &Measurement) -> bool {
    if (a.from, a.to) != (b.from, b.to) {
        return false;
    }
    let one_way = a.out == b.out;
    match (&a.seen, &b.seen) {
        (Seen::Rate(a), Seen::Rate(b)) => one_way && conditions(a) == conditions(b),
        (Seen::Loss(a), Seen::Loss(b)) => {
            a.offered_bps.is_some() == b.offered_bps.is_some() && a.under_load == b.under_load
        }
        (Seen::Queue(_), Seen::Queue(_)) => true,
        _ => false,
    }
}

fn conditions(rate: &Rate) -> (evidence::Transport, u64, Option<u64>, Option<u64>, Program) {
    let whole = |value: Option<f64>| value.map(|value| value as u64);
    (
        rate.transport,
        rate.streams as u64,
        whole(rate.window_bytes),
        whole(rate.mss_bytes),
        rate.program,
    )
}
