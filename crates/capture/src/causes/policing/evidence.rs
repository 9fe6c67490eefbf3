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
/// More losses than these in one run say no more of what their packets met: an overshoot of slow start loses a thousand at once.
const MOST_OF_RUN: u64 = 10;

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
    /// Whether a queue may be what drops. One that is full delays what passes just before a loss, longer than two thirds of all segments
    /// are, and by half a packet of the link at least: round trips differ by the hosts alone. Unless the link is known to be faster, a
    /// queue may have stood all the time: then more than a packet above the least round trip is enough.
    /// Where queues are not seen, only a link that is known to be faster tells.
    pub(super) fn meets_queue(&self, rate: f64, beside: &Beside) -> bool {
        if !beside.sees_queues {
            return beside.trains.is_none();
        }
        let packet_ns = (beside.mss as f64 / rate * 1e9) as i64;
        let least = match (beside.trains, beside.least_rtt) {
            (None, Some(least)) => least.saturating_add(packet_ns),
            (_, least) => beside
                .usual_rtt
                .max(least.unwrap_or(0))
                .saturating_add(packet_ns / 2),
        };
        self.rtt_before_losses(beside.mss) > least
    }

    /// Half of the losses met a round trip of no more than this.
    fn rtt_before_losses(&self, mss: u64) -> i64 {
        let mut runs: Vec<&Blind> = self.blind.iter().collect();
        runs.sort_unstable_by_key(|run| run.rtt);
        // The first loss of each is not among them.
        let losses = |run: &Blind| (run.lost / mss.max(1)).min(MOST_OF_RUN) + 1;
        let all: u64 = runs.iter().map(|run| losses(run)).sum();
        let mut met = 0;
        let half = runs.iter().find(|run| {
            met += losses(run);
            met >= all / 2
        });
        half.map_or(0, |run| run.rtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;
    const BESIDE: Beside = Beside {
        first_ns: 0,
        flight: 100 * MSS,
        mss: MSS,
        base_rtt: 10_000_000,
        usual_rtt: 10_100_000,
        least_rtt: Some(10_000_000),
        sees_queues: true,
        loss_ratio: 0.05,
        trains: Some(1e8),
    };

    /// Runs by the packets that each lost, and by how much longer a round trip they met, at a rate of a packet in 0.2 ms.
    fn meets_queue(runs: &[(u64, i64)], beside: &Beside) -> bool {
        let blind = runs.iter().map(|(lost, longer_ns)| Blind {
            sent: 2 * lost * MSS,
            lost: lost * MSS,
            resent: 0,
            ns: 1_000_000,
            rtt: beside.base_rtt + longer_ns,
        });
        let police = Police {
            blind: blind.collect(),
            ..Police::default()
        };
        police.meets_queue(5e6, beside)
    }

    #[test]
    fn one_overshoot_is_not_half_of_the_losses() {
        let overshoot = [(900, 2_000_000), (20, 50_000), (4, 150_000), (30, 20_000)];
        assert!(!meets_queue(&overshoot, &BESIDE));
        let full = [(900, 20_000), (20, 500_000), (4, 600_000), (30, 550_000)];
        assert!(meets_queue(&full, &BESIDE));
    }

    #[test]
    fn a_queue_that_always_stands_is_told_by_the_least_round_trip() {
        let standing = [(20, 300_000), (15, 300_000), (30, 300_000)];
        let beside = Beside {
            usual_rtt: 10_300_000,
            ..BESIDE
        };
        assert!(!meets_queue(&standing, &beside), "the link is known to be faster");
        let unknown = Beside {
            trains: None,
            ..beside
        };
        assert!(meets_queue(&standing, &unknown));
    }
}
