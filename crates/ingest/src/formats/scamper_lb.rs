//! scamper's `tracelb` as JSON: nodes, and between them links with each probe that showed one, by its flow.

use super::scamper::{node, protocol, size, started};
use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::{host, rtt_of_ms};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at};
use evidence::{Payload, Trace, TraceAnswer, TraceFlow, TraceHop};
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "scamper tracelb",
    reads: "JSON as scamper -O json writes it: hops and times of each flow",
    group: Group::Paths,
    is: |value| text_at(value, "/type") == Some("tracelb") && value.get("nodes").is_some(),
    read,
};

/// More flows than these are not kept.
const MOST_FLOWS: usize = 256;

/// The hops of each flow, by their TTL.
type Flows = BTreeMap<u64, BTreeMap<u8, TraceHop>>;

fn read(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let mut flows = Flows::new();
    for from in array(value, "nodes") {
        for link in array(from, "links").filter_map(Value::as_array) {
            for (place, set) in link.iter().enumerate() {
                take_set(set, (place == 0).then_some(from), &mut flows);
            }
        }
    }
    let to = node(value, "/dst");
    let ends = |hop: &TraceHop| {
        hop.answers
            .iter()
            .any(|answer| answer.node.same_as(&to) == Some(true))
    };
    let flow = |hops: BTreeMap<u8, TraceHop>| {
        let reached_ttl = hops.values().find(|hop| ends(hop)).map(|hop| hop.ttl);
        TraceFlow {
            reached_ttl,
            ..TraceFlow::of(hops.into_values().filter(|hop| hop.sent() > 0).collect())
        }
    };
    let flows: Vec<TraceFlow> = flows.into_values().map(flow).collect();
    if flows.is_empty() {
        return findings.complain_of(lines, "a tracelb that met no link");
    }
    let trace = Trace {
        from: context.from_or(node(value, "/src")),
        reached: Some(flows.iter().any(|flow| flow.reached_ttl.is_some())),
        to: context.to_or(to),
        protocol: protocol(text_at(value, "/method").unwrap_or("")),
        size_bytes: size(value),
        packets_sent: u64_at(value, "/probec").and_then(|sent| u32::try_from(sent).ok()),
        flows,
        ..Trace::default()
    };
    let at = started(value).or(context.at);
    findings.record_of(lines, "scamper", at, Payload::Trace(trace));
}

fn array<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Probes that one address answered, or none (`*`). The node that the link begins at answered their flows one hop before.
fn take_set(set: &Value, from: Option<&Value>, flows: &mut Flows) {
    for probe in array(set, "probes") {
        let ttl = u64_at(probe, "/ttl").and_then(|ttl| u8::try_from(ttl).ok());
        let (Some(ttl), Some(id)) = (ttl.filter(|ttl| *ttl > 0), u64_at(probe, "/flowid")) else {
            continue;
        };
        if flows.len() >= MOST_FLOWS && !flows.contains_key(&id) {
            continue;
        }
        let hops = flows.entry(id).or_default();
        if let (Some(from), Some(before)) = (from, ttl.checked_sub(1).filter(|ttl| *ttl > 0)) {
            let hop = hop_at(hops, before);
            if hop.answers.is_empty() && text_at(from, "/addr").is_some_and(|addr| addr != "*") {
                hop.answers.push(TraceAnswer {
                    node: answerer(from),
                    ..TraceAnswer::default()
                });
            }
        }
        let hop = hop_at(hops, ttl);
        let mut replies = array(probe, "replies").peekable();
        if replies.peek().is_none() {
            hop.unanswered = hop.unanswered.saturating_add(1);
        }
        for reply in replies {
            // What was only known to have passed here is answered for.
            hop.answers.retain(|answer| answer.rtt_ns.is_some());
            hop.answers.push(TraceAnswer {
                node: answerer(set),
                rtt_ns: f64_at(reply, "/rtt").and_then(rtt_of_ms),
                reply_ttl: u64_at(reply, "/ttl").and_then(|ttl| u8::try_from(ttl).ok()),
                ..TraceAnswer::default()
            });
        }
    }
}

fn hop_at(hops: &mut BTreeMap<u8, TraceHop>, ttl: u8) -> &mut TraceHop {
    hops.entry(ttl).or_insert_with(|| TraceHop {
        ttl,
        ..TraceHop::default()
    })
}

fn answerer(value: &Value) -> evidence::Node {
    let mut node = host(text_at(value, "/addr").unwrap_or(""));
    node.name = text_at(value, "/name").map(str::to_owned).or(node.name);
    node
}
