//! How the inference's answers and what people's figures tell become one list.
//!
//! What is told keeps its words unless the model, which is sure of another family, refutes it; of what nobody tells, the model
//! answers.

use super::reasoned::{Reasoned, is_limit};
use crate::engine::{ENOUGH, answers, excluded, finding, mass_of};
use crate::faults::{detour, explain};
use evidence::{Case, Excluded, Explains, Finding};
use model::{Family, Kind};

/// A finding at least this probable is shown; with less, it is a thought.
pub(super) const SHOWN: f64 = 0.5;
/// What is told of a family that the model gives less than this, while it gives others enough, is refuted.
const REFUTED: f64 = 0.1;
/// No finding is surer: kinds of faults that nobody thought of are in nobody's sums.
pub(super) const NEVER_SURER: f64 = 0.95;

/// Something limits every transfer: where nobody told what is expected, and nothing faster was seen, that is no fault yet.
const MERE_LIMIT: f64 = 0.75;

/// A survey of sizes does not tell whether a router announces the limit: where a transfer is fast, it does.
pub(super) fn is_felt(finding: &Finding) -> bool {
    family_of_code(&finding.code) != Some(Family::Mtu) || finding.explains != Explains::No
}

/// Caps the certainty of limits that nobody complained about.
pub(super) fn no_more_than_limits(findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| is_limit(finding)) {
        finding.confidence = finding.confidence.min(MERE_LIMIT);
    }
}

/// Puts what is told before the model: the findings of both, and what is excluded by the measurements together.
pub(super) fn weigh(
    case: &Case,
    reasoned: Option<&mut Reasoned>,
    told: Vec<Finding>,
) -> (Vec<Finding>, Vec<Excluded>) {
    let Some(Reasoned { gathered, posterior }) = reasoned else {
        return (told, Vec::new());
    };
    let answers = answers(gathered, posterior);
    let sure = |family: Option<Family>| {
        let mut sure = answers.iter().filter(|answer| answer.probability >= ENOUGH);
        sure.any(|answer| family.is_none_or(|family| answer.family() == family))
    };
    let refuted = |finding: &Finding| {
        family_of_code(&finding.code).is_some_and(|its| {
            let elsewhere = sure(None) && !sure(Some(its));
            finding.explains != Explains::No && elsewhere && mass_of(posterior, its, |_| true) < REFUTED
        })
    };
    let (refuted, mut findings): (Vec<Finding>, Vec<Finding>) = told.into_iter().partition(refuted);
    let said: Vec<Family> = findings
        .iter()
        .filter_map(|finding| family_of_code(&finding.code))
        .collect();
    let mut ruled_out = excluded(gathered, posterior);
    for finding in refuted {
        ruled_out.retain(|other| other.code != finding.code);
        ruled_out.push(Excluded {
            code: finding.code,
            why: "the measurements taken together are far likelier with another cause".to_owned(),
            cites: Vec::new(),
        });
    }
    let new = answers.iter().filter(|answer| !said.contains(&answer.family()));
    let more: Vec<Finding> = new
        .map(|answer| finding(case, gathered, posterior, answer))
        .filter(shown)
        .collect();
    // Where the routes part is told while it is likely only: what part of the path to look at is a question of its own.
    let least = |finding: &Finding| {
        if finding.code == detour::FAULT.code {
            SHOWN
        } else {
            ENOUGH
        }
    };
    let told = more
        .iter()
        .filter(|finding| group_confidence(finding, &more) >= least(finding));
    findings.extend(told.cloned());
    ruled_out.retain(|other| family_of_code(&other.code).is_none_or(|family| !said.contains(&family)));
    (findings, ruled_out)
}

/// What limits a single connection shows; several hide it. Where no rate is known, packets that vanish speak for themselves.
fn shown(finding: &Finding) -> bool {
    let vanish = matches!(family_of_code(&finding.code), Some(Family::Loss | Family::Mtu));
    finding.explains != Explains::Unknown || (vanish && finding.allows_bps.is_none())
}

/// Findings at one place that outside evidence cannot tell apart share their probability: that one of them is true is
/// as sure as their sum.
pub(super) fn group_confidence(finding: &Finding, all: &[Finding]) -> f64 {
    if finding.cannot_tell_from.is_none() {
        return finding.confidence;
    }
    let same = |other: &&Finding| other.cannot_tell_from.is_some() && other.location == finding.location;
    all.iter().filter(same).map(|other| other.confidence).sum()
}

/// The family of a code's fault, where the model knows it.
fn family_of_code(code: &str) -> Option<Family> {
    if let Some(parameter) = explain(code)?.parameters.first() {
        return Some(Kind::family(parameter.kind));
    }
    // A queue that overflows is a limit of what passes, although it shows as loss.
    let prefixes = [
        ("LOSS-004", Family::Capacity),
        ("LOSS", Family::Loss),
        ("CAP", Family::Capacity),
        ("MTU", Family::Mtu),
        ("HOST", Family::Host),
    ];
    let its = |(prefix, family): (&str, Family)| code.starts_with(prefix).then_some(family);
    prefixes.into_iter().find_map(its)
}
