//! What RRDtool writes as documents: `rrdtool xport` (XML, JSON) and `rrdtool dump`.

use super::column::What;
use super::rows::{Figure, Rows};
use crate::findings::Findings;
use crate::format::Group;
use crate::formats::host::command::arguments;
use crate::json_kind::{JsonKind, u64_at, value_at};
use crate::prompt::CommandLine;
use crate::xml_kind::{Element, XmlKind};
use crate::{Context, when};
use evidence::Timestamp;
use serde_json::Value;

pub(crate) static JSON: JsonKind = JsonKind {
    name: "rrdtool xport --json",
    reads: "traffic, delay and loss of which the legend tells the unit",
    group: Group::Histories,
    is: |value| value_at(value, "/meta/legend").is_some() && value_at(value, "/meta/step").is_some(),
    read: read_json,
};

pub(crate) static XML: XmlKind = XmlKind {
    name: "rrdtool xport",
    reads: "traffic, delay and loss of which the legend tells the unit",
    group: Group::Histories,
    roots: &["xport"],
    asked_by: |command| asks(command, "xport"),
    is: |element| element.name == "xport" && element.at("meta/legend").is_some(),
    read: read_xml,
};

pub(crate) static DUMP: XmlKind = XmlKind {
    name: "rrdtool dump",
    reads: "the finest averages of what `rrdtool fetch` is read of",
    group: Group::Histories,
    roots: &["rrd"],
    asked_by: |command| asks(command, "dump"),
    is: |element| element.name == "rrd" && element.all("rra").next().is_some(),
    read: read_dump,
};

fn asks(command: &CommandLine<'_>, what: &str) -> bool {
    arguments(command.command, "rrdtool").is_some_and(|mut words| words.next() == Some(what))
}

fn at_seconds(seconds: u64) -> Option<Timestamp> {
    when::epoch(seconds as f64)
}

/// What is not known is `null`, `"NaN"` or `"U"`.
fn figure(text: &str) -> Result<Option<Figure>, ()> {
    match text.trim_ascii() {
        "NaN" | "nan" | "-nan" | "U" | "null" | "" => Ok(None),
        text => text
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .map(|value| Some(Figure::Bare(value)))
            .ok_or(()),
    }
}

fn read_json(document: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let list = |pointer: &str| value_at(document, pointer).and_then(Value::as_array);
    let heads: Vec<&str> = list("/meta/legend")
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let times = [
        u64_at(document, "/meta/start"),
        u64_at(document, "/meta/end"),
        u64_at(document, "/meta/step"),
    ];
    let ([Some(start), Some(end), Some(step)], Some(data)) = (times, list("/data")) else {
        return findings.complain_of(lines, "the times of an export are not understood");
    };
    // The time of a row is its place: a row that is missing would move the others.
    let wanted = end
        .checked_sub(start)
        .zip(Some(step))
        .filter(|(_, step)| *step > 0)
        .map(|(span, step)| span / step);
    let count = data.len() as u64;
    let are_told = data.iter().all(|row| told_time(row, heads.len()).is_some());
    if !are_told && wanted.is_none_or(|wanted| wanted + 1 != count) {
        return findings.complain_of(
            lines,
            format!("{count} rows from {start} to {end} by {step} s: their times are not sure"),
        );
    }
    let mut rows = Rows::of("rrdtool xport");
    rows.over_s = Some(step);
    rows.columns = Rows::of_heads(heads.iter().copied(), None, lines.0, findings);
    for (place, row) in (0_u64..).zip(data) {
        let time = told_time(row, heads.len()).filter(|_| are_told);
        let figures: Result<Vec<Option<Figure>>, ()> = row
            .as_array()
            .into_iter()
            .flatten()
            .skip(usize::from(time.is_some()))
            .map(|value| match value {
                Value::Null => Ok(None),
                Value::String(text) => figure(text),
                _ => value.as_f64().map(|value| Some(Figure::Bare(value))).ok_or(()),
            })
            .collect();
        match figures {
            Ok(figures) if figures.len() == heads.len() => {
                rows.push(
                    lines,
                    at_seconds(time.unwrap_or_else(|| start.saturating_add(place.saturating_mul(step)))),
                    figures,
                    findings,
                );
            }
            _ => findings.complain_of(lines, format!("a row is not understood: {row}")),
        }
    }
    rows.need_units(&heads, lines.0, findings);
    rows.record(context, findings);
    findings.nothing_to_say();
}

/// The time in front of a row's figures, with `--showtime`: so many figures, and one cell more.
fn told_time(row: &Value, figures: usize) -> Option<u64> {
    let [time, rest @ ..] = row.as_array()?.as_slice() else {
        return None;
    };
    let time = match time {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    };
    time.filter(|_| rest.len() == figures)
}

/// Complains about figures that stand between elements, where there is no place for them.
fn complain_about_strays(element: &Element<'_>, findings: &mut Findings) {
    if !element.children.is_empty() && element.text.bytes().any(|byte| byte.is_ascii_digit()) {
        findings.complain_of(
            element.lines,
            format!("not understood: {}", element.text.trim_ascii()),
        );
    }
    for child in &element.children {
        complain_about_strays(child, findings);
    }
}

