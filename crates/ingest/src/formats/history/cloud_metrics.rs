//! What clouds answer about machines of theirs: `az monitor metrics list` and `aws cloudwatch get-metric-statistics`, of which the bytes
//! that went in and out over all interfaces of a machine are rates. Both add bytes up over an interval.
//!
//! Azure tells how long that is. Amazon does not: it is as far apart as its points are, where all are as far apart.

use super::column::{Column, Way, What};
use super::rows::{Figure, Rows};
use crate::findings::Findings;
use crate::format::Group;
use crate::json_kind::{JsonKind, text_at, value_at};
use crate::{Context, when};
use evidence::{Node, Timestamp};
use serde_json::Value;

pub(crate) static AZURE: JsonKind = JsonKind {
    name: "Azure metrics",
    reads: "`az monitor metrics list`: the totals of bytes that a machine received and sent, as rates",
    group: Group::Histories,
    is: |value| text_at(value, "/value/0/name/value").is_some() && text_at(value, "/interval").is_some(),
    read: read_azure,
};

pub(crate) static CLOUDWATCH: JsonKind = JsonKind {
    name: "CloudWatch statistics",
    reads: "`aws cloudwatch get-metric-statistics`: sums of NetworkIn and NetworkOut, as rates",
    group: Group::Histories,
    is: |value| value.get("Datapoints").is_some() && text_at(value, "/Label").is_some(),
    read: read_cloudwatch,
};

const SECOND: i64 = 1_000_000_000;

fn way(name: &str) -> Option<Way> {
    match name {
        "Network In Total" | "Network In" | "NetworkIn" => Some(Way::In),
        "Network Out Total" | "Network Out" | "NetworkOut" => Some(Way::Out),
        _ => None,
    }
}

/// `PT5M`, `PT1H`
fn interval_s(text: &str) -> Option<u64> {
    let length = text.strip_prefix("PT")?;
    let figure = |unit: char| length.strip_suffix(unit)?.parse::<u64>().ok();
    let minutes = || figure('M')?.checked_mul(60);
    let hours = || figure('H')?.checked_mul(3_600);
    minutes()
        .or_else(hours)
        .or_else(|| figure('S'))
        .filter(|s| *s > 0)
}

fn read_azure(document: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let interval = text_at(document, "/interval").and_then(interval_s);
    let metrics = value_at(document, "/value").and_then(Value::as_array);
    for metric in metrics.into_iter().flatten() {
        let name = text_at(metric, "/name/value").unwrap_or_default();
        let is_bytes = text_at(metric, "/unit") == Some("Bytes");
        let (Some(way), Some(interval), true) = (way(name), interval, is_bytes) else {
            findings.complain_of(lines, format!("a metric that is not used: {name}"));
            continue;
        };
        let machine = text_at(metric, "/id").and_then(|id| id.split("/providers/Microsoft.Insights").next());
        let machine = machine.and_then(|id| id.rsplit('/').next());
        let data = value_at(metric, "/timeseries/0/data").and_then(Value::as_array);
        let points = data.into_iter().flatten();
        let points = points.map(|point| (text_at(point, "/timeStamp"), point.get("total")));
        let mut rows = rows("Azure Monitor", way, interval);
        rows.device = machine.map(Node::named).unwrap_or_default();
        if value_at(metric, "/timeseries/1").is_some() {
            findings.complain_of(lines, format!("{name} in several parts: only the first is used"));
        }
        for (at, total) in points {
            push(
                &mut rows,
                at.and_then(|at| when::iso8601(at, Some(0))),
                total,
                lines,
                findings,
            );
        }
        rows.record(context, findings);
    }
    findings.nothing_to_say();
}

fn read_cloudwatch(document: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let name = text_at(document, "/Label").unwrap_or_default();
    let points = value_at(document, "/Datapoints").and_then(Value::as_array);
    let points: Vec<&Value> = points.into_iter().flatten().collect();
    let is_bytes = points
        .iter()
        .all(|point| text_at(point, "/Unit") == Some("Bytes"));
    let Some(way) = way(name).filter(|_| is_bytes) else {
        return findings.complain_of(lines, format!("a metric that is not used: {name}"));
    };
    let at = |point: &Value| when::iso8601(text_at(point, "/Timestamp")?, None);
    let mut times: Vec<i64> = points.iter().filter_map(|point| Some(at(point)?.0)).collect();
    times.sort_unstable();
    let mut gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
    let first = gaps.next().filter(|gap| *gap >= SECOND && times.len() > 2);
    let Some(interval) = first.filter(|first| gaps.all(|gap| gap == *first)) else {
        return findings.complain_of(
            lines,
            format!("its points contradict each other: over how long {name} was added up is not told"),
        );
    };
    let mut rows = rows("CloudWatch", way, (interval / SECOND).unsigned_abs());
    for point in points {
        push(&mut rows, at(point), point.get("Sum"), lines, findings);
    }
    rows.record(context, findings);
    findings.nothing_to_say();
}

fn rows(tool: &str, way: Way, interval_s: u64) -> Rows {
    let mut rows = Rows::of(tool);
    rows.over_s = Some(interval_s);
    rows.columns = vec![Some(Column {
        what: What::Traffic(way),
        scale: Some(8.0 / interval_s as f64),
        name: String::new(),
    })];
    rows
}

fn push(
    rows: &mut Rows,
    at: Option<Timestamp>,
    sum: Option<&Value>,
    lines: (u64, u64),
    findings: &mut Findings,
) {
    match (at, sum.and_then(Value::as_f64)) {
        (Some(at), Some(sum)) => rows.push(lines, Some(at), vec![Some(Figure::Bare(sum))], findings),
        // An interval without data has no total.
        (Some(_), None) if sum.is_none_or(Value::is_null) => {
            findings.complain_of(lines, "a point without a total is not used");
        }
        _ => findings.complain_of(lines, "a point is not understood"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        for (text, seconds) in [
            ("PT5M", Some(300)),
            ("PT1H", Some(3_600)),
            ("P1D", None),
            ("PT0S", None),
        ] {
            assert_eq!(interval_s(text), seconds, "{text}");
        }
    }
}
