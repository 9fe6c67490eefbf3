//! The clock of one point against that of another.
//!
//! Of a packet that goes from the near point to the far one, arrival less departure is delay + offset; of one that comes back,
//! departure less arrival, by the same clocks, is offset - delay. Delays are not negative, so the offset, a straight line over time, runs
//! below all of the first and above all of the second. Among those lines the one is taken that leaves most room to both sides
//! (the linear program of Moon, Skelly, Towsley 1999 for both directions at once, with one drift): packets that met no queue lie
//! on the borders. It assumes that the least delays of both ways are the same; whatever they are, the truth lies between the
//! borders, so half of the room is the bound (Paxson 1998).

use super::report::{ClockPiece, ClockReport};
use super::step::{self, Window};

/// Least delays are kept for this many slices of time at most.
const BUCKETS: usize = 4096;

/// First width of a slice; it doubles as the transfer goes on.
const FIRST_WIDTH_NS: i64 = 1_000_000;

/// No clock drifts by more: crystals stay within 100 ppm, NTP slews by at most 500, and bad virtual clocks reach thousands.
const STEEPEST: f64 = 0.01;

/// In less time than this no drift is told: 50 µs of queue within it are 50 ppm already.
const DRIFT_NS: u64 = 1_000_000_000;

/// (time by the near clock, far time less near time).
type Sample = (i64, i64);

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bucket {
    pub(super) forward: Option<Sample>,
    pub(super) backward: Option<Sample>,
}

/// Least delays of both directions over time.
#[derive(Debug)]
pub(super) struct Clock {
    start_ns: Option<i64>,
    width_ns: i64,
    buckets: Vec<Bucket>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            start_ns: None,
            width_ns: FIRST_WIDTH_NS,
            buckets: Vec::new(),
        }
    }
}

impl Clock {
    /// A packet was seen at both points. `is_forward`: it came to the far point second.
    pub(super) fn add(&mut self, is_forward: bool, near_ns: i64, far_ns: i64) {
        let start_ns = *self.start_ns.get_or_insert(near_ns);
        let sample = (near_ns, far_ns.saturating_sub(near_ns));
        let mut place = near_ns.saturating_sub(start_ns).max(0) / self.width_ns;
        while place >= BUCKETS as i64 {
            self.widen();
            place = near_ns.saturating_sub(start_ns).max(0) / self.width_ns;
        }
        if self.buckets.len() <= place as usize {
            self.buckets.resize(place as usize + 1, Bucket::default());
        }
        if let Some(bucket) = self.buckets.get_mut(place as usize) {
            let one = if is_forward {
                Bucket {
                    forward: Some(sample),
                    backward: None,
                }
            } else {
                Bucket {
                    forward: None,
                    backward: Some(sample),
                }
            };
            *bucket = joined(*bucket, one);
        }
    }

    fn widen(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
        let pairs = self.buckets.chunks(2);
        self.buckets = pairs
            .map(|pair| pair.iter().copied().fold(Bucket::default(), joined))
            .collect();
    }

    /// Pieces of time with a line each, and the report.
    pub(super) fn judged(&self, from: usize, to: usize) -> (Vec<Line>, ClockReport) {
        let windows = Window::all(&self.buckets);
        let steps = step::find(&windows);
        let mut lines = Vec::new();
        let mut first = 0;
        for cut in steps.iter().map(|step| step.window).chain([usize::MAX]) {
            let piece = windows.get(first..cut.min(windows.len())).unwrap_or_default();
            let (begin, end) = (
                piece.first().map_or(0, |w| w.buckets.0),
                piece.last().map_or(0, |w| w.buckets.1),
            );
            lines.extend(self.buckets.get(begin..end).and_then(Line::through));
            first = cut.saturating_add(1);
        }
        let report = ClockReport {
            from,
            to,
            pieces: lines.iter().map(Line::piece).collect(),
            steps: steps.iter().map(|step| step.told).collect(),
        };
        (lines, report)
    }
}

pub(super) fn joined(one: Bucket, other: Bucket) -> Bucket {
    let least = |one: Option<Sample>, other: Option<Sample>| match (one, other) {
        (Some(one), Some(other)) => Some(if other.1 < one.1 { other } else { one }),
        (one, other) => one.or(other),
    };
    let most = |one: Option<Sample>, other: Option<Sample>| match (one, other) {
        (Some(one), Some(other)) => Some(if other.1 > one.1 { other } else { one }),
        (one, other) => one.or(other),
    };
    Bucket {
        forward: least(one.forward, other.forward),
        backward: most(one.backward, other.backward),
    }
}

/// Borders of the offset over a piece of time: least delays forward above it, least delays backward below.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    from_ns: i64,
    to_ns: i64,
    middle_ns: i64,
    /// Offsets are counted from here, so that floating-point numbers hold them.
    base_ns: i64,
    slope: f64,
    above_ns: Option<f64>,
    below_ns: Option<f64>,
    possible: Option<(f64, f64)>,
}

