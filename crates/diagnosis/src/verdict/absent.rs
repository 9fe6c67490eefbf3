//! What was not seen: not tested is not fine, so every gap is named, with how to close it.

use crate::facts::Facts;
use crate::planner::{Means, plan};
use evidence::{Ask, Case, Complaint, End, Node, NotMeasuredReason, NotTested, Observation, Payload};
use std::collections::BTreeMap;

const ENABLE_FAR_END: &str = "run `slowpath serve` at the other end and give its token to this one";

pub(super) fn not_tested(
    facts: &Facts,
    equal_routes: usize,
    missing: &[(&'static str, String)],
) -> Vec<NotTested> {
    let mut gaps = refused(facts);
    if equal_routes > 1 {
        gaps.push(NotTested {
            what: "each of the equal routes by itself".into(),
            why: format!(
                "the path has {equal_routes}, and each connection takes one of them: repeat the test to see the others"
            ),
        });
    }
    let is_end = |node: &Node| facts.complaint.end_of(node).is_some();
    let mut traces = facts.records.traces.iter().map(|trace| &trace.what);
    let looping = traces.find_map(|trace| trace.routing_loop().filter(|_| is_end(&trace.to)));
    gaps.extend(looping.map(|found| NotTested {
        what: "the path behind a routing loop".into(),
        why: format!("{found}, until the time of the probes is up"),
    }));
    if !facts.has_transfers() {
        gaps.push(NotTested {
            what: "throughput, one-way loss and the far host's settings".into(),
            why: format!("no far end took part: {ENABLE_FAR_END}"),
        });
    }
    let records = &facts.records;
    let traced = [End::From, End::To].map(|end| records.is_traced_from(end, &facts.complaint));
    let gap = match traced {
        [false, false] if records.histories.is_empty() && records.traces.is_empty() => {
            Some(("the hops of the path", "the path was not probed".to_owned()))
        }
        [false, false] => Some((
            "the hops of the path",
            "they were not traced between the two ends: what is known of them is what other records tell"
                .to_owned(),
        )),
        [false, true] => Some((
            "the hops of the forward path",
            format!("the path was probed from the receiver only: {ENABLE_FAR_END}"),
        )),
        [true, false] => Some((
            "the hops of the reverse path",
            "routes can differ by direction; only the forward path was probed".to_owned(),
        )),
        [true, true] => None,
    };
    gaps.extend(gap.map(|(what, why)| NotTested {
        what: what.into(),
        why,
    }));
    gaps.extend(missing.iter().map(|(code, what)| NotTested {
        what: crate::explain(code).map_or_else(
            || (*code).to_owned(),
            |fault| format!("{code}, {}", fault.title()),
        ),
        why: what.clone(),
    }));
    gaps
}

/// One line per kind of ask and reason, however often it was refused.
fn refused(facts: &Facts) -> Vec<NotTested> {
    let mut lines: BTreeMap<(String, NotMeasuredReason), String> = BTreeMap::new();
    for refusal in &facts.not_measured {
        let hint = hint(refusal.reason).map_or_else(String::new, |hint| format!("; {hint}"));
        let why = format!("{}{hint}", refusal.detail);
        let line = lines
            .entry((words(&refusal.ask, &facts.complaint), refusal.reason))
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

fn hint(reason: NotMeasuredReason) -> Option<&'static str> {
    match reason {
        NotMeasuredReason::Privilege => Some("run with CAP_NET_RAW to have it"),
        NotMeasuredReason::NoFarEnd => Some(ENABLE_FAR_END),
        NotMeasuredReason::Budget => Some("raise the budget to have it"),
        _ => None,
    }
}

/// An ask in words.
fn words(ask: &Ask, complaint: &Complaint) -> String {
    let called = |node: &Node| match complaint.end_of(node) {
        Some(End::From) => "the sender".to_owned(),
        Some(End::To) => "the receiver".to_owned(),
        None => node.to_string(),
    };
    let (vantage, target) = (ask.vantage(), ask.target());
    let is_third = |node: &&Node| complaint.end_of(node).is_none();
    let at = called(vantage);
    // Between the two ends it goes to the other one.
    let third = [Some(vantage), target]
        .into_iter()
        .flatten()
        .any(|node| is_third(&node));
    let towards = target.filter(|_| third);
    let towards = towards.map_or_else(String::new, |to| format!(" to {}", called(to)));
    match ask {
        Ask::HostFacts { at: place } if is_third(&place) => format!("the path as {at} sees it"),
        Ask::HostFacts { .. } => format!("settings of {at}"),
        Ask::Route { .. } if third => format!("the hops from {at}{towards}"),
        Ask::Route { .. } => format!("the hops seen from {at}"),
        Ask::PathMtu { .. } => format!("packet sizes that pass, seen from {at}{towards}"),
        Ask::Echo { .. } => format!("loss and delay per hop, seen from {at}{towards}"),
        Ask::HopLoss { ttls, .. } => format!("small loss up to hops {ttls:?}, seen from {at}{towards}"),
        Ask::TcpThroughput {
            streams, mss_bytes, ..
        } => {
            let several = match streams {
                ..=1 => String::new(),
                several => format!(" over {several} connections"),
            };
            let small = mss_bytes.map_or_else(String::new, |mss| format!(" with segments of {mss} bytes"));
            format!("a TCP transfer{several} sent by {at}{towards}{small}")
        }
        Ask::UdpStream { rate_bps, .. } => format!("a UDP stream of {rate_bps} sent by {at}{towards}"),
    }
}

/// The measurement that would tell most next, with as much time and as many privileges as it takes.
pub(super) fn next(case: &Case, round: u32, facts: &Facts) -> Option<(String, Option<Ask>)> {
    // Other hosts' transfers can tell where to look before the ends themselves are looked at.
    if facts.chains.is_empty()
        && !facts.has_transfers()
        && let Some(text) = crate::red_herrings::composition::next_measurement(facts)
    {
        return Some((text, None));
    }
    let no_far_end = |refusal: &evidence::NotMeasured| refusal.reason == NotMeasuredReason::NoFarEnd;
    let refused = facts.not_measured.iter().any(no_far_end);
    let far = Some(case.complaint.local_end.other());
    let of_far = |o: &Observation| {
        matches!(o.payload, Payload::HostFacts(_)) && case.complaint.end_of(&o.provenance.vantage) == far
    };
    let far_end = facts.has_transfers() || !refused && case.round(round).any(of_far);
    let means = Means {
        far_end,
        raw_sockets_here: true,
        budget_time_ms: u64::MAX,
        ..Means::default()
    };
    if let Some(ask) = plan(case, round, &means) {
        return Some((format!("measure {}", words(&ask, &case.complaint)), Some(ask)));
    }
    if !far_end {
        return Some((ENABLE_FAR_END.into(), None));
    }
    let text = "measure again while it is slow; compare with a transfer from another host at each end";
    Some((text.into(), None))
}
