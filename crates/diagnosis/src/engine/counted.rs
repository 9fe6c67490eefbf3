//! What counters say of an answer's place, and of the places beside it.

use super::level::Answer;
use crate::adapters::Gathered;
use crate::faults::words;
use crate::judgement::{argument, join_cites};
use evidence::{Argument, Case, End, ObservationId};
use model::{Count, Counted, Element, ElementId, Measurement, Seen, Trust};
use stats::Ratio;
use std::collections::BTreeMap;

/// Words about an answer at a place that counters show.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// To be put behind the claim and its place.
    pub(super) claim: String,
    /// What was counted elsewhere. Its weight is in no sum: it is a circumstance.
    pub(super) beside: Vec<Argument>,
}

pub(super) fn said(case: &Case, gathered: &Gathered, answer: &Answer) -> Said {
    let [only] = answer.place.as_slice() else {
        return Said::default();
    };
    match gathered.map.element(*only) {
        Element::Segment { .. } => Said {
            claim: format!("{}{}", way(case, gathered, *only), often(gathered, *only)),
            beside: [
                remarks(gathered, *only),
                elsewhere(gathered, *only),
                other_way(gathered, *only),
            ]
            .into_iter()
            .flatten()
            .collect(),
        },
        Element::Interface { .. } => Said {
            claim: figures(gathered, *only),
            beside: others(gathered, *only).into_iter().collect(),
        },
        _ => Said::default(),
    }
}

fn counts(gathered: &Gathered) -> impl Iterator<Item = (&Measurement, &Count)> {
    gathered.measurements.iter().filter_map(|m| match &m.seen {
        Seen::Count(count) => Some((m, count)),
        _ => None,
    })
}

fn share(count: &Count) -> f64 {
    count.bad / count.of.max(1.0)
}

/// Of an interface: what it counts of the kind that has most.
fn figures(gathered: &Gathered, element: ElementId) -> String {
    let its = || counts(gathered).filter(|(m, _)| m.out.contains(&element));
    let Some((_, worst)) = its().max_by(|a, b| share(a.1).total_cmp(&share(b.1))) else {
        return String::new();
    };
    let mut of_kind: Vec<_> = its().filter(|(_, count)| count.what == worst.what).collect();
    of_kind.sort_by_key(|(m, count)| (m.trust, count.label.clone()));
    let each = of_kind.iter().map(|(m, count)| told(m, count));
    format!(": {}", each.collect::<Vec<_>>().join("; "))
}

/// A count in words. What a person states as a ratio has no count.
pub(super) fn told(m: &Measurement, count: &Count) -> String {
    let (bad, of) = (count.bad.round() as u64, count.of.round() as u64);
    match (m.trust, count.what) {
        (Trust::Stated, _) => count.label.clone(),
        (_, Counted::Missing) => format!("{} of {} ({})", words::count(bad), words::count(of), count.label),
        _ => format!(
            "{} of {} ({}, {})",
            words::count(bad),
            words::count(of),
            count.label,
            words::loss(share(count))
        ),
    }
}

/// Of an interface: what the others count.
fn others(gathered: &Gathered, element: ElementId) -> Option<Argument> {
    let input = |count: &Count| matches!(count.what, Counted::Damaged | Counted::Dropped);
    let others = || counts(gathered).filter(|(m, count)| !m.out.contains(&element) && input(count));
    let texts: Vec<String> = others()
        .map(|(m, count)| format!("{} counts {}", counter(gathered, m), told(m, count)))
        .collect();
    let cites = others().map(|(m, _)| &m.cites).collect();
    beside(format!("other interfaces: {}", texts.join("; ")), cites)
}

/// A circumstance, if anybody tells of it.
fn beside(text: String, cites: Vec<&Vec<ObservationId>>) -> Option<Argument> {
    (!cites.is_empty()).then(|| argument(0.0, text, join_cites(cites)))
}

/// ", on the way to b.example"
fn way(case: &Case, gathered: &Gathered, element: ElementId) -> String {
    let name = |end| &case.complaint.party(end).name;
    if gathered.counted[1].contains(&element) {
        format!(", on the reverse path to {}", name(End::From))
    } else {
        format!(", on the way to {}", name(End::To))
    }
}

