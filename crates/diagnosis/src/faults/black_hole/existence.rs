//! Whether large packets vanish at all: the arguments for and against, with their weights.

use super::effect::clamped_run;
use super::recorded;
use crate::facts::Facts;
use crate::facts::black_hole::BlackHole;
use crate::facts::sizes::Target;
use crate::faults::words;
use crate::judgement::Weighing;
use evidence::v1::{Direction, End, ObservationId};

/// Log-odds that a path under complaint has a black hole, before anything was measured: about 1 in 20.
pub(super) const PRIOR: f64 = -3.0;
/// A size passes and the next larger one tried does not, both behind the same hop.
const THRESHOLD_SEEN: f64 = 2.0;
/// A hop answered a size that vanishes behind it: it is not the sender or its first link.
const NEAR_END_SEEN: f64 = 1.5;
/// Two or more hops behind the link agree.
const SEVERAL_SILENT: f64 = 1.0;
/// Each lost probe halves the chance that plain loss did it (at a loss ratio that leaves small probes answered).
const PER_TRY: f64 = 0.5;
const TRIES_AT_MOST: f64 = 3.0;
/// A transfer with small segments runs where the default one stalls: the same conclusion by other packets.
const COUNTERFACTUAL: f64 = 2.0;
/// Larger packets did arrive, in a transfer or a stream: what vanished were the probes.
const DISPROVED: f64 = -7.0;

/// Nothing but the destination is silent to large packets: hosts filter probes and limit their answers (Linux: one ICMP
/// error a second), so that silence says less than a router's.
const ONLY_THE_DESTINATION: f64 = -1.5;
/// And it leaves small probes unanswered as well.
const DESTINATION_UNRELIABLE: f64 = -2.0;

/// The case for and against large packets vanishing.
pub(super) fn existence(facts: &Facts, hole: &BlackHole) -> Weighing {
    let path = facts.sized_path();
    let (cites, after) = (&path.sizes.cites, words::hop(&path.hop_ref(hole.after)));
    let mut weighing = Weighing::default();
    let (passes, vanishes) = (hole.passes_bytes, hole.vanishes_bytes);
    weighing.add(
        THRESHOLD_SEEN,
        format!("{passes} bytes reach {after}, {vanishes} do not"),
        cites,
    );
    if hole.near_end_seen {
        let before = words::hop(&path.hop_ref(hole.before));
        weighing.add(
            NEAR_END_SEEN,
            format!("{vanishes} bytes and more reach {before}"),
            cites,
        );
    }
    if hole.silent_targets >= 2 {
        let text = format!(
            "{} hops behind it answer small packets and none that large",
            hole.silent_targets
        );
        weighing.add(SEVERAL_SILENT, text, cites);
    }
    let tries = (hole.tries as f64 * PER_TRY).min(TRIES_AT_MOST);
    let silence = format!(
        "no valid \"fragmentation needed\" came back in {} tries",
        hole.tries
    );
    weighing.add(tries, silence, cites);
    weigh_destination(&mut weighing, facts, hole);
    recorded::weigh(&mut weighing, facts, hole);
    if let Some((text, id)) = larger_arrived(facts, hole) {
        weighing.add(DISPROVED, text, &[id]);
    } else if let (Some(plain), Some(clamped)) = (facts.plain_run(), clamped_run(facts, hole))
        && plain.stalled
        && !clamped.stalled
    {
        let text = "TCP stalls with the segments it chooses and runs with ones that fit";
        weighing.add(COUNTERFACTUAL, text, &[plain.id.clone(), clamped.id.clone()]);
    }
    weighing
}

fn weigh_destination(weighing: &mut Weighing, facts: &Facts, hole: &BlackHole) {
    let path = facts.sized_path();
    if hole.silent_targets > 1 || path.destination_ttl != Some(hole.after) {
        return;
    }
    let text = "only the destination itself is silent to them, and hosts filter or limit what they answer";
    weighing.add(ONLY_THE_DESTINATION, text, &path.sizes.cites);
    let answered = path.sizes.small_answers(Target::Destination, hole.passes_bytes);
    if answered.estimate().is_some_and(|share| share < 0.7) {
        let text = format!(
            "it answers {} of {} smaller ones only",
            answered.events, answered.trials
        );
        weighing.add(DESTINATION_UNRELIABLE, text, &path.sizes.cites);
    }
}

/// Proof that packets of a vanishing size do arrive.
pub(super) fn larger_arrived(facts: &Facts, hole: &BlackHole) -> Option<(String, ObservationId)> {
    if hole.direction == Direction::Reverse {
        return None;
    }
    facts
        .tcp
        .iter()
        .filter(|run| run.sender == End::From && !run.stalled)
        .find_map(|run| {
            let packet = run.mss_bytes?.saturating_add(facts.header_bytes());
            // Resent segments may have been cut smaller; a transfer with hardly any was carried by full ones.
            let clean = run.retransmitted.is_some_and(|(again, sent)| again < sent / 20);
            (packet >= hole.vanishes_bytes && clean && run.rate.0 > 1e6).then(|| {
                let text = format!(
                    "TCP ran at {} with packets of {packet} bytes: these arrive",
                    run.rate
                );
                (text, run.id.clone())
            })
        })
}