impl Line {
    fn through(buckets: &[Bucket]) -> Option<Self> {
        let forward: Vec<Sample> = buckets.iter().filter_map(|bucket| bucket.forward).collect();
        let backward: Vec<Sample> = buckets.iter().filter_map(|bucket| bucket.backward).collect();
        let times = || forward.iter().chain(&backward).map(|sample| sample.0);
        let (from_ns, to_ns) = (times().min()?, times().max()?);
        let middle_ns = from_ns.midpoint(to_ns);
        let base_ns = forward.first().or(backward.first())?.1;
        let plain = |samples: &[Sample], sign: f64| -> Vec<(f64, f64)> {
            let points = samples.iter().map(|&(time_ns, apart_ns)| {
                (
                    time_ns.saturating_sub(middle_ns) as f64,
                    sign * apart_ns.saturating_sub(base_ns) as f64,
                )
            });
            lower_hull(points)
        };
        let borders = Borders {
            above: plain(&forward, 1.0),
            below: plain(&backward, -1.0),
        };
        let slope = borders.slope();
        let is_long = to_ns.abs_diff(from_ns) >= DRIFT_NS;
        Some(Self {
            from_ns,
            to_ns,
            middle_ns,
            base_ns,
            slope: if is_long { slope } else { 0.0 },
            above_ns: borders.above_ns(if is_long { slope } else { 0.0 }),
            below_ns: borders.below_ns(if is_long { slope } else { 0.0 }),
            possible: borders.possible(slope).filter(|_| is_long),
        })
    }

    pub(super) fn holds(&self, near_ns: i64) -> bool {
        near_ns >= self.from_ns && near_ns <= self.to_ns
    }

    fn along(&self, near_ns: i64, at_middle_ns: f64) -> i64 {
        let run = self.slope * near_ns.saturating_sub(self.middle_ns) as f64;
        self.base_ns.saturating_add((at_middle_ns + run) as i64)
    }

    /// Far less near time of a packet that went forward and met no queue.
    pub(super) fn forward_ns(&self, near_ns: i64) -> Option<i64> {
        self.above_ns.map(|above| self.along(near_ns, above))
    }

    /// The same backward.
    pub(super) fn backward_ns(&self, near_ns: i64) -> Option<i64> {
        self.below_ns.map(|below| self.along(near_ns, below))
    }

    /// Half of the least round trip between the points; `None` where it is not known, or negative (no even clock).
    pub(super) fn bound_ns(&self) -> Option<i64> {
        let room = self.above_ns? - self.below_ns?;
        (room >= 0.0).then_some((room / 2.0) as i64)
    }

    fn piece(&self) -> ClockPiece {
        let bound_ns = self.bound_ns();
        let offset = || Some(self.above_ns? / 2.0 + self.below_ns? / 2.0);
        let is_long = self.to_ns.abs_diff(self.from_ns) >= DRIFT_NS;
        let is_even = bound_ns.is_some() || self.above_ns.is_none() || self.below_ns.is_none();
        ClockPiece {
            from_ns: self.from_ns,
            to_ns: self.to_ns,
            at_ns: self.middle_ns,
            offset_ns: bound_ns
                .and_then(|_| offset())
                .map(|offset| self.base_ns.saturating_add(offset as i64)),
            bound_ns,
            drift_ppm: (is_long && is_even).then_some(self.slope * 1e6),
            drift_possible_ppm: self.possible.map(|(least, most)| (least * 1e6, most * 1e6)),
        }
    }
}

/// Lower hulls: of the forward samples, and of the backward ones upside down. Times are counted from the middle.
struct Borders {
    above: Vec<(f64, f64)>,
    below: Vec<(f64, f64)>,
}

impl Borders {
    fn above_ns(&self, slope: f64) -> Option<f64> {
        least(&self.above, slope)
    }

    fn below_ns(&self, slope: f64) -> Option<f64> {
        least(&self.below, -slope).map(|least| -least)
    }

    /// Room between the borders in the middle of the time; concave in the slope. With one direction alone its border.
    fn room(&self, slope: f64) -> f64 {
        least(&self.above, slope).unwrap_or(0.0) + least(&self.below, -slope).unwrap_or(0.0)
    }

