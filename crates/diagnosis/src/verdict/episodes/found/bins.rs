//! Slices of a transfer in bins long enough to be a measurement each, their levels, and where exactly a level changes.

use crate::records::LEAST_SILENCE_NS;
use evidence::{SeriesMetric, Timestamp};
use stats::{Ratio, Regime, find};
use std::ops::Range;

/// So many bins at most: a long series would take a short episode for an outlier.
const MOST_BINS: u64 = 29;

/// A slice of a transfer.
pub(super) struct Slice {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    /// Bits per second; of a stream whose sizes nobody told, packets per second.
    pub(super) rate: f64,
    /// Lost or sent again, of all.
    pub(super) loss: Ratio,
}

/// Slices that are one measurement.
pub(super) struct Bin {
    pub(super) slices: Range<usize>,
    pub(super) rate: f64,
    pub(super) loss: Ratio,
}

/// The slices in bins of one length, without silences; a bin of which less than half is left tells nothing.
pub(super) fn bins(slices: &[Slice], silences: &[Range<usize>]) -> Vec<Bin> {
    let (start, end) = (
        slices.first().map_or(0, |s| s.from_ns),
        slices.last().map_or(0, |s| s.to_ns),
    );
    let width = (end.saturating_sub(start) / MOST_BINS)
        .saturating_add(1)
        .max(LEAST_SILENCE_NS);
    // Slices end a little late: by its middle a slice belongs to a bin.
    let bin_of = |slice: &Slice| (slice.from_ns.midpoint(slice.to_ns).saturating_sub(start)) / width;
    let mut bins = Vec::new();
    let mut first = 0;
    for run in slices.chunk_by(|a, b| bin_of(a) == bin_of(b)) {
        let range = first..first + run.len();
        first = range.end;
        let awake = range
            .clone()
            .filter(|index| !silences.iter().any(|gap| gap.contains(index)));
        let awake: Vec<&Slice> = awake.filter_map(|index| slices.get(index)).collect();
        let length = |s: &Slice| (s.to_ns - s.from_ns) as f64;
        let covered: f64 = awake.iter().map(|s| length(s)).sum();
        if covered >= 0.5 * width as f64 {
            bins.push(Bin {
                slices: range,
                rate: awake.iter().map(|s| s.rate * length(s)).sum::<f64>() / covered,
                loss: awake.iter().fold(Ratio::default(), |sum, s| sum.plus(s.loss)),
            });
        }
    }
    bins
}

/// The stretches of constant level of the bins, as ranges of these with their levels.
pub(super) fn levels(
    metric: SeriesMetric,
    bins: &[Bin],
    value: impl Fn(&Bin) -> Option<f64>,
) -> Vec<(Range<usize>, f64)> {
    let points: Option<Vec<(Timestamp, f64)>> = bins
        .iter()
        .enumerate()
        .map(|(index, bin)| Some((Timestamp(index as i64), value(bin)?)))
        .collect();
    let steps = points.and_then(|points| find(metric, &points));
    let range = |regime: &Regime| regime.span.from.0 as usize..regime.span.to.0 as usize + 1;
    steps.map_or_else(Vec::new, |steps| {
        steps
            .regimes
            .iter()
            .map(|regime| (range(regime), regime.level))
            .collect()
    })
}

/// A range of bins as one of slices, its ends where `split` finds them in the bins on either side.
pub(super) fn edges(
    bins: &[Bin],
    range: &Range<usize>,
    slices: usize,
    split: impl Fn(usize, usize) -> Option<(usize, usize)>,
) -> Range<usize> {
    let slices_of = |bin: Option<usize>| bin.and_then(|bin| bins.get(bin)).map(|bin| bin.slices.clone());
    let (first, last) = (slices_of(Some(range.start)), slices_of(range.end.checked_sub(1)));
    let start = match (slices_of(range.start.checked_sub(1)), &first) {
        (Some(before), Some(first)) => split(before.start, first.end).map(|(fall, _)| before.start + fall),
        _ => Some(0),
    };
    let end = match (&last, slices_of(Some(range.end))) {
        (Some(last), Some(after)) => split(last.start, after.end).map(|(_, rise)| last.start + rise),
        _ => Some(slices),
    };
    let (from, to) = (first.map_or(0, |f| f.start), last.map_or(slices, |l| l.end));
    start.unwrap_or(from)..end.unwrap_or(to).max(start.unwrap_or(from) + 1)
}

/// Where slices change best from one level to another: (from `outside` to `inside`, from `inside` to `outside`).
pub(super) fn split(
    slices: &[Slice],
    value: impl Fn(&Slice) -> f64,
    outside: f64,
    inside: f64,
) -> Option<(usize, usize)> {
    let best = |left: f64, right: f64| {
        let miss = |at: usize| -> f64 {
            let (before, after) = slices.split_at(at);
            let off =
                |part: &[Slice], level: f64| part.iter().map(|s| (value(s) - level).powi(2)).sum::<f64>();
            off(before, left) + off(after, right)
        };
        (0..=slices.len()).min_by(|a, b| miss(*a).total_cmp(&miss(*b)))
    };
    best(outside, inside).zip(best(inside, outside))
}
