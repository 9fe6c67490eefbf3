//! What was not seen: not tested is not fine, so every gap is named, with how to close it.

use crate::facts::Facts;
use crate::planner::{Means, plan};
use evidence::Case;
use evidence::migrate::back;
use evidence::v1::{Ask, End, NotMeasuredReason, NotTested};
use std::collections::BTreeMap;

const ENABLE_FAR_END: &str = "run `slowpath serve` at the other end and give its token to this one";

pub(super) fn not_tested(facts: &Facts, missing: &[(&'static str, String)]) -> Vec<NotTested> {
    let mut gaps = refused(facts);
    if !facts.has_transfers() {
        gaps.push(NotTested {
            what: "throughput, one-way loss and the far host's settings".into(),
            why: format!("no far end took part: {ENABLE_FAR_END}"),
        });
    }
    if !facts.data_path().was_probed() {
        let recorded = !facts.records.traces.is_empty() || !facts.records.histories.is_empty();
        gaps.push(NotTested {
            what: "the hops of the path".into(),
            why: if recorded {
                "they were not probed by this program: what is known of them is what other tools recorded"
                    .into()
            } else {
                "the path was not probed".into()
            },
        });
    } else if !facts.forward.was_probed() {
        gaps.push(NotTested {
            what: "the way of the data".into(),
            why: format!("it was probed from the receiver only: {ENABLE_FAR_END}"),
        });
    } else if !facts.reverse.was_probed() && facts.has_transfers() {
        gaps.push(NotTested {
            what: "the hops of the way back".into(),
            why: "routes can differ by direction; only the way of the data was probed".into(),
        });
    }
    gaps.extend(
        missing
            .iter()
            .filter(|(code, _)| *code != crate::faults::OK_CODE)
            .map(|(code, what)| NotTested {
                what: crate::explain(code)
                    .map_or_else(|| (*code).to_owned(), |fault| format!("{code}, {}", fault.title)),
                why: what.clone(),
            }),
    );
    gaps
}

/// One line per kind of ask and reason, however often it was refused.
fn refused(facts: &Facts) -> Vec<NotTested> {
    let mut lines: BTreeMap<(String, NotMeasuredReason), String> = BTreeMap::new();
    for (refusal, _) in &facts.not_measured {
        let hint = hint(refusal.reason);
        let why = if hint.is_empty() {
            refusal.detail.clone()
        } else {
            format!("{}; {hint}", refusal.detail)
        };
        let line = lines
            .entry((words(&refusal.ask), refusal.reason))
            .or_insert_with(|| why.clone());
        if why < *line {
            *line = why;
        }
    }
    lines
        .into_iter()
        .map(|((what, _), why)| NotTested { what, why })
        .collect()
}

fn hint(reason: NotMeasuredReason) -> String {
    match reason {
        NotMeasuredReason::Privilege => "run with CAP_NET_RAW to have it".into(),
        NotMeasuredReason::NoFarEnd => ENABLE_FAR_END.into(),
        NotMeasuredReason::Budget => "raise the budget to have it".into(),
        _ => String::new(),
    }
}

/// An ask in words.
pub(super) fn words(ask: &Ask) -> String {
    let at = |end: &End| match end {
        End::From => "the sender",
        End::To => "the receiver",
    };
    match ask {
        Ask::HostFacts { at: end } => format!("settings of {}", at(end)),
        Ask::Route { from, .. } => format!("the hops seen from {}", at(from)),
        Ask::PathMtu { from } => format!("packet sizes that pass, seen from {}", at(from)),
        Ask::Echo { from, .. } => format!("loss and delay per hop, seen from {}", at(from)),
        Ask::HopLoss { from, ttls, .. } => format!("small loss up to hops {ttls:?}, seen from {}", at(from)),
        Ask::TcpThroughput {
            sender,
            streams: 1,
            mss_bytes: None,
            ..
        } => format!("a TCP transfer sent by {}", at(sender)),
        Ask::TcpThroughput {
            sender,
            streams: 1,
            mss_bytes: Some(mss),
            ..
        } => {
            format!(
                "a TCP transfer sent by {} with segments of {mss} bytes",
                at(sender)
            )
        }
        Ask::TcpThroughput { sender, streams, .. } => {
            format!("a TCP transfer over {streams} connections sent by {}", at(sender))
        }
        Ask::UdpStream { sender, rate_bps, .. } => {
            format!("a UDP stream of {rate_bps} sent by {}", at(sender))
        }
    }
}

/// The measurement that would tell most next, with as much time and as many privileges as it takes.
pub(super) fn next(case: &Case, round: u32, facts: &Facts) -> Option<(String, Option<evidence::Ask>)> {
    // Other hosts' transfers can tell where to look before the ends themselves are looked at.
    if facts.chains.tests.is_empty()
        && !facts.has_transfers()
        && let Some(text) = crate::red_herrings::composition::next_measurement(facts)
    {
        return Some((text, None));
    }
    let no_far_end = facts
        .not_measured
        .iter()
        .any(|(refusal, _)| refusal.reason == NotMeasuredReason::NoFarEnd);
    let far_end =
        facts.has_transfers() || !no_far_end && facts.host(case.complaint.local_end.other()).is_some();
    let means = Means {
        far_end,
        raw_sockets_here: true,
        budget_time_ms: u64::MAX,
        ..Means::default()
    };
    if let Some(ask) = plan(case, round, &means) {
        let words = words(&back::ask(&ask, &case.complaint)?);
        return Some((format!("measure {words}"), Some(ask)));
    }
    if !far_end {
        return Some((ENABLE_FAR_END.into(), None));
    }
    let text = "measure again while it is slow; compare with a transfer from another host at each end";
    Some((text.into(), None))
}
