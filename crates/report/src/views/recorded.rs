//! The path as records of other tools show it: one view per way that a trace saw, and the way a route history ended on.

use super::of_round;
use super::routes::route_name;
use crate::names::Names;
use crate::path_view::{HopView, PathView};
use crate::subject::Subject;
use crate::words;
use evidence::v1::{End, Node, Observation, Payload, RouteHistory, Trace, Verdict};
use std::collections::BTreeSet;

/// More hops than a path can have are cut.
const MOST_HOPS: usize = 64;
/// More diagrams than this are a table's work: the routes side by side.
const MOST_VIEWS: usize = 4;

/// A path with whose view it is.
pub(crate) struct Recorded {
    /// `a → b, traced at the receiver`.
    pub(crate) title: String,
    /// Short numbers of the observations.
    pub(crate) numbers: Vec<usize>,
    pub(crate) view: PathView,
    /// The end of the complaint at which the trace starts.
    pub(crate) starts_at: Option<End>,
    /// Both hosts are those of the complaint.
    between_ends: bool,
}

/// The views worth a diagram: those between the two ends, and those that `is_on` says show the located place.
pub(crate) fn views(
    subject: &Subject,
    verdict: &Verdict,
    is_on: impl Fn(&PathView) -> bool,
) -> Vec<Recorded> {
    let names = Names::new(subject.case);
    let mut all: Vec<Recorded> = Vec::new();
    for (number, o) in of_round(subject, verdict.round) {
        let recorded = match &o.payload {
            Payload::Trace(trace) => traced(number, trace, o, &names),
            Payload::RouteHistory(history) => match last_way(number, history, o, &names) {
                Some(recorded) => recorded,
                None => continue,
            },
            _ => continue,
        };
        let room = all.len() < 64;
        let same =
            |other: &&mut Recorded| other.title == recorded.title && same_way(&other.view, &recorded.view);
        match all.iter_mut().find(same) {
            Some(other) => other.numbers.extend(recorded.numbers),
            // Of thousands of traces only the first ways can be held against each other.
            None if room => all.push(recorded),
            None => {}
        }
    }
    all.sort_by_key(|r| (!is_on(&r.view), !r.between_ends, r.numbers.first().copied()));
    let worth = all.iter().filter(|r| r.between_ends || is_on(&r.view)).count();
    // With none of them, any route is better than none.
    all.truncate(worth.clamp(1, MOST_VIEWS));
    all
}

fn traced(number: usize, trace: &Trace, o: &Observation, names: &Names) -> Recorded {
    let hops: Vec<HopView> = trace.hops.iter().take(MOST_HOPS).map(hop_view).collect();
    let last = hops
        .last()
        .filter(|hop| !hop.routers.is_empty())
        .map(|hop| hop.ttl);
    let size = trace
        .size_bytes
        .map_or(String::new(), |size| format!(", {size} bytes"));
    let reached = match trace.reached {
        Some(true) => last,
        // Without word of it, the last hop that answered is taken for the destination only where it is that.
        _ => hops
            .iter()
            .find(|hop| hop.routers.iter().any(|r| r.same_as(&trace.to) == Some(true)))
            .map(|h| h.ttl),
    };
    let pair = names.pair(&trace.from, &trace.to);
    let title = format!("{pair}, traced at {}{size}", place(o));
    recorded(title, number, o, (&trace.from, &trace.to), names, hops, reached)
}

fn place(o: &Observation) -> String {
    match o.provenance.vantage.end() {
        Some(end) => format!("the {}", words::end(end)),
        None => words::vantage(&o.provenance.vantage).to_owned(),
    }
}

fn hop_view(hop: &evidence::v1::TraceHop) -> HopView {
    let mut routers: Vec<Node> = Vec::new();
    for answer in hop.answers.iter().filter(|a| !a.node.is_unknown()) {
        if !routers.contains(&answer.node) {
            routers.push(answer.node.clone());
        }
    }
    let told: BTreeSet<String> = hop
        .answers
        .iter()
        .flat_map(|a| {
            let mtu = a.mtu_bytes.map(|mtu| format!("says {mtu} bytes at most"));
            let asn = a.asn.map(|asn| format!("AS{asn}"));
            let mark = a.mark.as_ref().map(|mark| format!("marked {mark}"));
            [mtu, asn, mark].into_iter().flatten()
        })
        .collect();
    let answered = hop.answers.len() as u32;
    HopView {
        ttl: hop.ttl,
        routers,
        rtt_ns: hop.answers.iter().filter_map(|a| a.rtt_ns).min(),
        sent: answered + u32::from(hop.unanswered),
        answered,
        mpls: hop.mpls.iter().map(|label| label.label).collect(),
        told,
        ..HopView::default()
    }
}

/// The way of the last trace of a history.
fn last_way(number: usize, history: &RouteHistory, o: &Observation, names: &Names) -> Option<Recorded> {
    let (at, index) = history.seen.iter().max_by_key(|(at, index)| (*at, *index))?;
    let index = usize::try_from(*index).ok()?;
    let route = history.routes.get(index)?;
    let hop = |(ttl, node): (u8, &Node)| HopView {
        ttl,
        routers: if node.is_unknown() {
            Vec::new()
        } else {
            vec![node.clone()]
        },
        ..HopView::default()
    };
    let hops: Vec<HopView> = (1_u8..).zip(route.hops.iter().take(MOST_HOPS)).map(hop).collect();
    let reached = hops
        .last()
        .filter(|h| h.routers.iter().any(|r| r.same_as(&history.to) == Some(true)));
    let reached = reached.map(|hop| hop.ttl);
    let pair = names.pair(&history.from, &history.to);
    let title = format!(
        "{pair}, {} as last seen {} UTC",
        route_name(route, index),
        words::minute(*at)
    );
    Some(recorded(
        title,
        number,
        o,
        (&history.from, &history.to),
        names,
        hops,
        reached,
    ))
}

fn recorded(
    title: String,
    number: usize,
    o: &Observation,
    (from, to): (&Node, &Node),
    names: &Names,
    hops: Vec<HopView>,
    reached_ttl: Option<u8>,
) -> Recorded {
    let is = |node: &Node, end: End| !node.is_unknown() && names.of(node) == names.end(end);
    let known = |node: &Node, end: Option<End>| match end {
        Some(end) if node.is_unknown() => Node::named(&names.end(end)),
        _ => node.clone(),
    };
    let here = o.provenance.vantage.end();
    let starts_at = [End::From, End::To].into_iter().find(|end| is(from, *end));
    let starts_at = starts_at.or(here.filter(|_| from.is_unknown()));
    Recorded {
        title,
        numbers: vec![number],
        starts_at,
        between_ends: starts_at.is_some_and(|end| is(to, end.other()) || to.is_unknown()),
        view: PathView {
            vantage: o.provenance.vantage.clone(),
            source: known(from, starts_at),
            destination: known(to, starts_at.map(End::other)),
            reached_ttl,
            hops,
            flows: 1,
        },
    }
}

fn same_way(a: &PathView, b: &PathView) -> bool {
    let way =
        |view: &PathView| -> Vec<Vec<Node>> { view.hops.iter().map(|hop| hop.routers.clone()).collect() };
    way(a) == way(b)
}
