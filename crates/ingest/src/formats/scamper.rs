//! scamper's JSON: traces and pings. Its text looks like traceroute's and ping's, and is read there.

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::{delay, host, rtt_of_ms};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at};
use crate::mpls::entry;
use evidence::{
    DelayStatistics, MplsLabel, Node, Payload, ProbeProtocol, ProbeRow, Probes, Timestamp, Trace,
    TraceAnswer, TraceFlow, TraceHop,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// A trace of scamper's.
pub(crate) static TRACE: JsonKind = JsonKind {
    name: "scamper trace",
    reads: "JSON as scamper -O json writes it",
    group: Group::Paths,
    is: |value| text_at(value, "/type") == Some("trace") && value.get("stop_reason").is_some(),
    read: read_trace,
};

/// A ping of scamper's.
pub(crate) static PING: JsonKind = JsonKind {
    name: "scamper ping",
    reads: "JSON as scamper -O json writes it",
    group: Group::Paths,
    is: |value| text_at(value, "/type") == Some("ping") && value.get("ping_sent").is_some(),
    read: read_ping,
};

/// What scamper writes around the measurements of a list.
pub(crate) static CYCLE: JsonKind = JsonKind {
    name: "scamper cycle",
    reads: "JSON as scamper -O json writes it",
    group: Group::Paths,
    is: |value| {
        matches!(
            text_at(value, "/type"),
            Some("cycle-start" | "cycle-stop" | "cycle-def")
        )
    },
    read: |_, _, _, findings| findings.nothing_to_say(),
};

pub(super) fn started(value: &Value) -> Option<Timestamp> {
    let seconds = i64::try_from(u64_at(value, "/start/sec")?).ok()?;
    let micros = i64::try_from(u64_at(value, "/start/usec").unwrap_or(0)).ok()?;
    let all = seconds.checked_mul(1_000_000)?.checked_add(micros)?;
    all.checked_mul(1000).map(Timestamp)
}

pub(super) fn node(value: &Value, pointer: &str) -> Node {
    host(text_at(value, pointer).unwrap_or(""))
}

pub(super) fn size(value: &Value) -> Option<u32> {
    u32::try_from(u64_at(value, "/probe_size")?).ok()
}

fn read_trace(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let mut hops = silent_hops(value);
    for answer in value.get("hops").and_then(Value::as_array).into_iter().flatten() {
        take_answer(answer, &mut hops);
    }
    let trace = Trace {
        from: context.from_or(node(value, "/src")),
        to: context.to_or(node(value, "/dst")),
        protocol: protocol(text_at(value, "/method").unwrap_or("")),
        size_bytes: size(value),
        flows: vec![TraceFlow::of(hops.into_values().collect())],
        reached: match text_at(value, "/stop_reason") {
            Some("COMPLETED") => Some(true),
            Some("UNREACH" | "ICMP" | "LOOP" | "GAPLIMIT" | "HOPLIMIT") => Some(false),
            _ => None,
        },
        path_mtu_bytes: u64_at(value, "/pmtu").and_then(|mtu| u32::try_from(mtu).ok()),
        ..Trace::default()
    };
    findings.record_of(
        lines,
        "scamper",
        started(value).or(context.at),
        Payload::Trace(trace),
    );
}

/// Every TTL that was probed: those without an answer are not listed among the hops.
fn silent_hops(value: &Value) -> BTreeMap<u8, TraceHop> {
    let first = u64_at(value, "/firsthop").unwrap_or(1);
    let last = u64_at(value, "/hop_count").unwrap_or(0).min(255);
    let attempts = u64_at(value, "/attempts").unwrap_or(1).clamp(1, 255) as u16;
    (first..=last)
        .filter_map(|ttl| u8::try_from(ttl).ok())
        .map(|ttl| {
            let hop = TraceHop {
                ttl,
                unanswered: attempts,
                ..TraceHop::default()
            };
            (ttl, hop)
        })
        .collect()
}

pub(super) fn protocol(method: &str) -> Option<ProbeProtocol> {
    match method.split('-').next() {
        Some("udp") => Some(ProbeProtocol::Udp),
        Some("icmp") => Some(ProbeProtocol::Icmp),
        Some("tcp") if method != "tcp-ack" => Some(ProbeProtocol::TcpSyn),
        _ => None,
    }
}

fn take_answer(value: &Value, hops: &mut BTreeMap<u8, TraceHop>) {
    let Some(ttl) = u64_at(value, "/probe_ttl").and_then(|ttl| u8::try_from(ttl).ok()) else {
        return;
    };
    let hop = hops.entry(ttl).or_default();
    hop.ttl = ttl;
    if hop.answers.is_empty() {
        // The attempts before the one that was answered.
        let earlier = u64_at(value, "/probe_id").unwrap_or(1).saturating_sub(1);
        hop.unanswered = u16::try_from(earlier).unwrap_or(u16::MAX);
    }
    let mut answerer = node(value, "/addr");
    answerer.name = text_at(value, "/name").map(str::to_owned).or(answerer.name);
    let extensions = value.get("icmpext").and_then(Value::as_array);
    let labels = extensions
        .into_iter()
        .flatten()
        .filter_map(|ext| ext.get("mpls_labels")?.as_array());
    hop.answers.push(TraceAnswer {
        node: answerer,
        rtt_ns: f64_at(value, "/rtt").and_then(rtt_of_ms),
        reply_ttl: u64_at(value, "/reply_ttl").and_then(|ttl| u8::try_from(ttl).ok()),
        mtu_bytes: u64_at(value, "/icmp_nhmtu")
            .and_then(|mtu| u32::try_from(mtu).ok())
            .filter(|mtu| *mtu > 0),
        mpls: labels.flatten().filter_map(label).collect(),
        mark: mark(value),
        ..TraceAnswer::default()
    });
}

/// As traceroute marks the codes of "unreachable"; port unreachable is the destination's answer.
fn mark(value: &Value) -> Option<String> {
    let code = u64_at(value, "/icmp_code").filter(|_| u64_at(value, "/icmp_type") == Some(3))?;
    let mark = match code {
        0 => "!N",
        1 => "!H",
        2 => "!P",
        3 => return None,
        4 => "!F",
        9 | 10 | 13 => "!X",
        other => return Some(format!("!{other}")),
    };
    Some(mark.to_owned())
}

fn label(value: &Value) -> Option<MplsLabel> {
    let number = |name| u64_at(value, name);
    entry(
        number("/mpls_label"),
        number("/mpls_exp"),
        number("/mpls_s"),
        number("/mpls_ttl"),
    )
}

fn read_ping(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let rtt = |pointer: &str| delay(f64_at(value, pointer).and_then(rtt_of_ms));
    let received = u64_at(value, "/statistics/replies");
    let row = ProbeRow {
        to: context.to_or(node(value, "/dst")),
        size_bytes: size(value),
        sent: u64_at(value, "/ping_sent"),
        received,
        delay: (received != Some(0)).then(|| DelayStatistics {
            min_ns: rtt("/statistics/min"),
            mean_ns: rtt("/statistics/avg"),
            max_ns: rtt("/statistics/max"),
            deviation_ns: rtt("/statistics/stddev"),
            ..DelayStatistics::default()
        }),
        ..ProbeRow::default()
    };
    let pings = Probes {
        from: context.from_or(node(value, "/src")),
        rows: vec![row],
        ..Probes::default()
    };
    findings.record_of(
        lines,
        "scamper",
        started(value).or(context.at),
        Payload::Probes(pings),
    );
}
