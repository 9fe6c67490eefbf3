//! What of a verdict must not change: its state, and each finding's code, place and confidence.

use crate::rename::Renaming;
use evidence::{Explains, Location, Verdict, VerdictState};
use grade::{Family, Kind};
use std::fmt;

/// What is said so surely is an accusation.
const ACCUSED: f64 = 0.8;
/// The code of "nothing is wrong".
const HEALTHY: &str = "OK-001";

/// A finding without its words.
#[derive(Debug, Clone)]
pub(crate) struct Cause {
    code: String,
    place: Location,
    confidence: f64,
    explains: Explains,
}

/// A verdict without its words.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    state: VerdictState,
    causes: Vec<Cause>,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at {:.3}", self.code, self.place, self.confidence)
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let causes: Vec<String> = self.causes.iter().map(ToString::to_string).collect();
        write!(f, "{:?} [{}]", self.state, causes.join("; "))
    }
}

impl Said {
    pub(crate) fn of(verdict: &Verdict) -> Self {
        let findings = verdict.findings.iter();
        let causes = findings.map(|finding| Cause {
            code: finding.code.clone(),
            place: finding.location.clone(),
            confidence: finding.confidence,
            explains: finding.explains,
        });
        Self {
            state: verdict.state,
            causes: causes.collect(),
        }
    }

    /// The same under new names.
    pub(crate) fn renamed(&self, renaming: &Renaming) -> Self {
        let mut renamed = self.clone();
        for cause in &mut renamed.causes {
            cause.place = renaming.place(&cause.place);
        }
        renamed
    }

    /// What differs in any finding: its being there, its place, or its confidence by more than `tolerance`.
    pub(crate) fn differs(&self, after: &Self, tolerance: f64) -> Option<String> {
        let has = |all: &Self, one: &Cause| {
            let same = |other: &&Cause| other.code == one.code && other.place == one.place;
            let near = |other: &Cause| (other.confidence - one.confidence).abs() <= tolerance;
            all.causes.iter().filter(same).any(near)
        };
        let kept = self.causes.iter().all(|cause| has(after, cause));
        let new = after.causes.iter().any(|cause| !has(self, cause));
        let differs = self.state != after.state || !kept || new;
        differs.then(|| format!("{self}\n      became {after}"))
    }

    /// What differs in the main cause.
    pub(crate) fn main_differs(&self, after: &Self, tolerance: f64) -> Option<String> {
        let main = |said: &Self| Self {
            state: said.state,
            causes: said.causes.iter().take(1).cloned().collect(),
        };
        main(self).differs(&main(after), tolerance)
    }

    /// A cause of which the verdict afterwards is sure, of a family that it did not name before and that is not the true one.
    pub(crate) fn new_accusation(&self, after: &Self, truth: Option<Kind>) -> Option<String> {
        let accused = |cause: &&Cause| {
            cause.confidence >= ACCUSED && cause.explains != Explains::No && cause.code != HEALTHY
        };
        let family = |cause: &Cause| Family::of_code(&cause.code);
        let unnamed = |cause: &&Cause| self.causes.iter().all(|old| family(old) != family(cause));
        let untrue = |cause: &&Cause| !truth.is_some_and(|kind| kind.is_family(family(cause)));
        let new = after.causes.iter().filter(accused).filter(unnamed).find(untrue)?;
        Some(format!("{self}\n      became {new}"))
    }
}
