//! The share of packets that a path loses.

use super::packets::{anything, fickle, of_packets};
use crate::density::{log_sum_exp, mixture, normal, together};
use crate::{ElementId, Fault, Kind, Loss, Measurement};
use libm::{log, sqrt};

/// Under which circumstances packets cross.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LossCause {
    /// A few packets on an idle path, within a few seconds.
    Brief,
    /// A few packets on an idle path.
    Idle,
    /// Packets beside, or of, a transfer that takes what it gets.
    Loaded,
    /// A stream at this rate, bit/s.
    Stream(f64),
}

/// Probes that ask for no longer may fall between two interruptions, seconds.
const BRIEF_S: f64 = 5.0;
/// How fast pings are sent of which nobody tells the rate, one a second: the default of `ping`.
const USUAL_PPS: f64 = 1.0;

impl LossCause {
    /// Under which circumstances these packets crossed.
    pub(super) fn of(seen: &Loss) -> Self {
        match (seen.offered_bps, seen.under_load) {
            (Some(bps), _) => Self::Stream(bps),
            (None, true) => Self::Loaded,
            (None, false) if seen.sent <= BRIEF_S * seen.pps.unwrap_or(USUAL_PPS) => Self::Brief,
            (None, false) => Self::Idle,
        }
    }
}

/// Whether a fault of this kind changes what a stream loses, or the order in which it arrives.
#[must_use]
pub fn changes_loss(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::LossRatio
            | Kind::LossUnderLoad
            | Kind::Interruption
            | Kind::RareInterruption
            | Kind::UnknownLoss
            | Kind::Unknown
            | Kind::Capacity
            | Kind::Share
            | Kind::Rivals
            | Kind::Policer
            | Kind::FlowLimit
            | Kind::AdapterRate
            | Kind::ProcessorRate
            | Kind::SilentMtu
            | Kind::FilteredMtu
            | Kind::ReceiveDrops
            | Kind::Reordering
    )
}

/// Share of packets that faults on `ways` take. A host drops what it receives, not what it sends.
#[must_use]
pub fn path_loss(faults: &[Fault], ways: &[ElementId], cause: LossCause) -> f64 {
    let survive: f64 = faults
        .iter()
        .filter(|fault| match fault.kind {
            Kind::ReceiveDrops => ways.last() == Some(&fault.element),
            _ => ways.contains(&fault.element),
        })
        .map(|fault| 1.0 - taken(fault, cause))
        .product();
    1.0 - survive
}

fn taken(fault: &Fault, cause: LossCause) -> f64 {
    let overflow = |capacity: f64| match cause {
        LossCause::Stream(offered) if offered > capacity => 1.0 - capacity / offered,
        // What a transfer's own queue drops is counted with its retransmissions.
        _ => 0.0,
    };
    match fault.kind {
        Kind::RareInterruption if cause == LossCause::Brief => 0.0,
        Kind::LossRatio | Kind::Interruption | Kind::RareInterruption => fault.value,
        Kind::LossUnderLoad | Kind::ReceiveDrops => match cause {
            LossCause::Brief | LossCause::Idle => 0.0,
            LossCause::Loaded => fault.value,
            // Load that is little of what the link carries loses little: below a megabit nothing.
            LossCause::Stream(offered) => fault.value * (offered / 1e7).clamp(0.0, 1.0),
        },
        Kind::Capacity | Kind::Policer | Kind::FlowLimit | Kind::AdapterRate | Kind::ProcessorRate => {
            overflow(fault.value)
        }
        // A stream pushes the traffic that it shares a link with aside.
        Kind::Share => 0.5 * overflow(fault.value),
        _ => 0.0,
    }
}

/// Loss that is there without any fault: mostly none, seldom some.
const BACKGROUND: [(f64, f64); 5] = [
    (1e-7, 0.86),
    (1e-5, 0.07),
    (1e-4, 0.04),
    (1e-3, 0.02),
    (1e-2, 0.01),
];
/// A loss ratio is known to a factor e^0.5: it varies with time.
const SIGMA: f64 = 0.5;
/// Share of figures that have nothing to do with the path.
const OUTLIERS: f64 = 0.01;
/// How often what a socket counts as dropped was damaged on the path.
const DAMAGED: f64 = 0.02;
/// How often a host that drops packets does so where its kernel does not count it.
const UNCOUNTED: f64 = 0.15;
/// Odds of those who do not answer every probe of a fast stream to those who do.
const LIMITED_ROUTERS: f64 = 0.5;
const LIMITED_HOSTS: f64 = 0.05;

