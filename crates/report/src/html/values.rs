//! The table behind a row of charts: each value that is drawn, for keyboards, screen readers and copying.

use super::chart::px;
use maud::{Markup, html};

/// More rows than these nobody reads; `observations.jsonl` has every value.
pub(super) const MOST_ROWS: usize = 120;

/// Columns of values over the same times.
pub(super) struct Values<'a> {
    /// What the first column holds.
    pub(super) time: &'a str,
    /// Where on the drawing, and when.
    pub(super) rows: Vec<(f64, String)>,
    /// What each chart shows, and its value in each row.
    pub(super) columns: Vec<(&'a str, Vec<Option<String>>)>,
}

impl Values<'_> {
    fn table(&self) -> Markup {
        html! {
            table.cells {
                thead { tr {
                    th scope="col" { (self.time) }
                    @for (title, _) in &self.columns { th scope="col" { (title) } }
                } }
                tbody { @for (index, (x, at)) in self.rows.iter().enumerate() {
                    tr data-x=(px(*x)) {
                        th scope="row" { (at) }
                        @for (_, values) in &self.columns { td { @if let Some(Some(value)) = values.get(index) { (value) } } }
                    }
                } }
            }
        }
    }
}

/// The tables of some charts, folded. `about`: whose values, for those who hear the page.
pub(super) fn behind(about: &str, tables: &[Values<'_>]) -> Markup {
    html! {
        details.values {
            summary { "Values" span.unseen { " of " (about) } }
            div.scroll tabindex="0" role="group" aria-label={ "values of " (about) } {
                @for table in tables { (table.table()) }
            }
        }
    }
}
