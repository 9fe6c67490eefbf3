//! Rows: which cell is of which column.
//!
//! A row is read where its cells are as many as the columns and none stands below another's heading, or where each stands below its own.
//! A cell that may be of either of two is of neither, and nothing of the row is used.

use super::heading::Column;
use super::meaning::Holds;
use super::spans::{Span, phrases, words};
use crate::formats::interface::cut::figure;
use crate::formats::interface::tables::cell::{is_absent, number};

/// The cells of a row, one for each column, "" for an empty one.
pub(super) fn cells<'r>(columns: &[Column], row: &'r str, is_squeezed: bool) -> Option<Vec<&'r str>> {
    let ways = [phrases(row), joined(columns, row)];
    let counted = ways
        .iter()
        .find_map(|spans| in_order(columns, spans, is_squeezed));
    let placed = || by_place(columns, row);
    let fits = |cells: &Vec<&str>| {
        columns
            .iter()
            .zip(cells)
            .all(|(column, cell)| fits(&column.holds, cell))
    };
    counted
        .filter(fits)
        .or_else(|| placed().filter(fits).filter(|cells| is_filled(columns, cells)))
}

/// The cell with the port's name.
pub(super) fn port<'r>(columns: &[Column], cells: &[&'r str]) -> Option<&'r str> {
    let mut both = columns.iter().zip(cells);
    both.find_map(|(column, cell)| (column.holds == Holds::Port).then_some(*cell))
}

/// Whether a row says more in words of the port of the row above it, whose name it repeats: one of several addresses, without a state and
/// without figures.
pub(super) fn goes_on(columns: &[Column], row: &str, above: &str) -> bool {
    let says_nothing = |(column, cell): (&Column, &&str)| {
        cell.is_empty() || matches!(column.holds, Holds::Port | Holds::Nothing | Holds::Description)
    };
    by_place(columns, row).is_some_and(|cells| {
        !above.is_empty()
            && port(columns, &cells) == Some(above)
            && columns.iter().zip(&cells).all(says_nothing)
    })
}

/// Whether half of the figures are there: of a line that a screen broke the rest may stand below other headings.
fn is_filled(columns: &[Column], cells: &[&str]) -> bool {
    let figures = columns
        .iter()
        .zip(cells)
        .filter(|(column, _)| column.holds.is_figure());
    let empty = figures.clone().filter(|(_, cell)| cell.is_empty()).count();
    empty * 2 <= figures.count()
}

/// Whether a cell can be what its column holds.
fn fits(holds: &Holds, cell: &str) -> bool {
    // Of several words that are no state some are the end of the cell before.
    if *holds == Holds::Up && cell.contains(' ') {
        return super::values::up(cell).is_some();
    }
    !holds.is_figure() || is_nothing(cell) || figure(cell).is_some() || measure(cell).is_some()
}

/// Whether a cell says that there is nothing to say.
pub(super) fn is_nothing(cell: &str) -> bool {
    cell.is_empty()
        || is_absent(cell)
        || matches!(
            cell,
            "." | "none" | "None" | "NA" | "na" | "N.A" | "Low" | "-inf" | "ukn"
        )
}

/// A figure and what stands behind it: `-2.40dBm`, `36.1250 C`, `653.87 MB/s`, `12.3%`, `(1827)`.
pub(super) fn measure(cell: &str) -> Option<(f64, &str)> {
    let cell = cell
        .strip_prefix('(')
        .and_then(|cell| cell.strip_suffix(')'))
        .unwrap_or(cell);
    let end = cell
        .bytes()
        .position(|byte| !(byte.is_ascii_digit() || b".,+-".contains(&byte)))
        .unwrap_or(cell.len());
    let (value, unit) = cell.split_at_checked(end)?;
    let value = number(&value.replace(',', ""))?;
    let is_unit = !unit.bytes().any(|byte| byte.is_ascii_digit());
    is_unit.then_some((value, unit.trim_ascii()))
}