/// Log probability of the packets that a stream, or pings, lost between hosts, whatever their delay.
pub(super) fn of_loss(faults: &[Fault], measurement: &Measurement, seen: &Loss, normal_bps: f64) -> f64 {
    let cause = LossCause::of(seen);
    let over = match cause {
        LossCause::Stream(offered) if offered > normal_bps => 1.0 - normal_bps / offered,
        _ => 0.0,
    };
    // Whether routers may fragment a stream's packets, and whether fragments pass, is rarely known.
    let too_large = faults.iter().find(|fault| {
        fault.kind.is_black_hole()
            && seen.size_bytes.is_some_and(|size| size > fault.value)
            && measurement.out.contains(&fault.element)
    });
    if let Some(hole) = too_large {
        let rest: Vec<Fault> = faults
            .iter()
            .copied()
            .filter(|f| !f.kind.is_black_hole())
            .collect();
        let passes = of_loss(&rest, measurement, seen, normal_bps);
        let passing = if hole.kind == Kind::FilteredMtu { 0.4 } else { 0.05 };
        let gone = of_packets(seen, 0.998, 0.5);
        return log_sum_exp(&[log(1.0 - passing) + gone, log(passing) + passes]);
    }
    if let Some(of_overload) = overload(faults, measurement, seen) {
        return of_overload;
    }
    if let (Some(dropped), Some(_)) = (seen.host_dropped, seen.offered_bps) {
        return beside_host_drops(faults, measurement, (seen, dropped), cause, normal_bps);
    }
    if let Some(beside) = beside_rivals(faults, measurement, seen) {
        return beside;
    }
    let one_way = path_loss(faults, &measurement.out, cause);
    let back = if seen.round_trip {
        path_loss(faults, &measurement.back, cause)
    } else {
        0.0
    };
    let expected = 1.0 - (1.0 - one_way) * (1.0 - back) * (1.0 - over);
    let vague = vague(faults, measurement, seen);
    let honest = if vague { 0.4 } else { 1.0 };
    let mut terms: Vec<(f64, f64)> = BACKGROUND
        .iter()
        .map(|(background, weight)| (honest * weight, of_packets(seen, expected + background, SIGMA)))
        .collect();
    if vague {
        // Something unknown may lose anything.
        terms.extend([1e-3, 1e-2, 1e-1, 0.5].map(|p| (0.15, of_packets(seen, p, 1.5))));
    }
    terms.push((OUTLIERS, anything(seen)));
    let of_path = mixture(&terms);
    if !seen.round_trip {
        return of_path + reordering(faults, measurement, seen);
    }
    // Who answers a fast stream of probes may limit its answers: then what is missing is at least what the path lost.
    let limited = log(if seen.router_answers {
        LIMITED_ROUTERS
    } else {
        LIMITED_HOSTS
    });
    log_sum_exp(&[of_path, limited + fickle(seen, expected)])
}

/// What the queue of others' connections costs a stream that they give way to: any share up to some per cent.
const BESIDE_RIVALS: (f64, f64) = (1e-3, 2.0);

fn beside_rivals(faults: &[Fault], measurement: &Measurement, seen: &Loss) -> Option<f64> {
    let rivals = |fault: &&Fault| fault.kind == Kind::Rivals && measurement.out.contains(&fault.element);
    faults.iter().find(rivals)?;
    let offered = seen.offered_bps?;
    let (ratio, sigma) = BESIDE_RIVALS;
    let lost = path_loss(faults, &measurement.out, LossCause::Stream(offered));
    Some(mixture(&[
        (1.0 - OUTLIERS, of_packets(seen, ratio + lost, sigma)),
        (OUTLIERS, anything(seen)),
    ]))
}

