//! The verdict of a case about all pairs of hosts ([`evidence::Complaint::of_all`]).
//!
//! The model needs nothing new for it: all measurements of all pairs lie on one map, and a fault at a link that many pairs
//! share is weighed by all of them, with it and without it. A complaint of one pair only says which faults matter. So the
//! pair that fares worst complains first; what is found explains the pairs whose routes cross it; then the worst of those
//! complains that nothing explains yet.

use super::judge_pair;
use evidence::{
    Case, Complaint, End, Explains, Finding, HopRef, Location, Node, NotTested, Observation, ObservationId,
    Pair, Party, Payload, Trace, Verdict, VerdictState, pairs,
};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// So many pairs complain at most, one after the other.
const MOST_COMPLAINTS: usize = 3;
/// A pair of which at least this share is surely lost (the lower end of the exact 95 % interval) complains of loss. So much
/// holds one connection over 2 ms at some 0.7 Gbit/s (Mathis et al. 1997); less is felt by few.
const FELT: f64 = 1e-4;
/// A measurement that could not show this much loss does not show that there is none.
const SEEN: f64 = 0.05;

/// Judges a round of a case about all pairs.
pub(super) fn judge_round(case: &Case, round: u32) -> Verdict {
    let pairs = pairs(case.round(round));
    let (measured, missing): (Vec<&Pair>, Vec<&Pair>) = pairs.iter().partition(|pair| pair.is_measured());
    let mut losing: Vec<&Pair> = measured.iter().copied().filter(|pair| loses(pair)).collect();
    losing.sort_by(|a, b| worst_first(a, b));
    let mut verdict = nothing_yet(round);
    let routes: Vec<&Trace> = case.round(round).filter_map(trace).collect();
    let mut found: Vec<Finding> = Vec::new();
    let is_explained =
        |pair: &Pair, found: &[Finding]| found.iter().any(|f| crosses(&routes, pair, &f.location));
    let mut heard: BTreeSet<&ObservationId> = BTreeSet::new();
    for _ in 0..MOST_COMPLAINTS {
        let Some(worst) = losing
            .iter()
            .copied()
            .find(|pair| !is_explained(pair, &found) && pair.cites.iter().all(|id| !heard.contains(id)))
        else {
            break;
        };
        let explained = measured.iter().filter(|pair| is_explained(pair, &found));
        heard.extend(explained.flat_map(|pair| &pair.cites));
        let judged = judge_pair(&focused(case, worst, &heard), round);
        heard.extend(&worst.cites);
        if found.is_empty() {
            (verdict.red_herrings, verdict.excluded) = (judged.red_herrings, judged.excluded);
        }
        let explains = judged
            .findings
            .into_iter()
            .filter(|finding| finding.explains != Explains::No);
        for mut finding in explains {
            tell_from_all(&mut finding, worst);
            if !found.iter().any(|known| known.claim == finding.claim) {
                found.push(finding);
            }
        }
    }
    let unexplained = losing.iter().filter(|pair| !is_explained(pair, &found)).count();
    let complaining = losing.len();
    let sure = found.iter().any(|finding| finding.confidence >= super::FOUND);
    verdict.state = match (measured.len(), sure, complaining) {
        (0, ..) => VerdictState::NotMeasured,
        (_, true, _) => VerdictState::Slow,
        (_, false, 0) if missing.is_empty() && measured.iter().all(|pair| is_clean(pair)) => VerdictState::Ok,
        _ => VerdictState::Inconclusive,
    };
    verdict.summary = summary(&measured, &missing, complaining, unexplained, &found, &routes);
    verdict.findings = found;
    verdict.not_tested.extend(not_tested(&missing));
    verdict
}

fn nothing_yet(round: u32) -> Verdict {
    Verdict {
        round,
        state: VerdictState::NotMeasured,
        summary: String::new(),
        measured_bps: None,
        expected_bps: None,
        findings: Vec::new(),
        red_herrings: Vec::new(),
        excluded: Vec::new(),
        not_tested: Vec::new(),
        next: None,
    }
}

/// The case as this pair would put it, without what was heard already: a fault that was found would be found again.
fn focused(case: &Case, pair: &Pair, heard: &BTreeSet<&ObservationId>) -> Case {
    let party = |node: &Node| Party {
        name: node.called(),
        address: node.address,
    };
    let mut focused = Case::new(Complaint {
        from: party(&pair.from),
        to: party(&pair.to),
        ..case.complaint.clone()
    });
    focused.journal.clone_from(&case.journal);
    let open = case.observations().iter().filter(|o| !heard.contains(&o.id));
    focused.add_all(open.cloned());
    focused
}

fn interval(pair: &Pair) -> (f64, f64) {
    stats::Ratio::new(pair.lost, pair.sent).interval()
}

fn loses(pair: &Pair) -> bool {
    pair.sent > 0 && interval(pair).0 > FELT
}

fn is_clean(pair: &Pair) -> bool {
    pair.sent > 0 && interval(pair).1 < SEEN
}

