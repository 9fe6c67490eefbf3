//! What interfaces count, and what settings say.

use crate::density::{log_sum_exp, normal, together};
use crate::{Count, Fault, Kind, Measurement, Setting};
use libm::{log, sqrt};

/// Log density of the share of packets that an interface counted as dropped or damaged.
///
/// A healthy interface counts almost nothing; a counter with a long history has seen days that are no longer. A wrong
/// counter must not convict: some are simply off.
#[must_use]
pub fn count(faults: &[Fault], measurement: &Measurement, seen: &Count) -> f64 {
    let ratio = log((seen.bad + 0.3) / (seen.of + 1.0));
    let here = faults
        .iter()
        .filter(|fault| measurement.out.contains(&fault.element))
        .find_map(|fault| match fault.kind {
            Kind::LossRatio | Kind::LossUnderLoad | Kind::ReceiveDrops => Some((log(fault.value), 0.4)),
            Kind::ShortQueue => Some((log(1e-3), 2.0)),
            Kind::Capacity | Kind::Share | Kind::Rivals | Kind::Policer => Some((log(1e-4), 2.5)),
            Kind::Unknown | Kind::UnknownLoss => Some((log(1e-3), 3.0)),
            _ => None,
        });
    // A counter of long standing dilutes what is lost now with the packets of better days.
    let history = if seen.fresh { 0.3 } else { 1.2 };
    let counting = sqrt(1.0 / (seen.bad + 0.3));
    let (mean, sigma) = here.unwrap_or((log(3e-8), 2.5));
    let off = if seen.fresh { 0.02 } else { 0.06 };
    let width = 18.0;
    log_sum_exp(&[
        log(1.0 - off) + normal(ratio, mean, together(together(sigma, history), counting)),
        log(off) - log(width),
    ])
}

/// Log density of a setting's value: where it is the fault, the fault's value; else what hosts usually have.
#[must_use]
pub fn setting(faults: &[Fault], measurement: &Measurement, seen: &Setting) -> f64 {
    let fault = faults
        .iter()
        .find(|fault| fault.kind == seen.kind && measurement.out.contains(&fault.element));
    let (usual, spread) = match seen.kind {
        Kind::ReceiveWindow | Kind::SendBuffer => (log(4e6), 1.8),
        _ => (log(1e9), 3.0),
    };
    match fault {
        Some(fault) => normal(log(seen.value), log(fault.value), 0.35),
        None => normal(log(seen.value), usual, spread),
    }
}
