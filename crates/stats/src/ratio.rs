//! Ratios of rare events with honest uncertainty: a loss of 8 in 400,000 is not "0.002 %".

use libm::{exp, log, log1p};

/// So many events in so many trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ratio {
    /// How often it happened.
    pub events: u64,
    /// How often it could have happened.
    pub trials: u64,
}

impl Ratio {
    /// No more events than trials are taken.
    #[must_use]
    pub fn new(events: u64, trials: u64) -> Self {
        Self {
            events: events.min(trials),
            trials,
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            events: self.events.saturating_add(other.events),
            trials: self.trials.saturating_add(other.trials),
        }
    }

    /// The plain ratio; `None` without trials: nothing tried is not zero.
    #[must_use]
    pub fn estimate(self) -> Option<f64> {
        (self.trials > 0).then(|| self.events as f64 / self.trials as f64)
    }

    /// The exact two-sided 95 % interval (Clopper and Pearson 1934). Exact rather than Wilson's: at 0 of 12,000 the
    /// upper bound is what the verdict rests on, and Wilson's is off by a third there.
    #[must_use]
    pub fn interval(self) -> (f64, f64) {
        let (k, n) = (self.events as f64, self.trials as f64);
        if self.trials == 0 {
            return (0.0, 1.0);
        }
        let low = if self.events == 0 {
            0.0
        } else {
            beta_quantile(0.025, k, n - k + 1.0)
        };
        let high = if self.events == self.trials {
            1.0
        } else {
            beta_quantile(0.975, k + 1.0, n - k)
        };
        (low, high)
    }

    /// The one-sided 95 % upper bound: with no event in `n` trials about 3/n.
    #[must_use]
    pub fn upper_bound(self) -> f64 {
        if self.events >= self.trials {
            return 1.0;
        }
        let (k, n) = (self.events as f64, self.trials as f64);
        beta_quantile(0.95, k + 1.0, n - k)
    }
}

impl Ratio {
    /// How probable it is that chance alone makes two ratios as different as these or more: Fisher's exact test (1935), twice the
    /// smaller tail. 1 where nothing was tried. Events that come in bursts differ more often than this says.
    #[must_use]
    pub fn chance_of(self, other: Self) -> f64 {
        let here = Draw {
            drawn: self.trials as f64,
            marked: (self.events.saturating_add(other.events)) as f64,
            all: (self.trials.saturating_add(other.trials)) as f64,
        };
        if self.trials == 0 || other.trials == 0 {
            return 1.0;
        }
        let events = self.events as f64;
        let (fewer, more) = (here.tail(events, -1.0), here.tail(events, 1.0));
        (2.0 * fewer.min(more)).min(1.0)
    }
}

/// So many things drawn of all, of which some are marked.
struct Draw {
    drawn: f64,
    marked: f64,
    all: f64,
}

/// Beyond so many terms a tail is far from small, or its rest is nothing.
const MOST_TERMS: u32 = 1_000_000;

impl Draw {
    /// The probability of exactly so many marked ones among those drawn (hypergeometric).
    fn exactly(&self, count: f64) -> f64 {
        let ln_choose = |n: f64, k: f64| ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
        exp(
            ln_choose(self.marked, count) + ln_choose(self.all - self.marked, self.drawn - count)
                - ln_choose(self.all, self.drawn),
        )
    }

    /// The probability of so many or fewer (`step` -1), or more (1).
    fn tail(&self, count: f64, step: f64) -> f64 {
        let (mut term, mut at, mut sum) = (self.exactly(count), count, 0.0);
        for _ in 0..MOST_TERMS {
            sum += term;
            let next = at + step;
            // The ratio of neighbours, from the lower one up.
            let low = at.min(next);
            let up = (self.marked - low) * (self.drawn - low)
                / ((low + 1.0) * (self.all - self.marked - self.drawn + low + 1.0));
            term *= if step > 0.0 { up } else { 1.0 / up };
            if next < 0.0 || !term.is_finite() || term <= sum * 1e-12 || sum >= 1.0 {
                break;
            }
            at = next;
        }
        sum.min(1.0)
    }
}

/// The x at which the regularised incomplete beta function I_x(a, b) is `probability`, by bisection.
fn beta_quantile(probability: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if regularised_beta(middle, a, b) < probability {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= 1e-12 * high {
            break;
        }
    }
    0.5 * (low + high)
}

