//! The most probable outcome of a measurement that was not made yet: the centre of what the densities beside this file
//! expect, without chance.

use super::loss::{LossCause, path_loss};
use super::rate::{LimitedBy, limit};
use super::ways::on_way;
use crate::{Delivery, Fault, Kind, Loss, Measurement, Rate, Seen, Waits};
use libm::exp;

/// What something that loses packets in an unknown way is taken to lose: the middle of what is known of it.
const UNKNOWN_LOSS: f64 = 1e-2;
/// Fewer losses than this are rounded to none, and more to at least [`FEW`]: how many of so few there are is chance.
const NEARLY_NONE: f64 = 4.0;
const FEW: f64 = 10.0;

/// What `asked` would see in a world with these faults: its figures are conditions, its result is filled in. `normal_bps`
/// is the rate that the path would carry without any fault, `shared_error` how far the model is off for this pair of
/// hosts, in standard deviations.
#[must_use]
pub fn predict(faults: &[Fault], asked: &Measurement, normal_bps: f64, shared_error: f64) -> Seen {
    match &asked.seen {
        Seen::Rate(rate) => Seen::Rate(of_rate(faults, asked, rate, (normal_bps, shared_error))),
        Seen::Loss(loss) => Seen::Loss(of_loss(faults, asked, loss, normal_bps)),
        Seen::Delivery(delivery) => Seen::Delivery(of_delivery(faults, asked, delivery)),
        other => other.clone(),
    }
}

fn of_rate(faults: &[Fault], asked: &Measurement, rate: &Rate, (normal_bps, error): (f64, f64)) -> Rate {
    let limit = limit(faults, asked, rate, normal_bps);
    let stands = matches!(limit.by, LimitedBy::Fault(kind) if kind.is_black_hole());
    let bps = exp((limit.ln_bps + error * limit.sigma).min(limit.ln_most_bps));
    Rate {
        // Segments that vanish are sent again until a timer gives up: nothing arrives.
        bps: if stands { 0.0 } else { bps },
        waits: Waits {
            stalled: Some(stands),
            ..Waits::default()
        },
        ..rate.clone()
    }
}

fn of_loss(faults: &[Fault], asked: &Measurement, loss: &Loss, normal_bps: f64) -> Loss {
    let cause = LossCause::of(loss);
    let over = loss
        .offered_bps
        .map_or(0.0, |bps| (1.0 - normal_bps / bps).max(0.0));
    let unknown = |there: bool| if there { UNKNOWN_LOSS } else { 0.0 };
    let of_kind = |kind| on_way(faults, asked).find(move |fault| fault.kind == kind);
    let swallows = |f: &&Fault| f.kind.is_black_hole() && loss.size_bytes.is_some_and(|s| s > f.value);
    let too_large = on_way(faults, asked).any(|fault| swallows(&fault));
    let out =
        (1.0 - path_loss(faults, &asked.out, cause)) * (1.0 - unknown(of_kind(Kind::UnknownLoss).is_some()));
    let back = if loss.round_trip {
        1.0 - path_loss(faults, &asked.back, cause)
    } else {
        1.0
    };
    let arrive = if too_large { 0.0 } else { out * back * (1.0 - over) };
    let lost = loss.sent * (1.0 - arrive);
    let late = of_kind(Kind::Reordering).map_or(0.0, |fault| fault.value * loss.sent);
    Loss {
        lost: match lost {
            lost if lost < NEARLY_NONE => 0.0,
            lost => lost.max(FEW).min(loss.sent),
        },
        reordered: (!loss.round_trip).then_some(late),
        ..loss.clone()
    }
}

fn of_delivery(faults: &[Fault], asked: &Measurement, delivery: &Delivery) -> Delivery {
    let both = |fault: &Fault| {
        asked.out.contains(&fault.element)
            || (!delivery.router_answers && asked.back.contains(&fault.element))
    };
    let blocked = faults.iter().any(|fault| match fault.kind {
        Kind::SilentMtu | Kind::FilteredMtu => {
            delivery.packet_bytes() > fault.value && asked.out.contains(&fault.element)
        }
        Kind::Fragments => delivery.is_fragmented() && both(fault),
        _ => false,
    });
    let lost = |way| path_loss(faults, way, LossCause::Brief);
    let arrive = (1.0 - lost(&asked.out)) * (1.0 - lost(&asked.back));
    let answered = if blocked { 0.0 } else { delivery.sent * arrive };
    Delivery {
        answered: libm::round(answered),
        ..delivery.clone()
    }
}
