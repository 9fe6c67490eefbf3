//! Clocks that were set.
//!
//! A step moves the least delays of both ways at the same time, by the same amount, for good: forward more, backward less. A
//! queue or another route moves one way, or both ways in the same sense.

use super::clock::{Bucket, joined};
use super::report::ClockStep;

/// Windows of time: enough to place a step within 2 % of the transfer, few enough to hold an unqueued packet each.
const WINDOWS: usize = 64;

/// Windows on each side that tell the level: their least delay counts, so that a queue shorter than all of them moves nothing.
const LEVEL: usize = 4;

/// A step stands out from how the levels move else by this much (median absolute deviation; 6 of them are 4 sigma).
const STANDS_OUT: f64 = 6.0;

/// Smaller steps are within what interrupts and capture stamps do.
const SMALLEST_NS: f64 = 50_000.0;

/// More steps in one transfer are no steps but a clock that cannot be used.
const MOST_STEPS: usize = 8;

/// Least delays of both ways within some buckets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// First bucket, and the one behind the last.
    pub(super) buckets: (usize, usize),
    least: Bucket,
}

/// A step, and the window that it lies in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) window: usize,
    pub(super) told: ClockStep,
}

impl Window {
    pub(super) fn all(buckets: &[Bucket]) -> Vec<Self> {
        let each = buckets.len().div_ceil(WINDOWS).max(1);
        let windows = buckets.chunks(each).enumerate();
        windows
            .map(|(place, chunk)| Self {
                buckets: (place * each, place * each + chunk.len()),
                least: chunk.iter().copied().fold(Bucket::default(), joined),
            })
            .collect()
    }
}

/// The levels of both ways before and behind a window, as times and offsets.
#[derive(Debug, Clone, Copy)]
struct Shift {
    window: usize,
    at_ns: i64,
    over_ns: f64,
    forward_ns: f64,
    backward_ns: f64,
}

pub(super) fn find(windows: &[Window]) -> Vec<Step> {
    let shifts: Vec<Shift> = (0..windows.len())
        .filter_map(|window| shift(windows, window))
        .collect();
    let Some(drift) = median(
        shifts
            .iter()
            .map(|shift| (shift.forward_ns + shift.backward_ns) / 2.0 / shift.over_ns),
    ) else {
        return Vec::new();
    };
    let level: Vec<Shift> = shifts
        .iter()
        .map(|shift| Shift {
            forward_ns: shift.forward_ns - drift * shift.over_ns,
            backward_ns: shift.backward_ns - drift * shift.over_ns,
            ..*shift
        })
        .collect();
    let usual_ns = median(
        level
            .iter()
            .map(|shift| ((shift.forward_ns + shift.backward_ns) / 2.0).abs()),
    )
    .unwrap_or(0.0);
    let mut left: Vec<&Shift> = level
        .iter()
        .filter(|shift| step_ns(shift) > (STANDS_OUT * usual_ns).max(SMALLEST_NS))
        .collect();
    let mut steps = Vec::new();
    while let Some(&best) = left.iter().max_by(|one, other| {
        step_ns(one)
            .total_cmp(&step_ns(other))
            .then(other.window.cmp(&one.window))
    }) {
        let by_ns = f64::midpoint(best.forward_ns, best.backward_ns) as i64;
        steps.push(Step {
            window: best.window,
            told: ClockStep {
                at_ns: best.at_ns,
                by_ns,
            },
        });
        left.retain(|shift| shift.window.abs_diff(best.window) > LEVEL);
    }
    steps.sort_by_key(|step| step.window);
    steps.truncate(MOST_STEPS);
    steps
}

/// By how much both ways moved in the same sense; 0 where they did not, or not by about the same.
fn step_ns(shift: &Shift) -> f64 {
    let (forward, backward) = (shift.forward_ns, shift.backward_ns);
    let (less, more) = if forward.abs() < backward.abs() {
        (forward, backward)
    } else {
        (backward, forward)
    };
    if forward * backward > 0.0 && less.abs() * 2.0 >= more.abs() {
        less.abs()
    } else {
        0.0
    }
}

/// The window itself may hold both levels and is left out.
fn shift(windows: &[Window], window: usize) -> Option<Shift> {
    let before = level(windows.get(window.checked_sub(LEVEL)?..window)?)?;
    let behind = level(windows.get(window + 1..window + 1 + LEVEL)?)?;
    let over_ns = (LEVEL + 1) as f64;
    Some(Shift {
        window,
        at_ns: behind.first_ns,
        over_ns,
        forward_ns: behind.forward_ns.saturating_sub(before.forward_ns) as f64,
        backward_ns: behind.backward_ns.saturating_sub(before.backward_ns) as f64,
    })
}

struct Level {
    first_ns: i64,
    forward_ns: i64,
    backward_ns: i64,
}

fn level(windows: &[Window]) -> Option<Level> {
    let all = windows
        .iter()
        .map(|window| window.least)
        .fold(Bucket::default(), joined);
    let first = windows.first()?.least;
    let first_ns = first.forward.or(first.backward).or(all.forward)?.0;
    Some(Level {
        first_ns,
        forward_ns: all.forward?.1,
        backward_ns: all.backward?.1,
    })
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
