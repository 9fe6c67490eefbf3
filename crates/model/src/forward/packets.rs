//! How probable it is that so many of so many packets were lost, or left without an answer.

use crate::Loss;
use crate::density::{HERMITE, binomial_kernel, mixture, normal, together};
use libm::{exp, log, sqrt};

/// Shares of probes that a node answers which does not answer all.
pub(super) const SHARES: [f64; 7] = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97];

/// Log probability of `lost` of `sent` when a share `p` is lost, known to a factor.
///
/// Packets are lost in runs: what counts as evidence is the number of runs. Where nobody counted runs, they may be long.
pub(super) fn of_packets(seen: &Loss, p: f64, sigma: f64) -> f64 {
    match seen.mean_run {
        Some(run) => of_runs(seen, p, sigma, run.max(1.0)),
        None => {
            const RUNS: [(f64, f64); 2] = [(1.0, 0.8), (8.0, 0.2)];
            mixture(&RUNS.map(|(run, weight)| (weight, of_runs(seen, p, sigma, run))))
        }
    }
}

/// With few losses the count is integrated over; with many the logarithm of the ratio is compared: a rule with five nodes
/// does not see a peak that is narrower than the distance of its nodes. Which of the two it is depends on what was
/// seen alone, so that hypotheses are compared on the same scale.
fn of_runs(seen: &Loss, p: f64, sigma: f64, run: f64) -> f64 {
    let (k, n) = (seen.lost.min(seen.sent), seen.sent.max(1.0));
    let p = p.clamp(1e-9, 0.999);
    if k < 10.0 {
        // None lost of so few that none was due: the density is that of certainty.
        if k == 0.0 && p * n < 1e-6 * run {
            return 0.0;
        }
        let at = |z: f64| binomial_kernel(k / run, n / run, (p * exp(sigma * z)).min(0.999));
        return mixture(&HERMITE.map(|(z, weight)| (weight, at(z))));
    }
    // Losses near all of the packets are told apart by what arrives.
    if k / n > 0.5 {
        let arrives = (n - k + 0.5) / (n + 1.0);
        let mean = log((1.0 - p).max(0.5 / n));
        // A ratio known to a factor: what arrives is known the better the less is lost.
        let known = sigma * (p / (1.0 - p)).min(1.0);
        return normal(log(arrives), mean, together(known, sqrt(run / (n - k + 0.5))));
    }
    let counting = sqrt(run / k + run / (n * p).max(1.0));
    normal(log(k / n), log(p), together(sigma, counting))
}

/// Log probability of this loss from a source that loses anything: the ratio's logarithm is spread evenly from one of
/// all packets to all of them.
pub(super) fn anything(seen: &Loss) -> f64 {
    if seen.lost < 10.0 {
        let p = ((seen.lost + 0.5) / (seen.sent + 1.0)).min(0.999);
        return binomial_kernel(seen.lost, seen.sent.max(1.0), p) - 1.0;
    }
    -log(log(seen.sent.max(10.0)))
}

/// A node that answers any share: what is missing is at least what the path lost.
pub(super) fn fickle(seen: &Loss, gone: f64) -> f64 {
    if seen.lost < 10.0 {
        let each = 1.0 / SHARES.len() as f64;
        return mixture(&SHARES.map(|share| (each, of_packets(seen, 1.0 - share * (1.0 - gone), 0.01))));
    }
    // Evenly spread over the share answered: the density of the logarithm that `of_packets` looks at.
    let ratio = seen.lost / seen.sent.max(1.0);
    let beyond = if ratio < 0.7 * gone { log(1e-3) } else { 0.0 };
    beyond
        + log(if ratio > 0.5 {
            (1.0 - ratio).max(0.5 / seen.sent.max(1.0))
        } else {
            ratio
        })
}
