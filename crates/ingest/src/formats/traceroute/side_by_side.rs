//! Several traceroutes that a document sets side by side, one a column: `| Traceroute from A to B | Traceroute from B to C |`.
//!
//! A table that goes on behind a page break has its head again. A column goes on with the trace it began when the hops are
//! numbered on; else it is a further trace of the same pair.

use super::header::Header;
use super::hop_line::ttl;
use super::hops::Hops;
use super::table::caption;
use super::trace::trace;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::host::host;
use crate::markdown::cells;
use evidence::{Node, Payload};

pub(crate) static FORMAT: Format = Format {
    name: "traceroutes side by side",
    group: Group::Paths,
    reads: "Markdown: a trace a column, with heads `Traceroute from A to B`",
    first: "|",
    has_command: false,
    marks: None,
    starts,
    continues,
    takes_in: None,
    read,
};

/// A table has no more columns than that.
const MOST_COLUMNS: usize = 64;

fn pair(cell: &str) -> Option<(Node, Node)> {
    let (from, to) = cell.strip_prefix("Traceroute from ")?.split_once(" to ")?;
    Some((host(from), host(to)))
}

fn starts(line: &str) -> bool {
    line.starts_with('|') && cells(line).next().is_some_and(|cell| pair(cell).is_some())
}

fn continues(block: &Block, line: &str) -> bool {
    if block.last_written().is_some_and(|last| caption(last).is_some()) {
        return false;
    }
    let behind_blank = block.last().is_some_and(|last| last.trim_ascii().is_empty());
    let is_row = line.starts_with('|') && (!behind_blank || starts(line));
    is_row || line.trim_ascii().is_empty() || caption(line).is_some()
}

/// A column: the pair of its head, and the trace that is being read.
struct Column {
    from: Node,
    to: Node,
    hops: Hops,
    last: Option<u8>,
    lines: Option<(u64, u64)>,
}

impl Column {
    fn new((from, to): (Node, Node)) -> Self {
        Self {
            from,
            to,
            hops: Hops::default(),
            last: None,
            lines: None,
        }
    }

    fn cell(&mut self, cell: &str, number: u64, context: &Context, findings: &mut Findings) {
        let text = mended(cell);
        let Some((ttl, _)) = ttl(&text) else { return };
        if self.last.is_some_and(|last| ttl <= last) {
            self.close(context, findings);
        }
        self.last = Some(ttl);
        self.lines = Some((self.lines.map_or(number, |(first, _)| first), number));
        self.hops.line(number, &text);
    }

    fn close(&mut self, context: &Context, findings: &mut Findings) {
        let header = Header {
            from: self.from.clone(),
            to: self.to.clone(),
            ..Header::default()
        };
        self.last = None;
        let hops = std::mem::take(&mut self.hops);
        if let (Some(lines), Some(trace)) = (self.lines.take(), trace(header, hops, context, findings)) {
            findings.record_of(lines, "traceroute", context.at, Payload::Trace(trace));
        }
    }
}

/// Narrow columns break names behind a hyphen: `so-7-2- 0.rtl.fra.de` is one name.
fn mended(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    for word in cell.split_ascii_whitespace() {
        let is_broken = text.ends_with('-') && word.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !text.is_empty() && !is_broken {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut columns: Vec<Column> = Vec::new();
    for (number, line) in block.numbered() {
        if starts(line) {
            take_heads(line, &mut columns, context, findings);
            continue;
        }
        for (cell, column) in cells(line).zip(&mut columns) {
            column.cell(cell, number, context, findings);
        }
    }
    for column in &mut columns {
        column.close(context, findings);
    }
}

/// The same heads again go on with the columns, other heads begin new ones.
fn take_heads(line: &str, columns: &mut Vec<Column>, context: &Context, findings: &mut Findings) {
    let heads: Vec<_> = cells(line)
        .take(MOST_COLUMNS)
        .map(|cell| pair(cell).unwrap_or_default())
        .collect();
    let same = columns.len() == heads.len()
        && columns
            .iter()
            .zip(&heads)
            .all(|(column, (from, to))| column.from == *from && column.to == *to);
    if !same {
        for column in columns.iter_mut() {
            column.close(context, findings);
        }
        *columns = heads.into_iter().map(Column::new).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_mended() {
        for (cell, text) in [
            (
                "3 so-7-2- 0.rtl.fra.de (240.0.0.1) 8.3 ms",
                "3 so-7-2-0.rtl.fra.de (240.0.0.1) 8.3 ms",
            ),
            ("4 a- (240.0.0.1)", "4 a- (240.0.0.1)"),
            ("9 *", "9 *"),
        ] {
            assert_eq!(mended(cell), text);
        }
    }
}
