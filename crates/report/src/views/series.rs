//! One quantity over time with the route in force: points thinned to what a page can carry, gaps, and bands.

use super::bands::{Band, Bands, GAP, Point, route_name, usual_step_ns};
use crate::names::Names;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table};
use crate::words;
use evidence::{Nanos, Node, Observation, Payload, RateBps, RouteHistory, Series, SeriesMetric, Timestamp};
use stats::quantile;

/// So many marks a picture carries at most.
pub(crate) const MOST_MARKS: usize = 2_000;
/// Longer lists of stretches are cut in tables.
const MOST_ROWS: usize = 24;

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
    let seen = subject.of_round(round);
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
    let median = quantile(&mut values, 0.5);
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
        show(median),
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
}
