//! The tables of a section.

use super::footnote;
use crate::markdown::{cells, is_rule};
use crate::text::grouped;
use evidence::{CounterPoint, Node};

/// Network, description, packets.
pub(super) const COLUMNS: usize = 3;

/// A table as far as it has been read.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) points: Vec<CounterPoint>,
    /// Marks in its cells.
    pub(super) marks: Vec<String>,
    pub(super) caption: Option<Caption>,
}

/// `Table 2.2.1.1: Packet Counts for fntst-1-fnal.gov -> dcache33.desy.de Test1`
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Caption {
    pub(super) from: Node,
    pub(super) to: Node,
}

/// How many cells a row has.
pub(super) fn columns(line: &str) -> usize {
    cells(line).count()
}

/// `| Network | Description of Counter | Packets |`
pub(super) fn is_head(line: &str) -> bool {
    let mut cells = cells(line);
    let mut next_is = |wanted: &str| {
        cells.next().is_some_and(|cell| {
            cell.get(..wanted.len())
                .is_some_and(|c| c.eq_ignore_ascii_case(wanted))
        })
    };
    next_is("network") && next_is("description") && next_is("packets") && cells.next().is_none()
}

/// Reads the line below or above a table that names it.
pub(super) fn caption(line: &str) -> Option<Caption> {
    let text = line.trim_matches(['*', '_', ' ']).strip_prefix("Table ")?;
    let (number, rest) = text.split_once(' ')?;
    let numbered = number
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b':'));
    let rest = rest.trim_start_matches([':', ' ']);
    let hosts = rest.split_once("->").and_then(|(before, behind)| {
        let from = before.split_whitespace().next_back()?;
        let to = behind.split_whitespace().next()?;
        Some((from, to))
    });
    let (from, to) = hosts.unwrap_or(("", ""));
    numbered.then(|| Caption {
        from: Node::read(from),
        to: Node::read(to),
    })
}

impl Table {
    /// Takes a row of the body; `Err` says what is wrong with it.
    pub(super) fn take_row(&mut self, line: &str) -> Result<(), String> {
        if is_rule(line) || is_head(line) {
            return Ok(());
        }
        let row: Vec<&str> = cells(line).collect();
        let [network, description, packets] = row.as_slice() else {
            return Err(format!("a row of {} cells in a table of {COLUMNS}", row.len()));
        };
        self.marks.extend(footnote::marks(packets));
        let figure = footnote::without_marks(packets);
        let counted = grouped(figure);
        let point = CounterPoint {
            network: self.network(network).to_owned(),
            description: (*description).to_owned(),
            packets: counted,
        };
        if self.points.last() == Some(&point) {
            return Err("the same row twice: it counts once".to_owned());
        }
        self.points.push(point);
        match counted {
            None if !is_absent(figure) => Err(format!("`{figure}` is no number of packets")),
            _ => Ok(()),
        }
    }

    /// An empty cell repeats the one above.
    fn network<'a>(&'a self, printed: &'a str) -> &'a str {
        match self.points.last() {
            Some(above) if printed.is_empty() => &above.network,
            _ => printed,
        }
    }

    /// Where the counted packets come from: the host of the caption, and the left side of the first counter.
    pub(super) fn names_of_sender(&self) -> impl Iterator<Item = &str> {
        let first = self.points.first();
        let left = first.and_then(|point| Some(point.description.split_once("->")?.0));
        self.caption
            .iter()
            .filter_map(|c| c.from.name.as_deref())
            .chain(left)
    }

    /// Where they go.
    pub(super) fn names_of_receiver(&self) -> impl Iterator<Item = &str> {
        let last = self.points.last();
        let right = last.and_then(|point| Some(point.description.split_once("->")?.1));
        self.caption
            .iter()
            .filter_map(|c| c.to.name.as_deref())
            .chain(right)
    }
}

/// How people write that there is no figure.
fn is_absent(figure: &str) -> bool {
    ["", "-", "--", "n/a", "N/A", "?"].contains(&figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions() {
        let read = caption("Table 2.2.4.1 Packet Counts for a-1.example -> b.example Test3").unwrap();
        assert_eq!(
            (read.from, read.to),
            (Node::read("a-1.example"), Node::read("b.example"))
        );
        let plain = caption("**Table 3: Packets lost**").unwrap();
        assert_eq!(plain.from, Node::default());
        assert_eq!(caption("Table tennis is fun"), None);
    }

    #[test]
    fn a_missing_counter_is_not_zero() {
        let mut table = Table::default();
        assert_eq!(table.take_row("| A | a -> b | 0 |"), Ok(()));
        assert_eq!(table.take_row("|   | b -> c | n/a |"), Ok(()));
        assert!(table.take_row("|   | c -> d | 18x |").is_err());
        assert!(table.take_row("| one | two |").is_err());
        let points: Vec<_> = table
            .points
            .iter()
            .map(|p| (p.network.as_str(), p.packets))
            .collect();
        assert_eq!(points, [("A", Some(0)), ("A", None), ("A", None)]);
    }
}
