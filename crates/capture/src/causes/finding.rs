//! What the whole of a transfer comes to: one reason, and the rate that it explains.

use super::{Causes, Label};
use serde::Serialize;

/// The reason that took most of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Finding {
    /// It.
    pub label: Label,
    /// Its part of the time, idle time aside.
    pub share: f64,
    /// The next, and its part.
    pub second: Option<(Label, f64)>,
    /// Part of the time that nothing explains.
    pub unknown_share: f64,
    /// Bytes acknowledged per second, idle time aside.
    pub rate_bytes_per_s: f64,
    /// What the reason alone would allow, bytes per second: a window per smallest round trip; a block per block and pause; the
    /// rate of the narrowest link; 1.22 segments per round trip and root of the loss (Mathis et al. 1997), which CUBIC exceeds on
    /// long paths. `None` where no such figure was seen.
    pub explained_bytes_per_s: Option<f64>,
    /// Retransmitted segments per segment.
    pub loss_ratio: f64,
}

/// Loss of a transfer: segments, retransmitted ones.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) segments: u64,
    pub(super) again: u64,
}

/// What the reasons of [`Causes`] come to.
pub(super) fn found(causes: &Causes, counts: Counts, mss: u64) -> Option<Finding> {
    let busy = causes.shares.iter().filter(|share| share.label != Label::Idle);
    let total = busy
        .clone()
        .fold(0_i64, |sum, share| sum.saturating_add(share.time_ns));
    if total <= 0 {
        return None;
    }
    let part = |time: i64| time as f64 / total as f64;
    let mut ranked: Vec<(Label, f64)> = busy
        .clone()
        .map(|share| (share.label, part(share.time_ns)))
        .collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    let unknown_share = ranked
        .iter()
        .find(|(label, _)| *label == Label::Unknown)
        .map_or(0.0, |found| found.1);
    let &(label, share) = ranked.first()?;
    let bytes = causes
        .shares
        .iter()
        .fold(0_u64, |sum, share| sum.saturating_add(share.bytes));
    let loss_ratio = if counts.segments > 0 {
        counts.again as f64 / counts.segments as f64
    } else {
        0.0
    };
    Some(Finding {
        label,
        share,
        second: ranked.get(1).copied(),
        unknown_share,
        rate_bytes_per_s: bytes as f64 * 1e9 / total as f64,
        explained_bytes_per_s: explained(causes, label, loss_ratio, mss),
        loss_ratio,
    })
}

fn explained(causes: &Causes, label: Label, loss: f64, mss: u64) -> Option<f64> {
    let rtt = causes
        .min_rtt_ns
        .filter(|&rtt| rtt > 0)
        .map(|rtt| rtt as f64 / 1e9);
    let per_round = |bytes: u64| rtt.map(|rtt| bytes as f64 / rtt);
    match label {
        Label::ReceiverWindow | Label::SendBuffer => per_round(causes.max_flight_bytes),
        Label::Bottleneck => causes.bottleneck_bytes_per_s,
        Label::LossRecovery if loss > 0.0 => rtt.map(|rtt| 1.22 * mss as f64 / (rtt * loss.sqrt())),
        // A block and its pause are one stretch.
        Label::Application => causes
            .shares
            .iter()
            .find(|share| share.label == label && share.time_ns > 0)
            .map(|share| share.bytes as f64 * 1e9 / share.time_ns as f64),
        _ => None,
    }
}
