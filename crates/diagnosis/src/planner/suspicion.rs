//! What the posterior suspects of loss and of sizes: the figures of what is asked depend on it.

use crate::adapters::Gathered;
use crate::engine::Posterior;
use model::{Fault, Kind, Loss, Measurement};

/// What the posterior makes of the loss and of the size that would explain the rate.
pub(super) struct Suspicion {
    /// Share of packets lost with the data.
    pub(super) loss_ratio: f64,
    /// Packets lost of those counted so far.
    pub(super) lost: f64,
    /// How probable it is that loss limits the rate.
    pub(super) probability: f64,
    /// Packets counted so far.
    pub(super) sent: f64,
    /// The largest packet that passes, where larger ones may vanish.
    pub(super) passes_bytes: Option<f64>,
}

impl Suspicion {
    /// Fewer losses than this are no ratio.
    pub(super) const LEAST_LOST: f64 = 3.0;
    /// Loss that halves a transfer of some 100 Mbit/s over some 50 ms, where the posterior suspects none.
    pub(super) const USUAL: f64 = 1e-5;
    /// A size that this much speaks for is worth going round.
    pub(super) const WORTH_TRYING: f64 = 0.02;

    pub(super) fn of(gathered: &Gathered, posterior: &Posterior) -> Self {
        let rates = gathered.complained().filter_map(Measurement::rate);
        let proven = rates.map(|rate| rate.bps).fold(0.0, f64::max);
        // Streams near what the path carries lose packets of their own doing.
        let gentle = |loss: &Loss| loss.offered_bps.is_some_and(|bps| bps <= 0.75 * proven);
        let streams = gathered.complained().filter_map(Measurement::loss);
        let (sent, lost) = streams
            .filter(|loss| !loss.round_trip && gentle(loss))
            .fold((0.0, 0.0), |sum, loss| (sum.0 + loss.sent, sum.1 + loss.lost));
        let value = |is: &dyn Fn(Kind) -> bool| {
            let mut faults = posterior.worlds.iter().flat_map(|(faults, _)| faults);
            faults.find(|fault| is(fault.kind)).map(|fault| fault.value)
        };
        let loss = |kind| kind == Kind::LossRatio;
        let counted = lost >= Self::LEAST_LOST;
        let mass = |is: &dyn Fn(Kind) -> bool| -> f64 {
            let of_kind = |(faults, _): &&(Vec<Fault>, f64)| faults.iter().any(|f| is(f.kind));
            posterior.worlds.iter().filter(of_kind).map(|(_, p)| p).sum()
        };
        Self {
            loss_ratio: if counted {
                lost / sent
            } else {
                value(&loss).unwrap_or(Self::USUAL)
            },
            lost,
            probability: mass(&loss),
            sent,
            passes_bytes: value(&Kind::is_black_hole)
                .filter(|_| mass(&Kind::is_black_hole) >= Self::WORTH_TRYING),
        }
    }
}
