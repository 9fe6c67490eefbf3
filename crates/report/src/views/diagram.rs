//! The map of the ways between hosts, of evidence of any origin: ways there and back beside each other, hops that several
//! of them use on one row, and the places of findings on it. Text and Markdown show it as a table, HTML draws it.

use super::align::{Ids, Row as AlignedRow, align};
use super::hop::HopView;
use super::path::PathView;
use super::place;
use crate::names::Names;
use crate::table::{Cell, Row, Table, Tone};
use evidence::{Direction, End, HopRef, Location, Nanos, Node, Verdict, VerdictState};
use model::other_ends;

/// Numbers of stops that are nobody the map knows: above all numbers of nodes.
const SILENT: u32 = 1 << 30;
const LINKED: u32 = 1 << 31;

/// One stop of a way.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stop<'a> {
    /// The host at which the way starts.
    Start(&'a Node),
    Hop(&'a HopView),
    /// The destination, which was not seen: how the way reaches it is not known.
    Unseen(&'a Node),
}

/// One way, in the order in which it is read: a way back is read upwards.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    pub(crate) way: &'a PathView,
    pub(crate) head: String,
    /// Packets go upwards.
    pub(crate) back: bool,
    pub(crate) stops: Vec<Stop<'a>>,
}

/// Ways side by side.
#[derive(Debug)]
pub(crate) struct Diagram<'a> {
    pub(crate) columns: Vec<Column<'a>>,
    /// Who stands beside whom, as indices into the stops of each column.
    pub(crate) rows: Vec<AlignedRow>,
}

/// The place of a finding on the diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Index into the verdict's findings.
    pub(crate) finding: usize,
    /// The rows between which it lies, or twice the row at which it is.
    pub(crate) rows: (usize, usize),
    /// Whether it hurts packets that go down the page, and those that go up.
    pub(crate) hurts: [bool; 2],
}

impl<'a> Stop<'a> {
    pub(crate) fn routers(self) -> &'a [Node] {
        match self {
            Self::Start(node) | Self::Unseen(node) => std::slice::from_ref(node),
            Self::Hop(hop) => &hop.routers,
        }
    }

    /// Its number on its way; `None` where that is not known.
    pub(crate) fn ttl(self) -> Option<u8> {
        match self {
            Self::Start(_) => Some(0),
            Self::Hop(hop) => Some(hop.ttl),
            Self::Unseen(_) => None,
        }
    }

    fn cell(self, tone: Tone) -> Cell {
        let Some(node) = self.routers().first() else {
            let ttl = self.ttl().unwrap_or(0);
            return Cell::toned(format!("{ttl} no answer"), Tone::Soft).short(format!("{ttl} *"));
        };
        let address = node.address.map(|address| address.to_string());
        let (all, short) = (
            node.to_string(),
            address.or_else(|| node.name.clone()).unwrap_or_default(),
        );
        match self {
            Self::Unseen(_) => {
                Cell::toned(format!("? {all}, not seen"), Tone::Soft).short(format!("? {short}"))
            }
            Self::Start(_) => Cell::toned(format!("0 {all}"), tone).short(format!("0 {short}")),
            Self::Hop(hop) => {
                let rtt = hop.usual_rtt_ns();
                let rtt = rtt.map_or(String::new(), |rtt| format!(", {}", Nanos(rtt)));
                let names: Vec<String> = hop.routers.iter().map(Node::to_string).collect();
                let more = if names.len() > 1 { " or more" } else { "" };
                Cell::toned(format!("{} {}{rtt}", hop.ttl, names.join(" or ")), tone)
                    .short(format!("{} {short}{more}", hop.ttl))
            }
        }
    }
}

impl<'a> Column<'a> {
    /// A way with the hosts at its ends.
    pub(crate) fn new(way: &'a PathView, back: bool) -> Self {
        let unseen = way.reached_ttl.is_none() && !way.destination.is_unknown();
        let start = (!way.source.is_unknown()).then_some(Stop::Start(&way.source));
        let end = unseen.then_some(Stop::Unseen(&way.destination));
        let mut stops: Vec<Stop> = start
            .into_iter()
            .chain(way.hops.iter().map(Stop::Hop))
            .chain(end)
            .collect();
        if back {
            stops.reverse();
        }
        let upwards = if back { " (read upwards)" } else { "" };
        Self {
            way,
            head: format!("{}{upwards}", way.pair),
            back,
            stops,
        }
    }

    /// The hops of one of several ways between the same hosts: what all have is not said of each.
    pub(crate) fn of_hops(way: &'a PathView, head: String) -> Self {
        Self {
            way,
            head,
            back: false,
            stops: way.hops.iter().map(Stop::Hop).collect(),
        }
    }

