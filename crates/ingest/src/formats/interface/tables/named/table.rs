//! A table: its heading, and the rows below it.

use super::heading::{Column, goes_on, readings};
use super::meaning::{Holds, Way};
use super::{rows, values};
use crate::findings::Findings;
use crate::formats::interface::tables::gathered::Gathered;
use crate::formats::interface::tables::{MOST_OF_HEADING, counters};

/// A heading, and what stands below it.
#[derive(Default)]
pub(super) struct Table<'b> {
    pub(super) heading: Vec<&'b str>,
    pub(super) first: u64,
    pub(super) rule: Option<&'b str>,
    pub(super) rows: Vec<(u64, &'b str)>,
}

impl Table<'_> {
    /// What its rows say; whether it is known to be a table that has nothing to say.
    pub(super) fn read(self, way: Option<Way>, gathered: &mut Gathered, findings: &mut Findings) -> bool {
        if self.rows.is_empty() {
            return false;
        }
        // A heading that was broken and joined may be one that is known by heart.
        if let [heading] = self.heading[..]
            && let Some(columns) = counters::columns(heading)
        {
            gathered.head(heading);
            for (number, row) in &self.rows {
                counters::take(gathered, findings, *number, &columns, row);
            }
            return false;
        }
        let Some(columns) = self.columns(way) else {
            for (number, _) in &self.rows {
                findings.complain(
                    *number,
                    "the row does not stand below a heading that is known: it is not used",
                );
            }
            return false;
        };
        if let Some(column) = self.untold(&columns) {
            findings.complain(
                self.first,
                format!(
                    "nothing tells what {} counts, or which way: it is not used",
                    column.name
                ),
            );
        }
        gathered.head(&format!("{way:?} {}", self.heading.join(" ")));
        let mut above = None;
        for (number, row) in &self.rows {
            let cells = rows::cells(&columns, row, self.is_squeezed());
            match &cells {
                Some(cells) => values::take(gathered, findings, *number, &columns, cells),
                None if above.is_some_and(|name| rows::goes_on(&columns, row, name)) => continue,
                None => findings.complain(
                    *number,
                    "the cells do not stand below their headings: none is used",
                ),
            }
            above = cells.and_then(|cells| rows::port(&columns, &cells));
        }
        let says = |column: &Column| {
            column.holds.is_figure() || matches!(column.holds, Holds::Up | Holds::Speed(_) | Holds::Duplex)
        };
        !columns.iter().any(says)
    }

    /// Whether blanks were lost, so that nothing stands below its heading.
    fn is_squeezed(&self) -> bool {
        let mut heading = self.heading.iter();
        heading.all(|line| !line.trim_ascii().contains("  "))
    }

    /// The columns, in the reading that most rows bear out; of equals the first one.
    fn columns(&self, way: Option<Way>) -> Option<Vec<Column>> {
        if self.heading.len() > MOST_OF_HEADING {
            return None;
        }
        let is_squeezed = self.is_squeezed();
        let fitting = |columns: &Vec<Column>| {
            let fits = |(_, row): &&(u64, &str)| rows::cells(columns, row, is_squeezed).is_some();
            self.rows.iter().filter(fits).count()
        };
        let readings = readings(&self.heading, self.rule, way);
        let with_ports = readings.into_iter().filter(|columns| has_port(columns));
        with_ports.rev().max_by_key(fitting)
    }

    /// A column with figures of which nothing tells the direction.
    fn untold<'c>(&self, columns: &'c [Column]) -> Option<&'c Column> {
        let has_figure = |place: usize| {
            self.rows.iter().any(|(_, row)| {
                let cells = rows::cells(columns, row, self.is_squeezed());
                let cell = cells.and_then(|cells| cells.get(place).copied());
                cell.is_some_and(|cell| rows::measure(cell).is_some())
            })
        };
        let mut places = columns.iter().enumerate();
        let untold = places.find(|(place, column)| column.holds == Holds::Untold && has_figure(*place));
        untold.map(|(_, column)| column)
    }
}

fn has_port(columns: &[Column]) -> bool {
    columns.iter().any(|column| column.holds == Holds::Port)
}

/// Takes a row of a table that another format knows, where its cells do not stand as that one has them: `false` where they do not stand
/// below the words either.
pub(in crate::formats::interface::tables) fn take(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    (heading, rule): (&[&str], Option<&str>),
    row: &str,
) -> bool {
    let is_known = heading.iter().all(|line| goes_on(line));
    let is_told = |columns: &Vec<Column>| columns.iter().all(|column| column.holds != Holds::Untold);
    let mut ways = readings(heading, rule, None)
        .into_iter()
        .filter(|columns| is_known && has_port(columns) && is_told(columns));
    let found = ways.find_map(|columns| {
        rows::cells(&columns, row, false)
            .map(|cells| values::take(gathered, findings, number, &columns, &cells))
    });
    found.is_some()
}
