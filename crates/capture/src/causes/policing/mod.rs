//! Rates that somebody enforces: by dropping (policing) or by delaying (shaping).
//!
//! Policing after Flach et al. (An Internet-Wide Analysis of Traffic Policing, 2016): whenever a token bucket drops, it is empty, so
//! what passed between any two losses passed at its rate, unless it was full in between; no queue stands before losses, and
//! packets come through faster than that rate when the bucket is not empty. Only the losses are kept, not each packet.

mod evidence;
mod holes;
mod line;

use evidence::{CERTAIN, LEAST_OF_EACH, evidence};
use holes::Open;
pub(super) use holes::Seen;
use line::{along_one_line, from_run_to_run};
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
    /// Losses of one window are one run.
    run: u32,
}

/// From the first loss of a run to the last segment before its sender knew of it.
#[derive(Debug, Clone, Copy)]
struct Blind {
    /// Bytes that were sent, those of the first loss aside.
    sent: u64,
    /// Of these, so many were lost.
    lost: u64,
    /// Bytes that were sent again meanwhile: they take tokens, too.
    resent: u64,
    /// How long that took, nanoseconds.
    ns: i64,
    /// The newest round trip before it, behind the capture point, nanoseconds.
    rtt: i64,
}

/// Flach et al. ask for 15 lost packets.
const LEAST: u64 = 15;
const MOST: usize = 256;
/// Retransmissions of the last round trips: a window in which more are lost is one run.
const MOST_RESENT: usize = 1024;
/// While there are tokens packets pass as fast as the link is: by more than trains are too fast from jitter. A queue that is
/// too short drops as a bucket does, but nothing passes faster than its link.
const FASTER: f64 = 1.5;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Police {
    losses: Vec<Loss>,
    every: u32,
    skipped: u32,
    blind: Vec<Blind>,
    run: u32,
    run_end: u64,
    known_to: u64,
    lost_bytes: u64,
    resent_bytes: u64,
    /// When the newest of them were sent, and how many there were then.
    resent: VecDeque<(i64, u64)>,
    /// Those of them that were sent before this run.
    resent_before: u64,
    /// Where losses are seen as gaps: bytes that came, when the last did, and the run that goes on.
    arrived: u64,
    last_arrival: i64,
    open: Option<Open>,
}

/// What the bucket is compared with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    pub(super) first_ns: i64,
    /// Mean flight, bytes.
    pub(super) flight: u64,
    pub(super) mss: u64,
    pub(super) base_rtt: i64,
    /// What two thirds of the round trips behind the capture point are at most.
    pub(super) usual_rtt: i64,
    /// The least of these.
    pub(super) least_rtt: Option<i64>,
    /// Queues behind the capture point are seen: much of the path is there.
    pub(super) sees_queues: bool,
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
            + self.blind.capacity() * size_of::<Blind>()
            + self.resent.capacity() * size_of::<(i64, u64)>()
    }

    /// These bytes were lost at `time` and are retransmitted now; `next` is the next byte to be sent for the first time.
    pub(super) fn lost(
        &mut self,
        (time, now): (i64, i64),
        bytes: std::ops::Range<u64>,
        (next, last_new): (u64, i64),
        rtt: i64,
    ) {
        // Lost again: one copy of them passes. Or out of order.
        if bytes.start < self.known_to {
            return;
        }
        let length = bytes.end.saturating_sub(bytes.start);
        let resent_before_this = self.resent_bytes;
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
            if self.blind.len() < MOST {
                self.blind.push(Blind {
                    sent: next.saturating_sub(bytes.end),
                    lost: 0,
                    resent: resent_before_this.saturating_sub(self.resent_before),
                    ns: last_new.saturating_sub(time).max(0),
                    rtt,
                });
            }
        } else if let Some(blind) = self.blind.get_mut((self.run as usize).wrapping_sub(1)) {
            blind.lost = blind.lost.saturating_add(length);
        }
        self.known_to = bytes.end;
        // What was retransmitted passed the bucket, too.
        let first_time = bytes.start.saturating_sub(self.lost_bytes);
        let passed = first_time.saturating_add(self.resent_before);
        self.lost_bytes = self.lost_bytes.saturating_add(length);
        self.keep(Loss {
            time,
            passed,
            sent: bytes.start,
            run: self.run,
        });
    }

    /// Every one, or every second or fourth of many.
    fn keep(&mut self, loss: Loss) {
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
        self.losses.push(loss);
    }

    /// What the losses say.
    pub(super) fn finish(self, beside: &Beside) -> Option<Policing> {
        if self.lost_bytes < LEAST * beside.mss {
            return None;
        }
        let runs: Vec<&[Loss]> = self.losses.chunk_by(|one, other| one.run == other.run).collect();
        let (rate, fitting) = along_one_line(&runs, beside).or_else(|| from_run_to_run(&runs, beside))?;
        let least = CERTAIN.max(LEAST_OF_EACH * self.blind.len() as f64);
        if self.meets_queue(rate, beside) || evidence(&self.blind, rate, beside) < least {
            return None;
        }
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