/// I_x(a, b) by Lentz's continued fraction (Press et al., Numerical Recipes, 6.4).
fn regularised_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = exp(ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * log(x) + b * log1p(-x));
    // The fraction converges fast only on this side of the mean; the other side by symmetry.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let keep = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / keep(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..20_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / keep(1.0 + even * d);
        c = keep(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / keep(1.0 + odd * d);
        c = keep(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-14 {
            break;
        }
    }
    fraction
}

/// The probability that Student's t with `freedom` degrees of freedom lies at least `t` from zero, on either side.
pub(crate) fn student_two_sided(t: f64, freedom: f64) -> f64 {
    regularised_beta(freedom / (freedom + t * t), 0.5 * freedom, 0.5)
}

/// The logarithm of the gamma function (Lanczos, g = 7, n = 9; relative error below 1e-13 for x > 0.5).
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let series = COEFFICIENTS
        .iter()
        .enumerate()
        .fold(0.999_999_999_999_809_9, |sum, (i, c)| {
            sum + c / (x + i as f64 + 1.0)
        });
    let t = x + 7.5;
    0.5 * log(2.0 * std::f64::consts::PI) + (x + 0.5) * log(t) - t + log(series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(actual: f64, expected: f64) {
        assert!(
            (actual - expected).abs() <= 2e-3 * expected.abs().max(1e-12),
            "{actual} is not {expected}"
        );
    }

    /// Reference values: R's `fisher.test`, one-sided, doubled.
    #[test]
    fn ratios_that_differ_by_chance() {
        let chance = |a: (u64, u64), b: (u64, u64)| Ratio::new(a.0, a.1).chance_of(Ratio::new(b.0, b.1));
        close(chance((0, 30), (1, 53)), 1.0);
        close(chance((0, 10), (10, 10)), 2.0 * 5.4125e-6);
        close(chance((3, 4), (1, 4)), 2.0 * 0.242_857);
        close(chance((0, 100), (5, 100)), 2.0 * 0.029_676);
        assert!(chance((8, 400_000), (80, 400_000)) < 1e-9);
        assert!(chance((50_000, 1_000_000), (50_100, 1_000_000)) > 0.5);
        assert_eq!(chance((0, 0), (5, 10)), 1.0);
        assert_eq!(chance((5, 10), (5, 10)), 1.0);
    }

    proptest! {
        #[test]
        fn chance_is_a_probability_and_the_same_both_ways(a in 0_u64..500, b in 0_u64..500, n in 1_u64..500, m in 1_u64..500) {
            let (a, b) = (Ratio::new(a, n), Ratio::new(b, m));
            let chance = a.chance_of(b);
            prop_assert!((0.0..=1.0).contains(&chance));
            prop_assert!((chance - b.chance_of(a)).abs() <= 1e-9);
        }
    }

    /// Reference values: R's `binom.test` and the Poisson limit (chi-square quantiles) for tiny ratios.
    #[test]
    fn exact_intervals_match_published_values() {
        let (low, high) = Ratio::new(8, 400_000).interval();
        close(low, 3.4538 / 400_000.0);
        close(high, 15.7632 / 400_000.0);
        let (low, high) = Ratio::new(5, 10).interval();
        close(low, 0.187_086);
        close(high, 0.812_914);
        close(Ratio::new(0, 12_000).upper_bound(), 2.9957 / 12_000.0);
        // R: 2 * pt(-2.5, 8).
        close(student_two_sided(2.5, 8.0), 0.036_94);
        assert_eq!(Ratio::new(0, 0).estimate(), None);
        assert_eq!(Ratio::new(0, 0).interval(), (0.0, 1.0));
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_estimate_and_narrows(k in 0u64..500, n in 500u64..500_000) {
            let small = Ratio::new(k, n);
            let (low, high) = small.interval();
            let estimate = small.estimate().unwrap();
            prop_assert!(low <= estimate && estimate <= high && high <= 1.0 && low >= 0.0);
            let (wide_low, wide_high) = (low, high);
            let (low, high) = Ratio::new(k * 4, n * 4).interval();
            prop_assert!(high - low <= wide_high - wide_low);
        }
    }
}
