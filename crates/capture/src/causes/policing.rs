//! Rates that somebody enforces: by dropping (policing) or by delaying (shaping).
//!
//! Policing after Flach et al. (An Internet-Wide Analysis of Traffic Policing, 2016): a token bucket that is empty at the
//! first loss and filled with the rate between first and last loss is as good as empty at every loss, and no queue stands
//! before losses. Only the losses are kept, not each packet.

use serde::Serialize;

/// Packets over a rate are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Policing {
    /// Bytes of payload per second that pass.
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

/// A loss, as the bucket would see it.
#[derive(Debug, Clone, Copy)]
struct Loss {
    time: i64,
    passed: u64,
    queue: i64,
}

/// Flach et al. ask for 15 lost packets; as runs of loss are one here, ten.
const LEAST: usize = 10;
const MOST: usize = 128;
/// Checkpoints of (time, next byte).
const MARKS: usize = 64;
/// Of the losses, this part must find the bucket empty (Flach et al.: 90 % of lost packets, less noise of the times here).
const FITTING: f64 = 0.75;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Police {
    marks: Vec<(i64, u64)>,
    next_mark: usize,
    losses: Vec<Loss>,
    every: u32,
    skipped: u32,
    last_run_end: u64,
}

impl Police {
    /// Its bytes, with those that hang on it.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.marks.capacity() * size_of::<(i64, u64)>()
            + self.losses.capacity() * size_of::<Loss>()
    }

    /// New data up to this byte. A mark each thirty-second of a round trip is finer than a loss can be placed anyway.
    pub(super) fn sent(&mut self, now: i64, start: u64, rtt: i64) {
        let last = self
            .marks
            .get((self.next_mark + MARKS - 1) % MARKS)
            .map_or(i64::MIN, |mark| mark.0);
        if self.marks.is_empty() || now.saturating_sub(last) >= rtt / 32 {
            match self.marks.get_mut(self.next_mark) {
                Some(mark) => *mark = (now, start),
                None => self.marks.push((now, start)),
            }
            self.next_mark = (self.next_mark + 1) % MARKS;
        }
    }

    /// This byte was lost the first time; `next` is the next byte to be sent for the first time.
    pub(super) fn lost(&mut self, start: u64, next: u64, queue: i64) {
        if start < self.last_run_end {
            return;
        }
        self.last_run_end = next;
        let Some(&(time, _)) = self
            .marks
            .iter()
            .filter(|mark| mark.1 <= start)
            .max_by_key(|mark| mark.1)
        else {
            return;
        };
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
            passed: start,
            queue,
        });
    }

    /// What the losses say, with the mean flight, the segment size, and the smallest round trip.
    pub(super) fn finish(self, first_ns: i64, flight: u64, mss: u64, base_rtt: i64) -> Option<Policing> {
        if self.losses.len() < LEAST {
            return None;
        }
        let mut queues: Vec<i64> = self.losses.iter().map(|loss| loss.queue).collect();
        queues.sort_unstable();
        let queue = queues.get(queues.len() / 2).copied().unwrap_or(0);
        // A queue that overflows is as long as it gets at each loss; Flach et al. ask for round trips near the smallest.
        if queue > base_rtt / 8 + 1_000_000 {
            return None;
        }
        let (rate, origin) = fitted(&self.losses)?;
        // Losses are placed by when the data were sent, and the first of a run by when it was repaired: within half of what is
        // on the way, and a few segments.
        let play = (flight / 2).saturating_add(mss.saturating_mul(4)) as f64;
        let first = self.losses.first()?;
        let off = |loss: &Loss| loss.passed as f64 - origin - rate * (loss.time - first.time) as f64 / 1e9;
        let fitting = self.losses.iter().filter(|loss| off(loss).abs() <= play).count();
        let fitting = fitting as f64 / self.losses.len() as f64;
        let before = (first.time - first_ns).max(0) as f64 / 1e9;
        let burst = first.passed as f64 - rate * before;
        (fitting >= FITTING && rate > 0.0).then_some(Policing {
            rate_bytes_per_s: rate,
            burst_bytes: burst.max(0.0) as u64,
            losses: u32::try_from(self.losses.len()).unwrap_or(u32::MAX),
            fitting,
        })
    }
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
