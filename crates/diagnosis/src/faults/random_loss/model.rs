//! What the loss allows TCP, and when that is too much for the loss to be the cause.

use crate::facts::Facts;
use crate::facts::loss::PathLoss;
use crate::facts::response::{BBR_TOLERATES, CongestionControl, Connection};
use crate::facts::transfer::TcpRun;
use crate::faults::words;
use evidence::v1::RateRange;

/// The model and the measurement may differ by this factor.
pub(super) const MODEL_FACTOR: f64 = 2.0;

/// From this loss ratio on TCP spends its time in retransmission timeouts.
const STALLING: f64 = 0.05;

/// What the loss allows TCP, by the response function of the transfer that was measured.
pub(super) struct Model<'a> {
    pub(super) run: Option<&'a TcpRun>,
    pub(super) connection: Option<Connection>,
    pub(super) allowed: Option<RateRange>,
}

impl<'a> Model<'a> {
    pub(super) fn of(facts: &'a Facts, loss: &PathLoss) -> Self {
        // So much loss stalls a transfer by itself; with less, one that stalls has another cause and tells nothing.
        let stalling = loss.packets.estimate().is_some_and(|ratio| ratio >= STALLING);
        let run = facts.running_run().or(facts.plain_run().filter(|_| stalling));
        let connection = run.and_then(|run| run.connection(facts.base_rtt.as_ref().map(|rtt| rtt.ns)));
        let allowed = connection.and_then(|connection| {
            let (low, high) = loss.events.interval();
            let best = connection.allowed(loss.events.estimate()?)?.0;
            let worst = connection.allowed(high)?.0 / MODEL_FACTOR;
            let most = connection
                .allowed(low)
                .map_or(f64::INFINITY, |rate| rate.0 * MODEL_FACTOR);
            Some(words::range(worst, best, most.min(best * 10.0)))
        });
        Self {
            run,
            connection,
            allowed,
        }
    }

    /// The loss is too small to be what limits: said of it with the figures that show so.
    pub(super) fn harmless(&self, facts: &Facts, loss: &PathLoss) -> Option<String> {
        let counted = format!(
            "{} of {} packets lost",
            words::thousands(loss.packets.events),
            words::thousands(loss.packets.trials)
        );
        let bound = loss.events.upper_bound();
        let (Some(connection), Some(run)) = (self.connection, self.run) else {
            return plain_stalls(facts, loss).then(|| stands_still(&counted, bound));
        };
        if connection.control == CongestionControl::Bbr {
            let why = "less than BBR takes notice of";
            return (bound < BBR_TOLERATES)
                .then(|| format!("{counted}, at most {} (95 %): {why}", words::loss(bound)));
        }
        if plain_stalls(facts, loss) {
            return Some(stands_still(&counted, bound));
        }
        let allowed = connection.allowed(bound)?;
        // No loss at all is held against the user's transfer; loss that is there, against the best that ran.
        let plain = facts.plain_run().filter(|_| loss.packets.events == 0);
        let needed = plain.map_or(run.rate.0, |plain| plain.rate.0) * MODEL_FACTOR;
        (allowed.0 > needed).then(|| {
            format!(
                "{counted}, at most {} (95 %), which would allow {allowed}",
                words::loss(bound)
            )
        })
    }
}

fn stands_still(counted: &str, bound: f64) -> String {
    format!(
        "{counted}, at most {} (95 %), while the plain transfer stands still",
        words::loss(bound)
    )
}

/// A transfer that stands still although nothing is lost of thousands of small packets has another cause.
fn plain_stalls(facts: &Facts, loss: &PathLoss) -> bool {
    const ENOUGH_PACKETS: u64 = 5_000;
    let clean = loss.packets.events == 0 && loss.packets.trials >= ENOUGH_PACKETS;
    clean && facts.plain_run().is_some_and(|run| run.stalled)
}
