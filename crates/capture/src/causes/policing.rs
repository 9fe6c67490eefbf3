//! Rates that somebody enforces: by dropping (policing) or by delaying (shaping).
//!
//! Policing after Flach et al. (An Internet-Wide Analysis of Traffic Policing, 2016): whenever a token bucket drops, it is empty, so
//! what passed between any two losses passed at its rate, unless it was full in between; no queue stands before losses, and
//! packets come through faster than that rate when the bucket is not empty. Only the losses are kept, not each packet.

use serde::Serialize;
use std::collections::VecDeque;

/// Packets over a rate are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Policing {
    /// Bytes of payload per second that passed between drops: the rate of the bucket, or less where it is so shallow that it
    /// is full between the sender's bursts.
    pub rate_bytes_per_s: f64,
    /// Bytes that had passed beyond that rate at the first loss that was looked at: no more than the depth of the bucket, and
    /// less where the sender was slow until then.
    pub burst_bytes: u64,
    /// Losses that were looked at.
    pub losses: u32,
    /// Part of them at which the bucket was as good as empty.
    pub fitting: f64,
}

/// Packets over a rate wait.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shaping {
    /// Bytes of payload per second that pass in the long run, with a queue.
    pub rate_bytes_per_s: f64,
    /// Bytes per second at which packets came through close together: what the link could do.
    pub burst_bytes_per_s: f64,
}

/// A lost packet, as the bucket would see it.
#[derive(Debug, Clone, Copy)]
struct Loss {
    time: i64,
    /// Bytes before it, retransmitted ones included, those that were lost aside.
    passed: u64,
    /// Bytes before it, all.
    sent: u64,
    queue: i64,
    /// Losses of one window are one run.
    run: u32,
}

/// Flach et al. ask for 15 lost packets.
const LEAST: usize = 15;
/// So many runs along one line are no chance.
const LEAST_RUNS: usize = 10;
/// Within fewer losses of one run no rate can be seen.
const LEAST_OF_RUN: usize = 10;
const MOST: usize = 256;
/// Retransmissions of the last round trips: a window in which more are lost is one run.
const MOST_RESENT: usize = 1024;
/// Of the losses, this part must find the bucket empty (Flach et al.: 90 % of lost packets, less noise of the times here).
const FITTING: f64 = 0.75;
/// A bucket drops much while it is empty and nothing while it is not: while it drops, at least a tenth, and several times as
/// much as over all. Random losses are as dense within a run as elsewhere.
const DENSE: f64 = 0.1;
const DENSER: f64 = 4.0;
/// Runs that are apart, and how much slower than the fastest most of the time between them may be: a sender that is cut by
/// a third (CUBIC) is on the mean within a fifth.
const LEAST_SPANS: usize = 2;
const LEAST_OF_RATE: f64 = 0.75;
/// So many segments could have passed at the speed of the link, or their absence tells nothing.
const LEAST_CARRIED: f64 = 4.0;
/// While there are tokens packets pass as fast as the link is: by more than trains are too fast from jitter. A queue that is
/// too short drops as a bucket does, but nothing passes faster than its link.
const FASTER: f64 = 1.5;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Police {
    losses: Vec<Loss>,
    every: u32,
    skipped: u32,
    run: u32,
    run_end: u64,
    known_to: u64,
    lost_bytes: u64,
    resent_bytes: u64,
    /// When the newest of them were sent, and how many there were then.
    resent: VecDeque<(i64, u64)>,
    /// Those of them that were sent before this run.
    resent_before: u64,
}

/// What the bucket is compared with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    pub(super) first_ns: i64,
    /// Mean flight, bytes.
    pub(super) flight: u64,
    pub(super) mss: u64,
    pub(super) base_rtt: i64,
    /// Packets lost, of all.
    pub(super) loss_ratio: f64,
    /// How fast packets close together came through, bytes per second.
    pub(super) trains: Option<f64>,
}