    /// The slope with the most room: golden enough by thirds, 120 of which leave 1e-21 of the range.
    fn slope(&self) -> f64 {
        let (mut low, mut high) = (-STEEPEST, STEEPEST);
        for _ in 0..120 {
            let third = (high - low) / 3.0;
            if self.room(low + third) < self.room(high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        f64::midpoint(low, high)
    }

    /// Slopes that leave room at all.
    fn possible(&self, best: f64) -> Option<(f64, f64)> {
        if self.above.is_empty() || self.below.is_empty() || self.room(best) < 0.0 {
            return None;
        }
        Some((self.edge(best, -STEEPEST), self.edge(best, STEEPEST)))
    }

    fn edge(&self, inside: f64, outside: f64) -> f64 {
        let (mut inside, mut outside) = (inside, outside);
        for _ in 0..60 {
            let middle = f64::midpoint(inside, outside);
            if self.room(middle) >= 0.0 {
                inside = middle
            } else {
                outside = middle
            }
        }
        inside
    }
}

fn least(hull: &[(f64, f64)], slope: f64) -> Option<f64> {
    hull.iter()
        .map(|&(time, value)| value - slope * time)
        .reduce(f64::min)
}

/// Andrew's monotone chain over points in any order of time.
fn lower_hull(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = points.collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for point in points {
        while let [.., first, second] = hull.as_slice() {
            let turn =
                (second.0 - first.0) * (point.1 - first.1) - (second.1 - first.1) * (point.0 - first.0);
            if turn > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways take `delay_ns` at least, every seventh packet no more.
    fn clock(offset_ns: i64, drift: f64, delays_ns: (i64, i64), step: Option<(i64, i64)>) -> Clock {
        let mut clock = Clock::default();
        for packet in 0..30_000_i64 {
            let true_ns = packet * 1_000_000;
            let queue = (packet * 7919 % 7) * 40_000;
            let stepped = step.map_or(0, |(at_ns, by_ns)| if true_ns >= at_ns { by_ns } else { 0 });
            let far = |time_ns: i64| time_ns + offset_ns + (time_ns as f64 * drift) as i64 + stepped;
            clock.add(true, true_ns, far(true_ns + delays_ns.0 + queue));
            clock.add(false, true_ns + delays_ns.1 + queue, far(true_ns));
        }
        clock
    }

    #[test]
    fn offset_and_drift_are_found_and_the_bound_holds_for_unequal_ways() {
        let (lines, report) = clock(3_600_000_000_000, 40e-6, (10_000_000, 14_000_000), None).judged(0, 1);
        assert_eq!((lines.len(), report.steps.len()), (1, 0));
        let piece = report.pieces[0];
        let truth = 3_600_000_000_000 + (piece.at_ns as f64 * 40e-6) as i64;
        let error = piece.offset_ns.unwrap() - truth;
        assert!(
            (error + 2_000_000).abs() < 20_000,
            "half of what the ways differ by: {error}"
        );
        assert!(error.abs() <= piece.bound_ns.unwrap());
        assert!((piece.drift_ppm.unwrap() - 40.0).abs() < 1.0, "{piece:?}");
        let (low, high) = piece.drift_possible_ppm.unwrap();
        assert!(low < 40.0 && high > 40.0);
    }

    #[test]
    fn a_step_is_told_and_not_smeared() {
        let (_, report) = clock(
            0,
            20e-6,
            (5_000_000, 5_000_000),
            Some((12_000_000_000, 3_000_000)),
        )
        .judged(0, 1);
        assert_eq!(report.steps.len(), 1, "{report:?}");
        assert!((report.steps[0].by_ns - 3_000_000).abs() < 100_000);
        assert!((report.steps[0].at_ns - 12_000_000_000).abs() < 1_000_000_000);
        assert_eq!(report.pieces.len(), 2);
        for piece in &report.pieces {
            assert!((piece.drift_ppm.unwrap() - 20.0).abs() < 3.0, "{piece:?}");
        }
    }

    #[test]
    fn a_queue_that_stays_is_no_step() {
        let mut clock = Clock::default();
        for packet in 0..30_000_i64 {
            let queue = if packet > 15_000 { 4_000_000 } else { 0 };
            clock.add(true, packet * 1_000_000, packet * 1_000_000 + 5_000_000 + queue);
            clock.add(false, packet * 1_000_000 + 5_000_000, packet * 1_000_000);
        }
        let (_, report) = clock.judged(0, 1);
        assert!(report.steps.is_empty());
        let piece = report.pieces[0];
        assert!(piece.offset_ns.unwrap().abs() <= piece.bound_ns.unwrap());
    }

    #[test]
    fn one_direction_alone_tells_no_offset() {
        let mut clock = Clock::default();
        for packet in 0..3_000_i64 {
            clock.add(true, packet * 1_000_000, packet * 1_000_100 + 5_000_000);
        }
        let piece = clock.judged(0, 1).1.pieces[0];
        assert_eq!((piece.offset_ns, piece.bound_ns), (None, None));
        assert!((piece.drift_ppm.unwrap() - 100.0).abs() < 1.0);
    }

    #[test]
    fn clocks_without_reason_do_no_harm() {
        let mut clock = Clock::default();
        for time_ns in [i64::MIN, 0, i64::MAX, -5, 1 << 60, i64::MAX - 1] {
            clock.add(true, time_ns, time_ns.wrapping_mul(31));
            clock.add(false, time_ns.wrapping_mul(17), time_ns);
        }
        let (lines, _) = clock.judged(0, 1);
        assert!(lines.len() <= 1);
    }
}
