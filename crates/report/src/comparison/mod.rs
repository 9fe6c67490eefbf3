//! Before and after an intervention: what was measured in both rounds, and by how much it changed.
//!
//! Only like is set beside like: the same pair of hosts, direction and kind of measurement. What was not measured again
//! is named, because silence would read as "repaired".

mod measures;

use crate::subject::{self, Subject};
use evidence::{Case, JournalEntry, Location, ObservationId, RateBps, Verdict, VerdictFile, VerdictState};
use measures::{Measures, Value, measures};
use serde::Serialize;
use stats::quantile;

/// Two rounds of a case side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The earlier round.
    pub before: u32,
    /// The later round.
    pub after: u32,
    /// What was concluded from the earlier round; `None` when it was not judged.
    pub verdict_before: Option<Outcome>,
    /// What was concluded from the later round.
    pub verdict_after: Option<Outcome>,
    /// What people did between them, in the order of time.
    pub interventions: Vec<JournalEntry>,
    /// Rates between pairs of hosts measured in both rounds.
    pub rates: Vec<RateChange>,
    /// Losses measured in both rounds.
    pub losses: Vec<LossChange>,
    /// What was measured before and not after: nothing is known about whether it changed.
    pub not_measured_again: Vec<String>,
    /// What was measured only after.
    pub only_after: Vec<String>,
}

/// The verdict of a round in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// The answer in one word.
    pub state: VerdictState,
    /// The rate of a plain transfer; `None` when there was none.
    pub measured_bps: Option<RateBps>,
    /// Code of the main cause; `None` when none was found.
    pub cause: Option<String>,
    /// Where that cause sits.
    pub location: Option<Location>,
    /// One sentence.
    pub summary: String,
}

/// How a rate between two hosts changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RateChange {
    /// Which: `a.example → b.example`.
    pub what: String,
    /// In the earlier round.
    pub before: RateSummary,
    /// In the later round.
    pub after: RateSummary,
    /// Median after / median before; `None` where the rate before was zero.
    pub factor: Option<f64>,
}

/// Rates of one round, bit/s.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RateSummary {
    /// The median: of an even number the mean of the two in the middle.
    pub median_bps: RateBps,
    /// The lowest.
    pub lowest_bps: RateBps,
    /// The highest.
    pub highest_bps: RateBps,
    /// How many measurements.
    pub measurements: u64,
    /// From which observations.
    pub observations: Vec<ObservationId>,
}

/// How a loss changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LossChange {
    /// Which: `ping a.example → b.example, 1501 bytes`.
    pub what: String,
    /// In the earlier round.
    pub before: LossSummary,
    /// In the later round.
    pub after: LossSummary,
}

/// Losses of one round, all measurements of one kind together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LossSummary {
    /// Packets lost; `None` where only a share was recorded.
    pub lost: Option<u64>,
    /// Packets sent; `None` where only a share was recorded.
    pub sent: Option<u64>,
    /// Share lost, 0 to 1; where counts are missing the mean of the shares recorded.
    pub ratio: f64,
    /// From which observations.
    pub observations: Vec<ObservationId>,
}

/// Sets round `after` of `case` beside round `before`. A round that does not exist has measured nothing.
#[must_use]
pub fn comparison(case: &Case, before: u32, after: u32, verdicts: &VerdictFile) -> Comparison {
    let subject = Subject::new(case, verdicts);
    let names = &subject.names;
    let (earlier, later) = (measures(case, before, names), measures(case, after, names));
    let mut interventions: Vec<JournalEntry> = subject.interventions(before, after).cloned().collect();
    interventions.sort_by(|a, b| (a.at, &a.who, &a.what).cmp(&(b.at, &b.who, &b.what)));
    Comparison {
        before,
        after,
        verdict_before: outcome(verdicts, before),
        verdict_after: outcome(verdicts, after),
        interventions,
        rates: both(&earlier, &later, rate_change),
        losses: both(&earlier, &later, loss_change),
        not_measured_again: missing(&earlier, &later),
        only_after: missing(&later, &earlier),
    }
}

fn outcome(verdicts: &VerdictFile, round: u32) -> Option<Outcome> {
    let verdict: &Verdict = verdicts.rounds.iter().find(|v| v.round == round)?;
    let cause = subject::cause(verdict);
    Some(Outcome {
        state: verdict.state,
        measured_bps: verdict.measured_bps,
        cause: cause.map(|finding| finding.code.clone()),
        location: cause.map(|finding| finding.location.clone()),
        summary: verdict.summary.clone(),
    })
}

fn both<T>(
    earlier: &Measures,
    later: &Measures,
    change: impl Fn(&str, &[Value], &[Value]) -> Option<T>,
) -> Vec<T> {
    let shared = earlier
        .iter()
        .filter_map(|(what, before)| Some((what, before, later.get(what)?)));
    shared
        .filter_map(|(what, before, after)| change(what, before, after))
        .collect()
}

fn missing(measured: &Measures, elsewhere: &Measures) -> Vec<String> {
    let only = measured.iter().filter(|(what, _)| !elsewhere.contains_key(*what));
    let named = only.map(
        |(what, values)| match values.iter().any(|v| !v.rates_bps.is_empty()) {
            true => format!("rate {what}"),
            false => what.clone(),
        },
    );
    named.collect()
}

fn rate_change(what: &str, before: &[Value], after: &[Value]) -> Option<RateChange> {
    let (before, after) = (rates(before)?, rates(after)?);
    let factor = after.median_bps.0 / before.median_bps.0;
    Some(RateChange {
        what: what.to_owned(),
        factor: factor.is_finite().then_some(factor),
        before,
        after,
    })
}

fn rates(values: &[Value]) -> Option<RateSummary> {
    let mut rates: Vec<f64> = values.iter().flat_map(|v| v.rates_bps.iter().copied()).collect();
    let median = quantile(&mut rates, 0.5)?;
    let (lowest, highest) = (*rates.first()?, *rates.last()?);
    Some(RateSummary {
        median_bps: RateBps(median),
        lowest_bps: RateBps(lowest),
        highest_bps: RateBps(highest),
        measurements: rates.len() as u64,
        observations: observations(values),
    })
}

fn loss_change(what: &str, before: &[Value], after: &[Value]) -> Option<LossChange> {
    Some(LossChange {
        what: what.to_owned(),
        before: losses(before)?,
        after: losses(after)?,
    })
}

fn losses(values: &[Value]) -> Option<LossSummary> {
    let shares: Vec<f64> = values.iter().filter_map(Value::loss_ratio).collect();
    if shares.is_empty() {
        return None;
    }
    let counts: Vec<(u64, u64)> = values.iter().filter_map(|v| v.lost_of).collect();
    let add = |sum: (u64, u64), n: &(u64, u64)| (sum.0.saturating_add(n.0), sum.1.saturating_add(n.1));
    let (lost, sent) = counts.iter().fold((0, 0), add);
    let counted = counts.len() == shares.len() && sent > 0;
    Some(LossSummary {
        lost: counted.then_some(lost),
        sent: counted.then_some(sent),
        ratio: match counted {
            true => lost as f64 / sent as f64,
            false => shares.iter().sum::<f64>() / shares.len() as f64,
        },
        observations: observations(values),
    })
}

fn observations(values: &[Value]) -> Vec<ObservationId> {
    let mut ids: Vec<ObservationId> = values.iter().map(|v| v.id.clone()).collect();
    ids.sort();
    ids.dedup();
    ids
}
