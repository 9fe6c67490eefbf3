//! A verdict beside the truth.

use evidence::{Direction, Finding, Verdict, VerdictState};
use scenario::{FaultFamily, PathDirection, RedHerringKind, Run, Scenario, TrueFault, Truth};
use serde::Serialize;

mod fit;
mod place;

use fit::Fit;
use place::Map;

/// A second finding below this probability is a remark, not a claim.
const CLAIMED: f64 = 0.5;
/// A claim from this probability on is one that people act upon.
const CONFIDENT: f64 = 0.8;
/// The code of "nothing is wrong".
const HEALTHY: &str = "OK-001";

/// What a verdict is worth to somebody who does not know the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// Cause, place and direction are right, and nothing else is claimed.
    Exact,
    /// Right, with a family for the fault or a stretch for the place.
    Wider,
    /// Nothing is claimed, and the verdict says that the evidence does not suffice.
    Silent,
    /// Something wrong is claimed, at less than 80 %.
    Wrong,
    /// Something wrong is claimed at 80 % or more.
    ConfidentlyWrong,
}

impl Outcome {
    pub(super) const ALL: [Self; 5] = [
        Self::Exact,
        Self::Wider,
        Self::Silent,
        Self::Wrong,
        Self::ConfidentlyWrong,
    ];

    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Wider => "right but wider",
            Self::Silent => "silent",
            Self::Wrong => "wrong",
            Self::ConfidentlyWrong => "confidently wrong",
        }
    }

    fn wrong_at(confidence: f64) -> Self {
        if confidence >= CONFIDENT {
            Self::ConfidentlyWrong
        } else {
            Self::Wrong
        }
    }
}

/// How far a verdict agrees with the truth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Grade {
    /// The code that is right.
    pub(super) expected: String,
    /// The code that the verdict names first, or its state where it names none.
    pub(super) found: String,
    /// What the verdict is worth.
    pub(super) outcome: Outcome,
    /// The named cause is the true one and nothing else is claimed.
    pub(super) cause_right: bool,
    /// The named place is the true one, or none was to be named.
    pub(super) location_right: bool,
    /// The direction is the true one, or none was to be named.
    pub(super) direction_right: bool,
    /// Of the scenario's anomalies, how many the verdict explains away.
    pub(super) red_herrings_named: usize,
    /// How many there are.
    pub(super) red_herrings: usize,
    /// What differs, in words.
    pub(super) differences: Vec<String>,
}

impl Grade {
    /// Whether the verdict is right.
    pub(super) fn agrees(&self) -> bool {
        self.differences.is_empty()
    }

    /// The grade of a diagnosis that gave no verdict.
    pub(super) fn without_verdict(truth: &Truth, why: String) -> Self {
        Self {
            expected: truth.fault.code.clone(),
            found: "no verdict".to_owned(),
            outcome: Outcome::Silent,
            cause_right: false,
            location_right: false,
            direction_right: false,
            red_herrings_named: 0,
            red_herrings: truth.red_herrings.len(),
            differences: vec![why],
        }
    }
}

/// Compares.
pub(super) fn grade(scenario: &Scenario, run: &Run, truth: &Truth, verdict: &Verdict) -> Grade {
    let map = Map::of(scenario, run);
    let claimed: Vec<&Finding> = claims(verdict);
    let main = claimed.first().copied();
    let mut differences = Vec::new();
    let cause_right = cause(truth, verdict, &claimed, &mut differences);
    // Which of several true faults comes first is not for us to say.
    let fault = main.map_or(&truth.fault, |f| best_fault(&map, truth, f));
    let fits = main.map(|finding| (finding, Fits::of(&map, fault, finding)));
    let is_exact = |pick: fn(&Fits) -> Fit| fits.as_ref().is_some_and(|(_, f)| pick(f) == Fit::Exact);
    let location_right = fault.location.is_none() || is_exact(|f| f.place);
    let direction_right = fault.direction.is_none() || is_exact(|f| f.direction);
    if let Some((finding, fits)) = &fits {
        differences.extend(fits.differences(fault, finding));
    }
    let named = truth.red_herrings.iter().filter(|expected| {
        verdict.red_herrings.iter().any(|seen| {
            seen.code == red_herring_code(expected.kind) && map.concerns(&seen.location, expected.node)
        })
    });
    Grade {
        expected: truth.fault.code.clone(),
        found: main.map_or_else(|| format!("{:?}", verdict.state), |f| f.code.clone()),
        outcome: outcome(&map, truth, verdict, &claimed),
        cause_right,
        location_right,
        direction_right,
        red_herrings_named: named.count(),
        red_herrings: truth.red_herrings.len(),
        differences,
    }
}

