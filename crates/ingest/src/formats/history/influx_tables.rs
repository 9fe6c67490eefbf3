//! What InfluxDB answers to queries: the table and the CSV of the `influx` program, annotated CSV of version 2, and JSON.
//! What was computed (`mean`) has no name that would say what it is.

use super::cells::epoch;
use super::gathered::ByTool;
use super::influx::{Line, take};
use crate::block::Block;
use crate::csv_row::fields;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use crate::json_kind::{JsonKind, value_at};
use crate::{Context, when};
use evidence::Timestamp;
use serde_json::Value;
use std::borrow::Cow;

pub(crate) static FORMAT: Format = Format {
    name: "InfluxDB query",
    group: Group::Histories,
    reads: "tables and CSV of `influx`, annotated CSV: the measurements that are known of line protocol",
    first: "n#,i",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "name: ",
            "influx",
            "#datatype,",
            "#group,",
            "name,time,",
            "name,tags,time,",
            ",result,table,",
        ])
    }),
    starts: |line| {
        is_name(line)
            || is_command(line)
            || line.starts_with("#datatype,")
            || line.starts_with("#group,")
            || is_head(line)
    },
    continues: |block, line| {
        let of_table = block.begins_with(2, is_name) || is_name(line);
        if line.trim_ascii().is_empty() {
            return of_table && block.len() < 4;
        }
        // The marks of annotations look like a prompt.
        let is_row = line.starts_with("time ")
            || line.starts_with("---- ")
            || line.starts_with(|c: char| c.is_ascii_digit());
        line.starts_with('#') && line.contains(',') || of_table && is_row
    },
    takes_in: Some(|_, line| !line.trim_ascii().is_empty()),
    read,
};

pub(crate) static JSON: JsonKind = JsonKind {
    name: "InfluxDB query as JSON",
    reads: "results of /query: the measurements that are known of line protocol",
    group: Group::Histories,
    is: |value| value_at(value, "/results/0/series/0/columns").is_some(),
    read: |document, lines, context, findings| {
        let mut answer = Answer::default();
        for result in value_at(document, "/results")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            for series in result
                .get("series")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                answer.take_series(series, lines, findings);
            }
        }
        answer.record(lines, context, findings);
    },
};

pub(crate) static TELEGRAF_JSON: JsonKind = JsonKind {
    name: "Telegraf as JSON",
    reads: "the measurements that are known of line protocol",
    group: Group::Histories,
    is: |value| {
        let one = value_at(value, "/metrics/0").unwrap_or(value);
        one.get("fields").is_some_and(Value::is_object)
            && one.get("name").is_some()
            && one.get("timestamp").is_some()
    },
    read: |document, lines, context, findings| {
        let mut answer = Answer::default();
        match document.get("metrics").and_then(Value::as_array) {
            Some(metrics) => metrics
                .iter()
                .for_each(|metric| answer.take_metric(metric, lines, findings)),
            None => answer.take_metric(document, lines, findings),
        }
        answer.record(lines, context, findings);
    },
};

/// `$ influx -database telegraf -execute 'select * from net'`
fn is_command(line: &str) -> bool {
    line.contains("influx") && arguments(line, "influx").is_some()
}

/// `name: net`, above a table: of measurements that are known alone, as anything else may be called a name.
fn is_name(line: &str) -> bool {
    line.strip_prefix("name: ").is_some_and(|name| {
        matches!(
            name.trim_ascii(),
            "net" | "ping" | "nstat" | "ethtool" | "internet_speed" | "interface" | "netstat"
        )
    })
}

/// `name,tags,time,bytes_recv`, `name,time,bytes_recv`; `,result,table,_time,_value,_field,_measurement`.
fn is_head(line: &str) -> bool {
    line.starts_with("name,time,")
        || line.starts_with("name,tags,time,")
        || line.starts_with(",result,table,")
}

/// What was read so far.
#[derive(Default)]
struct Answer {
    gathered: ByTool,
    tests: Vec<super::speedtest::SpeedTest>,
    said: bool,
    is_damaged: bool,
}

