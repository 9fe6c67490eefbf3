//! Tables on a terminal: columns side by side where they fit, else a paragraph per row.

use super::paper::{Item, Paper, Role, Span, width};
use crate::table::{Cell, Row, Table, Tone};

/// Columns before a table.
const OFFSET: usize = 2;
/// Columns between two cells.
const GAP: usize = 2;

impl Tone {
    fn role(self) -> Role {
        match self {
            Self::Plain => Role::Plain,
            Self::Good => Role::Good,
            Self::Bad => Role::Bad,
            Self::Warn => Role::Unsure,
            Self::Soft => Role::Faint,
        }
    }
}

pub(crate) fn write(paper: &mut Paper, table: &Table) {
    paper.item(&Item {
        offset: 0,
        label: (Role::Strong, String::new()),
        indent: 0,
        spans: vec![(Role::Strong, table.title.clone()), (Role::Faint, table.cited())],
        right: None,
    });
    let whole = |cell: &Cell| cell.text.clone();
    let short = |cell: &Cell| cell.short.clone().unwrap_or_else(|| cell.text.clone());
    if let Some(widths) = fitting(paper, table, &whole) {
        side_by_side(paper, table, &widths, &whole);
    } else if let Some(widths) = fitting(paper, table, &short) {
        side_by_side(paper, table, &widths, &short);
    } else {
        table.rows.iter().for_each(|row| stacked(paper, table, row));
    }
    for note in &table.notes {
        line(
            paper,
            OFFSET,
            (Role::Plain, String::new()),
            vec![(Role::Faint, note.clone())],
        );
    }
}

/// The width of each column; `None` when they do not fit beside each other.
fn fitting(paper: &Paper, table: &Table, text: &dyn Fn(&Cell) -> String) -> Option<Vec<usize>> {
    let columns = table
        .rows
        .iter()
        .map(|r| r.cells.len())
        .chain([table.head.len()])
        .max()?;
    let widest = |column: usize| {
        let head = table.head.get(column).map_or(0, |head| width(head));
        let cells = table.rows.iter().filter_map(|row| row.cells.get(column));
        cells.map(|cell| width(&text(cell))).max().unwrap_or(0).max(head)
    };
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    let marks = table.rows.iter().filter_map(|row| row.mark.as_deref());
    let mark = marks.map(|mark| width(mark) + GAP + 2).max().unwrap_or(0);
    let total = OFFSET + widths.iter().sum::<usize>() + GAP * columns.saturating_sub(1) + mark;
    (total <= paper.width()).then_some(widths)
}

fn side_by_side(paper: &mut Paper, table: &Table, widths: &[usize], text: &dyn Fn(&Cell) -> String) {
    if table.head.iter().any(|head| !head.is_empty()) {
        let head = table
            .head
            .iter()
            .map(|head| (Role::Faint, head.clone()))
            .collect();
        paper.columns(OFFSET, GAP, widths, head);
    }
    for row in &table.rows {
        let mut cells: Vec<Span> = row.cells.iter().map(|c| (c.tone.role(), text(c))).collect();
        if let Some(mark) = &row.mark {
            cells.resize(widths.len(), (Role::Plain, String::new()));
            cells.push((Role::Bad, format!("< {mark}")));
        }
        paper.columns(OFFSET, GAP, widths, cells);
    }
}

fn stacked(paper: &mut Paper, table: &Table, row: &Row) {
    let mut cells = row
        .cells
        .iter()
        .zip(table.head.iter().map(String::as_str).chain(std::iter::repeat("")));
    let name = cells
        .next()
        .map(|(cell, _)| cell.text.clone())
        .unwrap_or_default();
    let mut spans = Vec::new();
    for (cell, head) in cells.filter(|(cell, _)| !cell.text.is_empty()) {
        spans.push((
            Role::Faint,
            if head.is_empty() {
                String::new()
            } else {
                format!("{head}:")
            },
        ));
        spans.push((cell.tone.role(), format!("{};", cell.text)));
    }
    if let Some((_, last)) = spans.last_mut() {
        last.pop();
    }
    spans.extend(row.mark.as_ref().map(|mark| (Role::Bad, format!("< {mark}"))));
    spans.insert(0, (Role::Strong, format!("{name}:")));
    line(paper, OFFSET, (Role::Plain, "-".to_owned()), spans);
}

fn line(paper: &mut Paper, offset: usize, label: Span, spans: Vec<Span>) {
    paper.item(&Item {
        offset,
        label,
        indent: offset + 2,
        spans,
        right: None,
    });
}
