//! Steps in a series: between which two measurements the level changed, from what to what, and how sure that is.
//!
//! Outliers out (Hampel), daily swing out, then the division into stretches of constant level that is best at a penalty
//! for each ([`segments`]). What is left: a step has to matter, to last, and to be more than chance.

mod division;
mod prepare;
mod segments;

use division::Division;
use evidence::{SeriesMetric, Timestamp};
pub use prepare::quantile;
use prepare::{Scale, daily_swing, median};

/// A time known to lie between two measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The last measurement before.
    pub from: Timestamp,
    /// The first one behind.
    pub to: Timestamp,
}

impl Span {
    /// Its length, nanoseconds.
    #[must_use]
    pub fn width_ns(self) -> i64 {
        self.to.since_ns(self.from).max(0)
    }

    /// Nanoseconds between this span and another; zero where they overlap.
    #[must_use]
    pub fn gap_ns(self, other: Self) -> i64 {
        self.from
            .since_ns(other.to)
            .max(other.from.since_ns(self.to))
            .max(0)
    }
}

/// A stretch of constant level.
#[derive(Debug, Clone, PartialEq)]
pub struct Regime {
    /// Its first and last measurement.
    pub span: Span,
    /// How many measurements.
    pub points: usize,
    /// The median, in the metric's unit.
    pub level: f64,
    /// A tenth of the values are below this.
    pub low: f64,
    /// A tenth are above this.
    pub high: f64,
}

/// A change of level between two stretches.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// When.
    pub between: Span,
    /// The stretch that ends with it.
    pub before: Regime,
    /// The stretch that begins with it.
    pub after: Regime,
    /// The values measured last before it and first behind it.
    pub values: (f64, f64),
    /// The probability that noise of this series makes such a step anywhere in it.
    pub p_value: f64,
}

/// A series divided into stretches.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// In the order of time.
    pub regimes: Vec<Regime>,
    /// One between each two regimes.
    pub steps: Vec<Step>,
    /// The usual time from one measurement to the next, nanoseconds.
    pub interval_ns: i64,
    /// The time of day has a part in the noise; it was taken out.
    pub daily_swing: bool,
    /// The points, in the order of time.
    pub points: Vec<(Timestamp, f64)>,
}

/// Divides a series. `None` with fewer than four usable points.
#[must_use]
pub fn find(metric: SeriesMetric, points: &[(Timestamp, f64)]) -> Option<Steps> {
    let points = usable(points);
    if points.len() < 4 {
        return None;
    }
    let scale = Scale::of(metric);
    let floor = floor(&points);
    let raw: Vec<f64> = points.iter().map(|(_, v)| scale.apply(*v, floor)).collect();
    let times: Vec<i64> = points.iter().map(|(at, _)| at.0).collect();
    let swing = daily_swing(&times, &raw);
    let level: Vec<f64> = match &swing {
        Some(swing) => raw.iter().zip(swing).map(|(y, s)| y - s).collect(),
        None => raw,
    };
    let division = Division::best(scale, &level);
    let regimes: Vec<Regime> = division
        .ranges()
        .map(|range| regime(scale, &points, &level, range))
        .collect();
    let p_values = division.p_values();
    let steps = regimes
        .windows(2)
        .zip(p_values)
        .filter_map(|(pair, p_value)| step(pair, &points, p_value));
    Some(Steps {
        steps: steps.collect(),
        regimes,
        interval_ns: usual_interval_ns(&times),
        daily_swing: swing.is_some(),
        points,
    })
}

/// Finite and not negative, in the order of time.
fn usable(points: &[(Timestamp, f64)]) -> Vec<(Timestamp, f64)> {
    let mut points: Vec<(Timestamp, f64)> = points
        .iter()
        .copied()
        .filter(|(_, v)| v.is_finite() && *v >= 0.0)
        .collect();
    points.sort_by(|(a, v), (b, w)| a.cmp(b).then(v.total_cmp(w)));
    points.dedup();
    points
}

/// Stands for zero on the logarithm: far below everything else, and not so far that one zero outweighs a series.
fn floor(points: &[(Timestamp, f64)]) -> f64 {
    let mut positive: Vec<f64> = points.iter().map(|(_, v)| *v).filter(|v| *v > 0.0).collect();
    median(&mut positive).map_or(1.0, |middle| middle * 1e-3)
}

fn usual_interval_ns(times: &[i64]) -> i64 {
    let mut gaps: Vec<f64> = times
        .iter()
        .zip(times.iter().skip(1))
        .map(|(a, b)| b.saturating_sub(*a) as f64)
        .collect();
    median(&mut gaps).unwrap_or(0.0) as i64
}

fn regime(scale: Scale, points: &[(Timestamp, f64)], level: &[f64], range: std::ops::Range<usize>) -> Regime {
    let part = points.get(range.clone()).unwrap_or(&[]);
    let mut levels = level.get(range).unwrap_or(&[]).to_vec();
    let mut values: Vec<f64> = part.iter().map(|(_, v)| *v).collect();
    let at = |point: Option<&(Timestamp, f64)>| point.map_or(Timestamp(0), |(at, _)| *at);
    Regime {
        span: Span {
            from: at(part.first()),
            to: at(part.last()),
        },
        points: part.len(),
        level: scale.undo(median(&mut levels).unwrap_or(0.0)),
        low: quantile(&mut values, 0.1).unwrap_or(0.0),
        high: quantile(&mut values, 0.9).unwrap_or(0.0),
    }
}

fn step(pair: &[Regime], points: &[(Timestamp, f64)], p_value: f64) -> Option<Step> {
    let [before, after] = pair else { return None };
    let behind = points.partition_point(|(at, _)| *at < after.span.from);
    let value = |place: usize| points.get(place).map_or(0.0, |(_, value)| *value);
    Some(Step {
        values: (value(behind.saturating_sub(1)), value(behind)),
        between: Span {
            from: before.span.to,
            to: after.span.from,
        },
        before: before.clone(),
        after: after.clone(),
        p_value,
    })
}

#[cfg(test)]
mod tests;
