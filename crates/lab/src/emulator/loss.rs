//! Which packets the wire loses.

use rand::Rng;
use scenario::Loss;

/// State of a loss process.
#[derive(Debug, Clone)]
pub(crate) struct LossProcess {
    loss: Loss,
    seen: u64,
    bad: bool,
}

impl LossProcess {
    pub(crate) fn new(loss: Loss) -> Self {
        Self {
            loss,
            seen: 0,
            bad: false,
        }
    }

    /// Whether the next packet is lost.
    pub(crate) fn loses(&mut self, rng: &mut impl Rng) -> bool {
        match self.loss {
            Loss::None => false,
            Loss::Random(ratio) => rng.random_bool(ratio),
            Loss::Every(n) => {
                self.seen += 1;
                self.seen.is_multiple_of(n)
            }
            Loss::GilbertElliott(model) => {
                let turns = if self.bad {
                    model.leave_bad
                } else {
                    model.enter_bad
                };
                self.bad ^= rng.random_bool(turns);
                rng.random_bool(if self.bad { model.loss_bad } else { model.loss_good })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng, rngs::SmallRng};
    use scenario::GilbertElliott;

    fn lost(loss: Loss, packets: usize, seed: u64) -> Vec<bool> {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut process = LossProcess::new(loss);
        (0..packets).map(|_| process.loses(&mut rng)).collect()
    }

    #[test]
    fn every_nth_is_exact() {
        let lost = lost(Loss::Every(50), 10_000, 1);
        assert_eq!(lost.iter().filter(|l| **l).count(), 200);
        assert!(lost[49] && !lost[48]);
    }

    #[test]
    fn random_loss_has_its_ratio_and_no_memory() {
        let lost = lost(Loss::Random(0.1), 200_000, 2);
        let count = lost.iter().filter(|l| **l).count() as f64;
        // Four standard deviations of the binomial distribution: 4 * sqrt(n p (1-p)) = 537.
        assert!((count - 20_000.0).abs() < 537.0, "{count}");
        let after_loss = lost.windows(2).filter(|w| w[0] && w[1]).count() as f64 / count;
        assert!((after_loss - 0.1).abs() < 0.01, "{after_loss}");
    }

    #[test]
    fn gilbert_elliott_has_its_ratio_and_its_bursts() {
        let model = GilbertElliott {
            enter_bad: 0.001,
            leave_bad: 0.25,
            loss_good: 0.0,
            loss_bad: 1.0,
        };
        let lost = lost(Loss::GilbertElliott(model), 4_000_000, 3);
        let count = lost.iter().filter(|l| **l).count() as f64;
        let ratio = count / lost.len() as f64;
        assert!(
            (ratio / model.mean_loss_ratio() - 1.0).abs() < 0.05,
            "{ratio} {}",
            model.mean_loss_ratio()
        );
        let bursts = lost.windows(2).filter(|w| !w[0] && w[1]).count() as f64;
        assert!(
            (count / bursts - 4.0).abs() < 0.1,
            "mean burst length {}",
            count / bursts
        );
    }

    #[test]
    fn the_same_seed_loses_the_same_packets() {
        assert_eq!(
            lost(Loss::Random(0.02), 5000, 7),
            lost(Loss::Random(0.02), 5000, 7)
        );
        assert_ne!(
            lost(Loss::Random(0.02), 5000, 7),
            lost(Loss::Random(0.02), 5000, 8)
        );
    }
}
