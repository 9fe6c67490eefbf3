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
const LEAST: usize = 15;
/// With fewer runs a line tells nothing.
const LEAST_RUNS: usize = 6;
/// Within fewer losses of one run no rate can be seen.
const LEAST_OF_RUN: usize = 10;
const MOST: usize = 256;
/// Retransmissions of the last round trips: a window in which more are lost is one run.
const MOST_RESENT: usize = 1024;
/// Of the losses, this part must find the bucket empty for its rate to be that of a line through them.
const FITTING: f64 = 0.5;
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
            run: self.run,
        });
    }

    /// What the losses say.
    pub(super) fn finish(self, beside: &Beside) -> Option<Policing> {
        if self.losses.len() < LEAST {
            return None;
        }
        let runs: Vec<&[Loss]> = self.losses.chunk_by(|one, other| one.run == other.run).collect();
        let (rate, fitting) = along_one_line(&runs, beside).or_else(|| from_run_to_run(&runs, beside))?;
        if self.meets_queue(rate, beside) || evidence(&self.blind, rate, beside) < CERTAIN {
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

/// Packets by which the sender's bursts and the times of a capture blur what a bucket drops.
const BLUR: f64 = 3.0;
/// Of so many runs something else disturbs what was lost.
const DISTURBED: f64 = 0.1;
/// No path that is used loses more than this by chance.
const MOST_BY_CHANCE: f64 = 0.1;
/// The logarithm of 1 / 0.007: Flach et al. tell no more than 0.7 % falsely.
const CERTAIN: f64 = 5.0;

/// By how much a bucket of this rate foretells the losses better than chance and a short queue do: the logarithm of the ratio of
/// likelihoods. From its first drop until the sender knows of it the bucket lets pass what its rate allows, and all else is
/// lost. Without a bucket as much is lost then as ever, and what the link does not carry. No parameter is fitted to this: the
/// rate is that of what passed from run to run.
fn evidence(blind: &[Blind], rate: f64, beside: &Beside) -> f64 {
    let mss = beside.mss.max(1) as f64;
    let each = blind.iter().map(|run| {
        let (sent, lost, resent) = (
            run.sent as f64 / mss,
            run.lost as f64 / mss,
            run.resent as f64 / mss,
        );
        let beyond = |rate: f64| (sent + resent - rate * run.ns as f64 / 1e9 / mss).clamp(0.0, sent);
        let log_likelihood = |expected: f64| {
            let variance = expected + BLUR * BLUR;
            -(lost - expected) * (lost - expected) / (2.0 * variance) - libm::log(variance) / 2.0
        };
        let by_chance = beside.loss_ratio.min(MOST_BY_CHANCE) * sent;
        let none = log_likelihood(by_chance + beside.trains.map_or(0.0, beyond));
        let ratio = libm::exp((log_likelihood(beyond(rate)) - none).min(50.0));
        libm::log((1.0 - DISTURBED) * ratio + DISTURBED)
    });
    each.sum()
}

impl Police {
    /// Whether a queue may be what drops: one that is full delays what passes just before a loss by more than two thirds of all segments,
    /// and by half a packet of the link at least: of round trips that differ by the hosts alone some are always longer.
    /// Where queues are not seen, only a link that is known to be faster tells.
    fn meets_queue(&self, rate: f64, beside: &Beside) -> bool {
        if !beside.sees_queues {
            return beside.trains.is_none();
        }
        let mut rtts: Vec<i64> = self.blind.iter().map(|run| run.rtt).collect();
        rtts.sort_unstable();
        let packet_ns = (beside.mss as f64 / rate * 1e9) as i64;
        let least = beside.usual_rtt.saturating_add(packet_ns / 2);
        rtts.get(rtts.len() / 2).is_some_and(|rtt| *rtt > least)
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
