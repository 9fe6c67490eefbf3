//! One quantity over time with the route in force: points thinned to what a page can carry, gaps, and bands.

use super::of_round;
use super::routes::route_name;
use crate::comparison::median;
use crate::names::Names;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table};
use crate::words;
use evidence::{Nanos, Node, Observation, Payload, RateBps, RouteHistory, Series, SeriesMetric, Timestamp};
use std::collections::BTreeMap;

/// So many marks a picture carries at most.
pub(crate) const MOST_MARKS: usize = 2_000;
/// More stretches of routes than this are shown as the most frequent ones of equal slices of time.
pub(crate) const MOST_BANDS: usize = 400;
/// A pause of more than so many times the usual distance of two points is a gap: nothing is known of it.
const GAP: i64 = 5;
/// Longer lists of stretches are cut in tables.
const MOST_ROWS: usize = 24;

/// (when, value).
pub(crate) type Point = (Timestamp, f64);

/// Points for drawing.
pub(crate) struct Drawn {
    /// Runs of points without a gap in them.
    pub(crate) runs: Vec<Vec<Point>>,
    /// How the points were thinned; `None` when all are there.
    pub(crate) thinned: Option<String>,
}

/// Thins `points` to the smallest and the largest of equal slices of time, and breaks them at gaps.
pub(crate) fn drawn(points: &[Point]) -> Drawn {
    let mut points: Vec<Point> = points
        .iter()
        .copied()
        .filter(|(_, value)| value.is_finite())
        .collect();
    points.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let limit = GAP.saturating_mul(usual_step_ns(&points));
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Drawn {
            runs: Vec::new(),
            thinned: None,
        };
    };
    let slices = (MOST_MARKS / 2) as i128;
    let slice_ns = (i128::from(last.0.0) - i128::from(first.0.0)) / slices + 1;
    let (start, count) = (first.0, points.len());
    let mut runs: Vec<Vec<Point>> = Vec::new();
    let mut before: Option<Timestamp> = None;
    for point in points {
        if before.is_none_or(|at| point.0.since_ns(at) > limit) {
            runs.push(Vec::new());
        }
        before = Some(point.0);
        if let Some(run) = runs.last_mut() {
            run.push(point);
        }
    }
    if count <= MOST_MARKS {
        return Drawn { runs, thinned: None };
    }
    let slice_of = |at: Timestamp| (i128::from(at.0) - i128::from(start.0)) / slice_ns;
    let thin = |run: Vec<Point>| -> Vec<Point> {
        run.chunk_by(|a, b| slice_of(a.0) == slice_of(b.0))
            .flat_map(extremes)
            .collect()
    };
    let each = Nanos(u64::try_from(slice_ns).unwrap_or(u64::MAX));
    Drawn {
        runs: runs.into_iter().map(thin).collect(),
        thinned: Some(format!(
            "{} values; drawn are the smallest and the largest of each {}",
            words::count(count as u64),
            words::long(each.0)
        )),
    }
}

/// The smallest and the largest in the order of time.
fn extremes(slice: &[Point]) -> Vec<Point> {
    let low = slice.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    let high = slice.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let mut both: Vec<Point> = low.into_iter().chain(high).collect();
    both.sort_by_key(|(at, _)| *at);
    both.dedup();
    both
}