impl Police {
    /// Its bytes, with those that hang on it.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.losses.capacity() * size_of::<Loss>()
            + self.resent.capacity() * size_of::<(i64, u64)>()
    }

    /// These bytes were lost at `time` and are retransmitted now; `next` is the next byte to be sent for the first time.
    pub(super) fn lost(
        &mut self,
        (time, now): (i64, i64),
        bytes: std::ops::Range<u64>,
        next: u64,
        queue: i64,
    ) {
        // Lost again: one copy of them passes. Or out of order.
        if bytes.start < self.known_to {
            return;
        }
        let length = bytes.end.saturating_sub(bytes.start);
        self.resent_bytes = self.resent_bytes.saturating_add(length);
        if self.resent.len() >= MOST_RESENT {
            self.resent.pop_front();
        }
        self.resent.push_back((now, self.resent_bytes));
        if bytes.start >= self.run_end {
            self.run += 1;
            self.run_end = next;
            let before = self.resent.partition_point(|resent| resent.0 <= time);
            if let Some((_, sent)) = self.resent.drain(..before).next_back() {
                self.resent_before = sent;
            }
        }
        self.known_to = bytes.end;
        // What was retransmitted passed the bucket, too.
        let first_time = bytes.start.saturating_sub(self.lost_bytes);
        let passed = first_time.saturating_add(self.resent_before);
        self.lost_bytes = self.lost_bytes.saturating_add(length);
        self.skipped += 1;
        if self.skipped <= self.every {
            return;
        }
        self.skipped = 0;
        if self.losses.len() >= MOST {
            let mut keep = false;
            self.losses.retain(|_| {
                keep = !keep;
                keep
            });
            self.every = self.every * 2 + 1;
        }
        self.losses.push(Loss {
            time,
            passed,
            sent: bytes.start,
            queue,
            run: self.run,
        });
    }

    /// What the losses say.
    pub(super) fn finish(self, beside: &Beside) -> Option<Policing> {
        if self.losses.len() < LEAST {
            return None;
        }
        let mut queues: Vec<i64> = self.losses.iter().map(|loss| loss.queue).collect();
        queues.sort_unstable();
        let queue = queues.get(queues.len() / 2).copied().unwrap_or(0);
        // A queue that overflows is as long as it gets at each loss; Flach et al. ask for round trips near the smallest.
        if queue > beside.base_rtt / 8 + 1_000_000 {
            return None;
        }
        let runs: Vec<&[Loss]> = self.losses.chunk_by(|one, other| one.run == other.run).collect();
        let (rate, fitting) = along_one_line(&runs, beside).or_else(|| from_run_to_run(&runs, beside))?;
        let first = self.losses.first()?;
        let before = (first.time - beside.first_ns).max(0) as f64 / 1e9;
        let burst = first.passed as f64 - rate * before;
        let passes_faster = beside.trains.is_none_or(|trains| trains >= FASTER * rate);
        (passes_faster && rate > 0.0).then_some(Policing {
            rate_bytes_per_s: rate,
            burst_bytes: burst.max(0.0) as u64,
            losses: u32::try_from(self.losses.len()).unwrap_or(u32::MAX),
            fitting,
        })
    }
}

/// Many runs, each of which begins when the bucket gets empty: the rate from the first to the last of them, if it holds for
/// all, and the part that it holds for.
fn along_one_line(runs: &[&[Loss]], beside: &Beside) -> Option<(f64, f64)> {
    if runs.len() < LEAST_RUNS {
        return None;
    }
    let begins: Vec<Loss> = runs.iter().filter_map(|run| run.first()).copied().collect();
    let (rate, origin) = fitted(&begins)?;
    // A sender sends as much too much as half of its flight before it learns of the first loss.
    let play = (beside.flight / 2).saturating_add(beside.mss.saturating_mul(4)) as f64;
    let first = begins.first()?;
    let off = |loss: &Loss| loss.passed as f64 - origin - rate * (loss.time - first.time) as f64 / 1e9;
    let fitting = begins.iter().filter(|loss| off(loss).abs() <= play).count();
    let fitting = fitting as f64 / begins.len() as f64;
    (fitting >= FITTING).then_some((rate, fitting))
}

