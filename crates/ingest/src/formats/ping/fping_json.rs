//! `fping -J`: a document a line, of each reply, of each host at the end, and of all.

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::{delay, host, rtt_of_ms};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at, value_at};
use evidence::{DelayStatistics, Payload, ProbeRow, Probes};
use serde_json::Value;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "fping --json",
    reads: "each host's counts and times",
    group: Group::Paths,
    is: |value| {
        let is_of_host = |name: &str| text_at(value, &format!("/{name}/host")).is_some();
        value.as_object().is_some_and(|fields| fields.len() == 1)
            && (PARTS.iter().any(|part| is_of_host(part)) || value_at(value, "/stats/targets").is_some())
    },
    read,
};

static PARTS: [&str; 8] = [
    "summary",
    "vSum",
    "resp",
    "timeout",
    "alive",
    "unreachable",
    "intSum",
    "duplicate",
];

fn read(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let row = if let Some(summary) = value.get("summary") {
        summed_up(summary)
    } else if let Some(all) = value.get("vSum") {
        each(all)
    } else {
        // Single replies, and figures of all hosts together.
        return findings.nothing_to_say();
    };
    let probes = Probes {
        from: context.from.clone(),
        rows: vec![row],
        ..Probes::default()
    };
    findings.record_of(lines, "fping", context.at, Payload::Probes(probes));
}

fn summed_up(value: &Value) -> ProbeRow {
    let rtt = |pointer: &str| delay(f64_at(value, pointer).and_then(rtt_of_ms));
    let received = u64_at(value, "/rcv");
    let times = DelayStatistics {
        min_ns: rtt("/rttMin"),
        mean_ns: rtt("/rttAvg"),
        max_ns: rtt("/rttMax"),
        ..DelayStatistics::default()
    };
    ProbeRow {
        to: host(text_at(value, "/host").unwrap_or("")),
        sent: u64_at(value, "/xmt"),
        received,
        delay: Some(times).filter(|times| received != Some(0) && *times != DelayStatistics::default()),
        ..ProbeRow::default()
    }
}

/// Every time of a host, `null` for a request that timed out.
fn each(value: &Value) -> ProbeRow {
    let values = value.get("values").and_then(Value::as_array);
    let values: &[Value] = values.map_or(&[], Vec::as_slice);
    let times: Vec<u64> = values
        .iter()
        .filter_map(Value::as_f64)
        .filter_map(rtt_of_ms)
        .collect();
    let sum = times.iter().fold(0_u64, |sum, ns| sum.saturating_add(*ns));
    ProbeRow {
        to: host(text_at(value, "/host").unwrap_or("")),
        sent: Some(values.len() as u64),
        received: Some(times.len() as u64),
        delay: (!times.is_empty()).then(|| DelayStatistics {
            min_ns: delay(times.iter().min().copied()),
            mean_ns: delay(sum.checked_div(times.len() as u64)),
            max_ns: delay(times.iter().max().copied()),
            ..DelayStatistics::default()
        }),
        ..ProbeRow::default()
    }
}
