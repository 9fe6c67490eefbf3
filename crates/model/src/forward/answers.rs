//! Probes that a node must answer: what its own habits explain, and what the path must.
//!
//! A router that is silent, slow to answer, or that refuses large packets misleads people more than any other thing. Its
//! habit is a nuisance parameter, shared by all probes to it: integrated over, and reported where it explains an anomaly.

use super::loss::{LossCause, path_loss};
use super::packets::{SHARES, fickle, of_packets};
use crate::density::{binomial_kernel, log_sum_exp, mixture};
use crate::{Fault, Kind, Loss, Measurement, Seen};
use libm::log;

/// How a node treats probes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Habit {
    /// Answers each.
    All,
    /// Answers some share: of size probes this one, of pings another for each rate. A limiter, or a busy processor.
    Fickle(f64),
    /// Answers small ones only.
    Small,
    /// Answers none.
    None,
}

/// Packets up to this size are answered by those who refuse large ones; operators draw the line at some hundred bytes or
/// at what needs no fragmentation.
const SMALL_BYTES: f64 = 600.0;

/// How often nodes answer all, a share (spread over [`SHARES`]), none, small ones only.
const ROUTERS: [f64; 4] = [0.40, 0.34, 0.14, 0.12];
const HOSTS: [f64; 4] = [0.82, 0.05, 0.08, 0.05];

/// Log probability of all probes to one node (losses and sizes), together.
#[must_use]
pub fn answers(faults: &[Fault], probes: &[&Measurement]) -> f64 {
    let router = probes.iter().any(|probe| match &probe.seen {
        Seen::Loss(loss) => loss.router_answers,
        Seen::Delivery(delivery) => delivery.router_answers,
        _ => false,
    });
    let [all, fickle, none, small] = if router { ROUTERS } else { HOSTS };
    let (pings, sizes): (Vec<&Measurement>, Vec<&Measurement>) = probes
        .iter()
        .partition(|probe| matches!(probe.seen, Seen::Loss(_)));
    let one = |p: &Measurement, habit| p.over_routes(faults, |met| probe(met, p, habit));
    let sum = |probes: &[&Measurement], habit| probes.iter().map(|p| one(p, habit)).sum::<f64>();
    // Of pings any share may be answered, another for each rate: the share of the sizes says nothing of it.
    let of_pings = sum(&pings, Habit::Fickle(1.0));
    let fickle =
        SHARES.map(|share| log(fickle / SHARES.len() as f64) + of_pings + sum(&sizes, Habit::Fickle(share)));
    let habits = [(Habit::All, all), (Habit::None, none), (Habit::Small, small)];
    let habits = habits.map(|(habit, weight)| log(weight) + sum(&pings, habit) + sum(&sizes, habit));
    log_sum_exp(&[&habits[..], &fickle].concat())
}

fn probe(faults: &[Fault], measurement: &Measurement, habit: Habit) -> f64 {
    match &measurement.seen {
        Seen::Loss(seen) => {
            let large = seen.size_bytes.is_some_and(|size| size > SMALL_BYTES);
            let gone = |cause| {
                let out = path_loss(faults, &measurement.out, cause);
                1.0 - (1.0 - out) * (1.0 - path_loss(faults, &measurement.back, cause))
            };
            let gone = gone(LossCause::of(seen));
            match habit {
                Habit::All => answered_all(seen, gone, vague(faults, measurement)),
                Habit::Small if !large => answered_all(seen, gone, vague(faults, measurement)),
                Habit::Fickle(_) => fickle(seen, gone),
                Habit::Small | Habit::None => of_packets(seen, 0.998, 1.0),
            }
        }
        Seen::Delivery(seen) => {
            let out = |fault: &Fault| measurement.out.contains(&fault.element);
            // A host echoes the whole datagram; a router quotes its beginning (RFC 792, RFC 1812 section 4.3.2.3).
            let both = |fault: &Fault| {
                out(fault) || (!seen.router_answers && measurement.back.contains(&fault.element))
            };
            let cut_off = faults
                .iter()
                .any(|fault| fault.kind == Kind::Fragments && seen.is_fragmented() && both(fault));
            let hole = |fault: &&Fault| fault.kind.is_black_hole() && out(fault);
            let too_large = faults
                .iter()
                .filter(hole)
                .find(|fault| seen.packet_bytes() > fault.value);
            let blocked = cut_off || too_large.is_some();
            if seen.told {
                // The word of a router behind a link that swallows the packet cannot have been; and who filters the word of
                // one router mostly filters that of those behind it.
                let filtered = faults
                    .iter()
                    .filter(hole)
                    .any(|fault| fault.kind == Kind::FilteredMtu);
                return log(match (blocked, filtered) {
                    (true, _) => 0.03,
                    (false, true) => 0.27,
                    (false, false) => 0.5,
                });
            }
            let arrive_whole = (1.0 - path_loss(faults, &measurement.out, LossCause::Brief))
                * (1.0 - path_loss(faults, &measurement.back, LossCause::Brief));
            let arrive = if blocked { 0.005 } else { arrive_whole };
            let habit = match habit {
                Habit::Small if seen.size_bytes <= SMALL_BYTES => Habit::All,
                habit => habit,
            };
            let swallowed = tries(seen.answered, seen.sent, arrive, habit);
            match too_large {
                Some(fault) if !seen.dont_fragment => {
                    // A router that knows fragments what it may, and what it cut passes unless a firewall drops all pieces.
                    let passing = if fault.kind == Kind::FilteredMtu {
                        0.85
                    } else {
                        0.02
                    };
                    let passes = tries(seen.answered, seen.sent, arrive_whole, habit);
                    log_sum_exp(&[log(1.0 - passing) + swallowed, log(passing) + passes])
                }
                _ => swallowed,
            }
        }
        _ => 0.0,
    }
}

