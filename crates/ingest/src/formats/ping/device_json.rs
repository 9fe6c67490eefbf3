//! Probes of network devices as libraries hand them on: NAPALM's `ping()` and `traceroute()`, and Junos' answer as PyEZ makes JSON of it.

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::{LONGEST_RTT_NS, delay, host, rtt_of_ms, set_address};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at, value_at};
use evidence::{DelayStatistics, Node, Payload, ProbeRow, Probes, Trace, TraceAnswer, TraceFlow, TraceHop};
use serde_json::Value;

pub(crate) static NAPALM: JsonKind = JsonKind {
    name: "ping (NAPALM)",
    reads: "probes, losses and round trips of `ping()`",
    group: Group::Paths,
    is: |value| value_at(value, "/success/probes_sent").is_some(),
    read: read_napalm,
};

pub(crate) static PYEZ: JsonKind = JsonKind {
    name: "ping (PyEZ)",
    reads: "probes, losses and round trips of `rpc.ping()`",
    group: Group::Paths,
    is: |value| value_at(value, "/probe-results-summary/probes-sent").is_some(),
    read: read_pyez,
};

pub(crate) static NAPALM_TRACE: JsonKind = JsonKind {
    name: "traceroute (NAPALM)",
    reads: "hops and round trips of `traceroute()`",
    group: Group::Paths,
    is: |value| value_at(value, "/success/1/probes").is_some(),
    read: read_trace,
};

/// Hops and their probes stand under their numbers, times in milliseconds.
fn read_trace(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let numbered = (1..=u8::MAX).map_while(|ttl| {
        let probes = value_at(value, &format!("/success/{ttl}/probes"))?.as_object()?;
        // A probe without an answer has an address too: `*`.
        let is_probe = |probe: &Value| text_at(probe, "/ip_address").is_some();
        probes.values().all(is_probe).then_some((ttl, probes))
    });
    let hops: Vec<TraceHop> = numbered
        .map(|(ttl, probes)| {
            let (answers, lost): (Vec<_>, Vec<_>) = probes.values().map(answer).partition(Option::is_some);
            TraceHop {
                ttl,
                answers: answers.into_iter().flatten().collect(),
                unanswered: u16::try_from(lost.len()).unwrap_or(u16::MAX),
            }
        })
        .collect();
    let all = value_at(value, "/success").and_then(Value::as_object);
    if all.is_none_or(|all| all.len() != hops.len()) {
        return findings.complain_of(
            lines,
            "a traceroute with a hop that has no number, or a probe that is none",
        );
    }
    let trace = Trace {
        from: context.from_or(Node::default()),
        to: context.to_or(Node::default()),
        flows: vec![TraceFlow::of(hops)],
        ..Trace::default()
    };
    findings.record_of(lines, "traceroute", context.at, Payload::Trace(trace));
}

/// Who answered a probe; who is called by an address has no name.
fn answer(probe: &Value) -> Option<TraceAnswer> {
    let text = |key: &str| text_at(probe, key).filter(|text| !matches!(*text, "" | "*"));
    let mut node = host(text("/host_name").or_else(|| text("/ip_address"))?);
    set_address(&mut node, text("/ip_address").unwrap_or_default());
    Some(TraceAnswer {
        node,
        rtt_ns: f64_at(probe, "/rtt").and_then(rtt_of_ms).filter(|ns| *ns > 0),
        ..TraceAnswer::default()
    })
}

/// Times in milliseconds.
fn read_napalm(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let (sent, lost) = (
        u64_at(value, "/success/probes_sent"),
        u64_at(value, "/success/packet_loss"),
    );
    let received = sent.zip(lost).and_then(|(sent, lost)| sent.checked_sub(lost));
    if received.is_none() {
        return findings.complain_of(
            lines,
            "a ping that lost more than was sent, or does not say how many",
        );
    }
    let results = value_at(value, "/success/results").and_then(Value::as_array);
    let answered: Vec<&str> = results
        .into_iter()
        .flatten()
        .filter_map(|result| text_at(result, "/ip_address"))
        .collect();
    // Routers on the way may have answered some.
    let one = answered
        .first()
        .filter(|first| answered.iter().all(|other| other == *first));
    let row = ProbeRow {
        to: one.map(|address| host(address)).unwrap_or_default(),
        sent,
        received,
        ..ProbeRow::default()
    };
    let time = |name: &str| f64_at(value, &format!("/success/rtt_{name}")).and_then(rtt_of_ms);
    let times = ["min", "avg", "max", "stddev"].map(time);
    record(row, times, lines, context, findings);
}

/// Times in microseconds, as text.
fn read_pyez(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let mut to = host(text_at(value, "/target-host").unwrap_or_default());
    set_address(&mut to, text_at(value, "/target-ip").unwrap_or_default());
    let row = ProbeRow {
        to,
        sent: u64_at(value, "/probe-results-summary/probes-sent"),
        received: u64_at(value, "/probe-results-summary/responses-received"),
        ..ProbeRow::default()
    };
    let time = |name: &str| {
        let micros = u64_at(value, &format!("/probe-results-summary/rtt-{name}"))?;
        micros.checked_mul(1000).filter(|ns| *ns <= LONGEST_RTT_NS)
    };
    let times = ["minimum", "average", "maximum", "stddev"].map(time);
    record(row, times, lines, context, findings);
}

/// Adds the record: the smallest, the mean and the largest time, and how far they scatter, where anything came back.
fn record(
    mut row: ProbeRow,
    times: [Option<u64>; 4],
    lines: (u64, u64),
    context: &Context,
    findings: &mut Findings,
) {
    let [min, mean, max, deviation] = times.map(delay);
    let times = DelayStatistics {
        min_ns: min,
        mean_ns: mean,
        max_ns: max,
        deviation_ns: deviation,
        ..DelayStatistics::default()
    };
    row.delay = Some(times).filter(|times| row.received != Some(0) && *times != DelayStatistics::default());
    row.to = context.to_or(std::mem::take(&mut row.to));
    let probes = Probes {
        from: context.from_or(Node::default()),
        rows: vec![row],
        ..Probes::default()
    };
    findings.record_of(lines, "ping", context.at, Payload::Probes(probes));
}
