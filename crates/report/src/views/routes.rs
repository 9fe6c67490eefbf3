//! Routes aligned side by side: the ways that one route went over time with the rates under each,
//! and traces whose paths share hops.

use super::align::{AlignHop, align};
use super::path::{HopView, MOST_HOPS, traced};
use super::series::Bands;
use super::{of_round, place};
use crate::names::Names;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table, Tone};
use crate::words::{self, plural};
use evidence::{
    End, KnownRoute, Location, Nanos, Node, Observation, Payload, RateBps, RouteHistory, Trace, Verdict,
};

/// More columns than this cannot be compared by eye.
const MOST_COLUMNS: usize = 6;

/// Of more different traces than this in one round only the first are set side by side: each is held against each.
const MOST_TRACES: usize = 24;

/// Routes side by side.
pub(crate) struct Aligned {
    title: String,
    columns: Vec<Column>,
    notes: Vec<String>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
struct Column {
    numbers: Vec<usize>,
    head: String,
    hops: Vec<AlignHop>,
}

pub(crate) fn tables(subject: &Subject, round: u32, verdict: Option<&Verdict>) -> Vec<Table> {
    let seen = of_round(subject, round);
    let mut aligned = histories(&seen, &subject.names);
    aligned.extend(traces(&seen, &subject.names));
    aligned.iter().map(|a| a.table(verdict)).collect()
}

fn histories(seen: &[(usize, &Observation)], names: &Names) -> Vec<Aligned> {
    let histories = seen.iter().filter_map(|(number, o)| match &o.payload {
        Payload::RouteHistory(history) if !history.routes.is_empty() => Some((*number, history)),
        _ => None,
    });
    histories
        .map(|(number, history)| history_columns(number, history, seen, names))
        .collect()
}

/// The routes most in force, the one with the highest rates first; without rates the one longest in force.
fn history_columns(
    number: usize,
    history: &RouteHistory,
    seen: &[(usize, &Observation)],
    names: &Names,
) -> Aligned {
    let bands = Bands::new(history);
    let rates = super::series::throughput_of(seen, &history.from, &history.to, names);
    let by_route = bands.medians(&rates);
    let times = bands.times_seen();
    let mut order: Vec<usize> = (0..history.routes.len()).collect();
    let often = |index: &usize| times.get(index).copied().unwrap_or(0);
    order.sort_by_key(|index| std::cmp::Reverse(often(index)));
    let left = order.split_off(order.len().min(MOST_COLUMNS));
    let rate = |index: &usize| by_route.get(index).map_or(0.0, |(median, _)| *median);
    order.sort_by(|a, b| {
        rate(b)
            .total_cmp(&rate(a))
            .then_with(|| often(b).cmp(&often(a)))
            .then(a.cmp(b))
    });
    let column = |index: &usize| {
        let route = history.routes.get(*index)?;
        let rate = by_route
            .get(index)
            .map(|(median, n)| format!(", {} (median of {})", RateBps(*median), words::count(*n as u64)));
        let head = format!("{}{}", route_name(route, *index), rate.unwrap_or_default());
        Some(Column {
            numbers: vec![number],
            head,
            hops: known_hops(route),
        })
    };
    let mut notes = vec![];
    if !left.is_empty() {
        let others = plural(
            left.len() as u64,
            "other route that was",
            "other routes that were",
        );
        notes.push(format!("{others} seen less often: in the observation."));
    }
    Aligned {
        title: format!(
            "Ways that the route went, {}",
            names.pair(&history.from, &history.to)
        ),
        columns: order.iter().filter_map(column).collect(),
        notes,
    }
}

/// `route 31`, by the archive's number, else by its place in the record.
pub(crate) fn route_name(route: &KnownRoute, index: usize) -> String {
    match route.number {
        Some(number) => format!("route {number}"),
        None => format!("route #{}", index + 1),
    }
}

fn known_hops(route: &KnownRoute) -> Vec<AlignHop> {
    let hops = (1_u8..).zip(route.hops.iter().take(MOST_HOPS));
    hops.map(|(ttl, node)| AlignHop {
        ttl,
        node: node.clone(),
        rtt_ns: None,
    })
    .collect()
}

/// Traces of paths that have hops in common, each group side by side.
fn traces(seen: &[(usize, &Observation)], names: &Names) -> Vec<Aligned> {
    let mut columns: Vec<Column> = Vec::new();
    for (number, o) in seen {
        if let Payload::Trace(trace) = &o.payload {
            let column = trace_column(*number, trace, o, names);
            let room = columns.len() < MOST_TRACES;
            match columns
                .iter_mut()
                .find(|c| c.head == column.head && same_way(&c.hops, &column.hops))
            {
                Some(same) => same.numbers.extend(column.numbers),
                None if room => columns.push(column),
                None => {}
            }
        }
    }
    let mut groups: Vec<Vec<Column>> = Vec::new();
    for column in columns {
        let mut joined = vec![column];
        let (with, without): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| group.iter().any(|c| joined.iter().any(|j| share_hops(c, j))));
        joined.splice(0..0, with.into_iter().flatten());
        groups = without;
        groups.push(joined);
    }
    groups
        .into_iter()
        .filter(|group| group.len() > 1)
        .map(trace_group)
        .collect()
}

