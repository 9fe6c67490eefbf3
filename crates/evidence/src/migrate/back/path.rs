//! The hops of a path: our own routes, and what other tools traced.

use crate::v1::{self, HopReply, Payload, Route, RouteFlow, RouteHop};
use crate::{MplsLabel, Trace, TraceAnswer, TraceFlow, TraceHop};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Our own route: the addresses of both ends, every answer with its sender, time and kind, and the probes counted.
pub(super) fn to_route(trace: &Trace) -> Option<Route> {
    let mut names = BTreeMap::new();
    let flows = trace.flows.iter().map(|flow| to_flow(flow, &mut names));
    let flows: Option<Vec<RouteFlow>> = flows.collect();
    Some(Route {
        source: trace.from.address?,
        destination: trace.to.address?,
        protocol: trace.protocol?,
        flows: flows?,
        names,
        packets_sent: trace.packets_sent?,
        elapsed_ns: trace.elapsed_ns?,
    })
}

fn to_flow(flow: &TraceFlow, names: &mut BTreeMap<IpAddr, String>) -> Option<RouteFlow> {
    let mut reply = |answer: &TraceAnswer| {
        let from = answer.node.address?;
        names.extend(answer.node.name.clone().map(|name| (from, name)));
        Some(HopReply {
            from,
            rtt_ns: answer.rtt_ns?,
            reply_ttl: answer.reply_ttl,
            kind: answer.kind?,
            mpls: answer.mpls.clone(),
        })
    };
    let mut hop = |hop: &TraceHop| {
        Some(RouteHop {
            ttl: hop.ttl,
            sent: hop.sent(),
            replies: hop.answers.iter().map(&mut reply).collect::<Option<_>>()?,
        })
    };
    Some(RouteFlow {
        source_port: flow.source_port?,
        destination_port: flow.destination_port?,
        hops: flow.hops.iter().map(&mut hop).collect::<Option<_>>()?,
        reached_ttl: flow.reached_ttl,
    })
}

pub(super) fn to_traces(trace: &Trace) -> Vec<Payload> {
    let answer = |answer: &TraceAnswer| v1::TraceAnswer {
        node: answer.node.clone(),
        rtt_ns: answer.rtt_ns,
        reply_ttl: answer.reply_ttl,
        asn: answer.asn,
        return_hops: answer.return_hops,
        mtu_bytes: answer.mtu_bytes,
        mark: answer.mark.clone(),
    };
    let labels_alone = |answer: &&TraceAnswer| {
        let bare = TraceAnswer {
            mpls: Vec::new(),
            ..(*answer).clone()
        };
        !answer.mpls.is_empty() && bare == TraceAnswer::default()
    };
    let hop = |hop: &TraceHop| v1::TraceHop {
        ttl: hop.ttl,
        answers: hop
            .answers
            .iter()
            .filter(|answer| !labels_alone(answer))
            .map(answer)
            .collect(),
        unanswered: hop.unanswered,
        mpls: labels(hop),
    };
    let of_flow = |flow: &TraceFlow| {
        Payload::Trace(v1::Trace {
            from: trace.from.clone(),
            to: trace.to.clone(),
            protocol: trace.protocol,
            size_bytes: trace.size_bytes,
            dont_fragment: trace.dont_fragment,
            hops: flow.hops.iter().map(hop).collect(),
            reached: trace.reached,
            path_mtu_bytes: trace.path_mtu_bytes,
        })
    };
    trace.flows.iter().map(of_flow).collect()
}

/// The entries of a hop's answers, those that several have once.
fn labels(hop: &TraceHop) -> Vec<MplsLabel> {
    let mut all: Vec<MplsLabel> = Vec::new();
    for answer in &hop.answers {
        let others = std::mem::take(&mut all);
        let new = answer
            .mpls
            .iter()
            .filter(|label| !others.contains(label))
            .copied();
        all = others.iter().copied().chain(new).collect();
    }
    all
}
