//! From the model's answers, and what figures tell, to a verdict: which findings stand, which of them is the main
//! cause, what was excluded, what was not tested, and the answer in one word.

mod absent;
mod episodes;
mod mesh;
mod reasoned;
mod summary;
mod weighed;

use self::reasoned::Reasoned;
use self::weighed::{SHOWN, group_confidence};

use crate::RULES_VERSION;
use crate::facts::Facts;
use crate::faults::{Told, fast_enough, told, told_beside};
use crate::red_herrings;
use evidence::{
    Case, Direction, Excluded, Explains, Finding, NextAsk, RateBps, VERDICT_SCHEMA_VERSION, Verdict,
    VerdictFile, VerdictState,
};

/// With at least this probability a cause is called found.
const FOUND: f64 = 0.8;

/// The verdicts of all rounds, oldest first.
#[must_use]
pub fn judge(case: &Case) -> VerdictFile {
    VerdictFile {
        schema: VERDICT_SCHEMA_VERSION,
        rules: RULES_VERSION.to_owned(),
        rounds: case
            .rounds()
            .into_iter()
            .map(|round| judge_round(case, round))
            .collect(),
    }
}

/// The verdict of one round of measurements.
#[must_use]
pub fn judge_round(case: &Case, round: u32) -> Verdict {
    if case.complaint.is_of_all() {
        return mesh::judge_round(case, round);
    }
    judge_pair(case, round)
}

/// The verdict of a round about the two hosts of the complaint.
fn judge_pair(case: &Case, round: u32) -> Verdict {
    let mut reasoned = Reasoned::of(case, round);
    let facts = Facts::derive(case, round, reasoned.as_ref().map(|reasoned| &reasoned.gathered));
    let (told, mut excluded) = convincing(told(&facts));
    let mut missing = Vec::new();
    let (mut findings, ruled_out) = weighed::weigh(case, reasoned.as_mut(), told);
    for beside in told_beside(&facts, &findings) {
        match beside {
            Told::Limit(finding) if finding.confidence >= SHOWN => findings.push(*finding),
            Told::Limit(_) => {}
            Told::Excluded(none) => excluded.push(none),
            Told::Missing(code, what) => missing.push((code, what)),
        }
    }
    findings.sort_by(main_cause_first);
    for finding in &mut findings {
        finding.confidence = finding.confidence.min(weighed::NEVER_SURER);
    }
    excluded.extend(ruled_out);
    let slowest = reasoned.as_ref().and_then(Reasoned::slowest);
    let measured_bps = facts.measured_rate().or(slowest.as_ref().map(|(rate, _)| *rate));
    let complained = facts.records.complained(&facts.complaint);
    let cites = complained.map(|(record, _)| vec![record.id.clone()]);
    let cites = cites.or(slowest.map(|(_, cites)| cites)).unwrap_or_default();
    let asked = facts.expected().is_some() || facts.rate_before.is_some();
    let faster = |rate| reasoned.as_ref().is_none_or(|reasoned| reasoned.saw_faster(rate));
    let most = !asked && measured_bps.is_some_and(|rate| !faster(rate));
    if most {
        weighed::no_more_than_limits(&mut findings);
    }
    let limit = findings
        .iter()
        .find(|finding| reasoned::is_limit(finding))
        .cloned();
    let limit = match (limit, measured_bps, reasoned.as_mut()) {
        (None, Some(rate), Some(reasoned)) if most && findings.is_empty() => reasoned.limit(case, rate),
        (limit, ..) => limit.filter(|_| asked || most),
    };
    let ok = measured_bps
        .filter(|_| !episodes::lost_its_far_end(&facts))
        .and_then(|rate| fast_enough(&facts, rate, &cites, limit.as_ref()));
    let state = state(&facts, &findings, ok.is_some());
    if state == VerdictState::Ok {
        excluded.extend(take_limits(&mut findings));
        findings.retain(weighed::is_felt);
        findings.splice(0..0, ok);
    }
    let candidates = reasoned.as_mut().map_or_else(Vec::new, Reasoned::candidates);
    let open = matches!(state, VerdictState::Inconclusive | VerdictState::NotMeasured);
    let next = open.then(|| absent::next(case, round, &facts)).flatten();
    let mut red_herrings = red_herrings::find(
        &facts,
        reasoned.as_ref().map(|reasoned| &reasoned.gathered),
        &findings,
    );
    let equal_routes = reasoned.as_mut().map_or(1, Reasoned::equal_routes);
    let mut also = episodes::Told::of(&facts).place(state, &mut findings, &mut red_herrings);
    also.insert(
        0,
        summary::sentence(&facts, state, &findings, measured_bps, &candidates),
    );
    Verdict {
        round,
        state,
        summary: also.join("; "),
        measured_bps,
        expected_bps: expected(&facts, state, &findings),
        red_herrings,
        findings,
        excluded,
        not_tested: absent::not_tested(&facts, equal_routes, &missing),
        next: next.map(|(text, ask)| NextAsk { text, ask }),
    }
}

