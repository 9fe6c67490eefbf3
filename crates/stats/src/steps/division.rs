//! The division of values into stretches of constant level, and which of its steps stand.

use super::prepare::{Scale, median, noise, without_outliers};
use super::segments;
use crate::ratio::student_two_sided;

/// With fewer points neither noise nor outliers can be told from the series alone.
const LONG: usize = 30;
/// Stretches shorter than this are outliers in long series. In short ones a single value may be all that the record
/// tells of another time, but then it must differ by [`Scale::telling`].
const LEAST_STRETCH: usize = 4;
/// The penalty of a step, in variances of the noise, is this times ln n.
const PENALTY: f64 = 7.0;
/// In short series the usual noise counts as so many measurements of it.
const PRIOR_POINTS: f64 = 6.0;
/// What chance makes more often than this is no step: in long series; in short ones, which show less.
const CHANCE: (f64, f64) = (0.01, 0.05);

/// A division of values into stretches.
pub(super) struct Division {
    /// Outliers are out.
    values: Vec<f64>,
    starts: Vec<usize>,
    scale: Scale,
    /// Standard deviation of the noise.
    sigma: f64,
}

impl Division {
    pub(super) fn best(scale: Scale, level: &[f64]) -> Self {
        let long = level.len() >= LONG;
        let values = if long {
            without_outliers(level)
        } else {
            level.to_vec()
        };
        let sigma = if long {
            noise(&values).max(scale.least_noise())
        } else {
            scale.usual_noise()
        };
        let mut division = Self {
            values,
            starts: Vec::new(),
            scale,
            sigma,
        };
        division.divide();
        if long {
            // Noise that lasts from one measurement to the next looks like steps, and more so the longer it lasts.
            let lasting = division.lag_one_correlation().clamp(0.0, 0.9);
            division.sigma *= ((1.0 + lasting) / (1.0 - lasting)).sqrt();
            division.divide();
        }
        division.settle();
        division
    }