/// The same where the receiving host counts what it drops itself: those are not among the lost.
fn beside_host_drops(
    faults: &[Fault],
    measurement: &Measurement,
    (seen, dropped): (&Loss, f64),
    cause: LossCause,
    normal_bps: f64,
) -> f64 {
    let uncounted = Loss {
        host_dropped: None,
        ..seen.clone()
    };
    let by_host =
        |fault: &&Fault| fault.kind == Kind::ReceiveDrops && measurement.out.last() == Some(&fault.element);
    let none = if dropped < 0.5 {
        log(0.97)
    } else {
        log(0.03) - log(14.0)
    };
    let Some(fault) = faults.iter().find(by_host) else {
        let honest = none + of_loss(faults, measurement, &uncounted, normal_bps);
        if dropped < 0.5 {
            return honest;
        }
        // Where nobody looked at checksums, a socket counts what was damaged on the path as dropped.
        let lost = Loss {
            lost: (seen.lost + dropped).min(seen.sent),
            ..uncounted
        };
        let damaged = of_loss(faults, measurement, &lost, normal_bps);
        return log_sum_exp(&[log(1.0 - DAMAGED) + honest, log(DAMAGED) + damaged]);
    };
    let rest: Vec<Fault> = faults
        .iter()
        .copied()
        .filter(|f| f.kind != Kind::ReceiveDrops)
        .collect();
    let count = Loss {
        lost: dropped,
        ..seen.clone()
    };
    let counted = of_packets(&count, taken(fault, cause), SIGMA);
    // Few adapters drop without a count.
    log_sum_exp(&[
        log(1.0 - UNCOUNTED) + counted + of_loss(&rest, measurement, &uncounted, normal_bps),
        log(UNCOUNTED) + none + of_loss(faults, measurement, &uncounted, normal_bps),
    ])
}

/// Log density of the share of packets that arrived late. Paths keep the order of packets but for a few in a hundred
/// thousand (RFC 4737 calls for telling them; parallel links and moved routes are where they come from).
fn reordering(faults: &[Fault], measurement: &Measurement, seen: &Loss) -> f64 {
    let Some(late) = seen.reordered else { return 0.0 };
    let ratio = log((late + 0.5) / (seen.sent + 1.0));
    let around = |p: f64, sigma: f64| normal(ratio, log(p), together(sigma, sqrt(1.0 / (late + 0.5))));
    let on_way = |kind| {
        let mut there = faults.iter().filter(|fault| fault.kind == kind);
        there.find(|fault| measurement.out.contains(&fault.element))
    };
    if let Some(fault) = on_way(Kind::Reordering) {
        return log_sum_exp(&[log(0.97) + around(fault.value, 0.6), log(0.03) - log(14.0)]);
    }
    let (clean, some) = if on_way(Kind::Unknown).is_some() {
        (0.6, 0.38)
    } else {
        (0.93, 0.06)
    };
    log_sum_exp(&[
        log(clean) + around(0.5 / (seen.sent + 1.0), 1.0),
        log(some) + around(1e-4, 2.0),
        log(1.0 - clean - some) - log(14.0),
    ])
}

/// How exactly the rate that arrives of a stream above a limit is known, standard deviation of its logarithm: a link
/// delivers its capacity; what others leave depends on how they give way.
fn overload_sigma(kind: Kind) -> Option<f64> {
    match kind {
        Kind::Capacity | Kind::Policer => Some(0.05),
        Kind::FlowLimit => Some(0.1),
        Kind::AdapterRate => Some(0.25),
        Kind::Share | Kind::ProcessorRate => Some(0.35),
        _ => None,
    }
}

/// Log density of a stream that was sent faster than a limit on its way: the rate that arrives is the limit's.
fn overload(faults: &[Fault], measurement: &Measurement, seen: &Loss) -> Option<f64> {
    let offered = seen.offered_bps?;
    let on_way = faults
        .iter()
        .filter(|fault| measurement.out.contains(&fault.element));
    let limits = on_way.filter(|fault| fault.value < 0.98 * offered);
    let sigma = limits
        .filter_map(|fault| overload_sigma(fault.kind))
        .reduce(f64::max)?;
    // With next to no loss the logarithm of what arrives tells nothing: the count does.
    if seen.lost < 10.0 {
        return None;
    }
    let arrives = ((seen.sent - seen.lost) / seen.sent).max(0.5 / seen.sent);
    let expected = 1.0 - path_loss(faults, &measurement.out, LossCause::Stream(offered));
    let density = normal(log(arrives), log(expected.max(1e-6)), sigma);
    // Other hypotheses look at the logarithm of what is lost, where that is less than half: the same scale for all.
    let lost = seen.lost / seen.sent;
    let scale = if lost > 0.5 { 0.0 } else { log(lost / arrives) };
    Some(log_sum_exp(&[
        log(1.0 - OUTLIERS) + density + scale,
        log(OUTLIERS) + anything(seen),
    ]))
}

fn vague(faults: &[Fault], measurement: &Measurement, seen: &Loss) -> bool {
    faults
        .iter()
        .filter(|fault| fault.kind == Kind::UnknownLoss)
        .any(|fault| {
            measurement.out.contains(&fault.element)
                || (seen.round_trip && measurement.back.contains(&fault.element))
        })
}