/// What figures tell, as far as it convinces. The rest goes: to the excluded ones where something speaks against it.
fn convincing(told: Vec<Finding>) -> (Vec<Finding>, Vec<Excluded>) {
    let (kept, thoughts): (Vec<Finding>, Vec<Finding>) =
        told.into_iter().partition(|finding| finding.confidence >= SHOWN);
    let excluded = thoughts.into_iter().filter_map(|thought| {
        let against = thought.contradicts.into_iter();
        let most = against.min_by(|a, b| a.weight.total_cmp(&b.weight))?;
        Some(Excluded {
            code: thought.code,
            why: most.text,
            cites: most.cites,
        })
    });
    (kept, excluded.collect())
}

/// A fault whose prediction does not match the measured rate cannot be the main cause, however sure it is.
fn main_cause_first(a: &Finding, b: &Finding) -> std::cmp::Ordering {
    let rank = |explains: Explains| match explains {
        Explains::Yes => 0,
        Explains::Unknown => 1,
        Explains::No => 2,
    };
    rank(a.explains)
        .cmp(&rank(b.explains))
        .then(b.confidence.total_cmp(&a.confidence))
        .then_with(|| a.code.cmp(&b.code))
        .then_with(|| a.location.cmp(&b.location))
}

/// What limits a transfer that is fast enough, or may, is no fault. What does not limit it, but is wrong with the path, stays.
fn take_limits(findings: &mut Vec<Finding>) -> Vec<Excluded> {
    let (limits, rest) = std::mem::take(findings)
        .into_iter()
        .partition(|f: &Finding| f.explains != Explains::No);
    *findings = rest;
    let excluded = |limit: Finding| Excluded {
        why: format!("{}, and that is as fast as expected", limit.claim),
        cites: crate::judgement::join_cites(limit.supports.iter().map(|argument| &argument.cites)),
        code: limit.code,
    };
    limits.into_iter().map(excluded).collect()
}

fn state(facts: &Facts, findings: &[Finding], ok: bool) -> VerdictState {
    let reached = facts.expected().is_some() && ok;
    // What does not explain the measured rate is worth telling, but is not why it is slow.
    // Nor is what happens to packets that go against the data, unless it stops the data as well.
    let cause = findings.iter().any(|finding| {
        finding.explains != Explains::No
            && (finding.direction != Direction::Reverse || finding.explains == Explains::Yes)
            && group_confidence(finding, findings) >= FOUND
    });
    let measured = !facts.records.is_empty();
    match (reached, cause, measured) {
        (true, _, _) => VerdictState::Ok,
        (false, true, _) => VerdictState::Slow,
        (false, false, _) if ok => VerdictState::Ok,
        (false, false, true) => VerdictState::Inconclusive,
        (false, false, false) => VerdictState::NotMeasured,
    }
}

/// What the user expects; without a word from them, what removing the cause would give.
fn expected(facts: &Facts, state: VerdictState, findings: &[Finding]) -> Option<RateBps> {
    let promised = || {
        findings
            .first()
            .filter(|_| state == VerdictState::Slow)?
            .after_fix_bps
            .map(|range| range.best)
    };
    facts.expected().or_else(promised)
}
