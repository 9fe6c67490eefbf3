//! What the inference makes of a round, and how it and the rules become one list of findings.
//!
//! The rules see patterns over time, chains of counters and statements that the model does not know yet; the model sees
//! all measurements together. So: what the model answers stands; a rule keeps its words where the model names the same
//! family at a place that fits; a rule that the model refutes goes; and where the rules are silent, the model speaks.

use super::group_confidence;
use super::reasoned::Reasoned;
use crate::adapters::Gathered;
use crate::engine::{Answer, ENOUGH, Posterior, answers, finding, mass_at, mass_of, open_siblings};
use crate::faults::{explain, of_family};
use evidence::{Case, Explains, Finding, Location, ObservationId, Transport};
use model::{Family, Fault, Kind, Loss, Measurement, Seen};
use std::collections::BTreeSet;

/// A rule whose family the model gives less than this, while it gives others enough, is refuted.
const REFUTED: f64 = 0.1;
/// No finding is surer: kinds of faults that nobody thought of are in nobody's sums.
pub(super) const NEVER_SURER: f64 = 0.95;

/// A mechanism is named where it is so many times as likely as its siblings together.
const SIBLING: f64 = 3.0;

/// What TCP's timeouts get through where no full segment passes, bit/s.
const STANDSTILL_BPS: f64 = 1e4;

/// A rule's place that the model gives less than this is not where it is, or not known so exactly.
const UNLIKELY_PLACE: f64 = 0.4;

/// Something limits every transfer: where nobody told what is expected, and nothing faster was seen, that is no fault yet.
const MERE_LIMIT: f64 = 0.75;

/// Caps the certainty of limits that nobody complained about.
pub(super) fn no_more_than_limits(findings: &mut [Finding]) {
    // A program that pauses, or a queue that is too short, is a fault whatever is expected.
    let limit = |code: &str| code.starts_with("HOST") || code.starts_with("CAP");
    for finding in findings.iter_mut().filter(|finding| limit(&finding.code)) {
        finding.confidence = finding.confidence.min(MERE_LIMIT);
    }
}

/// The findings of the model and of the rules as one list, with what became of those that go.
pub(super) struct Weighed {
    pub(super) findings: Vec<Finding>,
    /// (code, why) of rules' findings that the evidence as a whole speaks against.
    pub(super) refuted: Vec<(String, String)>,
}

/// Puts the rules' findings before the model.
pub(super) fn weigh(case: &Case, reasoned: Option<&mut Reasoned>, rules: Vec<Finding>) -> Weighed {
    let Some(Reasoned { gathered, posterior }) = reasoned else {
        return Weighed {
            findings: rules,
            refuted: Vec::new(),
        };
    };
    let held: Vec<Option<f64>> = rules
        .iter()
        .map(|rule| mass_at(gathered, posterior, family_of_code(&rule.code)?, &rule.location))
        .collect();
    let answers = answers(gathered, posterior);
    let model: Vec<(Answer, Finding)> = answers
        .into_iter()
        .map(|answer| {
            let finding = finding(case, gathered, posterior, &answer);
            (answer, finding)
        })
        .collect();
    let sight = Sight::of(gathered);
    merge(rules.into_iter().zip(held).collect(), model, posterior, &sight)
}

/// What the model has measurements of.
struct Sight {
    observations: BTreeSet<ObservationId>,
    /// A rate between the two ends: what limits it can be weighed.
    rate: bool,
    /// A TCP transfer between the two ends gets next to nothing through.
    standstill: bool,
}

impl Sight {
    fn of(gathered: &Gathered) -> Self {
        let complained = (gathered.from, gathered.to);
        let all = &gathered.measurements;
        let rates = || {
            let between = all.iter().filter(|m| (m.from, m.to) == complained);
            between.filter_map(|m| match &m.seen {
                Seen::Rate(rate) => Some(rate),
                _ => None,
            })
        };
        Self {
            observations: all.iter().flat_map(|m| m.cites.iter().cloned()).collect(),
            rate: rates().next().is_some(),
            standstill: rates().any(|rate| rate.transport == Transport::Tcp && rate.bps < STANDSTILL_BPS),
        }
    }

    /// Whether the model knows the rule's fault and has seen all that the rule rests on.
    fn holds(&self, rule: &Finding) -> bool {
        let known = kind_of_code(&rule.code).is_some();
        let mut cited = rule.supports.iter().flat_map(|argument| &argument.cites);
        known && self.rate && cited.all(|id| self.observations.contains(id))
    }
}

