//! A ceiling under the rate of a usual link: the rate comes close and never above.

use evidence::RateBps;
use stats::quantile;

/// Links by their label, bit/s: Ethernet, T3, OC-3, OC-12, OC-48.
const LABELS: [f64; 12] = [
    1e7, 4.5e7, 1e8, 1.55e8, 6.22e8, 1e9, 2.488e9, 2.5e9, 5e9, 1e10, 2.5e10, 1e11,
];

/// Values that end under a usual link's rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plateau {
    /// The link's label.
    pub(crate) link: RateBps,
    /// The highest rate reached, single outliers apart.
    pub(crate) ceiling: RateBps,
    pub(crate) points: usize,
}

/// A single transfer through a full link may still fall short of it by a fifth.
const LEAST_SHARE: f64 = 0.8;
/// Enough values for one in twenty to be taken for an outlier.
const MANY: usize = 20;

/// The plateau of rates, bit/s. `None` where they end at no usual link, or there are fewer than three.
pub(crate) fn of(mut rates: Vec<f64>) -> Option<Plateau> {
    let points = rates.len();
    let share = if points >= MANY { 0.95 } else { 1.0 };
    let ceiling = quantile(&mut rates, share)?;
    let fits = |label: &f64| points >= 3 && (LEAST_SHARE..0.985).contains(&(ceiling / label));
    let link = LABELS.into_iter().find(fits)?;
    Some(Plateau {
        link: RateBps(link),
        ceiling: RateBps(ceiling),
        points,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_that_end_below_a_usual_link_show_it() {
        let found = of(vec![58e6, 30e6, 85e6]).unwrap();
        assert_eq!((found.link, found.ceiling), (RateBps(1e8), RateBps(85e6)));
    }

    #[test]
    fn no_usual_link_or_too_few_values_show_none() {
        assert_eq!(of(vec![300e6, 290e6, 310e6]), None);
        assert_eq!(of(vec![94e6, 93e6]), None);
        assert_eq!(of(Vec::new()), None);
    }
}
