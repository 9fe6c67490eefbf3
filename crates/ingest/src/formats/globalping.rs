//! Globalping's measurements as its API gives them: ping, traceroute and mtr from many places to one target, each with its own result.

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::formats::traceroute::reached;
use crate::host::{delay, host, rtt_of_ms};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at, value_at};
use crate::when::iso8601;
use evidence::{
    DelayStatistics, EchoMode, Node, Payload, ProbeProtocol, ProbeRow, Probes, Timestamp, Trace, TraceAnswer,
    TraceFlow, TraceHop,
};
use serde_json::Value;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "Globalping",
    reads: "JSON of ping, traceroute and mtr: a record for each place",
    group: Group::Paths,
    is: |value| {
        let is_result = |result: &Value| {
            value_at(result, "/result/rawOutput").is_some()
                || value_at(result, "/result/resolvedAddress").is_some()
        };
        // Results are shown alone, too: each says where its probe stands.
        let is_placed = |result: &Value| value_at(result, "/probe/asn").is_some();
        match value.get("results").and_then(Value::as_array) {
            Some(results) => results
                .first()
                .is_some_and(|first| is_result(first) && (value.get("target").is_some() || is_placed(first))),
            None => (value.get("measurementId").is_some() || is_placed(value)) && is_result(value),
        }
    },
    read,
};

/// What the measurement says for all of its results.
struct Measurement {
    to: Node,
    at: Option<Timestamp>,
    protocol: Option<ProbeProtocol>,
    lines: (u64, u64),
}

fn read(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let measurement = Measurement {
        to: host(text_at(value, "/target").unwrap_or("")),
        at: text_at(value, "/createdAt")
            .and_then(|at| iso8601(at, None))
            .or(context.at),
        protocol: match text_at(value, "/measurementOptions/protocol") {
            Some("ICMP") => Some(ProbeProtocol::Icmp),
            Some("UDP") => Some(ProbeProtocol::Udp),
            Some("TCP") => Some(ProbeProtocol::TcpSyn),
            _ => None,
        },
        lines,
    };
    match value.get("results").and_then(Value::as_array) {
        Some(results) => {
            for result in results {
                take(result, &measurement, context, findings);
            }
        }
        None => take(value, &measurement, context, findings),
    }
}

/// Where the probe stands: a place and a network, as it tells no address.
fn place(result: &Value) -> Node {
    let text = |pointer: &str| text_at(result, pointer).unwrap_or("");
    let (city, country) = (text("/probe/city"), text("/probe/country"));
    match u64_at(result, "/probe/asn") {
        Some(asn) if !city.is_empty() => Node::named(&format!("{city}, {country} (AS{asn})")),
        _ => Node::default(),
    }
}

fn take(whole: &Value, measurement: &Measurement, context: &Context, findings: &mut Findings) {
    let Some(result) = whole.get("result") else { return };
    let from = context.from_or(place(whole));
    let mut to = measurement.to.clone();
    if let Some(address) = text_at(result, "/resolvedAddress").and_then(|address| address.parse().ok()) {
        to.address = Some(address);
    }
    let to = context.to_or(to);
    let hops = result.get("hops").and_then(Value::as_array);
    let is_mtr = hops.is_some_and(|hops| hops.first().is_some_and(|hop| hop.get("stats").is_some()));
    let is_finished = text_at(result, "/status") == Some("finished");
    // Where the probe's own ping failed all counts are -1.
    let is_counted = || u64_at(result, "/stats/total").is_some();
    if !is_finished || (hops.is_none() && !is_counted()) {
        let said = text_at(result, "/rawOutput").unwrap_or("no result").trim_ascii();
        return findings.complain_of(measurement.lines, format!("a place could not measure: {said}"));
    }
    if let Some(hops) = hops {
        trace(hops, &from, &to, measurement, findings);
    }
    let rows = match hops {
        Some(hops) if is_mtr => (1_u8..=255)
            .zip(hops)
            .map(|(ttl, hop)| hop_row(ttl, hop))
            .collect(),
        Some(_) => return,
        None => vec![ProbeRow {
            to: to.clone(),
            ..row(result)
        }],
    };
    let probes = Probes {
        from,
        destination: is_mtr.then_some(to),
        protocol: measurement.protocol,
        rows,
        ..Probes::default()
    };
    findings.record_of(
        measurement.lines,
        "Globalping",
        measurement.at,
        Payload::Probes(probes),
    );
}

/// The counts and times of `stats`.
fn row(value: &Value) -> ProbeRow {
    // A time of 0 is one that its tool did not print.
    let rtt = |pointer: &str| delay(f64_at(value, pointer).filter(|ms| *ms > 0.0).and_then(rtt_of_ms));
    let received = u64_at(value, "/stats/rcv");
    let times = DelayStatistics {
        min_ns: rtt("/stats/min"),
        mean_ns: rtt("/stats/avg"),
        max_ns: rtt("/stats/max"),
        deviation_ns: rtt("/stats/stDev"),
        ..DelayStatistics::default()
    };
    ProbeRow {
        sent: u64_at(value, "/stats/total"),
        received,
        delay: Some(times).filter(|times| received != Some(0) && *times != DelayStatistics::default()),
        ..ProbeRow::default()
    }
}

fn hop_row(ttl: u8, hop: &Value) -> ProbeRow {
    ProbeRow {
        ttl: Some(ttl),
        to: node(hop),
        mode: Some(EchoMode::Expiring),
        ..row(hop)
    }
}

fn node(hop: &Value) -> Node {
    let mut node = host(text_at(hop, "/resolvedAddress").unwrap_or(""));
    let name =
        text_at(hop, "/resolvedHostname").filter(|name| text_at(hop, "/resolvedAddress") != Some(name));
    node.name = name.map(str::to_owned).or(node.name);
    node
}

fn trace(hops: &[Value], from: &Node, to: &Node, measurement: &Measurement, findings: &mut Findings) {
    let hops: Vec<TraceHop> = (1_u8..=255)
        .zip(hops)
        .map(|(ttl, hop)| trace_hop(ttl, hop))
        .collect();
    let trace = Trace {
        from: from.clone(),
        reached: reached(&hops, to, None),
        to: to.clone(),
        protocol: measurement.protocol,
        flows: vec![TraceFlow::of(hops)],
        ..Trace::default()
    };
    findings.record_of(
        measurement.lines,
        "Globalping",
        measurement.at,
        Payload::Trace(trace),
    );
}

/// Times of a hop are those of its answers; of a hop without an answer nothing is told but that.
fn trace_hop(ttl: u8, hop: &Value) -> TraceHop {
    let who = node(hop);
    let asn = value_at(hop, "/asn/0")
        .and_then(Value::as_u64)
        .and_then(|asn| u32::try_from(asn).ok());
    let timings = hop.get("timings").and_then(Value::as_array);
    let answers: Vec<TraceAnswer> = timings
        .into_iter()
        .flatten()
        .filter(|_| !who.is_unknown())
        .map(|timing| TraceAnswer {
            node: who.clone(),
            rtt_ns: f64_at(timing, "/rtt").filter(|ms| *ms > 0.0).and_then(rtt_of_ms),
            asn,
            ..TraceAnswer::default()
        })
        .collect();
    let dropped = u64_at(hop, "/stats/drop").unwrap_or(0);
    let unanswered = dropped.max(u64::from(answers.is_empty() && who.is_unknown()));
    TraceHop {
        ttl,
        answers,
        unanswered: u16::try_from(unanswered).unwrap_or(u16::MAX),
    }
}