    fn divide(&mut self) {
        let penalty = PENALTY * libm::log(self.values.len() as f64) * self.sigma * self.sigma;
        self.starts = segments::starts(&self.values, penalty);
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let ends = self.starts.iter().skip(1).copied().chain([self.values.len()]);
        self.starts
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| start..end)
    }

    fn levels(&self) -> Vec<(usize, f64)> {
        let of = |range: std::ops::Range<usize>| {
            let mut part = self.values.get(range).unwrap_or(&[]).to_vec();
            (part.len(), median(&mut part).unwrap_or(0.0))
        };
        self.ranges().map(of).collect()
    }

    fn residuals(&self) -> Vec<f64> {
        let parts = self.ranges().zip(self.levels());
        let off = parts.flat_map(|(range, (_, level))| {
            self.values
                .get(range)
                .unwrap_or(&[])
                .iter()
                .map(move |y| y - level)
        });
        off.collect()
    }

    fn lag_one_correlation(&self) -> f64 {
        let residuals = self.residuals();
        let product: f64 = residuals
            .iter()
            .zip(residuals.iter().skip(1))
            .map(|(a, b)| a * b)
            .sum();
        let square: f64 = residuals.iter().map(|r| r * r).sum();
        if square > 0.0 { product / square } else { 0.0 }
    }

    /// Takes back steps that do not last, do not matter or may be chance, the least first in each round.
    fn settle(&mut self) {
        loop {
            let before = self.starts.len();
            self.join_short();
            self.join_alike();
            if self.starts.len() == before {
                return;
            }
        }
    }

    /// A stretch that is too short joins the neighbour whose level is closer.
    fn join_short(&mut self) {
        let levels = self.levels();
        let is_long = self.values.len() >= LONG;
        let apart = |a: usize, b: usize| match (levels.get(a), levels.get(b)) {
            (Some((_, x)), Some((_, y))) => (x - y).abs(),
            _ => f64::INFINITY,
        };
        let mut joined = vec![false; levels.len() + 1];
        for (index, (points, _)) in levels.iter().enumerate() {
            let left = index
                .checked_sub(1)
                .map_or(f64::INFINITY, |left| apart(left, index));
            let right = apart(index, index + 1);
            let lasts = if is_long {
                *points >= LEAST_STRETCH
            } else {
                *points > 1 || left.min(right) >= self.scale.telling()
            };
            let boundary = if left <= right { index } else { index + 1 };
            if let Some(mark) = joined.get_mut(boundary).filter(|_| !lasts) {
                *mark = true;
            }
        }
        self.drop_starts(&joined);
    }

    /// Neighbours whose levels differ by less than matters, or than chance does, become one, the closest first; the
    /// neighbours of a pair wait for the next round, as joining moves the levels.
    fn join_alike(&mut self) {
        let levels = self.levels();
        let p_values = self.p_values();
        let off: Vec<f64> = levels
            .windows(2)
            .map(|pair| match pair {
                [(_, a), (_, b)] => (a - b).abs(),
                _ => 0.0,
            })
            .collect();
        let chance = if self.values.len() >= LONG {
            CHANCE.0
        } else {
            CHANCE.1
        };
        let weak = |index: usize| {
            off.get(index).is_some_and(|off| *off < self.scale.least_effect())
                || p_values.get(index).is_some_and(|p| *p > chance)
        };
        let mut weakest: Vec<usize> = (0..off.len()).filter(|index| weak(*index)).collect();
        weakest.sort_by(|a, b| {
            let size = |index: usize| off.get(index).copied().unwrap_or(0.0);
            size(*a).total_cmp(&size(*b)).then(a.cmp(b))
        });
        // Boundary i lies between stretches i and i + 1.
        let mut joined = vec![false; levels.len()];
        for boundary in weakest {
            let start = boundary + 1;
            let beside = [start.checked_sub(1), Some(start + 1)];
            if !beside.into_iter().flatten().any(|i| joined.get(i) == Some(&true))
                && let Some(mark) = joined.get_mut(start)
            {
                *mark = true;
            }
        }
        self.drop_starts(&joined);
    }

    fn drop_starts(&mut self, drop: &[bool]) {
        let mut index = 0;
        self.starts.retain(|start| {
            let dropped = drop.get(index).copied().unwrap_or(false) && *start > 0;
            index += 1;
            !dropped
        });
    }

    /// Of each step: Student's t of the two means against the pooled noise, times the number of places that it could
    /// have been at (Bonferroni).
    pub(super) fn p_values(&self) -> Vec<f64> {
        let n = self.values.len() as f64;
        let (sigma, freedom) = self.pooled();
        let means: Vec<(f64, f64)> = self
            .ranges()
            .map(|range| {
                let part = self.values.get(range).unwrap_or(&[]);
                (
                    part.len() as f64,
                    part.iter().sum::<f64>() / part.len().max(1) as f64,
                )
            })
            .collect();
        let p_value = |pair: &[(f64, f64)]| {
            let [(m, a), (k, b)] = pair else { return 1.0 };
            let t = (a - b).abs() / (sigma * (1.0 / m + 1.0 / k).sqrt());
            (student_two_sided(t, freedom) * n).min(1.0)
        };
        means.windows(2).map(p_value).collect()
    }

    /// Noise and its degrees of freedom. The spread of few values around their own levels says little: in short series
    /// the usual noise has its share.
    fn pooled(&self) -> (f64, f64) {
        let freedom = self.values.len().saturating_sub(self.starts.len()) as f64;
        if self.values.len() >= LONG {
            return (self.sigma, freedom.max(1.0));
        }
        let squares: f64 = self.residuals().iter().map(|r| r * r).sum();
        let usual = self.scale.usual_noise();
        let all = PRIOR_POINTS + freedom;
        (((PRIOR_POINTS * usual * usual + squares) / all).sqrt(), all)
    }
}
