//! A ceiling under the rate of a usual link: whatever the time of day, the rate comes close and never above.

use evidence::{RateBps, Timestamp};
use stats::quantile;

/// Links by their label, bit/s: Ethernet, T3, OC-3, OC-12, OC-48.
const LABELS: [f64; 12] = [
    1e7, 4.5e7, 1e8, 1.55e8, 6.22e8, 1e9, 2.488e9, 2.5e9, 5e9, 1e10, 2.5e10, 1e11,
];

fn link_above(rate_bps: f64, least_share: f64) -> Option<f64> {
    let fits = |label: &f64| (least_share..0.985).contains(&(rate_bps / label));
    LABELS.into_iter().find(fits)
}

/// Values that end under a usual link's rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plateau {
    /// The link's label.
    pub(crate) link: RateBps,
    /// The highest rate reached, single outliers apart.
    pub(crate) ceiling: RateBps,
    pub(crate) points: usize,
    /// In how many quarters of the day there are values within 30 % of the ceiling: cross traffic comes and goes.
    pub(crate) quarters_near: usize,
    /// In how many there are values at all.
    pub(crate) quarters: usize,
}

/// A single transfer through a full link may still fall short of it by a fifth.
const LEAST_SHARE: f64 = 0.8;
/// Enough values for one in twenty to be taken for an outlier.
const MANY: usize = 20;

/// The plateau of rates, bit/s. `None` where they end at no usual link, or there are fewer than three.
pub(crate) fn of(points: &[(Timestamp, f64)]) -> Option<Plateau> {
    let mut rates: Vec<f64> = points.iter().map(|(_, rate)| *rate).collect();
    let share = if rates.len() >= MANY { 0.95 } else { 1.0 };
    let ceiling = quantile(&mut rates, share)?;
    let link = link_above(ceiling, LEAST_SHARE).filter(|_| rates.len() >= 3)?;
    let quarter = |at: Timestamp| (at.0.rem_euclid(86_400_000_000_000) / 21_600_000_000_000) as usize;
    let (mut any, mut near) = ([false; 4], [false; 4]);
    for (at, rate) in points {
        let index = quarter(*at);
        any.get_mut(index).into_iter().for_each(|seen| *seen = true);
        if *rate >= 0.7 * ceiling {
            near.get_mut(index).into_iter().for_each(|seen| *seen = true);
        }
    }
    let count = |quarters: [bool; 4]| quarters.into_iter().filter(|seen| *seen).count();
    Some(Plateau {
        link: RateBps(link),
        ceiling: RateBps(ceiling),
        points: points.len(),
        quarters_near: count(near),
        quarters: count(any),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_hours(rates: &[f64]) -> Vec<(Timestamp, f64)> {
        let at = |index: usize| Timestamp(index as i64 * 7 * 3_600_000_000_000);
        rates
            .iter()
            .enumerate()
            .map(|(index, rate)| (at(index), *rate))
            .collect()
    }

    #[test]
    fn rates_that_end_below_a_usual_link_show_it() {
        let found = of(&at_hours(&[58e6, 30e6, 85e6])).unwrap();
        assert_eq!((found.link, found.ceiling), (RateBps(1e8), RateBps(85e6)));
        let steady = of(&at_hours(&[93e6, 91e6, 94e6, 92e6, 90e6])).unwrap();
        assert_eq!((steady.quarters, steady.quarters_near), (4, 4));
    }

    #[test]
    fn no_usual_link_or_too_few_values_show_none() {
        assert_eq!(of(&at_hours(&[300e6, 290e6, 310e6])), None);
        assert_eq!(of(&at_hours(&[94e6, 93e6])), None);
        assert_eq!(of(&[]), None);
    }
}