    /// Who each stop is. The destination is itself from whatever address it answers.
    fn ids(&self, names: &Names) -> Vec<Ids> {
        let ids = |stop: &Stop| -> Ids {
            let reached = stop.ttl().is_some_and(|ttl| Some(ttl) == self.way.reached_ttl);
            let end = reached.then_some(&self.way.destination);
            let nodes = stop.routers().iter().chain(end);
            let ids: Ids = nodes.filter_map(|node| Some(names.id(node)?.0)).collect();
            match (stop.ttl(), stop.routers()) {
                // Of a silent hop nothing is known but its number, counted from where the way starts.
                (Some(ttl), []) => vec![SILENT + 2 * u32::from(ttl) + u32::from(self.back)],
                _ => ids,
            }
        };
        self.stops.iter().map(ids).collect()
    }

    /// Whether a stop is a router between the two hosts.
    fn is_inner(&self, stop: Stop) -> bool {
        matches!(stop, Stop::Hop(hop) if Some(hop.ttl) != self.way.reached_ttl)
    }

    /// The stops in the order of the way, as a finding names them.
    fn hops(&self) -> Vec<(u8, &'a [Node])> {
        let seen = self
            .stops
            .iter()
            .filter_map(|stop| Some((stop.ttl()?, stop.routers())));
        match self.back {
            true => seen.rev().collect(),
            false => seen.collect(),
        }
    }

    /// From a place among [`Column::hops`] to one among the stops.
    fn stop_at(&self, hop: usize) -> usize {
        match self.back {
            true => self.stops.len().saturating_sub(hop + 1),
            false => hop,
        }
    }

    /// The stop that a finding names.
    pub(crate) fn position(&self, there: &HopRef) -> Option<usize> {
        Some(self.stop_at(place::position(there, &self.hops())?))
    }

    /// The stops between which something lies, the upper first.
    fn place_of(&self, location: &Location) -> Option<(usize, usize)> {
        if let Location::Host { end } = location {
            let starts = self.way.between_ends && self.way.starts_at == Some(*end);
            let ends = self.way.between_ends && self.way.starts_at == Some(end.other());
            let last = || self.stops.len().checked_sub(1);
            let place = match (starts, ends) {
                (true, _) => (if self.back { last() } else { Some(0) })?,
                (_, true) => (if self.back { Some(0) } else { last() })?,
                _ => return None,
            };
            return Some((place, place));
        }
        let (first, last) = place::among(location, &self.hops())?;
        let (a, b) = (self.stop_at(first), self.stop_at(last));
        Some((a.min(b), a.max(b)))
    }
}

impl<'a> Diagram<'a> {
    /// Lays ways beside each other. What `names` says is one router stands on one row; so do the two interfaces of one
    /// router that ways in both directions show, where the links between them tell.
    pub(crate) fn new(columns: Vec<Column<'a>>, names: &Names) -> Self {
        let mut ids: Vec<Vec<Ids>> = columns.iter().map(|column| column.ids(names)).collect();
        let mut next = LINKED;
        for (down, there) in columns.iter().enumerate().filter(|(_, c)| !c.back) {
            for (up, back) in columns.iter().enumerate().filter(|(_, c)| c.back) {
                for pair in one_router(there, back) {
                    let both = [ids.get_mut(down).and_then(|ids| ids.get_mut(pair.0))];
                    both.into_iter().flatten().for_each(|ids| ids.push(next));
                    let other = ids.get_mut(up).and_then(|ids| ids.get_mut(pair.1));
                    other.into_iter().for_each(|ids| ids.push(next));
                    next = next.saturating_add(1);
                }
            }
        }
        Self {
            rows: align(&ids),
            columns,
        }
    }

