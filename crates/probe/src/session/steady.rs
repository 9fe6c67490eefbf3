//! When a bulk TCP transfer has told what it can.
//!
//! *Stalled*: nothing was acknowledged for three seconds. A path-MTU black hole shows itself by this.
//!
//! *Stable*: the goodput of the last two seconds (or 20 round trips) has no trend and little noise, the congestion
//! window does not grow, and **enough packets went through without loss that a loss ratio which would halve this rate
//! would have shown itself**. The last is the point: on a long path a transfer may run at line rate for ten seconds
//! before the first of the losses that will hold it to a tenth of that. With W packets in flight, a rate of W/2 is
//! what a loss ratio of p = (1.22·2/W)² sustains (Mathis et al. 1997); N packets without loss exclude that p with
//! 95 % confidence when pN ≥ 3, that is N ≥ W²/2. Once losses come regularly the average includes them, and the
//! condition is met too. Congestion controls that do not slow down for a loss (BBR) do not need it.

use evidence::StopReason;
use std::collections::VecDeque;

const SECOND_NS: u64 = 1_000_000_000;
const STALL_NS: u64 = 3 * SECOND_NS;
const WINDOW_NS: u64 = 2 * SECOND_NS;
const WINDOW_ROUND_TRIPS: u64 = 20;
/// Slow start and the queue that it leaves behind are over after so many round trips, and at least half a second.
const SETTLE_ROUND_TRIPS: u64 = 16;
/// Largest relative difference between the two halves of the window.
const MAX_TREND: f64 = 0.05;
/// Largest relative standard error of the window's mean.
const MAX_ERROR: f64 = 0.04;
/// Largest growth of the congestion window from one half to the other.
const MAX_CWND_GROWTH: f64 = 1.1;
/// Slices of the window with losses that make losses regular.
const REGULAR_LOSSES: usize = 5;

/// The sender's state at the end of a slice, all streams together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Nanoseconds from the first write.
    pub at_ns: u64,
    /// Bytes acknowledged since the first write.
    pub bytes_acked: u64,
    /// Segments sent again since the first write.
    pub retransmits: u64,
    /// Congestion window, bytes, sum over the streams.
    pub cwnd_bytes: u64,
    /// Smoothed round-trip time, microseconds.
    pub rtt_us: u32,
    /// Segment size in use, bytes.
    pub mss_bytes: u32,
    /// Time limited by the receiver's window since the first write, microseconds, mean over the streams.
    pub receive_window_limited_us: u64,
}

/// Decides when to stop. Fed with a [`Sample`] about every 100 ms.
#[derive(Debug)]
pub struct StopRule {
    max_time_ns: u64,
    max_bytes: Option<u64>,
    slows_for_loss: bool,
    streams: u16,
    window: VecDeque<Sample>,
    last_progress: (u64, u64),
    bytes_at_last_loss: u64,
    retransmits: u64,
}

impl StopRule {
    /// A rule for a transfer of `streams` connections under `congestion_control`.
    #[must_use]
    pub fn new(max_time_ms: u32, max_bytes: Option<u64>, streams: u16, congestion_control: &str) -> Self {
        Self {
            max_time_ns: u64::from(max_time_ms) * 1_000_000,
            max_bytes,
            slows_for_loss: !congestion_control.starts_with("bbr"),
            streams: streams.max(1),
            window: VecDeque::new(),
            last_progress: (0, 0),
            bytes_at_last_loss: 0,
            retransmits: 0,
        }
    }

    /// Whether to stop after `sample`, and why.
    pub fn push(&mut self, sample: Sample) -> Option<StopReason> {
        if sample.bytes_acked > self.last_progress.1 {
            self.last_progress = (sample.at_ns, sample.bytes_acked);
        }
        if sample.retransmits > self.retransmits {
            self.retransmits = sample.retransmits;
            self.bytes_at_last_loss = sample.bytes_acked;
        }
        self.remember(sample);
        if self.max_bytes.is_some_and(|limit| sample.bytes_acked >= limit) {
            return Some(StopReason::MaxBytes);
        }
        if sample.at_ns >= self.max_time_ns {
            return Some(StopReason::MaxTime);
        }
        if sample.at_ns.saturating_sub(self.last_progress.0) >= STALL_NS {
            return Some(StopReason::Stalled);
        }
        self.is_stable(sample).then_some(StopReason::Stable)
    }

