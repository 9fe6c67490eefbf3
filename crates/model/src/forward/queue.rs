//! Delay that grows while the path is loaded: the queue stands before what limits, in the direction of the load.

use super::rate::{LimitedBy, limit};
use super::waits::growth_odds;
use crate::{Fault, Kind, Measurement, Queue};
use libm::log;

/// Log probability of how the delay of probes grew. `normal_bps` is what the path would carry without any fault.
///
/// The probes of `measurement` may go to a router in the middle: they meet the queue only when the limit lies before
/// that router.
#[must_use]
pub fn queue(faults: &[Fault], measurement: &Measurement, seen: &Queue, normal_bps: f64) -> f64 {
    let limit = limit(faults, &seen.load_way(measurement), &seen.load, normal_bps);
    let met = faults
        .iter()
        .any(|fault| LimitedBy::Fault(fault.kind) == limit.by && measurement.out.contains(&fault.element));
    // How long the queue of the load is, its own round trip tells: probes meet all of it, or nothing.
    let own = seen
        .load
        .waits
        .rtt_growth
        .zip(seen.load.min_rtt_s)
        .map(|(growth, rtt_s)| growth * rtt_s);
    if let (Some(queue_s), LimitedBy::Fault(Kind::Capacity | Kind::Share | Kind::ShortQueue)) =
        (own, limit.by)
        && queue_s > 0.003
    {
        let [met_odds, partly, missed] = if met {
            [0.85, 0.11, 0.04]
        } else {
            [0.04, 0.11, 0.85]
        };
        return log(match seen.above_min_s / queue_s {
            share if share >= 0.5 => met_odds,
            share if share >= 0.2 => partly,
            _ => missed,
        });
    }
    let by = match limit.by {
        LimitedBy::Fault(kind) if !met && !kind.is_of_host() => LimitedBy::Fault(Kind::LossRatio),
        by => by,
    };
    // A queue of a few milliseconds is no queue, however short the path.
    let growth = if seen.above_min_s < 0.003 {
        0.0
    } else {
        seen.above_min_s / seen.min_s.max(0.003)
    };
    log(growth_odds(by, growth))
}
