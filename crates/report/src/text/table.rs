//! Tables on a terminal: columns side by side where they fit, else a paragraph per row.

use super::paper::{Paper, Role, Span, width};
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
    let title = vec![(Role::Strong, table.title.clone()), (Role::Faint, table.cited())];
    paper.line(0, (Role::Strong, ""), 0, title);
    let heads = |letters: bool| match letters {
        true => letter_heads(table),
        false => table.head.clone(),
    };
    let fits = |(names, cells): (bool, bool), letters: bool| {
        let layout = Layout {
            heads: heads(letters),
            short_names: names,
            short_cells: cells,
        };
        let widths = layout.widths(paper.width(), table)?;
        Some((layout, letters, widths))
    };
    // Rather headings under a letter than short cells, rather short cells than short names of rows.
    let order = [(false, false), (false, true), (true, true)];
    let found = order
        .into_iter()
        .find_map(|manner| fits(manner, false).or_else(|| fits(manner, true)));
    match found {
        Some((layout, letters, widths)) => {
            if letters {
                legend(paper, table);
            }
            side_by_side(paper, table, &layout, &widths);
        }
        None => {
            legend(paper, table);
            let heads = letter_heads(table);
            table.rows.iter().for_each(|row| stacked(paper, &heads, row));
        }
    }
    for note in &table.notes {
        let note = vec![(Role::Faint, note.clone())];
        paper.line(OFFSET, (Role::Plain, ""), OFFSET + 2, note);
    }
}

/// How the cells of a table are written.
struct Layout {
    heads: Vec<String>,
    short_names: bool,
    short_cells: bool,
}

impl Layout {
    fn text(&self, column: usize, cell: &Cell) -> String {
        let short = if column == 0 {
            self.short_names
        } else {
            self.short_cells
        };
        let short = cell.short.as_ref().filter(|_| short);
        short.unwrap_or(&cell.text).clone()
    }

    /// The width of each column; `None` when they do not fit beside each other.
    fn widths(&self, room: usize, table: &Table) -> Option<Vec<usize>> {
        let columns = table
            .rows
            .iter()
            .map(|r| r.cells.len())
            .chain([self.heads.len()])
            .max()?;
        let widest = |column: usize| {
            let head = self.heads.get(column).map_or(0, |head| width(head));
            let cells = table.rows.iter().filter_map(|row| row.cells.get(column));
            cells
                .map(|cell| width(&self.text(column, cell)))
                .max()
                .unwrap_or(0)
                .max(head)
        };
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        let marks = table.rows.iter().filter_map(|row| row.mark.as_deref());
        let mark = marks.map(|mark| width(mark) + GAP + 2).max().unwrap_or(0);
        let total = OFFSET + widths.iter().sum::<usize>() + GAP * columns.saturating_sub(1) + mark;
        (total <= room).then_some(widths)
    }
}

/// The headings by letter; that of the rows' names stays.
fn letter_heads(table: &Table) -> Vec<String> {
    let letters = ('A'..='Z')
        .map(String::from)
        .chain(std::iter::repeat("?".to_owned()));
    let named = table.head.iter().take(1).cloned();
    named
        .chain(letters.take(table.head.len().saturating_sub(1)))
        .collect()
}

/// Which letter stands for which heading.
fn legend(paper: &mut Paper, table: &Table) {
    for (letter, head) in letter_heads(table).into_iter().zip(&table.head).skip(1) {
        paper.line(
            OFFSET,
            (Role::Faint, &letter),
            OFFSET + 2,
            vec![(Role::Plain, head.clone())],
        );
    }
}

fn side_by_side(paper: &mut Paper, table: &Table, layout: &Layout, widths: &[usize]) {
    if layout.heads.iter().any(|head| !head.is_empty()) {
        let head = layout
            .heads
            .iter()
            .map(|head| (Role::Faint, head.clone()))
            .collect();
        paper.columns(OFFSET, GAP, widths, head);
    }
    for row in &table.rows {
        let cells = row.cells.iter().enumerate();
        let mut cells: Vec<Span> = cells.map(|(n, c)| (c.tone.role(), layout.text(n, c))).collect();
        if let Some(mark) = &row.mark {
            cells.resize(widths.len(), (Role::Plain, String::new()));
            cells.push((Role::Bad, format!("< {mark}")));
        }
        paper.columns(OFFSET, GAP, widths, cells);
    }
}

fn stacked(paper: &mut Paper, heads: &[String], row: &Row) {
    let mut cells = row
        .cells
        .iter()
        .zip(heads.iter().map(String::as_str).chain(std::iter::repeat("")));
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
    paper.line(OFFSET, (Role::Plain, "-"), OFFSET + 2, spans);
}
