//! Log densities, in functions whose bits do not depend on the platform.

use libm::{erfc, exp, log, log1p, sqrt};

/// ln √(2π).
const LN_SQRT_TWO_PI: f64 = 0.918_938_533_204_672_7;

/// Log density of a normal distribution at `x`.
#[must_use]
pub fn normal(x: f64, mean: f64, sigma: f64) -> f64 {
    let z = (x - mean) / sigma;
    -0.5 * z * z - log(sigma) - LN_SQRT_TWO_PI
}

/// Log density of Student's t distribution with four degrees of freedom, centre `mean` and scale `sigma`: like a
/// normal one near its centre, with tails that forgive a measurement that went wrong.
#[must_use]
pub fn student_t4(x: f64, mean: f64, sigma: f64) -> f64 {
    let z = (x - mean) / sigma;
    // Γ(5/2)/(√(4π)·Γ(2)) = 3/8.
    log(0.375 / sigma) - 2.5 * log1p(z * z / 4.0)
}

/// Log probability that a normal variable lies below `x`.
#[must_use]
pub(crate) fn normal_below(x: f64, mean: f64, sigma: f64) -> f64 {
    let z = (x - mean) / (sigma * core::f64::consts::SQRT_2);
    log((0.5 * erfc(-z)).max(1e-300))
}

/// Log probability of `k` of `n` when each comes with probability `p` (binomial, without the coefficient, which is the
/// same for all hypotheses that are compared).
#[must_use]
pub(crate) fn binomial_kernel(k: f64, n: f64, p: f64) -> f64 {
    let p = p.clamp(1e-9, 1.0 - 1e-9);
    k * log(p) + (n - k) * log1p(-p)
}

/// ln of the mean of exponentials.
#[must_use]
pub fn log_mean_exp(terms: &[f64]) -> f64 {
    log_sum_exp(terms) - log(terms.len() as f64)
}

/// ln Σ exp(xᵢ) without overflow; −∞ for nothing.
#[must_use]
pub fn log_sum_exp(terms: &[f64]) -> f64 {
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + log(terms.iter().map(|term| exp(term - largest)).sum::<f64>())
}

/// ln Σ wᵢ·exp(xᵢ) for (wᵢ, xᵢ), without overflow; −∞ for nothing.
#[must_use]
pub(crate) fn mixture(terms: &[(f64, f64)]) -> f64 {
    let largest = terms
        .iter()
        .map(|(_, term)| *term)
        .fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest
        + log(terms
            .iter()
            .map(|(weight, term)| weight * exp(term - largest))
            .sum::<f64>())
}

/// Five nodes and weights of the Gauss–Hermite rule for a standard normal variable (Abramowitz and Stegun, table
/// 25.10, scaled): ∫ f(z) φ(z) dz ≈ Σ wᵢ f(zᵢ).
pub(crate) const HERMITE: [(f64, f64); 5] = [
    (-2.856_970_013_872_806, 0.011_257_411_327_721),
    (-1.355_626_179_974_266, 0.222_075_922_005_613),
    (0.0, 0.533_333_333_333_333),
    (1.355_626_179_974_266, 0.222_075_922_005_613),
    (2.856_970_013_872_806, 0.011_257_411_327_721),
];

/// The root of the sum of squares: independent errors of a logarithm add so.
#[must_use]
pub(crate) fn together(a: f64, b: f64) -> f64 {
    sqrt(a * a + b * b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_integrate_to_one() {
        let sum = |density: &dyn Fn(f64) -> f64| -> f64 {
            (-40_000..40_000)
                .map(|i| exp(density(f64::from(i) * 1e-2)) * 1e-2)
                .sum()
        };
        assert!((sum(&|x| normal(x, 1.0, 0.7)) - 1.0).abs() < 1e-3);
        assert!((sum(&|x| student_t4(x, 1.0, 0.7)) - 1.0).abs() < 1e-3);
        let weights: f64 = HERMITE.iter().map(|(_, w)| w).sum();
        assert!((weights - 1.0).abs() < 1e-9);
    }

    #[test]
    fn sums_of_logarithms_do_not_overflow() {
        assert!((log_sum_exp(&[-1000.0, -1000.0]) - (-1000.0 + log(2.0))).abs() < 1e-12);
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    }
}
