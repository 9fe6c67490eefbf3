//! Times in which nothing of a transfer arrives.

use evidence::{RateBps, StopReason, Transfer, TransferInterval, Transport};
use std::ops::Range;

/// A silence counts from a second on: shorter ones are a congested path's.
pub(crate) const LEAST_SILENCE_NS: u64 = 1_000_000_000;
/// A transfer that is silent for so much of its time stands still, again and again.
const STALLED_SHARE: f64 = 0.3;

pub(crate) fn is_silent(slice: &TransferInterval) -> bool {
    slice.rate().is_some_and(|rate| rate.0 == 0.0)
}

/// Whether it stands still, again and again; `None` where its slices do not tell.
pub(crate) fn stalled(transfer: &Transfer) -> Option<bool> {
    if transfer.protocol == Some(Transport::Udp) {
        return None;
    }
    if transfer.stop == Some(StopReason::Stalled) {
        return Some(true);
    }
    let slices = lived(transfer);
    let total: u64 = slices.iter().map(|slice| slice.length_ns).sum();
    if total < 2 * LEAST_SILENCE_NS {
        return None;
    }
    let silence: u64 = slices
        .chunk_by(|a, b| is_silent(a) == is_silent(b))
        .filter(|run| run.first().is_some_and(is_silent))
        .map(|run| run.iter().map(|slice| slice.length_ns).sum::<u64>())
        .filter(|length| *length >= LEAST_SILENCE_NS)
        .sum();
    Some(silence as f64 >= STALLED_SHARE * total as f64)
}

/// The slices in which both ends took part: the silence behind a far end that went away is not the path's.
fn lived(transfer: &Transfer) -> &[TransferInterval] {
    let all = &transfer.intervals;
    let last = match transfer.stop {
        Some(StopReason::PeerGone) => all.iter().rposition(|slice| !is_silent(slice)),
        _ => None,
    };
    last.and_then(|last| all.get(..=last)).unwrap_or(all)
}

/// The rate until the far end went away; `None` where it did not, and where the slices do not tell.
pub(crate) fn rate_until_gone(transfer: &Transfer) -> Option<RateBps> {
    let slices = lived(transfer);
    let bits: Option<Vec<f64>> = slices
        .iter()
        .map(|slice| Some(slice.rate()?.0 * slice.length_ns as f64))
        .collect();
    let total: u64 = slices.iter().map(|slice| slice.length_ns).sum();
    let bits: f64 = bits?.iter().sum();
    let gone = transfer.stop == Some(StopReason::PeerGone) && total > 0;
    gone.then(|| RateBps(bits / total as f64))
        .filter(|rate| rate.0 > 0.0)
}

/// Silences of this length are no jitter of the slices, whatever the path's round-trip time.
pub(crate) const LEAST_GAP_NS: u64 = 300_000_000;
/// A slice is silent below this share of what the transfer's good slices carry.
const SILENT_SHARE: f64 = 0.03;

/// Between the first and the last good slice, the runs of slices with nothing; of slices as (rate, length). `None` where
/// no slice is good: a transfer that never gets going has no gaps.
pub(crate) fn gaps(slices: &[(f64, u64)], least_ns: u64) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let mut sorted: Vec<f64> = slices.iter().map(|(rate, _)| *rate).collect();
    sorted.sort_by(f64::total_cmp);
    let good = *sorted.get(sorted.len() * 9 / 10)?;
    let is_good = |(rate, _): &(f64, u64)| *rate > 0.3 * good;
    let (first, last) = (
        slices.iter().position(is_good)?,
        slices.iter().rposition(is_good)?,
    );
    let within = slices.get(first..=last)?;
    let is_gap = |(rate, _): &(f64, u64)| *rate < SILENT_SHARE * good;
    let mut start = first;
    let mut gaps = Vec::new();
    for run in within.chunk_by(|a, b| is_gap(a) == is_gap(b)) {
        let length: u64 = run.iter().map(|(_, length)| length).sum();
        if run.first().is_some_and(is_gap) && length >= least_ns {
            gaps.push(start..start + run.len());
        }
        start += run.len();
    }
    Some((first..last + 1, gaps))
}

/// Share of a transfer's time in gaps, between the first and the last good slice; `None` where there are too few slices to
/// tell.
pub(crate) fn silent(transfer: &Transfer) -> Option<f64> {
    let rates: Option<Vec<(f64, u64)>> = transfer
        .intervals
        .iter()
        .map(|slice| Some((slice.rate()?.0, slice.length_ns)))
        .collect();
    let rates = rates.filter(|rates| rates.len() >= 20)?;
    let (within, gaps) = gaps(&rates, LEAST_GAP_NS)?;
    let length = |range: Range<usize>| -> u64 {
        let part = rates.get(range).unwrap_or(&[]);
        part.iter().map(|(_, length)| length).sum()
    };
    let total = length(within);
    let silence: u64 = gaps.into_iter().map(length).sum();
    (total > 0).then(|| silence as f64 / total as f64)
}