fn worst_first(a: &Pair, b: &Pair) -> Ordering {
    interval(b)
        .0
        .total_cmp(&interval(a).0)
        .then_with(|| (a.from.called(), a.to.called()).cmp(&(b.from.called(), b.to.called())))
}

fn trace(observation: &Observation) -> Option<&Trace> {
    match &observation.payload {
        Payload::Trace(trace) => Some(trace),
        _ => None,
    }
}

/// Whether the route of a pair goes through a place. Where there is no trace nobody knows: then it does not count.
fn crosses(routes: &[&Trace], pair: &Pair, place: &Location) -> bool {
    let is = |node: &Node, called: &str| node.called() == called;
    match place {
        Location::OtherHost { name } => is(&pair.from, name) || is(&pair.to, name),
        Location::Link { before, after } => routes
            .iter()
            .filter(|route| is(&route.from, &pair.from.called()) && is(&route.to, &pair.to.called()))
            .any(|route| {
                let nodes = nodes(route);
                let at = |hop: &HopRef| nodes.iter().position(|node| shows(node, hop));
                matches!((at(before), at(after)), (Some(before), Some(after)) if before < after)
            }),
        Location::Hop { hop } => routes
            .iter()
            .filter(|route| is(&route.from, &pair.from.called()) && is(&route.to, &pair.to.called()))
            .any(|route| nodes(route).iter().any(|node| shows(node, hop))),
        _ => false,
    }
}

/// The hosts and routers of a route, in order.
fn nodes(route: &Trace) -> Vec<Node> {
    let hops = route
        .hops()
        .filter_map(|hop| hop.answers.first().map(|answer| answer.node.clone()));
    std::iter::once(route.from.clone())
        .chain(hops)
        .chain([route.to.clone()])
        .collect()
}

fn shows(node: &Node, hop: &HopRef) -> bool {
    let named = hop.name.is_some() && node.name == hop.name;
    named || (hop.address.is_some() && node.address == hop.address)
}

/// "The sending host" is nobody where all pairs complain, and a hop has a number on the way of one of them only.
fn tell_from_all(finding: &mut Finding, pair: &Pair) {
    if matches!(finding.location, Location::Link { .. } | Location::Hop { .. }) {
        finding.claim = format!("{} (hops as {} counts them)", finding.claim, pair.from.called());
    }
    if let Location::Host { end } = finding.location {
        let host = match end {
            End::From => &pair.from,
            End::To => &pair.to,
        };
        finding.location = Location::OtherHost { name: host.called() };
    }
}

fn summary(
    measured: &[&Pair],
    missing: &[&Pair],
    complaining: usize,
    unexplained: usize,
    found: &[Finding],
    routes: &[&Trace],
) -> String {
    let all = measured.len() + missing.len();
    if measured.is_empty() {
        return format!("none of {all} pairs could be measured");
    }
    let mut parts = Vec::new();
    if complaining == 0 {
        let most = measured.iter().map(|pair| interval(pair).1).fold(0.0, f64::max);
        parts.push(format!(
            "no loss that would be felt between any of the {} measured pairs (each at most {})",
            measured.len(),
            words::loss(most)
        ));
    } else {
        parts.push(format!(
            "{complaining} of {} measured pairs lose packets",
            measured.len()
        ));
    }
    for finding in found {
        let (bad, good): (Vec<&Pair>, Vec<&Pair>) = measured
            .iter()
            .copied()
            .filter(|pair| pair.sent > 0)
            .partition(|pair| crosses(routes, pair, &finding.location));
        let sum = |pairs: &[&Pair]| {
            let (lost, sent) = pairs
                .iter()
                .fold((0, 0), |(lost, sent), pair| (lost + pair.lost, sent + pair.sent));
            format!("{lost} of {sent} packets of {} pairs", pairs.len())
        };
        parts.push(finding.claim.clone());
        if !bad.is_empty() && !good.is_empty() {
            parts.push(format!(
                "across it {} were lost, elsewhere {}",
                sum(&bad),
                sum(&good)
            ));
        }
    }
    if complaining > 0 && found.is_empty() {
        parts
            .push("no place that they share, and the others do not, is likely enough to be named".to_owned());
    } else if unexplained > 0 {
        parts.push(format!("{unexplained} of them are not explained by that"));
    }
    if !missing.is_empty() {
        parts.push(format!("{} of {all} pairs could not be measured", missing.len()));
    }
    parts.join("; ")
}

/// The pairs without a measurement: host by host where all of one host's are missing.
fn not_tested(missing: &[&Pair]) -> Vec<NotTested> {
    let told: BTreeSet<(String, String)> = missing
        .iter()
        .map(|pair| {
            let what = format!("{} → {}", pair.from.called(), pair.to.called());
            (what, pair.not_measured.join("; "))
        })
        .collect();
    told.into_iter()
        .map(|(what, why)| NotTested { what, why })
        .collect()
}
