//! What people save from Grafana, Cacti, LibreNMS, Zabbix, Chronograf and collectd: a time and a figure for each curve, with
//! commas, semicolons or tabs between them. What the curves are is told by the heads of the columns, and by what some put
//! above them.

use super::cells::{Comma, Time, comma, figure, time};
use super::column::{Unit, unit};
use super::rows::{Figure, Rows};
use crate::Context;
use crate::block::Block;
use crate::csv_row::fields_by;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use evidence::{Node, Timestamp};
use memchr::memchr3;
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "exports of curves",
    group: Group::Histories,
    reads: "CSV of Grafana (series as columns or as rows, formatted or not), Cacti, LibreNMS, collectd (with the path above it) \
            and others with a time in the first column: traffic, packets, delay and loss where head, label or figures tell \
            the unit",
    first: "\"_CDETSZcdestz",
    has_command: true,
    marks: Some(|| Marks::of(["sep=", "/if_"]).or(|line| head(line).is_some() || above(line).is_some())),
    starts,
    continues: |_, _| false,
    takes_in: Some(|block, line| is_row(block, line) || !line.trim_ascii().is_empty() && block.len() > 1),
    read,
};

const TIMES: [&str; 12] = [
    "time",
    "date",
    "timestamp",
    "datetime",
    "date/time",
    "date time",
    "epoch",
    "clock",
    "_time",
    "zeit",
    "time stamp",
    "date and time",
];
/// What Cacti puts above the table: `"Title:","rtr1 - Traffic - Gi0/1"`.
const ABOVE: [&str; 8] = [
    "Title:",
    "Vertical Label:",
    "Start Date:",
    "End Date:",
    "Step:",
    "Total Rows:",
    "Graph ID:",
    "Host ID:",
];
const DELIMITERS: [char; 3] = [';', '\t', ','];

/// The first field of a line without its quotes, and the delimiter behind it.
fn first_field(line: &str) -> Option<(&str, char)> {
    let (field, rest) = match line.strip_prefix('"') {
        Some(inner) => inner.split_once('"')?,
        None => line.split_at(memchr3(b';', b'\t', b',', line.as_bytes())?),
    };
    Some((field, rest.chars().next().filter(|c| DELIMITERS.contains(c))?))
}

