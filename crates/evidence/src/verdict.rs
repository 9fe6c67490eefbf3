//! What the reasoning concludes, in a form that people and programs can check against the observations.

use crate::{Ask, Direction, Location, ObservationId, RateBps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The outcome of one round of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The round of measurements judged.
    pub round: u32,
    /// The answer in one word.
    pub state: VerdictState,
    /// One sentence a person can repeat on the telephone.
    pub summary: String,
    /// The rate of a plain transfer as measured; `None` when there was none.
    pub measured_bps: Option<RateBps>,
    /// The rate expected: by the user, or derived from what the hosts and the path can do.
    pub expected_bps: Option<RateBps>,
    /// Supported findings, most probable main cause first.
    pub findings: Vec<Finding>,
    /// Anomalies seen and explained that are not the cause.
    pub red_herrings: Vec<RedHerring>,
    /// Faults that the evidence speaks against.
    pub excluded: Vec<Excluded>,
    /// What was not tested, or could not be seen, and why.
    pub not_tested: Vec<NotTested>,
    /// The measurement that would tell most next; `None` when nothing more is needed.
    pub next: Option<NextAsk>,
}

/// The answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictState {
    /// As fast as expected, or as the path can be: no fault.
    Ok,
    /// Slow, and the cause is found.
    Slow,
    /// The evidence does not suffice to name a cause.
    Inconclusive,
    /// Nothing could be measured.
    NotMeasured,
}

/// One fault at one place, with the case for and against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The fault's code: `MTU-002`.
    pub code: String,
    /// What is wrong, with this case's figures: "packets over 1508 bytes vanish between …".
    pub claim: String,
    /// Where.
    pub location: Location,
    /// Which way packets are affected.
    pub direction: Direction,
    /// Probability that this fault is there, 0 to 1. Calibrated: of those given at 0.9, nine in ten are right.
    pub confidence: f64,
    /// Whether this alone accounts for the measured rate.
    pub explains: Explains,
    /// The rate that this fault alone allows.
    pub allows_bps: Option<RateRange>,
    /// The rate to be expected once it is removed.
    pub after_fix_bps: Option<RateRange>,
    /// Evidence for it.
    pub supports: Vec<Argument>,
    /// Evidence against it.
    pub contradicts: Vec<Argument>,
    /// What to do.
    pub remedy: String,
    /// Whom to ask, with what to show them.
    pub ask_whom: String,
    /// Where outside evidence cannot separate this from another cause: which, and what would tell.
    pub cannot_tell_from: Option<String>,
}

/// Whether a fault's predicted rate agrees with the measured one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Explains {
    /// The prediction matches: this can be the main cause.
    Yes,
    /// It does not: this fault is real but something else limits.
    No,
    /// No rate was measured or none can be predicted.
    Unknown,
}

/// A predicted rate with its uncertainty, bit/s.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateRange {
    /// Lowest plausible.
    pub low: RateBps,
    /// Best estimate.
    pub best: RateBps,
    /// Highest plausible.
    pub high: RateBps,
}

impl RateRange {
    /// A range from `low` to `high` around a best estimate, all in bit/s.
    #[must_use]
    pub fn around(low: f64, best: f64, high: f64) -> Self {
        Self {
            low: RateBps(low.min(best)),
            best: RateBps(best),
            high: RateBps(high.max(best)),
        }
    }
}

/// One piece of the case for or against a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Argument {
    /// In words, with figures.
    pub text: String,
    /// Weight in log-odds (natural logarithm); positive supports.
    pub weight: f64,
    /// The observations it rests on.
    pub cites: Vec<ObservationId>,
}

/// An anomaly that is not the cause, and why not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RedHerring {
    /// A stable name: `silent-hop`, `rate-limited-hop`, `ignores-large-pings`.
    pub code: String,
    /// What was seen.
    pub seen: String,
    /// Why it is not the cause.
    pub why_not: String,
    /// Where.
    pub location: Location,
    /// The observations it rests on.
    pub cites: Vec<ObservationId>,
}

/// A fault that the evidence speaks against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Excluded {
    /// The fault's code.
    pub code: String,
    /// Why, with figures: "0 of 12,000 small packets lost".
    pub why: String,
    /// The observations it rests on.
    pub cites: Vec<ObservationId>,
}

/// Something the verdict could not see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotTested {
    /// What.
    pub what: String,
    /// Why not.
    pub why: String,
}

/// The next measurement worth its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NextAsk {
    /// In words, for a person: who would have to do what.
    pub text: String,
    /// As an ask, when slowpath can carry it out itself.
    pub ask: Option<Ask>,
}

/// `verdict.json`: the verdicts of all rounds of a case, oldest first; and what `--json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictFile {
    /// Version of this format, [`crate::VERDICT_SCHEMA_VERSION`].
    pub schema: u32,
    /// Version of the rules that judged.
    pub rules: String,
    /// One per round.
    pub rounds: Vec<Verdict>,
}