impl Answer {
    fn take(&mut self, line: &Line<'_>, lines: (u64, u64), findings: &mut Findings) {
        self.said |= take(findings, lines, line, &mut self.gathered, &mut self.tests);
    }

    /// A row under heads: words are tags, numbers are fields.
    fn take_row(
        &mut self,
        measurement: &str,
        heads: &[String],
        row: &[String],
        number: u64,
        findings: &mut Findings,
    ) {
        let mut line = Line {
            measurement: Cow::Borrowed(measurement),
            tags: Vec::new(),
            numbers: Vec::new(),
            at: None,
        };
        for (head, cell) in heads.iter().zip(row) {
            if head == "time" {
                line.at = time(cell);
                if line.at.is_none() {
                    self.is_damaged = true;
                    return findings.complain(number, format!("no time: `{cell}`"));
                }
            } else if head == "tags" {
                let pairs = cell.split(',').filter_map(|pair| pair.split_once('='));
                line.tags
                    .extend(pairs.map(|(name, value)| (name.into(), value.into())));
            } else if let Some(value) = super::prometheus::number(cell) {
                line.numbers.push((head.into(), value));
            } else if !cell.is_empty() {
                line.tags.push((head.into(), cell.into()));
            }
        }
        self.take(&line, (number, number), findings);
    }

    fn take_series(&mut self, series: &Value, lines: (u64, u64), findings: &mut Findings) {
        let list = |key: &str| series.get(key).and_then(Value::as_array).into_iter().flatten();
        let heads: Vec<&str> = list("columns").filter_map(Value::as_str).collect();
        let tags = series.get("tags").and_then(Value::as_object);
        for row in list("values") {
            let mut line = Line {
                measurement: series
                    .get("name")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .into(),
                tags: tags_of(tags),
                numbers: Vec::new(),
                at: None,
            };
            for (head, cell) in heads.iter().zip(row.as_array().into_iter().flatten()) {
                match cell {
                    _ if *head == "time" => {
                        line.at = cell.as_str().map_or_else(|| time(&cell.to_string()), time)
                    }
                    Value::Number(value) => line
                        .numbers
                        .extend(value.as_f64().map(|value| ((*head).into(), value))),
                    Value::String(text) => line.tags.push(((*head).into(), text.as_str().into())),
                    _ => {}
                }
            }
            if line.at.is_none() {
                findings.complain_of(lines, format!("a row without a time: {row}"));
                continue;
            }
            self.take(&line, lines, findings);
        }
    }

    fn take_metric(&mut self, metric: &Value, lines: (u64, u64), findings: &mut Findings) {
        let fields = metric
            .get("fields")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let line = Line {
            measurement: metric
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .into(),
            tags: tags_of(metric.get("tags").and_then(Value::as_object)),
            numbers: fields
                .filter_map(|(name, value)| Some((name.as_str().into(), value.as_f64()?)))
                .collect(),
            at: metric.get("timestamp").and_then(|at| epoch(&at.to_string())),
        };
        self.take(&line, lines, findings);
    }

    fn record(self, lines: (u64, u64), context: &Context, findings: &mut Findings) {
        if !self.said {
            findings.complain_of(
                lines,
                "no measurement in it is an interface's, a protocol's or a path's",
            );
        }
        self.gathered.record(self.is_damaged, context, findings);
        for test in self.tests {
            test.record(context, findings);
        }
        findings.nothing_to_say();
    }
}

fn tags_of(tags: Option<&serde_json::Map<String, Value>>) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    let tags = tags.into_iter().flatten();
    tags.filter_map(|(name, value)| Some((name.as_str().into(), value.as_str()?.into())))
        .collect()
}

fn time(text: &str) -> Option<Timestamp> {
    epoch(text).or_else(|| when::iso8601(text, None))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let lines = (block.first_line, block.last_written_line());
    let mut answer = Answer::default();
    if block.len() == 1 && block.first().is_some_and(is_command) {
        return;
    }
    if block.begins_with(2, is_name) {
        read_table(block, &mut answer, findings);
    } else {
        read_csv(block, &mut answer, findings);
    }
    answer.record(lines, context, findings);
}