/// The median distance of two points, at least 1 ns.
fn usual_step_ns(points: &[Point]) -> i64 {
    let mut steps: Vec<i64> = points
        .windows(2)
        .filter_map(|w| Some(w.last()?.0.since_ns(w.first()?.0)))
        .collect();
    steps.sort_unstable();
    steps.get(steps.len() / 2).copied().unwrap_or(i64::MAX).max(1)
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
        let summed = values.into_iter().filter_map(|(route, mut values)| {
            values.sort_by(f64::total_cmp);
            Some((route, (median(&values)?, values.len())))
        });
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

/// All throughput values of a round between two hosts.
pub(crate) fn throughput_of(
    seen: &[(usize, &Observation)],
    from: &Node,
    to: &Node,
    names: &Names,
) -> Vec<Point> {
    let pair = names.pair(from, to);
    let matching = seen.iter().filter_map(|(_, o)| match &o.payload {
        Payload::Series(s) if s.metric == SeriesMetric::Throughput && names.pair(&s.from, &s.to) == pair => {
            Some(s)
        }
        _ => None,
    });
    matching
        .flat_map(|series| series.points.iter().copied())
        .collect()
}

/// The history of the route between the hosts of a series, with its short number.
pub(crate) fn history_of<'a>(
    seen: &[(usize, &'a Observation)],
    series: &Series,
    names: &Names,
) -> Option<(usize, &'a RouteHistory)> {
    let pair = names.pair(&series.from, &series.to);
    seen.iter().find_map(|(number, o)| match &o.payload {
        Payload::RouteHistory(h) if names.pair(&h.from, &h.to) == pair => Some((*number, h)),
        _ => None,
    })
}

/// Each stretch of time with one route, and what was measured in it.
pub(crate) fn tables(subject: &Subject, round: u32) -> Vec<Table> {
    let seen = of_round(subject, round);
    let names = &subject.names;
    let series = seen.iter().filter_map(|(number, o)| match &o.payload {
        Payload::Series(series) => Some((*number, series, history_of(&seen, series, names)?)),
        _ => None,
    });
    let tables = series.map(|(number, series, (history_number, history))| {
        let bands = Bands::new(history);
        let (shown, joined) = bands.drawn();
        let rows: Vec<Row> = shown
            .iter()
            .take(MOST_ROWS)
            .map(|band| band_row(band, history, series))
            .collect();
        let mut notes = Vec::new();
        if joined {
            notes.push(
                "Of too many changes only the route longest in force in each slice of time is shown."
                    .to_owned(),
            );
        }
        if shown.len() > rows.len() {
            notes.push(format!(
                "{} more stretches are not listed.",
                words::count((shown.len() - rows.len()) as u64)
            ));
        }
        let heads = [
            "route in force from",
            "until",
            "route",
            "values",
            "median",
            "lowest",
            "highest",
        ];
        Table {
            title: format!(
                "{} by route, {}",
                words::capital(words::metric(series.metric)),
                names.pair(&series.from, &series.to)
            ),
            cites: vec![number, history_number],
            head: heads.map(str::to_owned).to_vec(),
            rows,
            notes,
        }
    });
    tables.collect()
}

fn band_row(band: &Band, history: &RouteHistory, series: &Series) -> Row {
    let inside = |at: Timestamp| band.from <= at && at < band.until;
    let values = series
        .points
        .iter()
        .filter(|(at, value)| inside(*at) && value.is_finite());
    let mut values: Vec<f64> = values.map(|(_, value)| *value).collect();
    values.sort_by(f64::total_cmp);
    let show = |value: Option<f64>| Cell::from(value.map(|v| value_words(series.metric, v)));
    let route = history
        .routes
        .get(band.route)
        .map(|route| route_name(route, band.route));
    Row::new(vec![
        Cell::new(words::minute(band.from)),
        Cell::new(words::minute(band.until)),
        Cell::from(route),
        Cell::new(words::count(values.len() as u64)),
        show(median(&values)),
        show(values.first().copied()),
        show(values.last().copied()),
    ])
}

/// A value of a series with its unit.
pub(crate) fn value_words(metric: SeriesMetric, value: f64) -> String {
    match metric {
        SeriesMetric::Throughput => RateBps(value).to_string(),
        SeriesMetric::LossRatio | SeriesMetric::Utilisation => words::share(value),
        SeriesMetric::Rtt => Nanos((value * 1e9) as u64).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp(second * 1_000_000_000)
    }

    #[test]
    fn thinning_keeps_extremes_and_gaps() {
        let mut points: Vec<Point> = (0..100_000).map(|n| (at(n), 1e8)).collect();
        points[50_123].1 = 3.0;
        points[70_001].1 = 9e9;
        points.drain(20_000..30_000);
        let drawn = drawn(&points);
        let all: Vec<Point> = drawn.runs.iter().flatten().copied().collect();
        assert!(all.len() <= MOST_MARKS + 4, "{}", all.len());
        assert_eq!(drawn.runs.len(), 2, "one gap");
        for extreme in [3.0, 9e9] {
            assert!(all.iter().any(|(_, value)| *value == extreme), "{extreme}");
        }
        assert!(drawn.thinned.is_some());
        assert_eq!(super::drawn(&points[..100]).thinned, None);
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
