//! What stands between a series and its steps: the scale on which noise is even, the daily swing, outliers.

use evidence::SeriesMetric;
use libm::{exp, log};

/// The scale on which a step of the same importance has the same size at every level, and noise too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// Rates and round-trip times: what matters and what is noise are both factors.
    Logarithm,
    /// Loss: a count of rare events has an even spread under the square root (Anscombe 1948).
    Root,
    /// Utilisation.
    Plain,
}

impl Scale {
    pub(super) fn of(metric: SeriesMetric) -> Self {
        match metric {
            SeriesMetric::Throughput | SeriesMetric::Rtt => Self::Logarithm,
            SeriesMetric::LossRatio => Self::Root,
            SeriesMetric::Utilisation => Self::Plain,
        }
    }

    /// `floor` stands for zero, which has no logarithm.
    pub(super) fn apply(self, value: f64, floor: f64) -> f64 {
        match self {
            Self::Logarithm => log(value.max(floor)),
            Self::Root => value.max(0.0).sqrt(),
            Self::Plain => value,
        }
    }

    pub(super) fn undo(self, y: f64) -> f64 {
        match self {
            Self::Logarithm => exp(y),
            Self::Root => y * y,
            Self::Plain => y,
        }
    }

    /// Smaller steps matter to nobody: 10 % of a rate, 0.01 % of packets, 5 % of a link.
    pub(super) fn least_effect(self) -> f64 {
        match self {
            Self::Logarithm => log(1.1),
            Self::Root => 0.01,
            Self::Plain => 0.05,
        }
    }

    /// A single value that is this far off tells of another level: half or double the rate.
    pub(super) fn telling(self) -> f64 {
        match self {
            Self::Logarithm => std::f64::consts::LN_2,
            Self::Root => 0.1,
            Self::Plain => 0.3,
        }
    }

    /// Noise is never taken for less than this: series are rounded, and some stand still.
    pub(super) fn least_noise(self) -> f64 {
        match self {
            Self::Logarithm => 0.02,
            Self::Root => 0.002,
            Self::Plain => 0.01,
        }
    }

    /// The noise to expect before anything was seen: single transfers vary by a fifth.
    pub(super) fn usual_noise(self) -> f64 {
        match self {
            Self::Logarithm => 0.2,
            Self::Root => 0.02,
            Self::Plain => 0.1,
        }
    }
}

/// The standard deviation of normal noise over its median absolute deviation.
const SIGMA_OVER_MAD: f64 = 1.4826;

/// The median of `values`, which are put in order for it; `None` of none.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The value below which `share` of `values` lie, interpolated.
#[must_use]
pub fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let place = share.clamp(0.0, 1.0) * values.len().checked_sub(1)? as f64;
    let low = *values.get(place.floor() as usize)?;
    let high = *values.get(place.ceil() as usize)?;
    Some(low + (high - low) * place.fract())
}

fn spread(values: &[f64], centre: f64) -> f64 {
    let mut off: Vec<f64> = values.iter().map(|y| (y - centre).abs()).collect();
    median(&mut off).unwrap_or(0.0)
}

/// Noise from one value to the next, as a standard deviation: a step makes one difference large and no more.
pub(super) fn noise(values: &[f64]) -> f64 {
    let differences: Vec<f64> = values
        .iter()
        .zip(values.iter().skip(1))
        .map(|(a, b)| b - a)
        .collect();
    let robust = SIGMA_OVER_MAD * spread(&differences, 0.0);
    // Most values equal (no loss, most of the time): the rest still make noise.
    let plain = || (differences.iter().map(|d| d * d).sum::<f64>() / differences.len().max(1) as f64).sqrt();
    let difference = if robust > 0.0 { robust } else { plain() };
    difference / std::f64::consts::SQRT_2
}

/// Values on either side that an outlier is compared with: a run of four is no outlier.
const NEIGHBOURS: usize = 3;
/// An outlier is this many standard deviations off (Hampel 1974; Pearson 2002 for its use on series).
const OUTLYING: f64 = 3.0;

/// Outliers replaced by the median of their neighbourhood.
pub(super) fn without_outliers(values: &[f64]) -> Vec<f64> {
    let mut window = Vec::with_capacity(2 * NEIGHBOURS + 1);
    let cleaned = values.iter().enumerate().map(|(index, y)| {
        let around = index.saturating_sub(NEIGHBOURS)..(index + NEIGHBOURS + 1).min(values.len());
        window.clear();
        window.extend_from_slice(values.get(around).unwrap_or(&[]));
        let Some(centre) = median(&mut window) else {
            return *y;
        };
        window
            .iter_mut()
            .for_each(|other| *other = (*other - centre).abs());
        let off = SIGMA_OVER_MAD * median(&mut window).unwrap_or(0.0);
        if (y - centre).abs() > OUTLYING * off {
            centre
        } else {
            *y
        }
    });
    cleaned.collect()
}

const HOUR_NS: i64 = 3_600_000_000_000;
const DAY_NS: i64 = 24 * HOUR_NS;

/// Fewer days show no habit.
const LEAST_DAYS: usize = 7;
/// A day with fewer values has no level of its own to compare with.
const LEAST_A_DAY: usize = 3;
/// A habit explains at least this share of the variance within days, beyond what chance does.
const HABIT: f64 = 0.1;

/// What the hour of the day adds to each value, where it explains some of the noise; `None` where it does not. Each day
/// is taken relative to its own median, so that a step from one day to the next is no part of it.
pub(super) fn daily_swing(times_ns: &[i64], values: &[f64]) -> Option<Vec<f64>> {
    let hour = |at: i64| (at.rem_euclid(DAY_NS) / HOUR_NS) as usize;
    let mut by_hour: [Vec<f64>; 24] = Default::default();
    let mut residuals: Vec<(usize, f64)> = Vec::with_capacity(values.len());
    let mut days = 0;
    let points: Vec<(i64, f64)> = times_ns.iter().copied().zip(values.iter().copied()).collect();
    for day in points.chunk_by(|(a, _), (b, _)| a.div_euclid(DAY_NS) == b.div_euclid(DAY_NS)) {
        let mut levels: Vec<f64> = day.iter().map(|(_, y)| *y).collect();
        let Some(level) = median(&mut levels).filter(|_| day.len() >= LEAST_A_DAY) else {
            continue;
        };
        days += 1;
        for (at, y) in day {
            by_hour.get_mut(hour(*at))?.push(y - level);
            residuals.push((hour(*at), y - level));
        }
    }
    if days < LEAST_DAYS {
        return None;
    }
    let swing: Vec<f64> = by_hour
        .iter_mut()
        .map(|hour| {
            if hour.len() < LEAST_DAYS {
                0.0
            } else {
                median(hour).unwrap_or(0.0)
            }
        })
        .collect();
    let of = |hour: usize| swing.get(hour).copied().unwrap_or(0.0);
    let before: Vec<f64> = residuals.iter().map(|(_, r)| *r).collect();
    let after: Vec<f64> = residuals.iter().map(|(hour, r)| r - of(*hour)).collect();
    let left = (spread(&after, 0.0) / spread(&before, 0.0).max(f64::MIN_POSITIVE)).powi(2);
    // Medians of few values follow the noise: each explains π/(2n) of it by chance.
    let hours = by_hour.iter().filter(|hour| hour.len() >= LEAST_DAYS).count();
    let by_chance = std::f64::consts::FRAC_PI_2 * hours as f64 / residuals.len().max(1) as f64;
    (1.0 - left > HABIT + 2.0 * by_chance).then(|| times_ns.iter().map(|at| of(hour(*at))).collect())
}
