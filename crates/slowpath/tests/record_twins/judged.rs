//! A verdict beside the truth, and beside what can be seen of it.

use crate::map::Map;
use crate::sight::Reach;
use evidence::{Direction, Finding, Verdict, VerdictState};
use scenario::{FaultFamily, PathDirection, TrueFault, Truth};
use std::cmp::Ordering;
use std::fmt;

/// A family whose findings have less than this together is a remark, not a claim.
const CLAIMED: f64 = 0.5;
/// Of a family that is claimed, a finding with less is a remark.
const REMARK: f64 = 0.2;
/// The code of "nothing is wrong".
const HEALTHY: &str = "OK-001";

/// How a verdict stands to the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// All that can be seen, and nothing else; of a healthy path, that it is healthy.
    Right,
    /// The family is right and the place contains the true one, but it could be told more closely.
    Wider,
    /// Nothing is claimed, though there is something to be seen; of a healthy path, nothing is said.
    Silent,
    /// The truth, but more of it than these records show.
    Overclaimed,
    /// Another fault, another place, or no fault where one is to be seen.
    Wrong,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "right",
            Self::Wider => "wider",
            Self::Silent => "silent",
            Self::Overclaimed => "OVERCLAIMED",
            Self::Wrong => "WRONG",
        })
    }
}

/// What a verdict said, and how that stands to the truth.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    pub(crate) outcome: Outcome,
    /// Its state, and each finding with its place.
    pub(crate) said: Vec<String>,
    /// What the import did not understand.
    pub(crate) not_read: Vec<String>,
}

pub(crate) fn assess(
    truth: &Truth,
    reach: Reach,
    map: &Map<'_>,
    verdict: &Verdict,
    not_read: Vec<String>,
) -> Judged {
    let claims = claims(verdict);
    let mut said = vec![format!("{:?}", verdict.state).to_lowercase()];
    said.extend(verdict.findings.iter().map(|finding| {
        let percent = finding.confidence * 100.0;
        format!("{percent:.0} % {} {}", finding.code, finding.location)
    }));
    Judged {
        outcome: outcome(truth, reach, map, verdict.state, &claims),
        said,
        not_read,
    }
}

/// The findings of each family that is claimed: which of two siblings it is may stay open.
fn claims(verdict: &Verdict) -> Vec<&Finding> {
    let family = |finding: &Finding| FaultFamily::of_code(&finding.code);
    let together = |of: &Finding| -> f64 {
        let its = verdict
            .findings
            .iter()
            .filter(|finding| family(finding) == family(of));
        its.map(|finding| finding.confidence).sum()
    };
    let claimed = |finding: &&Finding| {
        finding.code != HEALTHY && finding.confidence >= REMARK && together(finding) >= CLAIMED
    };
    verdict.findings.iter().filter(claimed).collect()
}

fn outcome(truth: &Truth, reach: Reach, map: &Map<'_>, state: VerdictState, claims: &[&Finding]) -> Outcome {
    let healthy = truth.fault.code == HEALTHY;
    let Some(main) = claims.first() else {
        return match (reach, state) {
            (Reach::Nothing, _) if !healthy => Outcome::Right,
            (_, VerdictState::Ok) if healthy => Outcome::Right,
            // Over a fault that these records show, it denies it.
            (_, VerdictState::Ok) => Outcome::Wrong,
            _ => Outcome::Silent,
        };
    };
    if healthy || !claims.iter().all(|claim| true_fault(truth, claim).is_some()) {
        return Outcome::Wrong;
    }
    let width = true_fault(truth, main).and_then(|fault| map.width(fault.location, &main.location));
    match (reach, width) {
        (_, None) => Outcome::Wrong,
        (Reach::Nothing, Some(_)) => Outcome::Overclaimed,
        (Reach::Links(seen), Some(width)) => match width.cmp(&seen) {
            Ordering::Less => Outcome::Overclaimed,
            Ordering::Equal => Outcome::Right,
            Ordering::Greater => Outcome::Wider,
        },
        (Reach::Path, Some(width)) if width < map.links() => Outcome::Overclaimed,
        (Reach::Path, Some(_)) => Outcome::Right,
    }
}

/// Which of the true faults a claim speaks of: one of its family that harms in its direction.
fn true_fault<'a>(truth: &'a Truth, claim: &Finding) -> Option<&'a TrueFault> {
    let mut faults = std::iter::once(&truth.fault).chain(&truth.further);
    faults.find(|fault| is_of_the_family(fault, claim) && is_of_the_direction(fault, claim))
}

fn is_of_the_family(fault: &TrueFault, claim: &Finding) -> bool {
    let codes = std::iter::once(&fault.code).chain(&fault.also_accept);
    let mut families = codes
        .filter_map(|code| FaultFamily::of_code(code))
        .chain(fault.family);
    families.any(|family| Some(family) == FaultFamily::of_code(&claim.code))
}

fn is_of_the_direction(fault: &TrueFault, claim: &Finding) -> bool {
    match fault.direction {
        Some(PathDirection::Forward) => claim.direction != Direction::Reverse,
        Some(PathDirection::Reverse) => claim.direction != Direction::Forward,
        None => true,
    }
}
