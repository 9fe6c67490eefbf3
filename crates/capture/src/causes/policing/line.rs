//! The rate of a bucket: that of what passed between any two losses at which it was empty.

use super::{Beside, Loss};

/// With fewer runs a line tells nothing.
const LEAST_RUNS: usize = 6;
/// Within fewer losses of one run no rate can be seen.
const LEAST_OF_RUN: usize = 10;
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

/// Many runs, each of which begins when the bucket gets empty: the rate from the first to the last of them, if it holds for
/// all, and the part that it holds for.
pub(super) fn along_one_line(runs: &[&[Loss]], beside: &Beside) -> Option<(f64, f64)> {
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
pub(super) fn from_run_to_run(runs: &[&[Loss]], beside: &Beside) -> Option<(f64, f64)> {
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