    fn window_ns(sample: Sample) -> u64 {
        WINDOW_NS.max(WINDOW_ROUND_TRIPS * u64::from(sample.rtt_us) * 1_000)
    }

    /// Keeps one sample that is at least a window old, so that the window is covered whole.
    fn remember(&mut self, sample: Sample) {
        let from = sample.at_ns.saturating_sub(Self::window_ns(sample));
        self.window.push_back(sample);
        while self.window.get(1).is_some_and(|second| second.at_ns <= from) {
            self.window.pop_front();
        }
    }

    fn is_stable(&self, last: Sample) -> bool {
        let settled = (SETTLE_ROUND_TRIPS * u64::from(last.rtt_us) * 1_000).max(SECOND_NS / 2);
        let Some(first) = self.window.front() else {
            return false;
        };
        let covered = last.at_ns.saturating_sub(first.at_ns) >= Self::window_ns(last);
        covered
            && first.at_ns >= settled
            && self.goodput_is_flat()
            && (self.window_does_not_grow() || self.is_receiver_limited(*first, last))
            && (!self.slows_for_loss || self.losses_are_regular() || self.enough_without_loss(last))
    }

    /// No trend between the halves, and the noise of the slices does not blur the mean.
    fn goodput_is_flat(&self) -> bool {
        let rates = self.rates();
        let half = rates.len() / 2;
        let (Some(before), Some(after)) = (rates.get(..half), rates.get(half..)) else {
            return false;
        };
        let (Some(all), Some(before), Some(after)) = (mean(&rates), mean(before), mean(after)) else {
            return false;
        };
        if all <= 0.0 {
            return false;
        }
        let variance = rates.iter().map(|rate| (rate - all).powi(2)).sum::<f64>() / rates.len() as f64;
        let error = (variance / rates.len() as f64).sqrt() / all;
        (after - before).abs() / all <= MAX_TREND && error <= MAX_ERROR
    }

    fn rates(&self) -> Vec<f64> {
        let pairs = self.window.iter().zip(self.window.iter().skip(1));
        pairs
            .filter(|(before, after)| after.at_ns > before.at_ns)
            .map(|(before, after)| {
                let bytes = after.bytes_acked.saturating_sub(before.bytes_acked);
                bytes as f64 / (after.at_ns - before.at_ns) as f64
            })
            .collect()
    }

    fn window_does_not_grow(&self) -> bool {
        let windows: Vec<f64> = self
            .window
            .iter()
            .map(|sample| sample.cwnd_bytes as f64)
            .collect();
        let half = windows.len() / 2;
        match (
            windows.get(..half).and_then(mean),
            windows.get(half..).and_then(mean),
        ) {
            (Some(before), Some(after)) => after <= before * MAX_CWND_GROWTH,
            _ => false,
        }
    }

    /// The kernel says that the receiver's window held it back most of the time: then the congestion window may
    /// grow without effect.
    fn is_receiver_limited(&self, first: Sample, last: Sample) -> bool {
        let limited = last
            .receive_window_limited_us
            .saturating_sub(first.receive_window_limited_us);
        limited.saturating_mul(10_000) >= last.at_ns.saturating_sub(first.at_ns).saturating_mul(8)
    }

    fn losses_are_regular(&self) -> bool {
        let pairs = self.window.iter().zip(self.window.iter().skip(1));
        pairs
            .filter(|(before, after)| after.retransmits > before.retransmits)
            .count()
            >= REGULAR_LOSSES
    }

