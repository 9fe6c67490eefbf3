//! `rrdtool fetch`: a heading with the names of the data sources, and a row for each time.
//!
//! A data source holds a rate per second of whatever somebody put in. Octets tell their unit; `traffic_in` does not, and
//! neither does `ds0`: somebody may have put in bits. SmokePing's `loss` counts pings out of as many as there are columns.

use super::column::{Column, What};
use super::rows::{Figure, Rows};
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use crate::prompt::command_line;
use crate::{Context, when};
use evidence::{Node, Timestamp};
use std::collections::BTreeSet;

pub(crate) static FORMAT: Format = Format {
    name: "rrdtool fetch",
    group: Group::Histories,
    reads: "averages of octets of an interface (LibreNMS, Observium, Torrus, Cricket), and SmokePing's loss and median, \
            with the command above it; data sources that do not tell their unit are complained about",
    first: "0-9a-zA-Z",
    has_command: true,
    marks: Some(|| Marks::of(["rrdtool"]).or(|line| line.starts_with(' ') || is_after_time(line))),
    starts,
    continues: |block, line| {
        row(line).is_some()
            || line.trim_ascii().is_empty() && block.len() < 4
            || block.len() < 3 && is_heading_below_command(block, line)
    },
    takes_in: Some(|block, line| {
        let row_before = block
            .last()
            .is_some_and(|last| row(last).is_some() || is_damaged_row(last));
        is_damaged_row(line) || row_before && !line.trim_ascii().is_empty() && command_line(line).is_none()
    }),
    read,
};

/// What `rrdtool info` lists of a file: how it is kept, and not what.
pub(crate) static INFO: Format = Format {
    name: "rrdtool info",
    group: Group::Histories,
    reads: "known to describe a file: nothing is recorded",
    first: "fr",
    has_command: true,
    marks: Some(|| Marks::of(["filename = ", "rrdtool"])),
    starts: |line| {
        line.starts_with("filename = \"")
            || line.contains("rrdtool")
                && arguments(line, "rrdtool").is_some_and(|mut words| words.next() == Some("info"))
    },
    continues: |_, line| {
        line.split_once(" = ").is_some_and(|(name, _)| {
            name.starts_with("ds[")
                || name.starts_with("rra[")
                || matches!(
                    name,
                    "filename" | "rrd_version" | "step" | "last_update" | "header_size"
                )
        })
    },
    takes_in: None,
    read: |block, _, findings| {
        if block.lines().any(|line| line.contains(" = ")) {
            findings.nothing_to_say();
        }
    },
};

/// Asked of nearly any line: a heading is far to the right, a row begins with a time.
fn starts(line: &str) -> bool {
    if line.starts_with(' ') {
        is_heading(line)
    } else if is_after_time(line) {
        row(line).is_some() || is_damaged_row(line)
    } else {
        line.contains("rrdtool") && is_command(line)
    }
}

/// Whether a colon stands where one is behind a time.
fn is_after_time(line: &str) -> bool {
    matches!(line.as_bytes().get(9..11), Some([b':', _] | [_, b':']))
}

/// `rrdtool fetch FILE AVERAGE`, also of several files' names in a row by `lastupdate`, which prints what was put in.
fn is_command(line: &str) -> bool {
    arguments(line, "rrdtool").is_some_and(|mut words| matches!(words.next(), Some("fetch" | "lastupdate")))
}

/// Names of data sources that are known, so that a heading is one without a command above it too.
fn is_known(name: &str) -> bool {
    let octets = |name: &str| {
        name.to_ascii_lowercase()
            .trim_start_matches("if")
            .trim_start_matches("hc")
            .to_owned()
    };
    matches!(
        octets(name).as_str(),
        "inoctets" | "outoctets" | "traffic_in" | "traffic_out"
    ) || matches!(name, "median" | "ping1" | "ds0")
}