fn claims(verdict: &Verdict) -> Vec<&Finding> {
    let findings = verdict.findings.iter().enumerate();
    let claimed = findings.filter(|(place, f)| f.code != HEALTHY && (*place == 0 || f.confidence >= CLAIMED));
    claimed.map(|(_, f)| f).collect()
}

fn faults(truth: &Truth) -> impl Iterator<Item = &TrueFault> {
    std::iter::once(&truth.fault).chain(&truth.further)
}

/// How far a finding is one true fault, aspect by aspect.
struct Fits {
    code: Fit,
    place: Fit,
    direction: Fit,
    threshold: Fit,
}

impl Fits {
    fn of(map: &Map<'_>, fault: &TrueFault, finding: &Finding) -> Self {
        Self {
            code: code_fit(fault, &finding.code),
            place: fault.location.map_or(Fit::Exact, |place| map.fit(place, finding)),
            direction: fault
                .direction
                .map_or(Fit::Exact, |d| direction_fit(d, finding.direction)),
            threshold: match fault.threshold_bytes {
                Some(bytes) if !mentions(&finding.claim, bytes) => Fit::Wider,
                _ => Fit::Exact,
            },
        }
    }

    /// A finding is as right as the worst of what it says.
    fn all(&self) -> Fit {
        self.code.min(self.place).min(self.direction).min(self.threshold)
    }

    /// Of two faults the one whose code is right comes first, whatever place was named.
    fn rank(&self) -> (Fit, Fit) {
        (self.code, self.all())
    }

    fn differences(&self, fault: &TrueFault, finding: &Finding) -> Vec<String> {
        let mut differences = Vec::new();
        if self.place != Fit::Exact {
            differences.push(format!("the place is not {}", finding.location));
        }
        if self.direction != Fit::Exact {
            differences.push(format!("the direction is not {:?}", finding.direction));
        }
        if let (Some(bytes), Fit::Wider) = (fault.threshold_bytes, self.threshold) {
            differences.push(format!("the claim does not name the threshold of {bytes} bytes"));
        }
        differences
    }
}

fn best_fault<'a>(map: &Map<'_>, truth: &'a Truth, finding: &Finding) -> &'a TrueFault {
    let mut best = &truth.fault;
    for fault in &truth.further {
        if Fits::of(map, fault, finding).rank() > Fits::of(map, best, finding).rank() {
            best = fault;
        }
    }
    best
}

/// A family's name alone (`LOSS`) is a wider answer for each of its faults; another fault of the family is one where
/// the scenario says so.
fn code_fit(fault: &TrueFault, code: &str) -> Fit {
    if is_code_of(fault, code) {
        return Fit::Exact;
    }
    let family = FaultFamily::of_code(code);
    let names_family = !code.contains('-') && family == FaultFamily::of_code(&fault.code);
    if family.is_some() && (names_family || family == fault.family) {
        return Fit::Wider;
    }
    Fit::Not
}

fn is_code_of(fault: &TrueFault, code: &str) -> bool {
    fault.code == code || fault.also_accept.iter().any(|c| c == code)
}

