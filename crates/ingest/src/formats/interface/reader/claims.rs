//! Whether a line below an interface is one of it, before anything is read.

use crate::formats::interface::cut::{self, Pair};
use crate::formats::interface::dialect::Cut;
use crate::formats::interface::pattern;
use crate::formats::interface::prepared::{Prepared, Row};
use crate::sieve::Glance;
use std::cell::OnceCell;

/// Whether a line without indentation is one of an interface of this dialect: what it looks like, or a counter that it knows.
/// `figure_first` holds how most dialects cut the line, once one of them did.
pub(in crate::formats::interface) fn claims<'l>(
    prepared: &'static Prepared,
    line: &'l str,
    glance: &Glance,
    figure_first: &OnceCell<Option<Vec<Pair<'l>>>>,
) -> bool {
    let dialect = prepared.dialect;
    let looks_so = |row: Row| match row {
        Row::Title(_) => true,
        Row::Rule(_, rule) => pattern::is_telling(rule.pattern),
    };
    if prepared.rows_anywhere(line, glance).any(looks_so) {
        return true;
    }
    let mut sections = dialect.sections.iter().enumerate();
    sections.any(|(place, section)| {
        let knows = |name: &str| dialect.is_flat || prepared.known(place, name).word.is_some();
        let counts = |pairs: &Option<Vec<Pair<'_>>>| {
            pairs
                .as_ref()
                .is_some_and(|pairs| pairs.iter().any(|(name, _)| knows(name)))
        };
        match section.cut {
            Cut::FigureFirst => counts(figure_first.get_or_init(|| cut::figure_first(line))),
            Cut::NameFirst => counts(&cut::name_first(line)),
            Cut::Either => counts(&cut::either(line)),
            Cut::Alternating => counts(&cut::alternating(line)),
            Cut::Equated => counts(&cut::equated(line)),
            Cut::Columns(columns) => cut::columns(line, columns).is_some_and(|(name, _)| knows(name)),
            Cut::Seconds | Cut::No => false,
        }
    })
}
