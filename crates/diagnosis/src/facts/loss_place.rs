//! On which link packets are lost: the probability of each link, from streams of small packets that expire at chosen
//! hops.
//!
//! A hop behind the lossy link misses answers at the path's loss ratio, one before it misses none. Each tested hop thus
//! multiplies the odds of the links behind it and before it; with 6/p packets a hop, a miss has odds e⁻⁶.

use super::Facts;
use super::ratio::{Ratio, ln_gamma};
use evidence::v1::ObservationId;

/// The probability of each link, link `i` being the one between TTL `i − 1` and `i`.
#[derive(Debug, Clone)]
pub(crate) struct LossPlace {
    /// Index 0 is link 1.
    posterior: Vec<f64>,
    /// The hops that the answer rests on: (TTL, unanswered of sent).
    pub(crate) tested: Vec<(u8, Ratio)>,
    /// Hops tested that answer only some probes whatever the path does, so that their silence says nothing.
    pub(crate) unusable: Vec<u8>,
    pub(crate) cites: Vec<ObservationId>,
}

/// Unanswered in excess of the path's loss by this factor (and the upper bound for chance): the hop limits its answers.
const LIMITS_ANSWERS_FACTOR: f64 = 4.0;

/// Answers missed at a clean hop, relative to the loss looked for: the way back and the hop itself are not perfect.
const BACKGROUND_SHARE: f64 = 0.03;

impl LossPlace {
    /// Where the loss of `loss` (events or packets of the forward streams) happens. `None` when the path's length is
    /// unknown or there is no loss.
    pub(crate) fn locate(facts: &Facts, loss: Ratio) -> Option<Self> {
        let links = usize::from(facts.forward.last_ttl()?);
        let ratio = loss.estimate().filter(|p| *p > 0.0)?;
        let (mut tested, mut unusable, mut cites) = (Vec::new(), Vec::new(), Vec::new());
        for (ttl, unanswered, sources) in pooled(facts) {
            if unanswered.trials < least_packets(ratio) || usize::from(ttl) > links {
                continue;
            }
            cites.extend(sources);
            if unanswered.interval().0 > LIMITS_ANSWERS_FACTOR * loss.interval().1 {
                unusable.push(ttl);
            } else {
                tested.push((ttl, unanswered));
            }
        }
        cites.sort();
        cites.dedup();
        let posterior = posterior(links, &tested, loss, background(facts, ratio));
        Some(Self {
            posterior,
            tested,
            unusable,
            cites,
        })
    }

    /// The shortest stretch that holds `share` of the probability: (TTL before, TTL after, probability).
    pub(crate) fn stretch(&self, share: f64) -> (u8, u8, f64) {
        let mut best = (0, self.posterior.len(), 1.0);
        for start in 0..self.posterior.len() {
            let mut sum = 0.0;
            for end in start..self.posterior.len() {
                sum += self.posterior[end];
                let shorter = end + 1 - start < best.1 - best.0;
                let surer = end + 1 - start == best.1 - best.0 && sum > best.2;
                if sum >= share && (shorter || surer) {
                    best = (start, end + 1, sum);
                }
            }
        }
        let ttl = |index: usize| u8::try_from(index).unwrap_or(u8::MAX);
        (ttl(best.0), ttl(best.1), best.2.min(1.0))
    }

    /// The probability that the loss is on a link up to `ttl`.
    pub(crate) fn up_to(&self, ttl: u8) -> f64 {
        self.posterior.iter().take(usize::from(ttl)).sum()
    }

    /// The TTL of `candidates` whose test halves the probability best; `None` when none would tell anything.
    pub(crate) fn best_split(&self, candidates: &[u8]) -> Option<u8> {
        let gain = |ttl: u8| self.up_to(ttl).min(1.0 - self.up_to(ttl));
        let best = candidates
            .iter()
            .copied()
            .max_by(|a, b| gain(*a).total_cmp(&gain(*b)).then(b.cmp(a)))?;
        (gain(best) > 0.01).then_some(best)
    }
}

/// Fewer packets than these would hardly see one loss.
fn least_packets(ratio: f64) -> u64 {
    (1.0 / ratio).ceil() as u64
}

/// Unanswered small packets per hop over all idle echo measurements from the sender, less answers lost in own sockets.
fn pooled(facts: &Facts) -> Vec<(u8, Ratio, Vec<ObservationId>)> {
    let mut pooled: Vec<(u8, Ratio, Vec<ObservationId>)> = Vec::new();
    for (ttl, size, answers) in facts.forward.echo.idle_in_transit() {
        if size > 600 || answers.answered == 0 {
            continue;
        }
        let own = answers.own_drops.unwrap_or(0);
        let missing = answers.unanswered();
        let net = Ratio::new(missing.events.saturating_sub(own), missing.trials);
        match pooled.iter_mut().find(|(known, _, _)| *known == ttl) {
            Some((_, ratio, cites)) => {
                *ratio = ratio.plus(net);
                cites.extend(answers.cites.iter().cloned());
            }
            None => pooled.push((ttl, net, answers.cites.clone())),
        }
    }
    pooled
}

/// The share of answers lost behind our back: bounded by the loss of the way back where that was measured.
fn background(facts: &Facts, ratio: f64) -> f64 {
    let reverse = facts
        .loss_from(evidence::v1::End::To)
        .and_then(|loss| loss.packets.estimate())
        .unwrap_or(0.0);
    (BACKGROUND_SHARE * ratio).max(reverse.min(ratio))
}

/// Poisson losses at each hop: behind the lossy link at the path's ratio, before it at the background's. The ratio itself
/// is known from a few losses only (`loss`), so it is integrated out: a gamma distribution with Jeffreys' prior. Taking
/// the estimate for the truth would make one clean hop look four times as telling as it is.
fn posterior(links: usize, tested: &[(u8, Ratio)], loss: Ratio, background: f64) -> Vec<f64> {
    let log_likelihood = |link: usize| -> f64 {
        let is_behind = |ttl: u8| link <= usize::from(ttl);
        let add = |sum: Ratio, other: &(u8, Ratio)| sum.plus(other.1);
        let behind = tested.iter().filter(|(ttl, _)| is_behind(*ttl)).fold(loss, add);
        let before = tested
            .iter()
            .filter(|(ttl, _)| !is_behind(*ttl))
            .fold(Ratio::default(), add);
        let shape = behind.events as f64 + 0.5;
        let lossy = ln_gamma(shape) - shape * (behind.trials as f64).max(1.0).ln();
        lossy + before.events as f64 * background.max(1e-12).ln() - background * before.trials as f64
    };
    let logs: Vec<f64> = (1..=links).map(log_likelihood).collect();
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds: Vec<f64> = logs.iter().map(|log| (log - top).exp()).collect();
    let total: f64 = odds.iter().sum();
    odds.iter()
        .map(|odd| odd / total.max(f64::MIN_POSITIVE))
        .collect()
}