fn is_name(word: &str) -> bool {
    (1..=19).contains(&word.len())
        && word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn is_heading(line: &str) -> bool {
    line.starts_with("      ")
        && line.split_ascii_whitespace().all(is_name)
        && line.split_ascii_whitespace().any(is_known)
}

fn is_heading_of_any(line: &str) -> bool {
    line.starts_with(' ') && line.split_ascii_whitespace().all(is_name)
}

fn is_heading_below_command(block: &Block, line: &str) -> bool {
    let words = || line.split_ascii_whitespace();
    block.first().is_some_and(is_command)
        && line.starts_with(' ')
        && words().all(is_name)
        && words().next().is_some()
}

/// `1449502800: nan 1.2345678900e+03`: the time, and the figures; nothing for those that are not known. A rate always has an
/// exponent: what `lastupdate` prints has none.
fn row(line: &str) -> Option<(Timestamp, Vec<Option<f64>>)> {
    let (time, rest) = line.split_once(": ")?;
    let is_time = (9..=10).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit());
    let at = time.parse().ok().filter(|_| is_time).and_then(when::epoch)?;
    let figure = |word: &str| match word {
        "nan" | "-nan" | "NaN" | "-NaN" | "NAN" | "U" | "-1.#IND000000e+000" => Some(None),
        _ => word
            .parse::<f64>()
            .ok()
            .filter(|value| value.is_finite())
            .map(Some),
    };
    let figures: Option<Vec<Option<f64>>> = rest.split_ascii_whitespace().map(figure).collect();
    figures
        .filter(|figures| !figures.is_empty())
        .map(|figures| (at, figures))
}

/// A row in which a figure or the time cannot be read.
fn is_damaged_row(line: &str) -> bool {
    let Some((time, rest)) = line.split_once(": ") else {
        return false;
    };
    let is_time = (9..=10).contains(&time.len())
        && time.bytes().filter(u8::is_ascii_digit).count() + 1 >= time.len()
        && time.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let looks = |word: &str| word.contains("e+") || word.contains("e-") || word.ends_with("nan");
    is_time && rest.split_ascii_whitespace().any(looks)
}

/// What the command says: the file and the way of consolidation.
#[derive(Debug, Default)]
struct Asked<'a> {
    file: Option<&'a str>,
    consolidation: Option<&'a str>,
    is_last: bool,
}

fn asked(line: &str) -> Asked<'_> {
    let mut asked = Asked::default();
    let Some(mut words) = arguments(line, "rrdtool") else {
        return asked;
    };
    asked.is_last = words.next() == Some("lastupdate");
    for word in words {
        match word {
            "AVERAGE" | "MIN" | "MAX" | "LAST" => asked.consolidation = Some(word),
            _ if word.ends_with(".rrd") => asked.file = asked.file.or(Some(word)),
            _ => {}
        }
    }
    asked
}

/// The name of a file without its folder and ending, and the folder's.
fn stem(file: &str) -> (&str, Option<&str>) {
    let (folder, name) = file
        .rsplit_once('/')
        .map_or((None, file), |(folder, name)| (Some(folder), name));
    let name = name.strip_suffix(".rrd").unwrap_or(name);
    (
        name,
        folder.map(|folder| folder.rsplit_once('/').map_or(folder, |(_, last)| last)),
    )
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let lines = (block.first_line, block.last_written_line());
    let command = block.first().filter(|first| is_command(first));
    let asked = command.map(asked).unwrap_or_default();
    if asked.is_last {
        // What was put in last is a counter or a rate, which only the definition of the file tells.
        findings.nothing_to_say();
        let below = block.numbered().skip(1);
        for (number, line) in below.filter(|(_, line)| row(line).is_none() && !is_heading_of_any(line)) {
            findings.unread(number, line);
        }
        return;
    }
    let heading = block
        .numbered()
        .skip(usize::from(command.is_some()))
        .find(|(_, line)| !line.trim_ascii().is_empty());
    let Some((head_line, heading)) = heading.filter(|(_, line)| row(line).is_none() && !is_damaged_row(line))
    else {
        if block.lines().any(|line| row(line).is_some()) {
            findings.complain_of(lines, "rows of figures without the heading that names them");
        }
        return;
    };
    let names: Vec<&str> = heading.split_ascii_whitespace().collect();
    let kept: Vec<(u64, &str)> = block
        .numbered()
        .filter(|(number, line)| *number > head_line && !line.trim_ascii().is_empty())
        .collect();
    let mut rows = table("rrdtool fetch", &names, asked.file, head_line, findings);
    for (number, line) in kept {
        match row(line) {
            Some((at, figures)) if figures.len() == names.len() => {
                let figures = figures.into_iter().map(|value| value.map(Figure::Bare)).collect();
                rows.push((number, number), Some(at), figures, findings);
            }
            Some(_) => findings.complain(number, "not as many figures as the heading has names"),
            None => findings.unread(number, line),
        }
    }
    if rows.is_empty() {
        return findings.complain_of(lines, "a heading without rows");
    }
    if command.is_some() && asked.consolidation.is_none() {
        return findings.complain_of(
            lines,
            "the command does not say AVERAGE, MAX or MIN: the figures are not used",
        );
    }
    if let Some(way @ ("MAX" | "MIN")) = asked.consolidation {
        return findings.complain_of(
            lines,
            format!("extremes ({way}), not averages: they are not used"),
        );
    }
    rows.need_units(&names, head_line, findings);
    rows.record(context, findings);
    findings.nothing_to_say();
}

