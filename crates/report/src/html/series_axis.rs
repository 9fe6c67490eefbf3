//! The axes of a series: values on a scale that fits their range, times at round hours and days.

use evidence::Timestamp;
use libm::{log10, pow};

const MINUTE_NS: i64 = 60_000_000_000;
const HOUR_NS: i64 = 60 * MINUTE_NS;
const DAY_NS: i64 = 24 * HOUR_NS;
/// More labels than this run into each other.
const MOST_TICKS: i64 = 7;

/// The scale of the values.
pub(super) struct Scale {
    low: f64,
    high: f64,
    /// Chosen where the largest value is more than ten times the smallest above zero.
    pub(super) logarithmic: bool,
}

impl Scale {
    /// A scale that holds all values. Zero stands at the bottom of a logarithmic one.
    pub(super) fn over(values: impl Iterator<Item = f64> + Clone) -> Self {
        let positive = || values.clone().filter(|v| v.is_finite() && *v > 0.0);
        let (low, high) = (
            positive().fold(f64::INFINITY, f64::min),
            positive().fold(0.0, f64::max),
        );
        if high <= 0.0 {
            return Self {
                low: 0.0,
                high: 1.0,
                logarithmic: false,
            };
        }
        match high > 10.0 * low {
            true => Self {
                low: log10(low).floor(),
                high: log10(high).ceil(),
                logarithmic: true,
            },
            false => Self {
                low: 0.0,
                high: high * 1.06,
                logarithmic: false,
            },
        }
    }

    /// Where a value stands: 0 at the bottom, 1 at the top.
    pub(super) fn share(&self, value: f64) -> f64 {
        let value = match self.logarithmic {
            true if value <= 0.0 => self.low,
            true => log10(value),
            false => value,
        };
        let share = (value - self.low) / (self.high - self.low).max(f64::MIN_POSITIVE);
        if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// The values at which a line is drawn: powers of ten (few decades: with 2 and 5 between), or round steps.
    pub(super) fn levels(&self) -> Vec<f64> {
        if !self.logarithmic {
            let (step, _) = super::chart::scale(self.high, 4.0);
            return (1..=5)
                .map(|n| f64::from(n) * step)
                .filter(|level| *level <= self.high)
                .collect();
        }
        let decades = (self.high - self.low) as i32;
        let every = (decades / 6 + 1).max(1);
        let between: &[f64] = if decades <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers = (0..=decades).filter(|n| n % every == 0);
        let levels = powers.flat_map(|n| {
            between
                .iter()
                .map(move |m| m * pow(10.0, self.low + f64::from(n)))
        });
        levels.filter(|level| log10(*level) <= self.high + 1e-9).collect()
    }
}

/// Round times with their labels, at most seven.
pub(super) fn time_ticks(from: Timestamp, until: Timestamp) -> Vec<(Timestamp, String)> {
    let span = until.0.saturating_sub(from.0).max(1);
    let steps = [1, 5, 15, 60, 180, 360, 720].map(|minutes| minutes * MINUTE_NS);
    let days = [1, 2, 7, 14, 30, 90, 180, 365, 1825, 18_250].map(|days| days * DAY_NS);
    let fits = |step: &i64| span / step < MOST_TICKS;
    let step = steps.into_iter().chain(days).find(fits).unwrap_or(i64::MAX / 8);
    let first = from.0.div_euclid(step).saturating_add(1).saturating_mul(step);
    let format = if step >= DAY_NS { "%Y-%m-%d" } else { "%m-%d %H:%M" };
    let ticks = (0..MOST_TICKS).map(|n| first.saturating_add(step.saturating_mul(n)));
    let inside = ticks.filter(|at| *at <= until.0 && *at >= from.0);
    inside
        .map(|at| (Timestamp(at), crate::words::formatted(Timestamp(at), format)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_range_is_logarithmic_and_holds_zero() {
        let values = Scale::over([0.0, 2e4, 9e8].into_iter());
        assert!(values.logarithmic);
        assert_eq!((values.share(0.0), values.share(1e9)), (0.0, 1.0));
        assert_eq!(
            values.levels(),
            [1e4, 1e5, 1e6, 1e7, 1e8, 1e9].map(|v: f64| pow(10.0, log10(v)))
        );
        assert!(!Scale::over([5e8, 9e8].into_iter()).logarithmic);
        assert_eq!(Scale::over(std::iter::empty()).share(f64::NAN), 0.0);
    }

    #[test]
    fn ticks_are_round_and_few() {
        let at = |day: i64| Timestamp(day * DAY_NS + 7 * HOUR_NS);
        let labels =
            |from, until| -> Vec<String> { time_ticks(from, until).into_iter().map(|(_, l)| l).collect() };
        assert_eq!(
            labels(at(0), at(2)),
            ["01-01 12:00", "01-02 00:00", "01-02 12:00", "01-03 00:00"]
        );
        assert_eq!(
            labels(at(0), at(4)),
            ["1970-01-02", "1970-01-03", "1970-01-04", "1970-01-05"]
        );
        assert!(labels(Timestamp(i64::MIN), Timestamp(i64::MAX)).len() <= 7);
        assert!(labels(at(3), at(3)).is_empty());
    }
}