    fn enough_without_loss(&self, last: Sample) -> bool {
        let mss = f64::from(last.mss_bytes.max(1));
        let rates = self.rates();
        let Some(bytes_per_ns) = mean(&rates) else {
            return false;
        };
        let streams = f64::from(self.streams);
        let in_flight = bytes_per_ns * f64::from(last.rtt_us) * 1e3 / mss / streams;
        let without_loss = last.bytes_acked.saturating_sub(self.bytes_at_last_loss) as f64 / mss / streams;
        without_loss >= in_flight * in_flight / 2.0
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SLICE_NS: u64 = 100_000_000;

    struct World {
        rtt_us: u32,
        control: &'static str,
        max_time_ms: u32,
        max_bytes: Option<u64>,
    }

    /// Runs the rule over slices of `(bytes, retransmits, cwnd)`; gives the reason and the seconds it took.
    fn run(world: &World, slice: impl Fn(u64) -> (u64, u64, u64)) -> (StopReason, f64) {
        let mut rule = StopRule::new(world.max_time_ms, world.max_bytes, 1, world.control);
        let (mut bytes_acked, mut retransmits) = (0, 0);
        for index in 0.. {
            let (bytes, lost, cwnd_bytes) = slice(index);
            bytes_acked += bytes;
            retransmits += lost;
            let sample = Sample {
                at_ns: (index + 1) * SLICE_NS,
                bytes_acked,
                retransmits,
                cwnd_bytes,
                rtt_us: world.rtt_us,
                mss_bytes: 1448,
                receive_window_limited_us: 0,
            };
            if let Some(reason) = rule.push(sample) {
                return (reason, sample.at_ns as f64 / 1e9);
            }
        }
        unreachable!()
    }

    const LAN: World = World {
        rtt_us: 500,
        control: "cubic",
        max_time_ms: 10_000,
        max_bytes: None,
    };
    const FAR: World = World {
        rtt_us: 128_000,
        control: "cubic",
        max_time_ms: 10_000,
        max_bytes: None,
    };
    /// 100 ms at 1 Gbit/s.
    const GIGABIT: u64 = 12_500_000;

    #[test]
    fn a_steady_short_path_is_done_in_three_seconds() {
        let (reason, seconds) = run(&LAN, |_| (GIGABIT, 0, 100_000));
        assert_eq!(reason, StopReason::Stable);
        assert!((2.0..=3.0).contains(&seconds), "{seconds}");
    }

    #[test]
    fn line_rate_without_loss_on_a_long_path_proves_nothing_yet() {
        assert_eq!(
            run(&FAR, |_| (GIGABIT, 0, 20_000_000)),
            (StopReason::MaxTime, 10.0)
        );
        let bbr = World {
            control: "bbr",
            ..FAR
        };
        assert_eq!(run(&bbr, |_| (GIGABIT, 0, 20_000_000)).0, StopReason::Stable);
    }

    #[test]
    fn regular_losses_make_a_long_path_stable() {
        let (reason, seconds) = run(&FAR, |i| (200_000 + i % 3 * 10_000, i % 2, 300_000));
        assert_eq!(reason, StopReason::Stable);
        assert!(seconds < 6.0, "{seconds}");
    }

    #[test]
    fn slow_start_and_growth_are_not_stable() {
        let growing = run(&LAN, |i| (GIGABIT + GIGABIT * i / 20, 0, 100_000));
        assert_eq!(growing.0, StopReason::MaxTime);
        let window_growing = run(&LAN, |i| (GIGABIT, 0, 100_000 + 20_000 * i));
        assert_ne!(window_growing, (StopReason::Stable, 2.5));
    }

    #[test]
    fn a_black_hole_stalls_after_three_seconds() {
        assert_eq!(run(&LAN, |_| (0, 1, 1448)), (StopReason::Stalled, 3.0));
        let (reason, seconds) = run(&LAN, |i| (if i < 8 { GIGABIT * i } else { 0 }, 0, 1448));
        assert_eq!(reason, StopReason::Stalled);
        assert!((3.7..=3.9).contains(&seconds), "{seconds}");
    }

    #[test]
    fn limits_come_first() {
        let small = World {
            max_bytes: Some(GIGABIT * 4),
            ..LAN
        };
        assert_eq!(
            run(&small, |_| (GIGABIT, 0, 100_000)),
            (StopReason::MaxBytes, 0.4)
        );
        let short = World {
            max_time_ms: 300,
            ..LAN
        };
        assert_eq!(run(&short, |_| (GIGABIT, 0, 100_000)), (StopReason::MaxTime, 0.3));
    }

    proptest! {
        #[test]
        fn strange_samples_never_panic(values in prop::collection::vec(any::<(u64, u64, u64, u64, u32, u32)>(), 0..60)) {
            let mut rule = StopRule::new(10_000, None, 0, "reno");
            for (at_ns, bytes_acked, retransmits, cwnd_bytes, rtt_us, mss_bytes) in values {
                let limited = at_ns / 1_000;
                rule.push(Sample {
                    at_ns, bytes_acked, retransmits, cwnd_bytes, rtt_us, mss_bytes, receive_window_limited_us: limited,
                });
            }
        }
    }
}