/// Columns stand under their heads at the place of the dashes, so that an empty cell can be told.
fn read_table(block: &Block, answer: &mut Answer, findings: &mut Findings) {
    let mut name = "";
    let mut tags = "";
    let mut head: Option<&str> = None;
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (number, line) in block
        .numbered()
        .filter(|(_, line)| !line.trim_ascii().is_empty() && !is_command(line))
    {
        if let Some(next) = line.strip_prefix("name: ") {
            (name, tags, head) = (next.trim_ascii(), "", None);
            spans.clear();
        } else if let Some(next) = line.strip_prefix("tags: ") {
            tags = next;
        } else if line.starts_with("time ") && head.is_none() {
            head = Some(line);
        } else if line.starts_with("----") && head.is_some() && spans.is_empty() {
            spans = columns(head.unwrap_or_default());
        } else if line.bytes().all(|byte| matches!(byte, b'-' | b' ')) {
        } else if spans.is_empty() {
            findings.unread(number, line);
        } else {
            let cut = |text: &str, (from, to): (usize, usize)| {
                text.get(from..to.min(text.len()))
                    .unwrap_or_default()
                    .trim_ascii()
                    .to_owned()
            };
            let mut heads: Vec<String> = spans
                .iter()
                .map(|span| cut(head.unwrap_or_default(), *span))
                .collect();
            let mut cells: Vec<String> = spans.iter().map(|span| cut(line, *span)).collect();
            // A row that does not stand under its heads is another's, or was cut.
            let words = line.split_ascii_whitespace().count();
            if cells.iter().filter(|cell| !cell.is_empty()).count() != words || words < 2 {
                findings.unread(number, line);
                continue;
            }
            heads.push("tags".to_owned());
            cells.push(tags.replace(", ", ","));
            answer.take_row(name, &heads, &cells, number, findings);
        }
    }
}

fn columns(head: &str) -> Vec<(usize, usize)> {
    let mut starts = Vec::new();
    let mut before = b' ';
    for (place, byte) in head.bytes().enumerate() {
        if byte != b' ' && before == b' ' {
            starts.push(place);
        }
        before = byte;
    }
    let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
    starts.iter().copied().zip(ends).collect()
}

fn read_csv(block: &Block, answer: &mut Answer, findings: &mut Findings) {
    let mut heads: Option<Vec<String>> = None;
    for (number, line) in block
        .numbered()
        .filter(|(_, line)| !line.trim_ascii().is_empty() && !is_command(line))
    {
        if line.starts_with('#') {
            heads = None;
            continue;
        }
        let row = fields(line);
        let is_heading = is_head(line) || line.starts_with(",result,");
        let Some(known) = heads.as_ref().filter(|_| !is_heading) else {
            if is_heading {
                heads = Some(row);
            } else {
                findings.unread(number, line);
            }
            continue;
        };
        if row.len() != known.len() {
            findings.complain(
                number,
                format!("not as many fields as columns: {}", line.trim_ascii()),
            );
            continue;
        }
        let cell = |name: &str| {
            known
                .iter()
                .position(|head| head == name)
                .and_then(|place| row.get(place))
        };
        match (
            cell("_measurement"),
            cell("_field"),
            cell("_value"),
            cell("_time"),
        ) {
            (Some(measurement), Some(field), Some(value), Some(time)) => {
                let mut names = vec!["time".to_owned(), field.clone()];
                let mut cells = vec![time.clone(), value.clone()];
                for (head, cell) in known.iter().zip(&row) {
                    if !head.starts_with('_') && !matches!(head.as_str(), "" | "result" | "table") {
                        names.push("tags".to_owned());
                        cells.push(format!("{head}={cell}"));
                    }
                }
                answer.take_row(measurement, &names, &cells, number, findings);
            }
            (None, None, None, None) => {
                let measurement = cell("name").cloned().unwrap_or_default();
                let (names, cells): (Vec<String>, Vec<String>) = known
                    .iter()
                    .cloned()
                    .zip(row.iter().cloned())
                    .filter(|(head, _)| head != "name")
                    .unzip();
                answer.take_row(&measurement, &names, &cells, number, findings);
            }
            _ => findings.complain(number, "a row that does not say of which field it is"),
        }
    }
}
