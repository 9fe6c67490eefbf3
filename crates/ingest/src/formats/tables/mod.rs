//! Comma-separated values of our own, for figures that no tool printed or that a document holds in prose: series of
//! measurements, single transfers, and stated figures. docs/import.md is the reference for people.

pub(crate) mod series;
pub(crate) mod statements;
pub(crate) mod transfers;

use crate::block::Block;
use crate::csv_row::{fields, is_closed};
use crate::findings::Findings;
use crate::host::host;
use crate::{Context, when};
use evidence::{Node, Timestamp};
use std::cmp::Ordering;

/// More rows than this are complained about together.
const MOST_COMPLAINTS: u32 = 20;

fn is_row(block: &Block, line: &str) -> bool {
    let header = block.first().is_some_and(|first| first == line);
    line.contains(',') && !header
}

/// The mark of a remark looks like a prompt.
fn is_remark(_: &Block, line: &str) -> bool {
    line.starts_with('#')
}

/// A row, its fields found by the names of their columns.
struct Row<'a> {
    columns: &'a [String],
    fields: &'a [String],
}

impl<'a> Row<'a> {
    /// The field of this column, unless it is empty.
    fn get(&self, column: &str) -> Option<&'a str> {
        let place = self.columns.iter().position(|name| name == column)?;
        let field = self.fields.get(place)?;
        (!field.is_empty()).then_some(field.as_str())
    }

    fn node(&self, column: &str) -> Node {
        self.get(column).map(host).unwrap_or_default()
    }

    /// The number in this column, read by `read`; `Err` says what stands there instead.
    fn read<T>(&self, column: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, String> {
        let read = |text: &str| read(text).ok_or_else(|| format!("`{text}` is no {column}"));
        self.get(column).map(read).transpose()
    }

    /// ISO 8601, or seconds since the epoch.
    fn time(&self, context: &Context) -> Result<Option<Timestamp>, String> {
        self.read("time", |text| {
            text.parse()
                .ok()
                .and_then(when::epoch)
                .or_else(|| when::iso8601(text, context.utc_offset_s))
        })
    }
}

/// Gives every row to `take`; what it says of a row that it cannot use is complained about with the line's number.
fn rows(
    block: &Block,
    findings: &mut Findings,
    mut take: impl FnMut(&Row<'_>, u64, &mut Findings) -> Result<(), String>,
) {
    let columns = block.first().map(fields).unwrap_or_default();
    let mut bad = 0_u32;
    let mut last_bad = block.first_line;
    for (number, line) in block.numbered().skip(1).filter(|(_, l)| !l.starts_with('#')) {
        let fields = fields(line);
        let row = Row {
            columns: &columns,
            fields: &fields,
        };
        // A row that was cut has figures that were cut.
        let taken = match fields.len().cmp(&columns.len()) {
            Ordering::Greater => Err("more fields than the head has columns".to_owned()),
            Ordering::Less => Err("fewer fields than the head has columns".to_owned()),
            Ordering::Equal if !is_closed(line) => Err("a quote that is not closed".to_owned()),
            Ordering::Equal => take(&row, number, findings),
        };
        if let Err(reason) = taken {
            bad = bad.saturating_add(1);
            last_bad = number;
            if bad <= MOST_COMPLAINTS {
                findings.complain(number, reason);
            }
        }
    }
    if let Some(more) = bad.checked_sub(MOST_COMPLAINTS).filter(|more| *more > 0) {
        findings.complain(
            last_bad,
            format!("the last of {more} further rows that cannot be read"),
        );
    }
}

/// Whether the head of a table has this column.
fn has_column(head: &str, name: &str) -> bool {
    head.split(',').any(|column| column.trim_ascii() == name)
}