fn merge(
    rules: Vec<(Finding, Option<f64>)>,
    model: Vec<(Answer, Finding)>,
    posterior: &Posterior,
    sight: &Sight,
) -> Weighed {
    let sure: Vec<Family> = model
        .iter()
        .filter(|(answer, _)| answer.probability >= ENOUGH)
        .map(|(answer, _)| answer.family())
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
        // What large packets do, the model sees whole: a rule about them needs its word.
        let elsewhere = elsewhere || its == Family::Mtu;
        if rule.explains != Explains::No && elsewhere && held < REFUTED {
            let why = "the measurements taken together are far likelier with another cause".to_owned();
            weighed.refuted.push((rule.code, why));
            continue;
        }
        let answered = model
            .iter()
            .find(|(answer, _)| answer.family() == its && is_of(answer, &rule.code));
        match answered {
            Some((answer, finding))
                if answer.probability >= ENOUGH
                    // Where a queue stands the rule sees sharper: it compares each hop with the one before it.
                    && its != Family::Capacity
                    && finding.location != Location::Path
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
            _ => {
                let rule = if sight.holds(&rule) {
                    let confidence = both_say(rule.confidence, held);
                    Finding { confidence, ..rule }
                } else {
                    rule
                };
                weighed.findings.push(told_apart(rule, posterior));
            }
        }
        said.push(its);
    }
    // That large packets vanish is said without a rule only where a transfer stands still: a node that refuses large pings
    // looks much like it, and does no harm.
    let new = |answer: &Answer| !said.contains(&answer.family());
    let more = model
        .into_iter()
        .filter(|(answer, _)| new(answer))
        .map(|(_, finding)| finding);
    // What limits a single connection shows; several hide it. Where no rate is known, packets that vanish speak for themselves.
    let shown = |finding: &Finding| {
        let vanish = matches!(family_of_code(&finding.code), Some(Family::Loss | Family::Mtu));
        finding.explains != Explains::Unknown || (vanish && finding.allows_bps.is_none())
    };
    let more: Vec<Finding> = more.filter(shown).collect();
    let told: Vec<Finding> = more
        .iter()
        .filter(|finding| group_confidence(finding, &more) >= ENOUGH)
        .cloned()
        .collect();
    weighed.findings.extend(told);
    weighed
}

/// A rule weighs its own evidence, the model all of it: where the model gives a rule's family less, the two are worth the
/// mean of their log-odds. In graded worlds, rules that were sure alone were right in half of the cases.
fn both_say(rule: f64, model: f64) -> f64 {
    if model >= rule {
        return rule;
    }
    let log_odds = |p: f64| libm::log(p / (1.0 - p));
    let mean = 0.5 * (log_odds(rule.clamp(0.01, 0.99)) + log_odds(model.clamp(0.01, 0.99)));
    1.0 / (1.0 + libm::exp(-mean))
}

/// The probability of the worlds with a fault of such a kind.
fn mass_where(posterior: &Posterior, is: &dyn Fn(Kind) -> bool) -> f64 {
    let holds = |(faults, _): &&(Vec<Fault>, f64)| faults.iter().any(|fault| is(fault.kind));
    posterior.worlds.iter().filter(holds).map(|(_, p)| p).sum()
}

/// A mechanism whose sibling the model finds about as likely is not claimed: the family is, at the rule's place.
fn told_apart(rule: Finding, posterior: &Posterior) -> Finding {
    let Some(kind) = kind_of_code(&rule.code) else {
        return rule;
    };
    let family = kind.family();
    let mass = |is: &dyn Fn(Kind) -> bool| mass_where(posterior, is);
    let siblings = mass(&|other| other != kind && other.family() == family);
    if family != Family::Capacity || mass(&|other| other == kind) > SIBLING * siblings {
        return rule;
    }
    Finding {
        code: of_family(family).code.to_owned(),
        cannot_tell_from: Some(open_siblings(family)),
        ..rule
    }
}

/// Lost fragments and swallowed sizes are one family and two answers.
fn is_of(answer: &Answer, code: &str) -> bool {
    let fragments = |kind| kind == Kind::Fragments;
    fragments(answer.likeliest.kind) == kind_of_code(code).is_some_and(fragments)
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

/// The parameter that a code's fault perturbs, where the model has one.
fn kind_of_code(code: &str) -> Option<Kind> {
    explain(code)?.parameter.map(|parameter| parameter.kind)
}

/// The family of a rule's fault, where the model knows it.
fn family_of_code(code: &str) -> Option<Family> {
    if let Some(kind) = kind_of_code(code) {
        return Some(kind.family());
    }
    match code.split_once('-').map_or(code, |(family, _)| family) {
        // A queue that overflows is a limit of what passes, although it shows as loss.
        "LOSS" if code == "LOSS-004" => Some(Family::Capacity),
        "LOSS" => Some(Family::Loss),
        "CAP" => Some(Family::Capacity),
        "MTU" => Some(Family::Mtu),
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
        (Location::Path, Location::Path) => true,
        (Location::Link { .. } | Location::Host { .. } | Location::Path, _) => false,
        _ => true,
    }
}
