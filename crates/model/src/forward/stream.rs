//! What a stream sees: the packets that it loses, and how long those wait that arrive.

use super::loss::of_loss;
use super::queue::LEAST_QUEUE_S;
use super::ways::on_way;
use crate::density::{log_sum_exp, normal};
use crate::{Fault, Kind, Loss, Measurement};
use libm::log;

/// Log probability of the loss of a stream or of pings between hosts. `normal_bps` is what the path would carry without
/// any fault.
#[must_use]
pub fn stream_loss(faults: &[Fault], measurement: &Measurement, seen: &Loss, normal_bps: f64) -> f64 {
    of_loss(faults, measurement, seen, normal_bps)
        + queued(faults, measurement, seen, normal_bps)
        + runs(faults, measurement, seen)
}

/// With fewer losses a run is a packet or two, whatever loses them.
const LEAST_LOST: f64 = 10.0;
/// How long interruptions last, seconds, and how long a burst of other losses is, packets (Bolot, "Characterizing end-to-end
/// packet delay and loss in the Internet", 1993), with the standard deviations of the logarithms.
const INTERRUPTION_S: (f64, f64) = (0.5, 1.5);
const BURST_PACKETS: (f64, f64) = (2.0, 1.2);
/// How often a run has nothing to do with what is in question.
const OTHER_RUNS: f64 = 0.03;

/// Log density of how long the runs of losses of a stream lasted: an interruption takes all packets of its time, everything
/// else one here and some there.
fn runs(faults: &[Fault], measurement: &Measurement, seen: &Loss) -> f64 {
    let Some((run_s, pps)) = seen.run_s.zip(seen.pps) else {
        return 0.0;
    };
    if seen.lost < LEAST_LOST {
        return 0.0;
    }
    let there = |is: fn(Kind) -> bool| on_way(faults, measurement).any(|fault| is(fault.kind));
    let any = -log(14.0);
    if there(|kind| matches!(kind, Kind::UnknownLoss | Kind::Unknown)) {
        return any;
    }
    let (middle, sigma) = if there(Kind::is_interruption) {
        INTERRUPTION_S
    } else {
        (BURST_PACKETS.0 / pps, BURST_PACKETS.1)
    };
    let its = normal(log(run_s), log(middle), sigma);
    log_sum_exp(&[log(1.0 - OTHER_RUNS) + its, log(OTHER_RUNS) + any])
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
    let share = on_way(faults, measurement)
        .filter_map(queue)
        .reduce(f64::max)
        .unwrap_or(natural);
    log(if queued_s >= LEAST_QUEUE_S {
        share
    } else {
        1.0 - share
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ElementId, NodeId, Seen, Trust};

    /// Log odds of an interruption to loss one by one, of a stream of 5,000 packets a second that lost a tenth in runs this long.
    fn odds(mean_run: f64) -> f64 {
        let seen = Loss {
            sent: 10_000.0,
            lost: 1_000.0,
            mean_run: Some(mean_run),
            run_s: Some(mean_run / 5_000.0),
            pps: Some(5_000.0),
            ..Loss::default()
        };
        let stream = Measurement {
            from: NodeId(0),
            to: NodeId(1),
            out: vec![ElementId(0)],
            back: Vec::new(),
            seen: Seen::Loss(seen.clone()),
            trust: Trust::Measured,
            maybe: Vec::new(),
            routes: Vec::new(),
            cites: Vec::new(),
        };
        let of = |kind| {
            let fault = Fault {
                kind,
                element: ElementId(0),
                value: 0.1,
            };
            runs(&[fault], &stream, &seen)
        };
        of(Kind::Interruption) - of(Kind::LossRatio)
    }

    #[test]
    fn a_long_run_of_losses_is_an_interruption_and_single_losses_are_none() {
        assert!(odds(1_000.0) > 3.0, "{}", odds(1_000.0));
        assert!(odds(1.1) < -3.0, "{}", odds(1.1));
    }
}
