//! Times between two points, kept in bounded room until the clocks are known.

use super::clock::Line;
use super::report::{DelayReport, DelaySlice};

/// Samples for medians and over time. With n samples the p95 is within 5 / sqrt(n) points or so: of 16,384 within 0.2.
const MOST_SAMPLES: usize = 16_384;

/// Slices of time in the report: as many as a terminal is wide.
const SLICES: usize = 128;

/// (time where the packet entered, time where it left less that), by the clocks of the points. Every 2^k-th packet is kept.
#[derive(Debug, Default)]
pub(super) struct Delays {
    samples: Vec<(i64, i64)>,
    shift: u32,
    pub(super) count: u64,
}

impl Delays {
    pub(super) fn add(&mut self, entered_ns: i64, apart_ns: i64) {
        let take = self.count & ((1 << self.shift) - 1) == 0;
        self.count += 1;
        if !take {
            return;
        }
        self.samples.push((entered_ns, apart_ns));
        if self.samples.len() >= MOST_SAMPLES {
            let mut nth = 0_usize;
            self.samples.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.shift = (self.shift + 1).min(62);
        }
    }

    /// Delays above the smallest, the clocks taken off. `lines`: for each piece of time its line; `sign` 1 where the packet goes
    /// from the near clock to the far one.
    pub(super) fn report(&self, lines: &[Line], is_forward: bool) -> Option<DelayReport> {
        let mut above: Vec<(i64, i64)> = self
            .samples
            .iter()
            .filter_map(|&sample| above_least(sample, lines, is_forward))
            .collect();
        if above.is_empty() {
            return None;
        }
        above.sort_unstable();
        let mut sorted: Vec<i64> = above.iter().map(|&(_, above_ns)| above_ns).collect();
        sorted.sort_unstable();
        Some(DelayReport {
            count: self.count,
            min_ns: lines.first().and_then(|line| line.bound_ns()),
            above_min_median_ns: quantile(&sorted, 50),
            above_min_p95_ns: quantile(&sorted, 95),
            above_min_max_ns: quantile(&sorted, 100),
            over_time: slices(&above),
        })
    }
}

fn above_least((entered_ns, apart_ns): (i64, i64), lines: &[Line], is_forward: bool) -> Option<(i64, i64)> {
    let near_ns = if is_forward {
        entered_ns
    } else {
        entered_ns.saturating_add(apart_ns)
    };
    let line = lines.iter().find(|line| line.holds(near_ns))?;
    let above = if is_forward {
        apart_ns.saturating_sub(line.forward_ns(near_ns)?)
    } else {
        line.backward_ns(near_ns)?
            .saturating_sub(apart_ns.saturating_neg())
    };
    Some((near_ns, above.max(0)))
}

fn quantile(sorted: &[i64], percent: usize) -> i64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get(last * percent / 100).copied().unwrap_or(0)
}

fn slices(above: &[(i64, i64)]) -> Vec<DelaySlice> {
    let (Some(&(first_ns, _)), Some(&(last_ns, _))) = (above.first(), above.last()) else {
        return Vec::new();
    };
    let width_ns = (last_ns.abs_diff(first_ns) / SLICES as u64 + 1).min(i64::MAX as u64) as i64;
    let place = |time_ns: i64| time_ns.saturating_sub(first_ns) / width_ns;
    let slice = |samples: &[(i64, i64)]| {
        let mut delays: Vec<i64> = samples.iter().map(|&(_, above_ns)| above_ns).collect();
        delays.sort_unstable();
        let from_ns = first_ns.saturating_add(
            samples
                .first()
                .map_or(0, |&(time_ns, _)| place(time_ns))
                .saturating_mul(width_ns),
        );
        DelaySlice {
            from_ns,
            min_ns: quantile(&delays, 0),
            median_ns: quantile(&delays, 50),
            max_ns: quantile(&delays, 100),
        }
    };
    above
        .chunk_by(|one, other| place(one.0) == place(other.0))
        .map(slice)
        .collect()
}