fn trace_group(mut columns: Vec<Column>) -> Aligned {
    // The order of the observations, whatever joined the groups.
    columns.sort_by(|a, b| a.numbers.cmp(&b.numbers));
    let left = columns.split_off(columns.len().min(MOST_COLUMNS));
    let left = match left.len() {
        0 => None,
        n => Some(format!(
            "{} that share hops with these: in the observations.",
            plural(n as u64, "more trace", "more traces")
        )),
    };
    Aligned {
        title: "Routes side by side".to_owned(),
        columns,
        notes: left.into_iter().collect(),
    }
}

fn trace_column(number: usize, trace: &Trace, o: &Observation, names: &Names) -> Column {
    let view = traced(number, trace, o, names);
    let mut hops: Vec<AlignHop> = view.hops.iter().take(MOST_HOPS).map(align_hop).collect();
    let pair = names.pair(&view.source, &view.destination);
    // The way back is laid beside the way there, so both read in one direction.
    let back = view.starts_at == Some(End::To);
    if back {
        hops.reverse();
    }
    Column {
        numbers: vec![number],
        head: if back {
            format!("{pair} (read upwards)")
        } else {
            pair
        },
        hops,
    }
}

fn align_hop(hop: &HopView) -> AlignHop {
    AlignHop {
        ttl: hop.ttl,
        node: hop.routers.first().cloned().unwrap_or_default(),
        rtt_ns: hop.rtt_ns,
    }
}

fn same_way(a: &[AlignHop], b: &[AlignHop]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.ttl == b.ttl && a.node == b.node)
}

/// One shared router is no shared path: every traced destination of a network shares its border.
fn share_hops(a: &Column, b: &Column) -> bool {
    let shared = a
        .hops
        .iter()
        .filter(|x| b.hops.iter().any(|y| x.node.same_as(&y.node) == Some(true)));
    shared.count() >= 2
}

impl Aligned {
    fn table(&self, verdict: Option<&Verdict>) -> Table {
        let routes: Vec<&[AlignHop]> = self.columns.iter().map(|c| c.hops.as_slice()).collect();
        let rows = align(&routes);
        let suspect = suspects(&rows, verdict);
        let shown = rows.iter().zip(suspect).enumerate().map(|(index, (row, mark))| {
            let known = row.iter().flatten().count();
            let tone = match known {
                n if n == self.columns.len() => Tone::Plain,
                1 => Tone::Warn,
                _ => Tone::Good,
            };
            let cells = row
                .iter()
                .map(|hop| hop.map_or_else(Cell::default, |hop| cell(hop, tone)));
            Row {
                cells: std::iter::once(Cell::new((index + 1).to_string()))
                    .chain(cells)
                    .collect(),
                mark,
            }
        });
        let mut numbers: Vec<usize> = self
            .columns
            .iter()
            .flat_map(|c| c.numbers.iter().copied())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let head = self.columns.iter().map(|c| c.head.clone());
        Table {
            title: self.title.clone(),
            cites: numbers,
            head: std::iter::once(String::new()).chain(head).collect(),
            rows: shown.collect(),
            notes: self.notes.clone(),
        }
    }
}

fn cell(hop: &AlignHop, tone: Tone) -> Cell {
    if hop.node.is_unknown() {
        return Cell::toned(format!("{} no answer", hop.ttl), Tone::Soft).short(format!("{} *", hop.ttl));
    }
    let rtt = hop
        .rtt_ns
        .map_or(String::new(), |rtt| format!(", {}", Nanos(rtt)));
    let short = hop
        .node
        .address
        .map(|a| a.to_string())
        .or_else(|| hop.node.name.clone());
    Cell::toned(format!("{} {}{rtt}", hop.ttl, hop.node), tone).short(format!(
        "{} {}",
        hop.ttl,
        short.unwrap_or_default()
    ))
}

/// The code of the finding in whose stretch a row lies.
fn suspects(rows: &[Vec<Option<&AlignHop>>], verdict: Option<&Verdict>) -> Vec<Option<String>> {
    let mut marks: Vec<Option<String>> = vec![None; rows.len()];
    let nodes = |row: &Vec<Option<&AlignHop>>| -> Vec<Node> {
        row.iter().flatten().map(|hop| hop.node.clone()).collect()
    };
    for finding in verdict.iter().flat_map(|v| &v.findings) {
        if let Location::Link { before, after } = &finding.location {
            let is_at =
                |hop| move |row: &Vec<Option<&AlignHop>>| nodes(row).iter().any(|n| place::is_router(hop, n));
            let (first, last) = (
                rows.iter().position(is_at(before)),
                rows.iter().position(is_at(after)),
            );
            if let Some(stretch) = first
                .zip(last)
                .and_then(|(first, last)| marks.get_mut(first..=last))
            {
                stretch
                    .iter_mut()
                    .for_each(|mark| *mark = mark.take().or(Some(finding.code.clone())));
            }
        }
    }
    for (mark, row) in marks.iter_mut().zip(rows) {
        let found = nodes(row)
            .iter()
            .find_map(|node| place::finding_at(verdict, node).map(|f| f.code.clone()));
        *mark = mark.take().or(found);
    }
    marks
}
