//! The ways to cut a line, for all who ask.

use super::{Pair, Row, figure_first, name_first, row};
use std::cell::OnceCell;

/// The ways in which a line may be cut, each of which is the same whoever asks: a line is cut so once.
#[derive(Default)]
pub(in crate::formats::interface) struct Ways<'t> {
    figure_first: OnceCell<Option<Vec<Pair<'t>>>>,
    name_first: OnceCell<Option<Vec<Pair<'t>>>>,
    row: OnceCell<Option<Row<'t>>>,
}

impl<'t> Ways<'t> {
    pub(in crate::formats::interface) fn figure_first(&self, text: &'t str) -> Option<&[Pair<'t>]> {
        self.figure_first.get_or_init(|| figure_first(text)).as_deref()
    }

    pub(in crate::formats::interface) fn name_first(&self, text: &'t str) -> Option<&[Pair<'t>]> {
        self.name_first.get_or_init(|| name_first(text)).as_deref()
    }

    pub(in crate::formats::interface) fn either(&self, text: &'t str) -> Option<&[Pair<'t>]> {
        match text.contains(':') {
            true => self.name_first(text),
            false => self.figure_first(text),
        }
    }

    /// The name in front of so many figures, or of one.
    pub(in crate::formats::interface) fn name_of_columns(
        &self,
        text: &'t str,
        columns: usize,
    ) -> Option<&'t str> {
        let (name, figures) = self.row.get_or_init(|| row(text)).as_ref()?;
        (figures.len() == columns || figures.len() == 1).then_some(*name)
    }
}
