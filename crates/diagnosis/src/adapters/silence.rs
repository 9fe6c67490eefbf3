//! Times in which nothing of a transfer arrives.

use evidence::{StopReason, Transfer, TransferInterval, Transport};

/// A silence counts from a second on: shorter ones are a congested path's.
const LEAST_SILENCE_NS: u64 = 1_000_000_000;
/// A transfer that is silent for so much of its time stands still, again and again.
const STALLED_SHARE: f64 = 0.3;

pub(super) fn is_silent(slice: &TransferInterval) -> bool {
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
    let total: u64 = transfer.intervals.iter().map(|slice| slice.length_ns).sum();
    if total < 2 * LEAST_SILENCE_NS {
        return None;
    }
    let silence: u64 = transfer
        .intervals
        .chunk_by(|a, b| is_silent(a) == is_silent(b))
        .filter(|run| run.first().is_some_and(is_silent))
        .map(|run| run.iter().map(|slice| slice.length_ns).sum::<u64>())
        .filter(|length| *length >= LEAST_SILENCE_NS)
        .sum();
    Some(silence as f64 >= STALLED_SHARE * total as f64)
}

/// Silences of this length are no jitter of the slices, whatever the path's round-trip time.
const LEAST_GAP_NS: u64 = 300_000_000;
/// A slice is silent below this share of what the transfer's good slices carry.
const SILENT_SHARE: f64 = 0.03;

/// Share of a transfer's time in gaps, between the first and the last good slice; `None` where there are too few slices to
/// tell. A transfer that never gets going has no gaps.
pub(super) fn silent(transfer: &Transfer) -> Option<f64> {
    let slices = &transfer.intervals;
    let rates: Option<Vec<f64>> = slices
        .iter()
        .map(|slice| slice.rate().map(|rate| rate.0))
        .collect();
    let rates = rates.filter(|rates| rates.len() >= 20)?;
    let mut sorted = rates.clone();
    sorted.sort_by(f64::total_cmp);
    let good = sorted[sorted.len() * 9 / 10];
    let is_good = |rate: &f64| *rate > 0.3 * good;
    let (first, last) = (rates.iter().position(is_good)?, rates.iter().rposition(is_good)?);
    let within: Vec<(bool, u64)> = rates[first..=last]
        .iter()
        .zip(&slices[first..=last])
        .map(|(rate, slice)| (*rate < SILENT_SHARE * good, slice.length_ns))
        .collect();
    let total: u64 = within.iter().map(|(_, length)| length).sum();
    let gaps = within.chunk_by(|a, b| a.0 == b.0).filter(|run| run[0].0);
    let lengths = gaps.map(|run| run.iter().map(|(_, length)| length).sum::<u64>());
    let silence: u64 = lengths.filter(|length| *length >= LEAST_GAP_NS).sum();
    (total > 0).then(|| silence as f64 / total as f64)
}
