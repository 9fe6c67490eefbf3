//! A verdict beside the truth of its world.

use crate::kind::{Family, Kind};
use crate::map::{RECEIVER, SENDER};
use crate::place::{Fit, fit};
use crate::world::{Place, World};
use evidence::{Direction, Explains, Finding, Verdict, VerdictState};
use serde::Serialize;

/// From here on a finding is an accusation.
const ACCUSES: f64 = 0.8;

/// How a named cause lies to the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The mechanism is named, and it is the one.
    Exact,
    /// The family is named, no mechanism, and it is the one.
    Family,
    /// A mechanism is named that is a sibling of the true one.
    Sibling,
    /// Something else is named.
    Wrong,
}

impl Cause {
    /// Whether what is said is so.
    #[must_use]
    pub fn is_right(self) -> bool {
        matches!(self, Self::Exact | Self::Family)
    }
}

/// What a verdict says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Said {
    /// The code.
    pub code: String,
    /// Its family.
    pub family: Family,
    /// How sure.
    pub confidence: f64,
    /// How it lies to the truth.
    pub cause: Cause,
    /// How its place does.
    pub place: Fit,
}

impl Said {
    /// Whether cause and place hold.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.cause.is_right() && self.place != Fit::Wrong
    }
}

/// A graded verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grade {
    /// What is wrong with the world.
    pub kind: Kind,
    /// The verdict's word.
    pub state: VerdictState,
    /// What it says; `None`: nothing.
    pub said: Option<Said>,
    /// Nothing is wrong, and something was accused.
    pub healthy_accused: bool,
    /// What is wrong has no name, and it was given that of something else.
    pub unknown_accused: bool,
}

/// Grades a verdict.
#[must_use]
pub fn grade(world: &World, verdict: &Verdict) -> Grade {
    let accusations = || verdict.findings.iter().filter(|f| accuses(f, verdict));
    Grade {
        kind: world.kind,
        state: verdict.state,
        said: said(world, verdict),
        healthy_accused: world.kind.is_healthy()
            && accusations().any(|f| !is_the_limit(world, f) && lost_on_the_way_back(world, f).is_none()),
        unknown_accused: world.kind.is_unknown() && accusations().any(|f| names_a_mechanism(&f.code)),
    }
}

/// A code with a number names a mechanism, one without a family.
fn names_a_mechanism(code: &str) -> bool {
    code.ends_with(|last: char| last.is_ascii_digit())
}

fn accuses(finding: &Finding, verdict: &Verdict) -> bool {
    let names_a_fault = !matches!(Family::of_code(&finding.code), Family::Ok | Family::Unknown);
    names_a_fault && finding.explains != Explains::No && confidence(finding, verdict) >= ACCUSES
}

/// Findings that cannot be told apart at one place are one statement, as sure as their sum.
fn confidence(finding: &Finding, verdict: &Verdict) -> f64 {
    group(finding, verdict).map(|other| other.confidence).sum()
}

fn group<'a>(finding: &'a Finding, verdict: &'a Verdict) -> impl Iterator<Item = &'a Finding> {
    let same = move |other: &&Finding| {
        std::ptr::eq(*other, finding)
            || finding.cannot_tell_from.is_some()
                && other.cannot_tell_from.is_some()
                && other.location == finding.location
                && Family::of_code(&other.code) == Family::of_code(&finding.code)
    };
    verdict.findings.iter().filter(same)
}

/// Where nobody expects more, it is no accusation to say which link is the slowest.
fn is_the_limit(world: &World, finding: &Finding) -> bool {
    let way = world.network.way(SENDER, RECEIVER);
    let left = |link: &usize| {
        let link = &world.network.links[*link];
        link.capacity_bps * (1.0 - link.busy)
    };
    let tightest = way.iter().copied().min_by(|a, b| left(a).total_cmp(&left(b)));
    let place = Place::Links {
        links: tightest.into_iter().collect(),
    };
    world.expected_bps.is_none()
        && Family::of_code(&finding.code) == Family::Capacity
        && fit(world, &finding.location, &place) != Fit::Wrong
}

/// Where packets are lost on the way back of a healthy path, it is no accusation to say that, as long as it is not said of the
/// way there.
fn lost_on_the_way_back(world: &World, finding: &Finding) -> Option<Fit> {
    let back = world.network.way(RECEIVER, SENDER).into_iter();
    let links: Vec<usize> = back
        .filter(|link| world.network.links[*link].loss > 0.0)
        .collect();
    let told = world.kind.is_healthy()
        && !links.is_empty()
        && Family::of_code(&finding.code) == Family::Loss
        && finding.direction != Direction::Forward;
    let fits = fit(world, &finding.location, &Place::Links { links });
    (told && fits != Fit::Wrong).then_some(fits)
}

fn said(world: &World, verdict: &Verdict) -> Option<Said> {
    if verdict.state == VerdictState::Ok {
        return Some(said_ok(world, verdict));
    }
    let first = verdict
        .findings
        .iter()
        .find(|finding| finding.explains != Explains::No)?;
    if Family::of_code(&first.code) == Family::Ok {
        return Some(said_ok(world, verdict));
    }
    let (cause, place) = group(first, verdict)
        .map(|finding| compared(world, finding))
        .min_by_key(|(cause, place)| (!cause.is_right(), *place == Fit::Wrong, *cause))?;
    Some(Said {
        code: first.code.clone(),
        family: Family::of_code(&first.code),
        confidence: confidence(first, verdict).min(1.0),
        cause,
        place,
    })
}

/// "OK" is right where nothing limits.
fn said_ok(world: &World, verdict: &Verdict) -> Said {
    let ok = verdict
        .findings
        .iter()
        .find(|f| Family::of_code(&f.code) == Family::Ok);
    let right = world.kind.is_healthy() || world.kind == Kind::Clock;
    Said {
        code: ok.map_or_else(|| "OK".to_owned(), |finding| finding.code.clone()),
        family: Family::Ok,
        confidence: ok.map_or(1.0, |finding| finding.confidence),
        cause: if right { Cause::Exact } else { Cause::Wrong },
        place: Fit::Nowhere,
    }
}

fn compared(world: &World, finding: &Finding) -> (Cause, Fit) {
    let code = finding.code.as_str();
    if let Some((_, place)) = world.also.iter().find(|(other, _)| *other == code) {
        return (Cause::Exact, fit(world, &finding.location, place));
    }
    if let Some(place) = lost_on_the_way_back(world, finding) {
        return (Cause::Family, place);
    }
    let family = Family::of_code(code);
    let place = fit(world, &finding.location, &world.place);
    if world.kind.is_unknown() && family == Family::Unknown {
        return (Cause::Exact, place);
    }
    let cause = match (names_a_mechanism(code), world.kind.is_family(family)) {
        (true, _) if world.kind.is_code(code) => Cause::Exact,
        (true, true) if !world.kind.is_unknown() => Cause::Sibling,
        (false, true) => Cause::Family,
        _ => Cause::Wrong,
    };
    (cause, place)
}
