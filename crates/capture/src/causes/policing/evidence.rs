//! Whether a bucket of a rate explains the losses better than chance and a short queue do.

use super::{Beside, Blind, Police};

/// Packets by which the sender's bursts and the times of a capture blur what a bucket drops.
const BLUR: f64 = 3.0;
/// Of so many runs something else disturbs what was lost.
const DISTURBED: f64 = 0.1;
/// No path that is used loses more than this by chance.
const MOST_BY_CHANCE: f64 = 0.1;
/// The logarithm of 1 / 0.007: Flach et al. tell no more than 0.7 % falsely.
pub(super) const CERTAIN: f64 = 5.0;
/// What tells less than this of each run is the blur of the model, however many runs there are.
pub(super) const LEAST_OF_EACH: f64 = 0.1;

/// By how much a bucket of this rate foretells the losses better than chance and a short queue do: the logarithm of the ratio of
/// likelihoods. From its first drop until the sender knows of it the bucket lets pass what its rate allows, and all else is
/// lost. Without a bucket as much is lost then as ever, and what the link does not carry. No parameter is fitted to this: the
/// rate is that of what passed from run to run.
pub(super) fn evidence(blind: &[Blind], rate: f64, beside: &Beside) -> f64 {
    let mss = beside.mss.max(1) as f64;
    let each = blind.iter().map(|run| {
        let (sent, lost, resent) = (
            run.sent as f64 / mss,
            run.lost as f64 / mss,
            run.resent as f64 / mss,
        );
        let beyond = |rate: f64| (sent + resent - rate * run.ns as f64 / 1e9 / mss).clamp(0.0, sent);
        let log_likelihood = |expected: f64| {
            let variance = expected + BLUR * BLUR;
            -(lost - expected) * (lost - expected) / (2.0 * variance) - libm::log(variance) / 2.0
        };
        let by_chance = beside.loss_ratio.min(MOST_BY_CHANCE) * sent;
        let none = log_likelihood(by_chance + beside.trains.map_or(0.0, beyond));
        let ratio = libm::exp((log_likelihood(beyond(rate)) - none).min(50.0));
        libm::log((1.0 - DISTURBED) * ratio + DISTURBED)
    });
    each.sum()
}

impl Police {
    /// Whether a queue may be what drops: one that is full delays what passes just before a loss. More than two thirds of all segments, and
    /// by half a packet of the link at least: of round trips that differ by the hosts alone some are always longer. Unless the link is
    /// known to be faster a queue may have stood all the time, and no loss counts that is met by more than a packet of it.
    /// Where queues are not seen, only a link that is known to be faster tells.
    pub(super) fn meets_queue(&self, rate: f64, beside: &Beside) -> bool {
        if !beside.sees_queues {
            return beside.trains.is_none();
        }
        let packet_ns = (beside.mss as f64 / rate * 1e9) as i64;
        let least = match (beside.trains, beside.least_rtt) {
            (None, Some(least)) => least.saturating_add(packet_ns),
            _ => beside.usual_rtt.saturating_add(packet_ns / 2),
        };
        self.rtt_before_losses() > least
    }

    /// Half of what was lost met a round trip of no more than this.
    fn rtt_before_losses(&self) -> i64 {
        let mut runs: Vec<&Blind> = self.blind.iter().collect();
        runs.sort_unstable_by_key(|run| run.rtt);
        // The first loss of each is not among them.
        let weight = |run: &Blind| run.lost.saturating_add(1);
        let all: u64 = runs.iter().map(|run| weight(run)).fold(0, u64::saturating_add);
        let mut met = 0_u64;
        let half = runs.iter().find(|run| {
            met = met.saturating_add(weight(run));
            met >= all / 2
        });
        half.map_or(0, |run| run.rtt)
    }
}
