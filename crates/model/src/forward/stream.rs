//! What a stream sees: the packets that it loses, and how long those wait that arrive.

use super::loss::of_loss;
use super::queue::LEAST_QUEUE_S;
use crate::{Fault, Kind, Loss, Measurement};
use libm::log;

/// Log probability of the loss of a stream or of pings between hosts. `normal_bps` is what the path would carry without
/// any fault.
#[must_use]
pub fn stream_loss(faults: &[Fault], measurement: &Measurement, seen: &Loss, normal_bps: f64) -> f64 {
    of_loss(faults, measurement, seen, normal_bps) + queued(faults, measurement, seen, normal_bps)
}

/// Of a stream that loses less, the delay is weighed as one at rest.
const MUCH: f64 = 0.01;

/// Log probability of the delay of a stream that loses packets: a full queue drops and delays, a policer only drops, a damaged
/// link neither knows nor cares.
fn queued(faults: &[Fault], measurement: &Measurement, seen: &Loss, normal_bps: f64) -> f64 {
    let (Some(queued_s), Some(offered)) = (seen.queued_s, seen.offered_bps) else {
        return 0.0;
    };
    if seen.lost < MUCH * seen.sent {
        return 0.0;
    }
    let on_way = faults
        .iter()
        .filter(|fault| measurement.out.contains(&fault.element));
    let queue = |fault: &Fault| match fault.kind {
        Kind::Rivals => Some(0.9),
        Kind::LossUnderLoad | Kind::Unknown | Kind::UnknownLoss => Some(0.3),
        _ if fault.value > 0.98 * offered => None,
        Kind::Capacity | Kind::Share => Some(0.88),
        Kind::FlowLimit => Some(0.5),
        Kind::AdapterRate | Kind::ProcessorRate => Some(0.3),
        Kind::Policer => Some(0.03),
        _ => None,
    };
    let natural = if offered > normal_bps { 0.85 } else { 0.1 };
    let share = on_way.filter_map(queue).reduce(f64::max).unwrap_or(natural);
    log(if queued_s >= LEAST_QUEUE_S {
        share
    } else {
        1.0 - share
    })
}
