//! Whether a figure is what follows from others that people state.

use crate::density::student_t4;
use libm::{exp, log};

/// Width of ln(value) that a figure falls in which has nothing to do with the prediction: a factor of 50.
const ANYTHING: f64 = 4.0;
/// Share of figures that are wrong.
const ASTRAY: f64 = 0.04;
/// Standard deviations by which a density of the peak of Student's t spreads: 1 / 0.375.
const SPREAD: f64 = 8.0 / 3.0;

/// ln of how much likelier what was seen is where it follows from a prediction than where something else makes it. Both are
/// the lowest and the highest of what they may be, and what was predicted is known to a factor of `exp(sigma)`.
#[must_use]
pub fn agreement(seen: (f64, f64), predicted: (f64, f64), sigma: f64) -> f64 {
    let [seen, predicted] = [seen, predicted].map(|(low, high)| (log(low.max(1e-9)), log(high.max(1e-9))));
    let off = (predicted.0 - seen.1).max(seen.0 - predicted.1).max(0.0);
    let narrower = SPREAD * sigma / (predicted.1 - predicted.0 + SPREAD * sigma);
    log((1.0 - ASTRAY) * ANYTHING * narrower * exp(student_t4(off, 0.0, sigma)) + ASTRAY)
}

#[cfg(test)]
mod tests {
    use super::agreement;

    #[test]
    fn near_speaks_for_it_and_far_against() {
        let of = |seen: f64, sigma| agreement((seen, seen), (100.0, 100.0), sigma);
        assert!(of(100.0, 0.2) > 1.9 && of(112.0, 0.2) > 1.5);
        assert!(of(250.0, 0.2) < -1.5 && of(1e4, 0.2) < -3.0);
        assert!(agreement((100.0, 100.0), (50.0, 200.0), 0.2) < of(100.0, 0.2));
    }
}
