//! `time,from,to,throughput_bps`: one quantity between two hosts, measured again and again.

use super::{has_column, rows};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use evidence::{Node, Payload, Series, SeriesMetric, Timestamp};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "series (CSV)",
    group: Group::Tables,
    reads: "time,from,to and one or more of throughput_bps, throughput_mbps, loss_ratio, loss_percent, rtt_ms, utilisation_percent",
    first: "t",
    has_command: false,
    marks: None,
    starts,
    continues: super::is_remark,
    takes_in: Some(super::is_row),
    read,
};

/// A column, what it holds, what one of its unit is in the unit of the metric, and its largest value.
struct Column {
    name: &'static str,
    metric: SeriesMetric,
    scale: f64,
    most: f64,
}

const COLUMNS: [Column; 7] = [
    column("throughput_bps", SeriesMetric::Throughput, 1.0, f64::MAX),
    column("throughput_mbps", SeriesMetric::Throughput, 1e6, f64::MAX),
    column("loss_ratio", SeriesMetric::LossRatio, 1.0, 1.0),
    column("loss_percent", SeriesMetric::LossRatio, 0.01, 100.0),
    column("rtt_ms", SeriesMetric::Rtt, 1e-3, f64::MAX),
    column("utilisation_ratio", SeriesMetric::Utilisation, 1.0, 1.0),
    column("utilisation_percent", SeriesMetric::Utilisation, 0.01, 100.0),
];

const fn column(name: &'static str, metric: SeriesMetric, scale: f64, most: f64) -> Column {
    Column {
        name,
        metric,
        scale,
        most,
    }
}

fn starts(line: &str) -> bool {
    line.starts_with("time,") && COLUMNS.iter().any(|column| has_column(line, column.name))
}

type Points = Vec<(Timestamp, f64)>;

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut series: BTreeMap<(Node, Node, SeriesMetric), Points> = BTreeMap::new();
    rows(block, findings, |row, _, _| {
        let Some(at) = row.time(context)? else {
            return Err("no time".to_owned());
        };
        let (from, to) = (context.from_or(row.node("from")), context.to_or(row.node("to")));
        for column in &COLUMNS {
            let value = row.read(column.name, |text| {
                let value: f64 = text.parse().ok()?;
                (0.0..=column.most)
                    .contains(&value)
                    .then_some(value * column.scale)
            })?;
            // An empty field is a measurement that failed: absent, not zero.
            if let Some(value) = value.filter(|value| value.is_finite()) {
                let key = (from.clone(), to.clone(), column.metric);
                series.entry(key).or_default().push((at, value));
            }
        }
        Ok(())
    });
    for ((from, to, metric), mut points) in series {
        points.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let first = points.first().map(|(at, _)| *at);
        let series = Series {
            from,
            to,
            metric,
            points,
        };
        findings.record(block, "series (CSV)", first, Payload::Series(series));
    }
}
