//! Tables with toned cells, scrolling inside themselves where the page is narrow.

use super::links::links;
use crate::table::{Cell, Row, Table, Tone};
use maud::{Markup, html};

impl Tone {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Plain => "t-plain",
            Self::Good => "t-good",
            Self::Bad => "t-bad",
            Self::Warn => "t-warn",
            Self::Soft => "t-soft",
        }
    }
}

/// A table with its title. `class`: `filled` colours whole cells.
pub(super) fn titled(table: &Table, class: &str) -> Markup {
    html! {
        h3 { (table.title) " " (links(&table.cites)) }
        (untitled(table, class))
    }
}

/// The table and its notes.
pub(super) fn untitled(table: &Table, class: &str) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(table.title) {
            table.cells.(class) {
                @if table.head.iter().any(|head| !head.is_empty()) {
                    thead { tr { @for head in &table.head { @if head.is_empty() { td {} } @else { th scope="col" { (head) } } } } }
                }
                tbody { @for row in &table.rows { (self::row(row)) } }
            }
        }
        @for note in &table.notes { p.soft.small { (note) } }
    }
}

fn row(row: &Row) -> Markup {
    html! {
        tr.marked[row.mark.is_some()] {
            @for (index, cell) in row.cells.iter().enumerate() {
                @if index == 0 { th scope="row" { (cell.text) } } @else { (self::cell(cell)) }
            }
            @if let Some(mark) = &row.mark { td.mark { "◂ " (mark) } }
        }
    }
}

fn cell(cell: &Cell) -> Markup {
    html! {
        @if cell.text.is_empty() { td.t-none {} } @else { td.(cell.tone.class()) { (cell.text) } }
    }
}