/// The words of a row, a figure with its unit as one, and a port's name of two words as one.
fn joined<'r>(columns: &[Column], row: &'r str) -> Vec<Span<'r>> {
    let mut all: Vec<Span<'r>> = Vec::new();
    for word in words(row) {
        let is_next = |last: &Span<'_>| last.end + 1 == word.start;
        let is_unit = |last: &Span<'_>| {
            let is_unit = word.text.ends_with("/s")
                || matches!(
                    word.text,
                    "dBm" | "C" | "%" | "bps" | "pps" | "Kbps" | "Mbps" | "Gbps"
                );
            is_unit && number(&last.text.replace(',', "")).is_some()
        };
        let is_name = |last: &Span<'_>| {
            let begins = word.text.starts_with(|c: char| c.is_ascii_digit());
            let is_before_next = columns.get(1).is_some_and(|next| word.end <= next.start);
            last.start == all.first().map_or(0, |first| first.start)
                && all.len() == 1
                && begins
                && is_before_next
        };
        let last = all
            .last()
            .copied()
            .filter(is_next)
            .filter(|last| is_unit(last) || is_name(last));
        match last.and_then(|last| row.get(last.start..word.end).map(|text| (last.start, text))) {
            Some((start, text)) => {
                all.pop();
                all.push(Span {
                    start,
                    end: word.end,
                    text,
                });
            }
            None => all.push(word),
        }
    }
    all
}

/// As many cells as columns, in their order, and none below the heading of another alone.
fn in_order<'r>(columns: &[Column], spans: &[Span<'r>], is_squeezed: bool) -> Option<Vec<&'r str>> {
    let stands = |(column, span): (&Column, &Span<'_>)| {
        let overlaps = |other: &Column| span.start < other.end && other.start < span.end;
        is_squeezed || overlaps(column) || !columns.iter().any(overlaps)
    };
    let fits = spans.len() == columns.len() && columns.iter().zip(spans).all(stands);
    fits.then(|| spans.iter().map(|span| span.text).collect())
}

/// Each word below its heading.
fn by_place<'r>(columns: &[Column], row: &'r str) -> Option<Vec<&'r str>> {
    let mut cells: Vec<Option<(usize, usize)>> = vec![None; columns.len()];
    let mut before: Option<(usize, usize)> = None;
    for word in joined(columns, row) {
        let place = match below(columns, word) {
            Below::One(place) => place,
            // Words of people have single blanks between them, and may be longer than what stands above them.
            Below::None => match before {
                Some((place, end)) if end + 1 == word.start && !columns.get(place)?.holds.is_figure() => {
                    place
                }
                _ => return None,
            },
            Below::Several => return None,
        };
        // Cells are set off by two blanks and more, and words in them by one.
        let is_apart =
            |end: usize| end + 1 != word.start && columns.get(place).is_some_and(|column| !column.is_ruled);
        if before.is_some_and(|(last, end)| last > place || last == place && is_apart(end)) {
            return None;
        }
        let cell = cells.get_mut(place)?;
        *cell = Some(cell.map_or((word.start, word.end), |(start, _)| (start, word.end)));
        before = Some((place, word.end));
    }
    cells
        .into_iter()
        .map(|cell| cell.map_or(Some(""), |(start, end)| row.get(start..end)))
        .collect()
}

enum Below {
    One(usize),
    None,
    Several,
}

/// The column that a word stands below. Of two it is that of the one with which it begins or ends.
fn below(columns: &[Column], word: Span<'_>) -> Below {
    let over = |column: &Column| word.start < column.end && column.start < word.end;
    let mut found = columns.iter().enumerate().filter(|(_, column)| over(column));
    match (found.next(), found.next()) {
        (Some((place, _)), None) => return Below::One(place),
        (None, _) => return Below::None,
        _ => {}
    }
    let is_aligned = |column: &Column| over(column) && (column.start == word.start || column.end == word.end);
    let mut aligned = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| is_aligned(column));
    match (aligned.next(), aligned.next()) {
        (Some((place, _)), None) => Below::One(place),
        _ => Below::Several,
    }
}

#[cfg(test)]
mod tests {
    use super::super::heading::readings;
    use super::*;

    #[test]
    fn cells_stand_below_their_headings() {
        let heading = "Port   Name       Status   Speed";
        let columns = readings(&[heading], None, None).remove(0);
        let of = |row| cells(&columns, row, false);
        assert_eq!(
            of("Gi1    to core    up       1G"),
            Some(vec!["Gi1", "to core", "up", "1G"])
        );
        assert_eq!(
            of("Gi1               up       1G"),
            Some(vec!["Gi1", "", "up", "1G"])
        );
        assert_eq!(
            of("Gi1    a long name of it up 1G"),
            None,
            "it reaches over the next heading"
        );
    }
}