fn is_any(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The delimiter of a head: a time first, or the name of a series and then the time.
fn head(line: &str) -> Option<char> {
    let (first, delimiter) = first_field(line)?;
    // `date; ethtool -S eth0` is typed at a shell: no program puts a blank there.
    if line.get(first.len()..).is_some_and(|rest| rest.starts_with("; ")) {
        return None;
    }
    let is_series = || {
        first.eq_ignore_ascii_case("series")
            && fields_by(line, delimiter)
                .get(1)
                .is_some_and(|second| is_any(&TIMES, second))
    };
    (is_any(&TIMES, first) || is_series()).then_some(delimiter)
}

fn above(line: &str) -> Option<(&str, char)> {
    first_field(line).filter(|(first, _)| ABOVE.contains(first))
}

/// What Excel is told in the first line.
fn separator(line: &str) -> Option<char> {
    line.strip_prefix("sep=")?.chars().next()
}

/// `cat …/csv/HOST/interface-eth0/if_octets-2024-01-31`: what collectd keeps is told by the path alone.
fn collectd(line: &str) -> Option<&str> {
    if !line.contains("/if_") {
        return None;
    }
    let words = ["cat", "head", "tail"]
        .iter()
        .find_map(|program| arguments(line, program));
    words?.find(|word| word.contains("/interface-") && word.contains("/if_"))
}

fn starts(line: &str) -> bool {
    head(line).is_some() || above(line).is_some() || separator(line).is_some() || collectd(line).is_some()
}

fn is_row(block: &Block, line: &str) -> bool {
    if line.trim_ascii().is_empty() {
        // Between what Cacti puts above the table, and the table.
        return block.last().is_some_and(|last| above(last).is_some());
    }
    if head(line).is_some() {
        return !has_head(block);
    }
    above(line).is_some() || first_field(line).is_some() && has_head(block)
}

/// Whether the head of the table was there: what stands above it is a few lines.
fn has_head(block: &Block) -> bool {
    let known = block.memo.get().is_some();
    let found = known || block.begins_with(2 * ABOVE.len(), |line| head(line).is_some());
    if found {
        block.memo.set(Some(1));
    }
    found
}

/// Whether every quotation mark is closed: else the line was cut.
fn is_closed(line: &str) -> bool {
    line.bytes().filter(|byte| *byte == b'"').count() % 2 == 0
}

/// What stands above the table.
#[derive(Debug, Default)]
struct Above {
    device: Node,
    interface: String,
    unit: Option<f64>,
    step: Option<u64>,
}

fn read_above(block: &Block) -> Above {
    let mut said = Above::default();
    for line in block.lines() {
        if let Some(path) = collectd(line) {
            let mut parts = path.rsplit('/');
            let kind = parts.next().unwrap_or_default();
            said.unit = kind.starts_with("if_octets").then_some(8.0);
            said.interface = parts
                .next()
                .unwrap_or_default()
                .trim_start_matches("interface-")
                .to_owned();
            said.device = parts.next().map(Node::named).unwrap_or_default();
        }
        let Some((name, delimiter)) = above(line) else {
            continue;
        };
        let fields = fields_by(line, delimiter);
        if !is_closed(line) {
            continue;
        }
        let value = fields.get(1).map_or("", String::as_str);
        match name {
            "Title:" => match value.split(" - ").collect::<Vec<_>>().as_slice() {
                [device, traffic, interface] if traffic.starts_with("Traffic") => {
                    said.device = Node::named(device);
                    (*interface).clone_into(&mut said.interface);
                }
                _ => value.clone_into(&mut said.interface),
            },
            "Vertical Label:" => {
                said.unit = unit(&value.to_ascii_lowercase())
                    .or_else(|| unit(value))
                    .filter(|(unit, _)| *unit == Unit::Rate)
                    .map(|(_, scale)| scale);
            }
            "Step:" => said.step = value.parse().ok(),
            _ => {}
        }
    }
    said
}

/// A row before its figures are read.
struct Raw {
    lines: (u64, u64),
    time: String,
    cells: Vec<String>,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let Some((head_line, head_text, delimiter)) = block
        .numbered()
        .find_map(|(number, line)| Some((number, line, head(line)?)))
    else {
        return;
    };
    for (number, line) in block.numbered().take_while(|(number, _)| *number < head_line) {
        let is_known = is_closed(line) && above(line).is_some() || separator(line).is_some();
        if !is_known && collectd(line).is_none() {
            findings.unread(number, line);
        }
    }
    let mut heads = fields_by(head_text, delimiter);
    let width = heads.len();
    let mut raws = Vec::new();
    for (number, line) in block
        .numbered()
        .filter(|(number, line)| *number > head_line && !line.trim_ascii().is_empty())
    {
        let mut fields = fields_by(line, delimiter);
        // Some end every row with a delimiter.
        if fields.len() == width + 1 && fields.last().is_some_and(String::is_empty) {
            fields.pop();
        }
        if fields.len() != width || !is_closed(line) {
            findings.complain(
                number,
                format!("not as many fields as columns: {}", line.trim_ascii()),
            );
            continue;
        }
        let time = fields.remove(0);
        raws.push(Raw {
            lines: (number, number),
            time,
            cells: fields,
        });
    }
    let first = heads.remove(0);
    if first.eq_ignore_ascii_case("series") {
        (heads, raws) = by_series(raws, findings);
    }
    if raws.is_empty() {
        return;
    }
    let said = read_above(block);
    let mut rows = Rows::of("CSV");
    rows.columns = Rows::of_heads(heads.iter().map(String::as_str), said.unit, head_line, findings);
    (rows.device, rows.interface, rows.over_s) = (said.device, said.interface, said.step);
    fill(&mut rows, &raws, context, findings);
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    rows.need_units(&heads, head_line, findings);
    rows.record(context, findings);
    findings.nothing_to_say();
}

fn fill(rows: &mut Rows, raws: &[Raw], context: &Context, findings: &mut Findings) {
    let comma: Comma = comma(raws.iter().flat_map(|raw| raw.cells.iter().map(String::as_str)));
    let mut undated: Option<(u64, u64)> = None;
    for raw in raws {
        let wanted = rows
            .columns
            .iter()
            .map(|column| column.as_ref().map(|column| column.what.unit()));
        let figures: Result<Vec<Option<Figure>>, &str> = raw
            .cells
            .iter()
            .zip(wanted.clone())
            .map(|(cell, wanted)| match wanted {
                Some(wanted @ Some(_)) => figure(cell, wanted, comma).map_err(|()| cell.as_str()),
                _ => Ok(None),
            })
            .collect();
        let at: Option<Timestamp> = match time(&raw.time, context) {
            Some(Time::At(at)) => Some(at),
            Some(Time::Somewhere) => {
                undated = Some((undated.map_or(raw.lines.0, |(first, _)| first), raw.lines.1));
                None
            }
            None => {
                findings.complain_of(raw.lines, format!("no time: `{}`", raw.time));
                continue;
            }
        };
        match figures {
            Ok(figures) => rows.push(raw.lines, at, figures, findings),
            Err(cell) => findings.complain_of(raw.lines, format!("a figure is not understood: `{cell}`")),
        }
    }
    if let Some(lines) = undated {
        findings.complain_of(
            lines,
            "the times name no zone, or not the order of day and month: they are not used",
        );
    }
}

/// Rows of `Series;Time;Value` as a column for each series.
fn by_series(raws: Vec<Raw>, findings: &mut Findings) -> (Vec<String>, Vec<Raw>) {
    let mut series: Vec<String> = Vec::new();
    for raw in &raws {
        if !series.contains(&raw.time) {
            series.push(raw.time.clone());
        }
    }
    let mut by_time: Vec<Raw> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for raw in raws {
        let (Some(time), Some(value)) = (raw.cells.first(), raw.cells.get(1)) else {
            continue;
        };
        let place = *places.entry(time.clone()).or_insert(by_time.len());
        if place == by_time.len() {
            by_time.push(Raw {
                lines: raw.lines,
                time: time.clone(),
                cells: vec![String::new(); series.len()],
            });
        }
        let column = series.iter().position(|name| *name == raw.time);
        let row = by_time.get_mut(place);
        if let Some((row, column)) = row.zip(column) {
            row.lines = (row.lines.0.min(raw.lines.0), row.lines.1.max(raw.lines.1));
            if let Some(cell) = row.cells.get_mut(column) {
                if !cell.is_empty() && cell != value {
                    findings.complain_of(raw.lines, "the same time is given twice, with another figure");
                    "-".clone_into(cell);
                } else {
                    value.clone_into(cell);
                }
            }
        }
    }
    (series, by_time)
}
