//! Traces: who follows whom, and at which size the way ends.

use super::intake::Intake;
use crate::records::or;
use evidence::{Complaint, End, Node, Observation, Trace, TraceAnswer, TraceFlow, TraceHop};
use model::{Delivery, Hops, MapBuilder, Seen, Trust};

/// Probes up to this size pass everywhere (RFC 791 asks for 576); larger ones test the way for their size.
const TESTS_SIZE_BYTES: u32 = 600;

pub(super) fn learn(
    builder: &mut MapBuilder,
    trace: &Trace,
    observation: &Observation,
    complaint: &Complaint,
) {
    // A trace that does not name its sender was made where it was observed, or by the one who complains.
    let start = complaint.node(complaint.local_end);
    let vantage = &observation.provenance.vantage;
    let from = or(or(&trace.from, vantage), &start);
    let end = complaint.node(if complaint.end_of(from) == Some(End::To) {
        End::From
    } else {
        End::To
    });
    let to = or(&trace.to, &end);
    let flows = trace.flows.iter().flat_map(|flow| {
        let reached = reaches(trace, flow);
        ways(flow).into_iter().map(move |hops| (hops, reached))
    });
    builder.flows(from, to, flows.collect());
    for flow in &trace.flows {
        for answer in flow.hops.iter().flat_map(|hop| &hop.answers) {
            if let Some(asn) = answer.asn {
                builder.autonomous_system(&answer.node, asn);
            }
        }
    }
}

fn reaches(trace: &Trace, flow: &TraceFlow) -> bool {
    flow.reached_ttl.is_some() || (trace.flows.len() == 1 && trace.reached == Some(true))
}

/// The way that a flow shows, and a second one where several nodes answered at a hop: classic traceroute sends each probe as a
/// flow of its own. Where several answered at two hops in a row, which follows which is not known.
fn ways(flow: &TraceFlow) -> Vec<Hops> {
    let answered: Vec<(u8, Vec<Node>)> = flow.hops.iter().map(|hop| (hop.ttl, nodes(hop))).collect();
    let several = |hop: &(u8, Vec<Node>)| hop.1.len() > 1;
    let in_a_row = answered.windows(2).any(|two| two.iter().all(several));
    let pick = |second: usize| {
        let one = |(ttl, nodes): &(u8, Vec<Node>)| (*ttl, nodes.get(second).or(nodes.first()).cloned());
        answered.iter().map(one).collect()
    };
    let both = answered.iter().any(several) && !in_a_row;
    (0..=usize::from(both)).map(pick).collect()
}

/// Who answered first at a hop.
fn nearest(hop: &TraceHop) -> Option<Node> {
    nodes(hop).into_iter().next()
}

/// Who answered at a hop: the one that answered most first, and of those the first by name.
fn nodes(hop: &TraceHop) -> Vec<Node> {
    // "Network unreachable" and its like come from a router that may stand anywhere before.
    let plain = |answer: &&TraceAnswer| answer.mark.as_deref().is_none_or(|mark| !mark.starts_with('!'));
    let mut nodes: Vec<&Node> = hop
        .answers
        .iter()
        .filter(plain)
        .map(|answer| &answer.node)
        .filter(|node| !node.is_unknown())
        .collect();
    nodes.sort();
    let mut ranked: Vec<&[&Node]> = nodes.chunk_by(|a, b| a == b).collect();
    ranked.sort_by_key(|same| std::cmp::Reverse(same.len()));
    ranked
        .into_iter()
        .filter_map(|same| same.first().copied().cloned())
        .collect()
}

/// Calls `note` with each round-trip time to a node that the trace shows.
pub(super) fn rtts(trace: &Trace, mut note: impl FnMut(&Node, f64)) {
    let last = trace
        .flows
        .iter()
        .filter(|flow| reaches(trace, flow))
        .filter_map(|flow| flow.hops.last());
    for answer in last.flat_map(|hop| &hop.answers) {
        if let Some(ns) = answer.rtt_ns {
            note(&trace.to, ns as f64);
        }
    }
    for answer in trace.hops().flat_map(|hop| &hop.answers) {
        if let Some(ns) = answer.rtt_ns {
            note(&answer.node, ns as f64);
        }
    }
}

pub(super) fn measure(intake: &mut Intake, trace: &Trace, observation: &Observation) {
    let Some(size) = trace.size_bytes.filter(|size| *size > TESTS_SIZE_BYTES) else {
        return;
    };
    let Some((from, to)) = intake.ends(&trace.from, &trace.to, &observation.provenance.vantage) else {
        return;
    };
    let path = intake.map.path(from, to);
    for hop in trace.hops() {
        let named = nearest(hop).and_then(|node| intake.map.find(&node));
        let there = named.or_else(|| path.hops.iter().find(|h| h.ttl == hop.ttl).map(|h| h.node));
        let Some(node) = there.filter(|node| *node != from) else {
            continue;
        };
        let seen = Delivery {
            // A router names the size because it was too large and might not be cut.
            sender_mtu_bytes: f64::INFINITY,
            size_bytes: f64::from(size),
            dont_fragment: trace.dont_fragment != Some(false),
            sent: f64::from(hop.sent()),
            answered: hop.answers.len() as f64,
            told: hop
                .answers
                .iter()
                .any(|answer| answer.mtu_bytes.is_some_and(|mtu| mtu < size)),
            router_answers: !intake.hosts.contains(&node),
        };
        if seen.sent > 0.0 {
            intake.put(from, node, Seen::Delivery(seen), Trust::Measured, &observation.id);
        }
    }
}