fn direction_fit(truth: PathDirection, found: Direction) -> Fit {
    match (truth, found) {
        (PathDirection::Forward, Direction::Forward) | (PathDirection::Reverse, Direction::Reverse) => {
            Fit::Exact
        }
        (_, Direction::Both | Direction::Either) => Fit::Wider,
        _ => Fit::Not,
    }
}

fn outcome(map: &Map<'_>, truth: &Truth, verdict: &Verdict, claimed: &[&Finding]) -> Outcome {
    let Some(main) = claimed.first() else {
        return without_claims(truth, verdict);
    };
    if verdict.state == VerdictState::Inconclusive && main.confidence < CLAIMED {
        return Outcome::Silent;
    }
    let fit = |finding: &Finding| {
        let fits = faults(truth).map(|fault| Fits::of(map, fault, finding).all());
        fits.max().unwrap_or(Fit::Not)
    };
    let wrong = claimed
        .iter()
        .filter(|f| fit(f) == Fit::Not)
        .map(|f| f.confidence);
    if let Some(confidence) = wrong.max_by(f64::total_cmp) {
        return Outcome::wrong_at(confidence);
    }
    if verdict.state == VerdictState::Slow && claimed.iter().all(|f| fit(f) == Fit::Exact) {
        return Outcome::Exact;
    }
    Outcome::Wider
}

/// "All is well" is a claim as well: it is right, or as wrong as it is sure.
fn without_claims(truth: &Truth, verdict: &Verdict) -> Outcome {
    if verdict.state != VerdictState::Ok {
        return Outcome::Silent;
    }
    if truth.fault.code == HEALTHY {
        return Outcome::Exact;
    }
    // A fault that measurements can miss altogether, as one of several equal routes.
    if truth.fault.also_accept.iter().any(|code| code == HEALTHY) {
        return Outcome::Wider;
    }
    let healthy = verdict.findings.iter().find(|f| f.code == HEALTHY);
    Outcome::wrong_at(healthy.map_or(CONFIDENT, |f| f.confidence))
}

fn cause(truth: &Truth, verdict: &Verdict, claimed: &[&Finding], differences: &mut Vec<String>) -> bool {
    let before = differences.len();
    let right = |f: &&&Finding| faults(truth).any(|fault| is_code_of(fault, &f.code));
    if truth.fault.code == HEALTHY {
        if verdict.state != VerdictState::Ok {
            differences.push(format!(
                "the path is healthy, and the verdict's state is {:?}",
                verdict.state
            ));
        }
        differences.extend(
            claimed
                .iter()
                .map(|f| format!("{} is claimed: {}", f.code, f.claim)),
        );
    } else {
        if verdict.state != VerdictState::Slow {
            differences.push(format!(
                "there is a fault, and the verdict's state is {:?}",
                verdict.state
            ));
        }
        if claimed.first().filter(right).is_none() {
            let found = claimed.first().map_or("nothing", |f| f.code.as_str());
            differences.push(format!("the main cause is {}, not {found}", truth.fault.code));
        }
        let others = claimed.iter().skip(1).filter(|f| !right(f));
        differences.extend(others.map(|f| format!("{} is claimed too: {}", f.code, f.claim)));
    }
    differences.len() == before
}

/// Whether the text has the number as a word of its own; people write 9000 as 9,000 too.
fn mentions(text: &str, number: u32) -> bool {
    let plain = text.replace([',', '_'], "");
    plain
        .split(|c: char| !c.is_ascii_digit())
        .any(|word| word == number.to_string())
}

/// The stable names that verdicts use (`evidence::RedHerring::code`).
fn red_herring_code(kind: RedHerringKind) -> &'static str {
    match kind {
        RedHerringKind::Mute => "silent-hop",
        RedHerringKind::RateLimited => "rate-limited-hop",
        RedHerringKind::IgnoresLargeEcho => "ignores-large-pings",
    }
}

#[cfg(test)]
#[path = "grade_tests.rs"]
mod tests;
