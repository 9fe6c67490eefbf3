//! What perfSONAR's archive (esmond) answers: lists of times and values. What they are values of is told by the address that
//! was asked, where it stands above, or by a `path` that old versions have in each element.

use super::cells::epoch;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use crate::json_kind::JsonKind;
use crate::when;
use evidence::{Node, Payload, Series, SeriesMetric, Timestamp};
use serde_json::Value;

pub(crate) static FORMAT: Format = Format {
    name: "perfSONAR archive",
    group: Group::Histories,
    reads: "throughput and packet-loss-rate from esmond, with the address that was asked above them; other lists of ts and val are \
            complained about",
    first: "[cw",
    has_command: true,
    marks: Some(|| Marks::of(["/perfsonar/"]).or(is_list)),
    starts: |line| is_list(line) || asked(line).is_some(),
    continues: |block, line| {
        block.len() == 1 && block.first().is_some_and(|first| asked(first).is_some()) && line.starts_with('[')
    },
    takes_in: None,
    read,
};

pub(crate) static METADATA: JsonKind = JsonKind {
    name: "perfSONAR archive, metadata",
    reads: "which measurements there are: known to hold none itself",
    group: Group::Histories,
    is: |value| value.get("event-types").is_some() && value.get("metadata-key").is_some(),
    read: |_: &Value, _, _: &Context, findings: &mut Findings| findings.nothing_to_say(),
};

/// `[{"ts": 1397482734, "val": …`, in one line.
fn is_list(line: &str) -> bool {
    let Some(inner) = line
        .strip_prefix('[')
        .and_then(|rest| rest.trim_ascii_start().strip_prefix('{'))
    else {
        return false;
    };
    let inner = inner.trim_ascii_start();
    ["\"ts\":", "\"val\":", "\"path\":"]
        .iter()
        .any(|key| inner.starts_with(key))
        && line.trim_ascii_end().ends_with(']')
}

/// The kind of measurement in the address: `…/perfsonar/archive/KEY/throughput/base`.
fn asked(line: &str) -> Option<&str> {
    if !line.contains("/perfsonar/") {
        return None;
    }
    let mut words = ["curl", "wget"]
        .iter()
        .find_map(|program| arguments(line, program))?;
    let address = words.find(|word| word.contains("/perfsonar/archive/"))?;
    let (_, path) = address.split_once("/perfsonar/archive/")?;
    path.trim_matches(['"', '\''])
        .split('/')
        .nth(1)
        .filter(|kind| !kind.is_empty() && !kind.starts_with('?'))
}

fn time(value: &Value) -> Option<Timestamp> {
    epoch(&value.to_string()).or_else(|| when::epoch(value.as_f64()?))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let kind = block.first().and_then(asked);
    let Some((number, text)) = block.numbered().find(|(_, line)| line.starts_with('[')) else {
        return;
    };
    let Ok(Value::Array(points)) = serde_json::from_str::<Value>(text) else {
        return findings.complain(number, "a list of values that is damaged");
    };
    let of_path = points
        .first()
        .and_then(|point| point.get("path")?.get(1)?.as_str());
    let metric = match kind.or(of_path) {
        Some("throughput") => SeriesMetric::Throughput,
        Some("packet-loss-rate" | "packet_loss_rate") => SeriesMetric::LossRatio,
        Some(other) => {
            return findings.complain(
                number,
                format!("values of {other}: slowpath has no place for such a series"),
            );
        }
        None => return findings.complain(number, "values of perfSONAR's archive: of what is not told"),
    };
    let mut kept: Vec<(Timestamp, f64)> = Vec::new();
    for point in &points {
        match (point.get("ts").and_then(time), point.get("val")) {
            (Some(_), Some(Value::Null)) => {}
            (Some(at), Some(Value::Number(value))) => kept.extend(value.as_f64().map(|value| (at, value))),
            _ => findings.complain(number, format!("not understood: {point}")),
        }
    }
    kept.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    kept.dedup();
    let first = kept.first().map(|(at, _)| *at);
    let series = Series {
        from: context.from_or(Node::default()),
        to: context.to_or(Node::default()),
        metric,
        points: kept,
    };
    if first.is_some() {
        findings.record_of(
            (number, number),
            "perfSONAR archive",
            first,
            Payload::Series(series),
        );
    }
    findings.nothing_to_say();
}
