//! One sentence a person can repeat on the telephone.

use crate::facts::Facts;
use crate::faults::OK;
use evidence::{Explains, Finding, Location, RateBps, VerdictState};
use model::Family;

const MORE_LIKELY_THAN_NOT: f64 = 0.5;

pub(super) fn sentence(
    facts: &Facts,
    state: VerdictState,
    findings: &[Finding],
    measured: Option<RateBps>,
    candidates: &[(Family, f64)],
) -> String {
    let rates = rates(facts, measured);
    let ok = findings.iter().find(|finding| finding.code == OK.code);
    match (state, findings.first()) {
        (VerdictState::Ok, _) => match ok {
            Some(ok) if facts.expected().is_none() => ::words::capital(&ok.claim),
            Some(ok) => format!("{rates}: {}", ok.claim),
            None => rates,
        },
        (VerdictState::Slow, Some(cause)) => {
            let place = match &cause.location {
                Location::Host { .. } => format!(" ({})", cause.location),
                _ => String::new(),
            };
            format!("{rates}: {}{place}{}", cause.claim, promise(cause))
        }
        (VerdictState::NotMeasured, _) => not_measured(facts),
        (_, Some(likely))
            if likely.explains == Explains::Yes && likely.confidence >= MORE_LIKELY_THAN_NOT =>
        {
            format!("{rates}: likely, but not sure: {}", likely.claim)
        }
        _ => format!("{rates}: {}", undecided(facts, candidates)),
    }
}

fn rates(facts: &Facts, measured: Option<RateBps>) -> String {
    let measured = measured.map_or_else(
        || "the rate was not measured".to_owned(),
        |rate| format!("{rate} measured"),
    );
    match facts.expected() {
        Some(expected) => format!("{measured}, {expected} expected"),
        None => measured,
    }
}

fn promise(cause: &Finding) -> String {
    cause.after_fix_bps.map_or_else(String::new, |range| {
        format!("; repaired it should be {}", range.best)
    })
}

/// What was seen, and the causes that fit: never that nothing is wrong.
fn undecided(facts: &Facts, candidates: &[(Family, f64)]) -> String {
    let complained = facts.records.complained(&facts.complaint);
    let stands = complained.is_some_and(|(record, _)| crate::records::stalled(&record.what) == Some(true));
    let seen = if stands { "the transfer stands still; " } else { "" };
    let possible: Vec<String> = candidates
        .iter()
        .map(|(family, probability)| format!("{} {:.0} %", words(*family), 100.0 * probability))
        .collect();
    if possible.is_empty() && super::episodes::lost_its_far_end(facts) {
        return "the transfer did not come to its end".to_owned();
    }
    if possible.is_empty() {
        return format!("{seen}the measurements at hand do not tell what limits it");
    }
    let how = if possible.len() == 1 {
        "most likely, but not sure"
    } else {
        "several causes fit"
    };
    format!("{seen}{how}: {}", possible.join(", "))
}

fn words(family: Family) -> &'static str {
    match family {
        Family::Loss => "packets lost on the path",
        Family::Capacity => "a narrow, busy or policed link",
        Family::Mtu => "large packets that vanish",
        Family::Host => "a limit of a host",
        Family::Application => "the program that sends",
        Family::Route => "packets that overtake each other",
        Family::Unknown => "something else",
    }
}

fn not_measured(facts: &Facts) -> String {
    facts.not_measured.first().map_or_else(
        || "Nothing was measured".into(),
        |refusal| format!("Nothing could be measured: {}", refusal.detail),
    )
}
