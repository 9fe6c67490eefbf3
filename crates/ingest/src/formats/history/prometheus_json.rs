//! What Prometheus itself answers to queries: `/api/v1/query` and `/api/v1/query_range`. What was computed has no name
//! that would say what it is.

use super::cells::epoch;
use super::gathered::{ByTool, Gathered};
use super::prometheus::{exporter, number};
use super::sample::Sample;
use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::json_kind::{JsonKind, text_at, value_at};
use serde_json::Value;
use std::borrow::Cow;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "Prometheus query",
    reads: "results of /api/v1/query and query_range: metrics of the exporters named above, by their names",
    group: Group::Histories,
    is: |value| text_at(value, "/data/resultType").is_some() && value_at(value, "/data/result").is_some(),
    read,
};

fn read(document: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let Some(results) = value_at(document, "/data/result").and_then(Value::as_array) else {
        return findings.complain_of(lines, "a result that is no list");
    };
    let mut by_tool = ByTool::default();
    let (mut nameless, mut unknown) = (0_u32, 0_u32);
    for result in results {
        let Some(name) = text_at(result, "/metric/__name__") else {
            nameless += 1;
            continue;
        };
        let Some(tool) = exporter(name) else {
            unknown += 1;
            continue;
        };
        if !take(result, name, lines, by_tool.of(tool), findings) {
            unknown += 1;
        }
    }
    by_tool.record(false, context, findings);
    if nameless > 0 {
        findings.complain_of(
            lines,
            format!(
                "{nameless} of {} results do not name their metric: what they are is not told",
                results.len()
            ),
        );
    }
    if unknown > 0 {
        findings.complain_of(lines, format!("{unknown} results of metrics that are not known"));
    }
    findings.nothing_to_say();
}

/// Takes all points of a result; `false` where its metric says nothing of transfers.
fn take(
    result: &Value,
    name: &str,
    lines: (u64, u64),
    gathered: &mut Gathered,
    findings: &mut Findings,
) -> bool {
    let labels = value_at(result, "/metric").and_then(Value::as_object);
    let labels: Vec<(Cow<'_, str>, Cow<'_, str>)> = labels
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.as_str().into(), value.as_str()?.into())))
        .collect();
    let many = value_at(result, "/values").and_then(Value::as_array);
    let one = value_at(result, "/value");
    let mut known = true;
    for point in many.into_iter().flatten().chain(one) {
        let time = value_at(point, "/0").and_then(|time| epoch(&time.to_string()));
        let value = text_at(point, "/1").and_then(number);
        let (Some(at), Some(value)) = (time, value) else {
            findings.complain_of(lines, format!("a point of {name} is not understood: {point}"));
            continue;
        };
        let sample = Sample {
            name: name.into(),
            labels: labels.clone(),
            value,
            at: Some(at),
        };
        known &= gathered.take(findings, lines, &sample, false);
    }
    known
}
