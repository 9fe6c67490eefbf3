//! Which route was in force when, as its history tells.

use evidence::{KnownRoute, RouteHistory, Timestamp};
use stats::quantile;
use std::collections::BTreeMap;

/// More stretches of routes than this are shown as the most frequent ones of equal slices of time.
const MOST_BANDS: usize = 400;

/// A pause of more than so many times the usual distance of two points is a gap: nothing is known of it.
pub(super) const GAP: i64 = 5;

/// (when, value).
pub(crate) type Point = (Timestamp, f64);

/// The median distance of two points, at least 1 ns.
pub(super) fn usual_step_ns(points: &[Point]) -> i64 {
    let mut steps: Vec<i64> = points
        .windows(2)
        .filter_map(|w| Some(w.last()?.0.since_ns(w.first()?.0)))
        .collect();
    steps.sort_unstable();
    steps.get(steps.len() / 2).copied().unwrap_or(i64::MAX).max(1)
}

/// `route 31`, by the archive's number, else by its place in the record.
pub(crate) fn route_name(route: &KnownRoute, index: usize) -> String {
    match route.number {
        Some(number) => format!("route {number}"),
        None => format!("route #{}", index + 1),
    }
}

/// A time during which every trace went one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Band {
    pub(crate) from: Timestamp,
    /// The first trace that went another way, or the last that was made.
    pub(crate) until: Timestamp,
    /// Index into the history's routes.
    pub(crate) route: usize,
}

/// Which route was in force when.
pub(crate) struct Bands<'a> {
    pub(crate) history: &'a RouteHistory,
    pub(crate) bands: Vec<Band>,
    seen: Vec<(Timestamp, usize)>,
}

impl<'a> Bands<'a> {
    /// Joins neighbouring traces that went the same way. Between two that did not, the earlier way is drawn on: when
    /// it changed is not known. A long pause without traces ends a band.
    pub(crate) fn new(history: &'a RouteHistory) -> Self {
        let known = |index: u32| usize::try_from(index).ok().filter(|i| *i < history.routes.len());
        let mut seen: Vec<(Timestamp, usize)> = history
            .seen
            .iter()
            .filter_map(|(at, index)| Some((*at, known(*index)?)))
            .collect();
        seen.sort_unstable();
        let points: Vec<Point> = seen.iter().map(|(at, _)| (*at, 0.0)).collect();
        let limit = GAP.saturating_mul(usual_step_ns(&points));
        let mut bands: Vec<Band> = Vec::new();
        let mut before: Option<Timestamp> = None;
        for &(at, route) in &seen {
            let pause = before.is_none_or(|b| at.since_ns(b) > limit);
            match bands.last_mut() {
                Some(band) if !pause => {
                    band.until = at;
                    if band.route != route {
                        bands.push(Band {
                            from: at,
                            until: at,
                            route,
                        });
                    }
                }
                _ => bands.push(Band {
                    from: at,
                    until: at,
                    route,
                }),
            }
            before = Some(at);
        }
        Self { history, bands, seen }
    }

    /// How often each route was seen.
    pub(crate) fn times_seen(&self) -> BTreeMap<usize, usize> {
        let mut times = BTreeMap::new();
        for (_, route) in &self.seen {
            *times.entry(*route).or_insert(0) += 1;
        }
        times
    }

    /// The median value while each route was in force, and of how many values.
    pub(crate) fn medians(&self, points: &[Point]) -> BTreeMap<usize, (f64, usize)> {
        let mut values: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (at, value) in points.iter().filter(|(_, value)| value.is_finite()) {
            if let Some(band) = self.at(*at) {
                values.entry(band.route).or_default().push(*value);
            }
        }
        let summed = values
            .into_iter()
            .filter_map(|(route, mut values)| Some((route, (quantile(&mut values, 0.5)?, values.len()))));
        summed.collect()
    }

    fn at(&self, at: Timestamp) -> Option<&Band> {
        let next = self.bands.partition_point(|band| band.from <= at);
        let band = self.bands.get(next.checked_sub(1)?)?;
        (at <= band.until).then_some(band)
    }

    /// At most [`MOST_BANDS`] bands: of too many, the one longest in force in each slice of time.
    pub(crate) fn drawn(&self) -> (Vec<Band>, bool) {
        let (Some(first), Some(last)) = (self.bands.first(), self.bands.last()) else {
            return (Vec::new(), false);
        };
        if self.bands.len() <= MOST_BANDS {
            return (self.bands.clone(), false);
        }
        let slice_ns = (i128::from(last.until.0) - i128::from(first.from.0)) / MOST_BANDS as i128 + 1;
        let slice_of = |band: &Band| (i128::from(band.from.0) - i128::from(first.from.0)) / slice_ns;
        let longest = |slice: &[Band]| {
            let mut lengths: BTreeMap<usize, i128> = BTreeMap::new();
            for band in slice {
                *lengths.entry(band.route).or_insert(0) += i128::from(band.until.0) - i128::from(band.from.0);
            }
            let (route, _) = lengths
                .into_iter()
                .max_by_key(|(route, length)| (*length, std::cmp::Reverse(*route)))?;
            Some(Band {
                from: slice.first()?.from,
                until: slice.last()?.until,
                route,
            })
        };
        (
            self.bands
                .chunk_by(|a, b| slice_of(a) == slice_of(b))
                .filter_map(longest)
                .collect(),
            true,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Node;

    fn at(second: i64) -> Timestamp {
        Timestamp(second * 1_000_000_000)
    }

    #[test]
    fn bands_join_what_went_one_way_and_end_at_pauses() {
        let way = |number| evidence::KnownRoute {
            number: Some(number),
            hops: Vec::new(),
        };
        let history = RouteHistory {
            from: Node::default(),
            to: Node::default(),
            routes: vec![way(1), way(2)],
            // 9 is an index that no route has.
            seen: vec![
                (at(0), 0),
                (at(1), 0),
                (at(2), 1),
                (at(3), 1),
                (at(4), 9),
                (at(4), 1),
                (at(90), 1),
                (at(91), 1),
            ],
        };
        let bands = Bands::new(&history);
        let band = |from, until, route| Band {
            from: at(from),
            until: at(until),
            route,
        };
        assert_eq!(bands.bands, [band(0, 2, 0), band(2, 4, 1), band(90, 91, 1)]);
        let medians = bands.medians(&[(at(0), 5.0), (at(1), 7.0), (at(3), 1.0), (at(50), 99.0)]);
        assert_eq!(
            medians.into_iter().collect::<Vec<_>>(),
            [(0, (6.0, 2)), (1, (1.0, 1))]
        );
    }
}
