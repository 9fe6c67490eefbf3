//! How far a posterior is believed: its sums know the kinds of faults of the model, and no others.

use crate::adapters::Gathered;
use evidence::Transport;
use model::{ElementId, Family, Fault, Kind, Loss, Measurement, Seen, Trust, forward};
use std::collections::BTreeSet;

/// With fewer packets sent, loss goes unseen.
const LEAST_SENT: f64 = 50.0;
/// So many large probes that a node did not answer are no chance.
const LEAST_VANISHED: f64 = 3.0;
/// The odds of an answer are taken for less than they are: they hold among the kinds of faults that the model knows.
const DOUBT: f64 = 2.5;
/// Fewer packets that are missing are chance.
const LEAST_COUNTED: f64 = 10.0;

/// So many packets that were due and did not go missing are no chance, even where losses come in runs.
const LEAST_DUE: f64 = 20.0;
/// A loss ratio varies with time, but not down to a tenth of itself wherever somebody counts.
const STILL_LOST: f64 = 0.1;
/// A stream of less than this share of what the transfer reached is no load.
const LOAD: f64 = 0.5;
/// What an answer that counts speak against is worth at most: a thought, and never a cause.
pub(super) const REFUTED: f64 = 0.6;

/// No posterior is believed further: of answers that held more, nine of ten were right in graded worlds.
const SUREST: f64 = 0.965;

/// What remains of a probability when kinds of faults that nobody thought of are reckoned with.
pub(crate) fn doubted(probability: f64) -> f64 {
    probability / (probability + DOUBT * (1.0 - probability))
}

/// The families of which the packets were counted: no inference is needed to say that packets are lost where a hundredth of
/// those between the two ends was, nor that large ones vanish where probes of several sizes were sent.
pub(super) fn counted(gathered: &Gathered) -> BTreeSet<Family> {
    let losses = || gathered.complained().filter_map(Measurement::loss);
    let lossy =
        |loss: &Loss| loss.lost >= 10.0 && loss.lost >= 0.01 * loss.sent && loss.offered_bps.is_none();
    // Another record of the same way that saw next to nothing lost is a doubt.
    let clean = |loss: &Loss| loss.sent >= LEAST_SENT && loss.lost < 0.002 * loss.sent;
    let losses = losses().any(lossy) && !losses().any(clean);
    let losses = losses.then_some(Family::Loss);
    let sizes = gathered.measurements.iter().filter_map(Measurement::delivery);
    let vanished = sizes.filter(|seen| seen.answered == 0.0 && !seen.told);
    let sizes = vanished.map(|seen| seen.sent).sum::<f64>() >= LEAST_VANISHED;
    let sizes = sizes.then_some(Family::Mtu);
    losses.into_iter().chain(sizes).collect()
}

/// Whether streams over the place count next to none of the packets that this loss would take of them. It was inferred from the
/// rates of transfers then, and these have other reasons to be slow.
pub(super) fn is_refuted(gathered: &Gathered, fault: &Fault) -> bool {
    let rates = gathered.complained().filter_map(Measurement::rate);
    let tcp = rates.filter(|rate| rate.transport == Transport::Tcp);
    let reached = tcp.map(|rate| rate.bps).fold(f64::INFINITY, f64::min);
    let least_bps = match fault.kind {
        Kind::LossRatio => 0.0,
        Kind::LossUnderLoad => LOAD * reached,
        _ => return false,
    };
    let crosses = |m: &&Measurement| {
        m.out.contains(&fault.element) && m.routes.iter().all(|route| route.contains(&fault.element))
    };
    let streams = gathered.measurements.iter().filter(crosses).filter_map(|m| {
        let loss = m.loss().filter(|loss| !loss.round_trip)?;
        let bps = loss.offered_bps.filter(|bps| *bps >= least_bps)?;
        let share = forward::path_loss(&[*fault], &m.out, forward::LossCause::Stream(bps));
        Some((loss.sent * share, loss.lost))
    });
    let (due, lost) = streams.fold((0.0, 0.0), |sum, (due, lost)| (sum.0 + due, sum.1 + lost));
    due >= LEAST_DUE && lost < STILL_LOST * due
}

/// The places of which somebody counted that packets are lost there: no inference is needed to say so.
pub(super) fn counted_places(gathered: &Gathered) -> BTreeSet<ElementId> {
    let fresh = gathered.measurements.iter().filter(|m| match &m.seen {
        Seen::Count(count) => count.fresh && count.bad >= LEAST_COUNTED && m.trust == Trust::Measured,
        _ => false,
    });
    // What was counted over a longer stretch tells no place.
    let place = |m: &Measurement| m.out.last().copied().filter(|_| m.out.len() <= 2);
    fresh.filter_map(place).collect()
}

/// What is kept of each probability of a family that holds `whole`.
pub(super) fn trust(counted: bool, whole: f64) -> f64 {
    if counted {
        1.0
    } else {
        doubted(whole.min(SUREST)) / whole
    }
}