    /// The stop of a column on a row.
    pub(crate) fn stop(&self, row: usize, column: usize) -> Option<Stop<'a>> {
        let index = (*self.rows.get(row)?.get(column)?)?;
        self.columns.get(column)?.stops.get(index).copied()
    }

    /// The row on which a stop of a column stands.
    pub(crate) fn row_of(&self, column: usize, stop: usize) -> Option<usize> {
        let here = |row: &AlignedRow| row.get(column) == Some(&Some(stop));
        self.rows.iter().position(here)
    }

    /// Where the findings lie, each once. On the map of the complaint a finding hurts the direction that it names; on
    /// another, that of the way on which it was seen.
    pub(crate) fn faults(&self, verdict: &Verdict) -> Vec<Fault> {
        let between_ends = self.columns.iter().any(|column| column.way.between_ends);
        let fault = |(index, finding): (usize, &evidence::Finding)| {
            let seen = self.columns.iter().enumerate().filter_map(|(n, column)| {
                let (first, last) = column.place_of(&finding.location)?;
                Some((column.back, (self.row_of(n, first)?, self.row_of(n, last)?)))
            });
            let seen: Vec<(bool, (usize, usize))> = seen.collect();
            let hurts = match (finding.direction, between_ends) {
                (Direction::Both | Direction::Either, true) => [true, true],
                (Direction::Forward, true) => [true, false],
                (Direction::Reverse, true) => [false, true],
                (_, false) => [false, true].map(|up| seen.iter().any(|(back, _)| *back == up)),
            };
            let on_it = seen
                .iter()
                .find(|(back, _)| hurts.get(usize::from(*back)) == Some(&true));
            Some(Fault {
                finding: index,
                rows: on_it.or(seen.first())?.1,
                hurts,
            })
        };
        // Of a transfer that is as it should be, what limits it is no fault.
        match verdict.state {
            VerdictState::Ok => Vec::new(),
            _ => verdict.findings.iter().enumerate().filter_map(fault).collect(),
        }
    }

    /// The diagram as a table: rows down, ways across.
    pub(crate) fn table(&self, title: String, notes: Vec<String>, verdict: Option<&Verdict>) -> Table {
        let faults = verdict.into_iter().flat_map(|verdict| {
            let faults = self.faults(verdict).into_iter();
            faults.filter_map(|fault| Some((verdict.findings.get(fault.finding)?.code.clone(), fault.rows)))
        });
        let marks = place::marks(self.rows.len(), faults);
        let row = |(index, mark): (usize, Option<String>)| {
            let stops: Vec<Option<Stop>> = (0..self.columns.len()).map(|c| self.stop(index, c)).collect();
            let tone = match stops.iter().flatten().count() {
                n if n == self.columns.len() => Tone::Plain,
                1 => Tone::Warn,
                _ => Tone::Good,
            };
            let cells = stops
                .iter()
                .map(|stop| stop.map_or_else(Cell::default, |stop| stop.cell(tone)));
            let number = Cell::new((index + 1).to_string());
            Row {
                cells: std::iter::once(number).chain(cells).collect(),
                mark,
            }
        };
        let mut cites: Vec<usize> = self
            .columns
            .iter()
            .flat_map(|c| c.way.shown_by.iter().copied())
            .collect();
        cites.sort_unstable();
        cites.dedup();
        let heads = self.columns.iter().map(|column| column.head.clone());
        Table {
            title,
            cites,
            head: std::iter::once(String::new()).chain(heads).collect(),
            rows: marks.into_iter().enumerate().map(row).collect(),
            notes,
        }
    }

    /// The ends of the complaint from which no way is shown.
    pub(crate) fn untraced(&self) -> impl Iterator<Item = End> {
        let ways = || self.columns.iter().map(|column| column.way);
        let ends = [End::From, End::To].into_iter();
        ends.filter(move |end| {
            ways().any(|way| way.between_ends) && !ways().any(|way| way.starts_at == Some(*end))
        })
    }
}

/// Stops of a way down and of one up that are one router. A router answers from the interface at which a probe came in: the
/// way down shows the upper side of each, the way up the lower. Where the upper side of one and the lower side of another
/// are the two ends of one link, the first lies below the link and the second above it, and their neighbours beyond the
/// link are their other sides (Gunes and Sarac, "Resolving IP aliases in building traceroute-based Internet maps", 2009).
fn one_router(there: &Column, back: &Column) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (i, two) in there.stops.windows(2).enumerate() {
        for (k, other) in back.stops.windows(2).enumerate() {
            let ([upper, lower], [above, below]) = (two, other) else {
                continue;
            };
            let next = |a: &Stop, b: &Stop| a.ttl().zip(b.ttl()).is_some_and(|(a, b)| a.abs_diff(b) == 1);
            // A host's neighbours in its network are several routers, whatever their addresses.
            let between = there.is_inner(*lower) && back.is_inner(*above);
            if between && next(upper, lower) && next(above, below) && is_link(*lower, *above) {
                pairs.extend([(i, k), (i + 1, k + 1)]);
            }
        }
    }
    let known =
        |column: &Column, stop: usize| column.stops.get(stop).is_some_and(|s| !s.routers().is_empty());
    pairs.retain(|(a, b)| known(there, *a) && known(back, *b));
    pairs
}

fn is_link(a: Stop, b: Stop) -> bool {
    let of = |stop: Stop<'_>| stop.routers().first().and_then(|node| node.address);
    of(a).zip(of(b)).is_some_and(|(a, b)| other_ends(a).contains(&b))
}