/// In how many tests, and how much in each: ", in each of the 4 tests, 1.1e-5 to at most 4.4e-5". A test of which wrong counters
/// leave an upper bound only is one of them where the others did not find less.
fn often(gathered: &Gathered, element: ElementId) -> String {
    let tests: Vec<(&Measurement, &Count)> = counts(gathered)
        .filter(|(m, _)| m.out.contains(&element))
        .collect();
    let ratio = |count: &Count| Ratio::new(count.bad as u64, count.of as u64);
    let alone = |m: &Measurement| m.out.len() == 1;
    let all = tests
        .iter()
        .filter(|(m, _)| alone(m))
        .fold(Ratio::default(), |sum, (_, count)| sum.plus(ratio(count)));
    let (least, _) = all.interval();
    let with = tests
        .iter()
        .filter(|(m, count)| count.bad > 0.0 && (alone(m) || ratio(count).upper_bound() >= least));
    let mut ratios: Vec<(f64, bool)> = with.map(|(m, count)| (share(count), !alone(m))).collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let how_often = match (ratios.len(), tests.len()) {
        (1, 1) => return ", in the one test that counted there".into(),
        (with, tests) if with == tests => format!(", in each of the {tests} tests"),
        (with, tests) => format!(", in {with} of the {tests} tests that counted there"),
    };
    match (ratios.first(), ratios.last()) {
        (Some((low, _)), Some((high, bound))) if ratios.len() > 1 => {
            let at_most = if *bound { "at most " } else { "" };
            format!(
                "{how_often}, {} to {at_most}{}",
                words::loss(*low),
                words::loss(*high)
            )
        }
        _ => how_often,
    }
}

/// What the records remark on the packets that are missing.
fn remarks(gathered: &Gathered, element: ElementId) -> Option<Argument> {
    let its = || counts(gathered).filter(|(m, c)| m.out.contains(&element) && c.remark.is_some());
    let first = its().find_map(|(_, count)| count.remark.clone())?;
    let more = match its().count() {
        0 | 1 => String::new(),
        n => format!("; {n} tests have such a remark with the number that is missing"),
    };
    beside(
        format!("the record says: “{first}”{more}"),
        its().map(|(m, _)| &m.cites).collect(),
    )
}

/// The other stretches of the same way.
fn elsewhere(gathered: &Gathered, element: ElementId) -> Option<Argument> {
    let way = gathered.counted.iter().find(|way| way.contains(&element))?;
    let inside =
        |id: &&ElementId| matches!(gathered.map.element(**id), Element::Segment { .. }) && **id != element;
    let (mut clean, mut all, mut least, mut cites) = (0, 0, f64::INFINITY, Vec::new());
    for segment in way.iter().filter(inside) {
        let its = || counts(gathered).filter(|(m, _)| m.out.as_slice() == [*segment]);
        let (lost, of) = its().fold((0.0, 0.0), |(lost, of), (_, c)| (lost + c.bad, of + c.of));
        all += usize::from(of > 0.0);
        if of > 0.0 && lost == 0.0 {
            clean += 1;
            least = f64::min(least, of);
            cites.extend(its().map(|(m, _)| &m.cites));
        }
    }
    let packets = words::count(least as u64);
    beside(
        format!(
            "{clean} of the {all} other stretches between counters lost none of at least {packets} packets"
        ),
        cites,
    )
}

/// All that was counted on the opposite way.
fn other_way(gathered: &Gathered, element: ElementId) -> Option<Argument> {
    let back = gathered.counted.iter().find(|way| !way.contains(&element))?;
    let its = || {
        counts(gathered)
            .filter(|(m, c)| c.what == Counted::Missing && m.out.iter().any(|id| back.contains(id)))
    };
    let lost: f64 = its().map(|(_, count)| count.bad).sum();
    let mut sent: BTreeMap<&str, f64> = BTreeMap::new();
    for (_, count) in its() {
        let most = sent.entry(count.label.as_str()).or_default();
        *most = f64::max(*most, count.of);
    }
    let lost = if lost == 0.0 {
        "none".to_owned()
    } else {
        words::count(lost as u64)
    };
    beside(
        format!(
            "in the other direction the counters miss {lost} of {} packets: it is one direction of one link",
            words::count(sent.values().sum::<f64>() as u64)
        ),
        its().map(|(m, _)| &m.cites).collect(),
    )
}

/// Who counted.
pub(super) fn counter(gathered: &Gathered, member: &Measurement) -> String {
    let place = |id: &ElementId| gathered.map.element(*id);
    match (member.out.first().map(place), member.out.last().map(place)) {
        (
            Some(Element::Interface {
                device,
                name: interface,
                ..
            }),
            _,
        ) => {
            format!("{interface} of {}", name(gathered, *device))
        }
        (Some(Element::Segment { before, .. }), Some(Element::Segment { after, .. })) => {
            format!("between “{before}” and “{after}”")
        }
        (Some(Element::Segment { before, .. }), _) => format!("behind “{before}”"),
        _ => name(gathered, member.to),
    }
}

/// What people call a node.
pub(super) fn name(gathered: &Gathered, node: model::NodeId) -> String {
    gathered.map.node(node).called()
}