/// A node that answers everything: what is missing, the path lost.
fn answered_all(seen: &Loss, lost: f64, vague: bool) -> f64 {
    // Beside a transfer that fills the path, its queue drops probes as well.
    let background: &[(f64, f64, f64)] = if seen.under_load {
        &[(0.4, 1e-5, 0.7), (0.3, 1e-3, 1.2), (0.3, 1e-2, 1.2)]
    } else {
        &[(0.75, 1e-6, 0.5), (0.2, 1e-4, 0.7), (0.05, 3e-3, 0.7)]
    };
    let honest = if vague { 0.4 } else { 1.0 };
    let mut terms: Vec<(f64, f64)> = background
        .iter()
        .map(|(weight, more, sigma)| (honest * weight, of_packets(seen, lost + more, *sigma)))
        .collect();
    if vague {
        terms.extend([1e-3, 1e-2, 1e-1, 0.5].map(|p| (0.15, of_packets(seen, p, 1.5))));
    }
    mixture(&terms)
}

/// Probes share their fate: a limiter's interval, a route that moves. Ten thousand of them are not ten thousand facts.
const MOST_TRIES: f64 = 100.0;

fn tries(answered: f64, sent: f64, arrive: f64, habit: Habit) -> f64 {
    let scale = (MOST_TRIES / sent.max(1.0)).min(1.0);
    let (k, n) = (answered * scale, sent * scale);
    let shares: &[f64] = match habit {
        Habit::All => &[0.999, 0.98],
        Habit::Fickle(share) => &[share],
        Habit::Small | Habit::None => &[0.002],
    };
    if let [share] = shares {
        return binomial_kernel(k, n, arrive * share);
    }
    let each = 1.0 / shares.len() as f64;
    let terms: Vec<(f64, f64)> = shares
        .iter()
        .map(|share| (each, binomial_kernel(k, n, arrive * share)))
        .collect();
    mixture(&terms)
}

fn vague(faults: &[Fault], measurement: &Measurement) -> bool {
    faults.iter().any(|fault| {
        fault.kind == Kind::UnknownLoss
            && (measurement.out.contains(&fault.element) || measurement.back.contains(&fault.element))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ElementId, NodeId, Trust};

    /// Log odds of a fault to none, of so many pings, 20 a second, all answered.
    fn odds(kind: Kind, pings: f64) -> f64 {
        let fault = Fault {
            kind,
            element: ElementId(0),
            value: 0.2,
        };
        let seen = Loss {
            sent: pings,
            pps: Some(20.0),
            round_trip: true,
            ..Loss::default()
        };
        let probe = Measurement {
            from: NodeId(0),
            to: NodeId(1),
            out: vec![ElementId(0)],
            back: Vec::new(),
            seen: Seen::Loss(seen),
            trust: Trust::Measured,
            maybe: Vec::new(),
            routes: Vec::new(),
            cites: Vec::new(),
        };
        answers(&[fault], &[&probe]) - answers(&[], &[&probe])
    }

    #[test]
    fn seconds_without_a_loss_refute_interruptions_that_follow_closely_and_no_rare_ones() {
        assert!(odds(Kind::Interruption, 40.0) < -2.0);
        assert_eq!(odds(Kind::RareInterruption, 40.0), 0.0);
        // A minute meets rare ones as well.
        assert!(odds(Kind::RareInterruption, 1_200.0) < -2.0);
    }
}
