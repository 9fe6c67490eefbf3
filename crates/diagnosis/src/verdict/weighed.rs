//! What the inference makes of a round, and how it and the rules become one list of findings.
//!
//! The rules see patterns over time, chains of counters and statements that the model does not know yet; the model sees
//! all measurements together. So: what the model answers stands; a rule keeps its words where the model names the same
//! family at a place that fits; a rule that the model refutes goes; and where the rules are silent, the model speaks.

use crate::adapters::gather;
use crate::engine::{Answer, ENOUGH, Posterior, answers, finding, infer, mass_at, mass_of};
use evidence::{Case, Explains, Finding, Location, Observation};
use model::Family;

/// A rule whose family the model gives less than this, while it gives others enough, is refuted.
const REFUTED: f64 = 0.1;
/// No finding is surer: kinds of faults that nobody thought of are in nobody's sums.
pub(super) const NEVER_SURER: f64 = 0.95;

/// A rule's place that the model gives less than this is not where it is, or not known so exactly.
const UNLIKELY_PLACE: f64 = 0.4;

/// What no rule knows of, the model doubts threefold: its odds hold among the kinds of faults that it knows.
const DOUBT: f64 = 3.0;

/// The findings of the model and of the rules as one list, with what became of those that go.
pub(super) struct Weighed {
    pub(super) findings: Vec<Finding>,
    /// (code, why) of rules' findings that the evidence as a whole speaks against.
    pub(super) refuted: Vec<(String, String)>,
}

/// Puts the rules' findings before the model.
pub(super) fn weigh(case: &Case, round: u32, rules: Vec<Finding>) -> Weighed {
    let observations: Vec<&Observation> = case.round(round).collect();
    let Some(mut gathered) = gather(&case.complaint, &observations) else {
        return Weighed {
            findings: rules,
            refuted: Vec::new(),
        };
    };
    let posterior = infer(&mut gathered);
    let held: Vec<Option<f64>> = rules
        .iter()
        .map(|rule| {
            mass_at(
                &mut gathered,
                &posterior,
                family_of_code(&rule.code)?,
                &rule.location,
            )
        })
        .collect();
    let answers = answers(&mut gathered, &posterior);
    let model: Vec<(Answer, Finding)> = answers
        .into_iter()
        .map(|answer| {
            let finding = finding(case, &mut gathered, &posterior, &answer);
            (answer, finding)
        })
        .collect();
    merge(rules.into_iter().zip(held).collect(), model, &posterior)
}

fn merge(
    rules: Vec<(Finding, Option<f64>)>,
    model: Vec<(Answer, Finding)>,
    posterior: &Posterior,
) -> Weighed {
    let sure: Vec<Family> = model
        .iter()
        .filter(|(answer, _)| answer.probability >= ENOUGH)
        .map(|(answer, _)| family(answer))
        // Sizes alone do not overrule what else was seen.
        .filter(|family| *family != Family::Mtu)
        .collect();
    let mut weighed = Weighed {
        findings: Vec::new(),
        refuted: Vec::new(),
    };
    let mut said: Vec<Family> = Vec::new();
    let codes: Vec<(String, f64)> = rules
        .iter()
        .map(|(rule, _)| (rule.code.clone(), rule.confidence))
        .collect();
    for (rule, there) in rules {
        let Some(its) = family_of_code(&rule.code) else {
            weighed.findings.push(rule);
            continue;
        };
        let held = mass_of(posterior, its);
        let elsewhere = !sure.is_empty() && !sure.contains(&its);
        if rule.explains != Explains::No && elsewhere && held < REFUTED {
            let why = "the measurements taken together are far likelier with another cause".to_owned();
            weighed.refuted.push((rule.code, why));
            continue;
        }
        let answered = model.iter().find(|(answer, _)| family(answer) == its);
        match answered {
            Some((answer, finding))
                if answer.probability >= ENOUGH
                    // Where a queue stands the rule sees sharper: it compares each hop with the one before it.
                    && its != Family::Capacity
                    && !fits(&rule.location, &finding.location)
                    && (there.is_none_or(|mass| mass < UNLIKELY_PLACE) || narrower(finding, &rule)) =>
            {
                // The same trouble at another place: the model's place stands, told in its own words. Which mechanism of
                // the family it is, the rule may know better.
                if its == Family::Mtu {
                    let share = (rule.confidence / of_rules(&codes, its)).min(1.0);
                    let confidence = finding.confidence * share;
                    let same = Finding {
                        code: rule.code,
                        confidence,
                        cannot_tell_from: rule.cannot_tell_from,
                        ..finding.clone()
                    };
                    weighed.findings.push(same);
                } else if !said.contains(&its) {
                    weighed.findings.push(finding.clone());
                }
            }
            _ => weighed.findings.push(rule),
        }
        said.push(its);
    }
    // That large packets vanish is said only with a rule: a node that refuses large pings looks much like it.
    let new = |answer: &Answer| family(answer) != Family::Mtu && !said.contains(&family(answer));
    let more = model
        .into_iter()
        .filter(|(answer, _)| new(answer))
        .map(|(_, finding)| Finding {
            confidence: 1.0 - DOUBT * (1.0 - finding.confidence),
            ..finding
        });
    let told = |finding: &Finding| finding.explains != Explains::No && finding.confidence >= ENOUGH;
    // What a single connection gets shows what limits; several hide it. Where no rate is known, loss speaks for itself.
    let shown = |finding: &Finding| {
        finding.explains == Explains::Yes
            || (finding.explains == Explains::Unknown && finding.allows_bps.is_none())
    };
    if !weighed.findings.iter().any(told) {
        // A second fault is told when the first is repaired: by then it is measured without it.
        let first = more.filter(|finding| told(finding) && shown(finding)).take(1);
        weighed.findings.extend(first);
    }
    weighed
}

/// The confidence of all rules of a family together.
fn of_rules(codes: &[(String, f64)], family: Family) -> f64 {
    codes
        .iter()
        .filter(|(code, _)| family_of_code(code) == Some(family))
        .map(|(_, confidence)| confidence)
        .sum()
}

/// A single link where the rule has a stretch.
fn narrower(model: &Finding, rule: &Finding) -> bool {
    let links = |location: &Location| match location {
        Location::Link { before, after } => after.ttl.saturating_sub(before.ttl),
        Location::Path => u8::MAX,
        _ => 1,
    };
    links(&model.location) < links(&rule.location)
}

fn family(answer: &Answer) -> Family {
    answer.likeliest.kind.family()
}

/// The family of a rule's fault, where the model knows it.
fn family_of_code(code: &str) -> Option<Family> {
    match code.split_once('-').map_or(code, |(family, _)| family) {
        // A queue that overflows is a limit of what passes, although it shows as loss.
        "LOSS" if matches!(code, "LOSS-004" | "LOSS-007") => Some(Family::Capacity),
        "LOSS" => Some(Family::Loss),
        "CAP" => Some(Family::Capacity),
        "MTU" if code != "MTU-003" => Some(Family::Mtu),
        "HOST" => Some(Family::Host),
        _ => None,
    }
}

/// Whether a rule's place is the model's, or in words that the model's map does not have.
fn fits(rule: &Location, model: &Location) -> bool {
    match (rule, model) {
        (Location::Link { before: a, after: b }, Location::Link { before: c, after: d }) => {
            a.address == c.address && b.address == d.address && (a.ttl, b.ttl) == (c.ttl, d.ttl)
        }
        (Location::Host { end: a }, Location::Host { end: b }) => a == b,
        (Location::Link { .. } | Location::Host { .. } | Location::Path, _) => false,
        _ => true,
    }
}
