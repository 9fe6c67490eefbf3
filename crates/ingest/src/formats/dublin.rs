//! dublin-traceroute: a trace for each of several flows, as JSON.

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::{LONGEST_RTT_NS, host};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at, value_at};
use crate::mpls::entry;
use crate::when::epoch;
use evidence::{
    MplsLabel, Node, Payload, ProbeProtocol, ReplyKind, Timestamp, Trace, TraceAnswer, TraceFlow, TraceHop,
};
use serde_json::Value;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "dublin-traceroute",
    reads: "JSON of its trace: hops and times of each flow",
    group: Group::Paths,
    is: |value| {
        let first = value
            .get("flows")
            .and_then(Value::as_object)
            .and_then(|flows| flows.values().next());
        first.is_some_and(|hops| value_at(hops, "/0/sent/ip").is_some())
    },
    read,
};

fn read(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let mut trace = Trace {
        protocol: Some(ProbeProtocol::Udp),
        ..Trace::default()
    };
    let mut at = None;
    for probes in value
        .get("flows")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|flows| flows.values())
    {
        let Some(probes) = probes.as_array() else { continue };
        let mut flow = TraceFlow::default();
        for probe in probes {
            if trace.to.is_unknown() {
                trace.from = host(text_at(probe, "/sent/ip/src").unwrap_or(""));
                trace.to = host(text_at(probe, "/sent/ip/dst").unwrap_or(""));
            }
            let port = |pointer| u64_at(probe, pointer).and_then(|port| u16::try_from(port).ok());
            flow.source_port = flow.source_port.or(port("/sent/udp/sport"));
            flow.destination_port = flow.destination_port.or(port("/sent/udp/dport"));
            at = at.or_else(|| sent(probe));
            take(probe, &mut flow, &trace.to);
        }
        flow.hops.sort_by_key(|hop| hop.ttl);
        trace.flows.push(flow);
    }
    let is_reached = trace.flows.iter().any(|flow| flow.reached_ttl.is_some());
    trace.reached = Some(is_reached);
    trace.from = context.from_or(std::mem::take(&mut trace.from));
    trace.to = context.to_or(std::mem::take(&mut trace.to));
    findings.record_of(
        lines,
        "dublin-traceroute",
        at.or(context.at),
        Payload::Trace(trace),
    );
}

fn sent(probe: &Value) -> Option<Timestamp> {
    epoch(text_at(probe, "/sent/timestamp")?.parse().ok()?)
}

fn take(probe: &Value, flow: &mut TraceFlow, to: &Node) {
    let Some(ttl) = u64_at(probe, "/sent/ip/ttl").and_then(|ttl| u8::try_from(ttl).ok()) else {
        return;
    };
    let mut hop = TraceHop {
        ttl,
        ..TraceHop::default()
    };
    match text_at(probe, "/received/ip/src") {
        None => hop.unanswered = 1,
        Some(address) => {
            let mut node = host(address);
            let name = text_at(probe, "/name").filter(|name| !name.is_empty() && *name != address);
            node.name = name.map(str::to_owned);
            let kind = match (
                u64_at(probe, "/received/icmp/type"),
                u64_at(probe, "/received/icmp/code"),
            ) {
                (Some(11), Some(0)) => Some(ReplyKind::TimeExceeded),
                (Some(3), Some(3)) => Some(ReplyKind::PortUnreachable),
                (Some(3), Some(code)) => u8::try_from(code)
                    .ok()
                    .map(|code| ReplyKind::Unreachable { code }),
                _ => None,
            };
            if node.same_as(to) == Some(true) || kind == Some(ReplyKind::PortUnreachable) {
                flow.reached_ttl = flow.reached_ttl.or(Some(ttl));
            }
            let ns = f64_at(probe, "/rtt_usec").map(|us| us * 1e3);
            hop.answers.push(TraceAnswer {
                node,
                rtt_ns: ns
                    .filter(|ns| (0.0..=LONGEST_RTT_NS as f64).contains(ns))
                    .map(|ns| ns as u64),
                reply_ttl: u64_at(probe, "/received/ip/ttl").and_then(|ttl| u8::try_from(ttl).ok()),
                kind,
                mpls: labels(probe),
                ..TraceAnswer::default()
            });
        }
    }
    flow.hops.push(hop);
}

fn labels(probe: &Value) -> Vec<MplsLabel> {
    let labels = value_at(probe, "/received/icmp/mpls_labels").and_then(Value::as_array);
    let label = |value: &Value| {
        let number = |name| u64_at(value, name);
        let bottom = number("/bottom_of_stack").or(number("/bottom"));
        entry(number("/label"), number("/experimental"), bottom, number("/ttl"))
    };
    labels.into_iter().flatten().filter_map(label).collect()
}
