//! Chance: a small seeded generator, and the distributions that worlds are drawn from.
//!
//! Its own, and not that of a crate: a table in the documentation names its seed, and the next version of a crate may
//! draw other numbers for it.

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    /// The same seed gives the same draws.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(seed ^ 0x5851_F42D_4C95_7F2D)
    }

    /// An independent stream: what one part of a world draws does not shift what another part gets.
    #[must_use]
    pub fn stream(seed: u64, number: u64) -> Self {
        let mut mixed = Self::seeded(seed.rotate_left(17) ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
        mixed.bits();
        Self(mixed.bits())
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in 0 to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something of this probability happens.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Uniform from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in the logarithm: for what spans decades.
    pub fn log_between(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.unit() * (high - low + 1) as f64) as usize
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.whole(0, from.len() - 1)]
    }

    /// Standard normal (the sum of twelve uniforms: no transcendental function, tails end at six).
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// A factor about one: log-normal with this standard deviation.
    pub fn spread(&mut self, sigma: f64) -> f64 {
        libm::exp(sigma * self.normal())
    }

    /// Exponentially distributed.
    pub fn waiting(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }

    /// Poisson distributed: Knuth for small means, the normal approximation for large ones.
    pub fn poisson(&mut self, mean: f64) -> u64 {
        if mean <= 0.0 {
            return 0;
        }
        if mean > 40.0 {
            return (mean + mean.sqrt() * self.normal()).max(0.0).round() as u64;
        }
        let limit = libm::exp(-mean);
        let (mut count, mut product) = (0, self.unit());
        while product > limit {
            count += 1;
            product *= self.unit();
        }
        count
    }

    /// How many of `tries` come true, each with this probability.
    pub fn binomial(&mut self, tries: u64, probability: f64) -> u64 {
        if tries <= 40 {
            return (0..tries).map(|_| u64::from(self.happens(probability))).sum();
        }
        if probability > 0.5 {
            return tries - self.binomial(tries, 1.0 - probability);
        }
        let mean = tries as f64 * probability;
        if mean < 40.0 {
            return self.poisson(mean).min(tries);
        }
        let deviation = (mean * (1.0 - probability)).sqrt();
        (mean + deviation * self.normal())
            .round()
            .clamp(0.0, tries as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_repeat_and_streams_differ() {
        let draw = |mut chance: Chance| (0..4).map(|_| chance.bits()).collect::<Vec<_>>();
        assert_eq!(draw(Chance::stream(1, 2)), draw(Chance::stream(1, 2)));
        assert_ne!(draw(Chance::stream(1, 2)), draw(Chance::stream(1, 3)));
        assert_ne!(draw(Chance::stream(1, 2)), draw(Chance::stream(2, 2)));
    }

    #[test]
    fn counts_have_the_mean_that_they_should() {
        let mut chance = Chance::seeded(7);
        for (tries, probability) in [(20, 0.3), (1_000, 0.01), (5_000, 0.7), (100, 0.999)] {
            let sum: u64 = (0..2_000).map(|_| chance.binomial(tries, probability)).sum();
            let mean = tries as f64 * probability;
            let deviation = (mean * (1.0 - probability) / 2_000.0).sqrt();
            let off = (sum as f64 / 2_000.0 - mean).abs();
            assert!(off < 5.0 * deviation + 1e-9, "{tries} {probability}: {off}");
        }
    }
}