fn read_xml(document: &Element<'_>, _: Option<CommandLine<'_>>, context: &Context, findings: &mut Findings) {
    complain_about_strays(document, findings);
    let legend = document.at("meta/legend");
    let heads: Vec<&str> = legend
        .into_iter()
        .flat_map(|legend| legend.all("entry"))
        .map(|entry| entry.text.trim_ascii())
        .collect();
    let line = document.lines.0;
    let mut rows = Rows::of("rrdtool xport");
    rows.over_s = document.u64_at("meta/step");
    rows.columns = Rows::of_heads(heads.iter().copied(), None, line, findings);
    for row in document.at("data").into_iter().flat_map(|data| data.all("row")) {
        let figures: Result<Vec<Option<Figure>>, ()> = row
            .children
            .iter()
            .filter(|value| is_value(value.name))
            .map(|value| figure(&value.text))
            .collect();
        match (row.u64_at("t").and_then(at_seconds), figures) {
            (Some(at), Ok(figures)) if figures.len() == heads.len() => {
                rows.push(row.lines, Some(at), figures, findings)
            }
            _ => findings.complain_of(row.lines, "a row is not understood"),
        }
    }
    if rows.is_empty() {
        findings.complain_of(
            document.lines,
            "an export without rows of which the times are told",
        );
    }
    rows.need_units(&heads, line, findings);
    rows.record(context, findings);
    findings.nothing_to_say();
}

/// `v`, with `--enumds` also `v0`, `v1`.
fn is_value(name: &str) -> bool {
    name.strip_prefix('v')
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Of the archives of a file only the finest one with averages is read: the others hold the same, coarser.
fn read_dump(
    document: &Element<'_>,
    command: Option<CommandLine<'_>>,
    context: &Context,
    findings: &mut Findings,
) {
    complain_about_strays(document, findings);
    let names: Vec<&str> = document.all("ds").filter_map(|ds| ds.text_at("name")).collect();
    let line = document.lines.0;
    let averages = |rra: &&Element<'_>| rra.text_at("cf") == Some("AVERAGE");
    let Some(archive) = document.all("rra").find(averages) else {
        return findings.complain_of(document.lines, "no archive of averages");
    };
    if names.len() != document.all("ds").count() {
        return findings.complain_of(document.lines, "a data source without a name");
    }
    let file = command.and_then(|command| {
        command
            .command
            .split_ascii_whitespace()
            .find(|word| word.ends_with(".rrd"))
    });
    let mut rows = super::rrd::table("rrdtool dump", &names, file, line, findings);
    // Of a gauge nobody knows whether a counter or a rate was put in.
    for (ds, column) in document.all("ds").zip(&mut rows.columns) {
        let is_rate = matches!(
            ds.text_at("type"),
            Some("COUNTER" | "DERIVE" | "DCOUNTER" | "DDERIVE")
        );
        if !is_rate
            && column
                .as_ref()
                .is_some_and(|column| matches!(column.what, What::Traffic(_)))
        {
            findings.complain_of(ds.lines, "a gauge: whether it holds bytes per second is not told");
            *column = None;
        }
    }
    let step = document.u64_at("step").zip(archive.u64_at("pdp_per_row"));
    rows.over_s = step.and_then(|(step, rows)| step.checked_mul(rows));
    let Some(database) = archive.at("database") else {
        return findings.complain_of(archive.lines, "an archive without its rows");
    };
    for (place, row) in database
        .children
        .iter()
        .enumerate()
        .filter(|(_, row)| row.name == "row")
    {
        let mut comments = database.comments.iter().filter(|(before, _)| *before == place);
        // `2009-02-13 23:30:00 UTC / 1234567800`
        let at = comments.next().filter(|_| comments.next().is_none());
        let at = at
            .and_then(|(_, text)| text.rsplit_once("/ ")?.1.trim_ascii().parse().ok())
            .and_then(at_seconds);
        let figures: Result<Vec<Option<Figure>>, ()> =
            row.all("v").map(|value| figure(&value.text)).collect();
        match (at, figures) {
            (Some(at), Ok(figures)) if figures.len() == names.len() => {
                rows.push(row.lines, Some(at), figures, findings)
            }
            _ => findings.complain_of(row.lines, "a row of which the time or a figure is not understood"),
        }
    }
    rows.need_units(&names, line, findings);
    let is_of_note = |what: What| what.unit().is_some();
    let said = rows
        .columns
        .iter()
        .flatten()
        .any(|column| is_of_note(column.what));
    rows.record(context, findings);
    if !said {
        findings.complain_of(
            document.lines,
            "no data source of which slowpath knows what it holds",
        );
    }
    findings.nothing_to_say();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_lost_moves_no_other() {
        let text = |data: &str| {
            format!(
                r#"{{"meta":{{"start":1704067500,"end":1704068100,"step":300,"legend":["in bps"]}},"data":[{data}]}}"#
            )
        };
        let read = |data: &str| {
            let (records, complaints) = crate::import(text(data).as_bytes(), &Context::default());
            (records.len(), complaints.len())
        };
        assert_eq!(read("[1.0],[null],[3.0]"), (2, 0));
        assert_eq!(read("[1.0],[3.0]"), (0, 1), "when was the second one?");
    }
}
