//! `snmptable`: a line an interface. A cell may be empty, so that cells are told by the columns that they stand in.

use super::line::command;
use super::objects::{Object, named};
use super::rows::{Device, FIRST_NAMED};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "snmptable",
    group: Group::Interfaces,
    reads: "ifTable, ifXTable and the Ethernet tables, also with `-Ci`, `-Cb`, `-Cw`, `-Cl`, `-Cf ,`",
    first: "Ss",
    has_command: true,
    marks: Some(|| Marks::of(["SNMP table", "snmptable"])),
    starts: |text| is_title(text) || is_command(text),
    // The first title once more is that of another answer.
    continues: |block, text| {
        is_title(text) && (block.len() < 3 || block.first_such(is_title) != Some(text))
            || is_command(text)
            || text.trim_ascii().is_empty()
    },
    takes_in: Some(is_row),
    read,
};

fn is_title(text: &str) -> bool {
    text.starts_with("SNMP table: ") || text.starts_with("SNMP table ") && text.contains(", part ")
}

fn is_command(text: &str) -> bool {
    command(text).is_some_and(|(program, _)| program == "snmptable")
}

/// Rows end with a blank line; behind it there is only another title.
fn is_row(block: &Block, text: &str) -> bool {
    let last = block.last().unwrap_or_default();
    let title = |place: Option<usize>| place.and_then(|place| block.get(place)).is_some_and(is_title);
    let is_heading = last.trim_ascii().is_empty() && title(block.len().checked_sub(2));
    is_heading || !last.trim_ascii().is_empty() && !is_title(last) && !is_command(last) && has_figures(text)
}

fn has_figures(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// What a column is: its name in full, or without what all names of the table begin with (`-Cb`).
fn column(table: &str, name: &str) -> Option<&'static Object> {
    let prefix = if table.contains("dot3Stats") {
        "dot3Stats"
    } else if table.contains("ifTable") || table.contains("ifXTable") {
        "if"
    } else {
        "\u{0}"
    };
    named(name).or_else(|| named(&format!("{prefix}{name}")))
}

/// A cell's place in a line, and what it is.
struct Column<'a> {
    name: &'a str,
    start: usize,
    end: usize,
}

/// The columns, and the sign between them where one was asked for (`-Cf`).
type Heading<'a> = (Vec<Column<'a>>, Option<char>);

fn columns(heading: &str) -> Heading<'_> {
    let heading = heading.trim_ascii_end();
    let sign = heading.trim_ascii().chars().find(|c| !c.is_ascii_alphanumeric());
    let sign = sign.filter(|sign| *sign != ' ' && !heading.trim_ascii().contains(' '));
    let mut columns = Vec::new();
    let mut start = 0;
    for name in heading.split(sign.unwrap_or(' ')) {
        if !name.is_empty() {
            columns.push(Column {
                name,
                start,
                end: start + name.len(),
            });
        }
        start += name.len() + sign.map_or(1, char::len_utf8);
    }
    (columns, sign)
}

/// The cells of a row; `None` where they do not stand in the columns.
fn cells<'t>(columns: &[Column<'_>], sign: Option<char>, row: &'t str) -> Option<Vec<&'t str>> {
    if let Some(sign) = sign {
        let cells: Vec<&str> = row.split(sign).map(str::trim_ascii).collect();
        return (cells.len() == columns.len()).then_some(cells);
    }
    right_aligned(columns, row).or_else(|| left_aligned(columns, row))
}

/// Cells end where their columns' names end.
fn right_aligned<'t>(columns: &[Column<'_>], row: &'t str) -> Option<Vec<&'t str>> {
    let mut from = 0;
    let mut cells = Vec::with_capacity(columns.len());
    for column in columns {
        let cell = row.get(from..column.end)?;
        if cell.ends_with(' ') && !cell.trim_ascii().is_empty() {
            return None;
        }
        // The first cell has no blank before it when it is as wide as its column.
        if from > 0 && !cell.starts_with(' ') {
            return None;
        }
        from = column.end;
        cells.push(cell.trim_ascii());
    }
    row.get(from..)?.trim_ascii().is_empty().then_some(cells)
}

/// Cells begin where their columns' names begin.
fn left_aligned<'t>(columns: &[Column<'_>], row: &'t str) -> Option<Vec<&'t str>> {
    let mut cells = Vec::with_capacity(columns.len());
    for (place, column) in columns.iter().enumerate() {
        let end = columns
            .get(place + 1)
            .map_or(row.len(), |next| next.start.min(row.len()));
        let cell = row.get(column.start.min(row.len())..end)?;
        let is_last = place + 1 == columns.len();
        if cell.starts_with(' ') && !cell.trim_ascii().is_empty()
            || !is_last && !cell.is_empty() && !cell.ends_with(' ')
        {
            return None;
        }
        cells.push(cell.trim_ascii());
    }
    Some(cells)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut device = Device::default();
    let mut said = false;
    let (mut table, mut heading) = ("", None::<Heading<'_>>);
    let mut names = BTreeMap::new();
    for (number, text) in block.numbered() {
        if let Some((_, agent)) = command(text) {
            if agent != device.asked {
                let next = Device::of(agent);
                said |= std::mem::replace(&mut device, next).record("snmptable", context, findings);
            }
            heading = None;
        } else if is_title(text) {
            (table, heading) = (text, None);
        } else if text.trim_ascii().is_empty() {
            // Between the title and the heading, and behind the rows.
            heading = None;
        } else if let Some((columns, sign)) = &heading {
            match cells(columns, *sign, text) {
                Some(cells) => take(
                    &mut device,
                    &mut names,
                    findings,
                    (number, table),
                    columns,
                    &cells,
                ),
                None => findings.complain(number, "the cells do not stand in the columns"),
            }
        } else if has_figures(text) {
            findings.unread(number, text);
        } else {
            heading = Some(columns(text));
        }
    }
    said |= device.record("snmptable", context, findings);
    if !said && findings.is_empty() {
        let lines = (block.first_line, block.last_written_line());
        findings.complain_of(lines, "no table of interfaces");
    }
}

/// Takes a row, by its index, or by the name that stands in it. Without either nothing says whose it is: parts of a wide table (`-Cw`)
/// are not put together by the order of their rows, of which one may be missing.
fn take<'a>(
    device: &mut Device<'a>,
    names: &mut BTreeMap<&'a str, u64>,
    findings: &mut Findings,
    (number, table): (u64, &str),
    columns: &[Column<'_>],
    cells: &[&'a str],
) {
    let cell_of = |names: &[&str]| {
        let place = columns.iter().position(|column| names.contains(&column.name))?;
        cells.get(place).copied()
    };
    let index = cell_of(&["index", "ifIndex", "Index", "dot3StatsIndex"]);
    let index = index
        .filter(|index| index.parse::<u64>().is_ok())
        .map(str::to_owned);
    let name = || {
        let name = cell_of(&["ifName", "Name"]).filter(|name| !name.is_empty() && *name != "?")?;
        let next = FIRST_NAMED + names.len() as u64;
        Some(names.entry(name).or_insert(next).to_string())
    };
    let Some(index) = index.or_else(name) else {
        return findings.complain(number, "the row has no index: ask for one with -Ci");
    };
    let index = index.as_str();
    for (column_, cell) in columns.iter().zip(cells) {
        if let Some(object) = column(table, column_.name).filter(|_| *cell != "?") {
            if device.has(object, index) {
                findings.complain(
                    number,
                    format!("{} of interface {index} stands here twice", object.name),
                );
            } else {
                device.take(findings, number, object, index, cell);
            }
        }
    }
}