/// Few runs: one at least is dense, as the bucket drops nearly all that comes while it is empty; what passed from run to run
/// passed at one rate; and between losses that are close together no more passed than at that rate, though the link is faster.
fn from_run_to_run(runs: &[&[Loss]], beside: &Beside) -> Option<(f64, f64)> {
    let is_dense = |run: &&[Loss]| {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            return false;
        };
        let sent = last.sent.saturating_sub(first.sent).max(1) as f64;
        let density = 1.0 - last.passed.saturating_sub(first.passed) as f64 / sent;
        run.len() >= LEAST_OF_RUN && density >= DENSE.max(DENSER * beside.loss_ratio)
    };
    if !runs.iter().any(is_dense) {
        return None;
    }
    let spans = spans(runs, beside.base_rtt);
    let all: f64 = spans.iter().map(|span| span.seconds).sum();
    // The bucket gives no more than its rate, and less where it was full at times. Short spans are blurred by what was
    // retransmitted meanwhile: the fastest that make a quarter of the time tell it.
    let mut seen = 0.0;
    let quarter = spans.iter().find(|span| {
        seen += span.seconds;
        seen >= all / 4.0
    })?;
    let rate = quarter.rate;
    let even = spans.iter().filter(|span| span.rate >= LEAST_OF_RATE * rate);
    let fitting = even.map(|span| span.seconds).sum::<f64>() / all;
    let is_held = spans.len() >= LEAST_SPANS && fitting >= FITTING;
    (is_held && drops_all(runs, rate, beside)).then_some((rate, fitting))
}

/// From the first loss of a run to that of the next.
struct Span {
    /// Bytes per second that passed.
    rate: f64,
    seconds: f64,
}

/// The fastest first. Within a few round trips of each other runs are one overshoot, and no span.
fn spans(runs: &[&[Loss]], base_rtt: i64) -> Vec<Span> {
    let begins: Vec<&Loss> = runs.iter().filter_map(|run| run.first()).collect();
    let pairs = begins.windows(2).filter_map(|pair| match pair {
        [one, next] => Some((next.time - one.time, next.passed.saturating_sub(one.passed))),
        _ => None,
    });
    let apart = pairs.filter(|(ns, _)| *ns >= base_rtt.saturating_mul(4));
    let mut spans: Vec<Span> = apart
        .map(|(ns, passed)| {
            let seconds = ns as f64 / 1e9;
            Span {
                rate: passed as f64 / seconds,
                seconds,
            }
        })
        .collect();
    spans.sort_by(|one, other| other.rate.total_cmp(&one.rate));
    spans
}

/// Whether between losses close together less passed than the link could carry: nearer to the rate of the bucket, on a scale of
/// logarithms. A queue that is too short lets pass what its link carries.
fn drops_all(runs: &[&[Loss]], rate: f64, beside: &Beside) -> bool {
    let Some(trains) = beside.trains else {
        return false;
    };
    let (mut passed, mut seconds) = (0.0, 0.0);
    for pair in runs.iter().flat_map(|run| run.windows(2)) {
        if let [one, next] = pair
            && (0..beside.base_rtt / 8).contains(&(next.time - one.time))
        {
            passed += next.passed.saturating_sub(one.passed) as f64;
            seconds += (next.time - one.time) as f64 / 1e9;
        }
    }
    seconds * trains >= LEAST_CARRIED * beside.mss as f64 && passed / seconds <= libm::sqrt(rate * trains)
}

/// Least squares: bytes per second, and bytes at the first loss.
fn fitted(losses: &[Loss]) -> Option<(f64, f64)> {
    let first = losses.first()?;
    let count = losses.len() as f64;
    let points = losses
        .iter()
        .map(|loss| ((loss.time - first.time) as f64 / 1e9, loss.passed as f64));
    let (x, y) = points.clone().fold((0.0, 0.0), |(x, y), (a, b)| (x + a, y + b));
    let (x, y) = (x / count, y / count);
    let (xx, xy) = points.fold((0.0, 0.0), |(xx, xy), (a, b)| {
        (xx + (a - x) * (a - x), xy + (a - x) * (b - y))
    });
    (xx > 0.0).then(|| (xy / xx, y - xy / xx * x))
}
