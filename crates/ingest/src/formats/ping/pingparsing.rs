//! `pingparsing`: what it read of each host's ping, as JSON; times in milliseconds.

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::{delay, host, rtt_of_ms};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at};
use evidence::{DelayStatistics, Payload, ProbeRow, Probes};
use serde_json::Value;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "pingparsing",
    reads: "each host's counts and times",
    group: Group::Paths,
    is: |value| {
        is_of_host(value)
            || value
                .as_object()
                .is_some_and(|hosts| hosts.values().any(is_of_host))
    },
    read: |value, lines, context, findings| {
        if is_of_host(value) {
            read(
                text_at(value, "/destination").unwrap_or(""),
                value,
                lines,
                context,
                findings,
            );
        }
        for (name, value) in value.as_object().into_iter().flatten() {
            if is_of_host(value) {
                read(name, value, lines, context, findings);
            }
        }
    },
};

fn is_of_host(value: &Value) -> bool {
    value.get("packet_transmit").is_some() && value.get("packet_receive").is_some()
}

fn read(name: &str, value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let rtt = |pointer: &str| delay(f64_at(value, pointer).and_then(rtt_of_ms));
    let received = u64_at(value, "/packet_receive");
    let times = DelayStatistics {
        min_ns: rtt("/rtt_min"),
        mean_ns: rtt("/rtt_avg"),
        max_ns: rtt("/rtt_max"),
        deviation_ns: rtt("/rtt_mdev"),
        ..DelayStatistics::default()
    };
    let row = ProbeRow {
        to: context.to_or(host(name)),
        sent: u64_at(value, "/packet_transmit"),
        received,
        duplicates: u64_at(value, "/packet_duplicate_count"),
        delay: Some(times).filter(|times| received != Some(0) && *times != DelayStatistics::default()),
        ..ProbeRow::default()
    };
    let probes = Probes {
        from: context.from.clone(),
        rows: vec![row],
        ..Probes::default()
    };
    findings.record_of(lines, "pingparsing", context.at, Payload::Probes(probes));
}
