//! Whether a line below an interface is one of it, before anything is read.

use crate::formats::interface::cut::{self, Pair, Ways};
use crate::formats::interface::dialect::Cut;
use crate::formats::interface::pattern;
use crate::formats::interface::prepared::{Prepared, Row};
use crate::sieve::Glance;

/// Whether a line without indentation is one of an interface of this dialect: what it looks like, or a counter that it knows.
/// `ways` are those in which it was cut by others.
pub(in crate::formats::interface) fn claims<'l>(
    prepared: &'static Prepared,
    line: &'l str,
    glance: &Glance,
    ways: &Ways<'l>,
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
        let counts =
            |pairs: Option<&[Pair<'_>]>| pairs.is_some_and(|pairs| pairs.iter().any(|(name, _)| knows(name)));
        match section.cut {
            Cut::FigureFirst => counts(ways.figure_first(line)),
            Cut::NameFirst => counts(ways.name_first(line)),
            Cut::Either => counts(ways.either(line)),
            Cut::Alternating => counts(cut::alternating(line).as_deref()),
            Cut::Equated => counts(cut::equated(line).as_deref()),
            Cut::Columns(columns) => ways.name_of_columns(line, columns).is_some_and(knows),
            Cut::Seconds | Cut::No => false,
        }
    })
}