/// An empty table with these data sources of a file.
pub(super) fn table(
    tool: &str,
    names: &[&str],
    file: Option<&str>,
    line: u64,
    findings: &mut Findings,
) -> Rows {
    let mut rows = Rows::of(tool);
    if let Some((name, folder)) = file.map(stem) {
        name.clone_into(&mut rows.interface);
        // LibreNMS and Observium keep a folder for each device.
        if name.starts_with("port-") {
            rows.device = folder.map(Node::named).unwrap_or_default();
        }
    }
    rows.columns = if let Some(pings) = pings(names) {
        rows.interface.clear();
        names.iter().map(|name| of_smokeping(name, pings)).collect()
    } else {
        columns(names, line, findings)
    };
    rows
}

/// How many pings SmokePing sends, which is what its `loss` counts them of: every name of its heading must be there.
fn pings(names: &[&str]) -> Option<usize> {
    let own = ["uptime", "loss", "median"];
    let pings = names.iter().filter(|name| !own.contains(name)).count();
    let known: BTreeSet<&str> = names.iter().copied().collect();
    let all = (1..=pings).all(|number| known.contains(format!("ping{number}").as_str()));
    (all && pings > 0 && names.contains(&"loss")).then_some(pings)
}

/// Octets are bytes, and a data source of them is bytes per second.
fn columns(names: &[&str], line: u64, findings: &mut Findings) -> Vec<Option<Column>> {
    let columns = Rows::of_heads(
        names.iter().copied().filter(|name| !is_uninteresting(name)),
        None,
        line,
        findings,
    );
    let mut columns = columns.into_iter();
    let mut all = Vec::new();
    for name in names {
        if is_uninteresting(name) {
            let what = if is_of_errors(name) {
                What::Errors
            } else {
                What::Nothing
            };
            all.push(Some(Column {
                what,
                scale: None,
                name: String::new(),
            }));
            continue;
        }
        let mut column = columns.next().flatten();
        if let Some(column) = column
            .as_mut()
            .filter(|_| name.to_ascii_lowercase().ends_with("octets"))
        {
            column.scale = Some(8.0);
        }
        all.push(column);
    }
    all
}

fn is_of_errors(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["inerrors", "outerrors", "indiscards", "outdiscards"]
        .iter()
        .any(|error| name.ends_with(error))
}

/// What LibreNMS keeps of a port beside its octets, per second. Errors are looked at.
fn is_uninteresting(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    is_of_errors(&name) || name.ends_with("pkts") || name.ends_with("unknownprotos")
}

/// `uptime loss median ping1 … ping20`: seconds, and pings lost.
fn of_smokeping(name: &str, pings: usize) -> Option<Column> {
    let (what, scale) = match name {
        "median" => (What::Rtt, Some(1.0)),
        "loss" => (What::Loss, Some(1.0 / pings as f64)),
        _ => (What::Nothing, None),
    };
    Some(Column {
        what,
        scale,
        name: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "                       INOCTETS           OUTOCTETS\n\n1704067500: 1.0000000000e+06 2.0000000000e+06\n";

    fn read(command: &str) -> (usize, usize) {
        let (records, complaints) = crate::import(format!("{command}{ROWS}").as_bytes(), &Context::default());
        (records.len(), complaints.len())
    }

    #[test]
    fn averages_alone_are_used() {
        assert_eq!(read(""), (1, 0));
        assert_eq!(read("$ rrdtool fetch a.rrd AVERAGE\n"), (1, 0));
        assert_eq!(read("$ rrdtool fetch a.rrd MAX\n"), (0, 1));
        assert_eq!(read("$ rrdtool fetch a.rrd\n"), (0, 1), "it was cut");
    }

    #[test]
    fn every_ping_of_a_heading_counts() {
        assert_eq!(pings(&["uptime", "loss", "median", "ping1", "ping2"]), Some(2));
        assert_eq!(pings(&["uptime", "loss", "median", "ping1", "pingx"]), None);
        assert_eq!(pings(&["loss", "median", "ping2", "ping3"]), None);
    }
}
