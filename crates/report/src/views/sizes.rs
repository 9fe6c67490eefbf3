//! Which packet sizes were answered by which hop, from pings and traces of other tools.

use super::of_round;
use crate::names::Names;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table, Tone};
use crate::words;
use evidence::v1::{Nanos, Payload, PingRow, Pings, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// More rows than this are not drawn.
const MOST_ROWS: usize = 64;

/// What came of all requests of one size to one hop.
#[derive(Debug, Clone, Default, PartialEq)]
struct Outcome {
    sent: u64,
    received: u64,
    /// Share lost where counts are not recorded; the last one told.
    share: Option<f64>,
    rtt_ns: Option<u64>,
    /// What came back instead of a reply.
    error: Option<String>,
}

/// Hops (number, name) down, sizes across.
#[derive(Debug, Default)]
struct Grid {
    cites: BTreeSet<usize>,
    sizes: BTreeSet<Option<u32>>,
    cells: BTreeMap<(Option<u8>, String), BTreeMap<Option<u32>, Outcome>>,
}

pub(crate) fn tables(subject: &Subject, round: u32) -> Vec<Table> {
    let names = Names::new(subject.case);
    let mut grids: BTreeMap<String, Grid> = BTreeMap::new();
    for (number, o) in of_round(subject, round) {
        match &o.payload {
            Payload::Pings(pings) => add_pings(&mut grids, number, pings, &names),
            Payload::Trace(trace) => add_trace(&mut grids, number, trace, &names),
            _ => {}
        }
    }
    // A single figure is no grid: its observation says it in a line. A trace of one size is a route.
    let worth = |title: &str, grid: &Grid| {
        let cells: usize = grid.cells.values().map(BTreeMap::len).sum();
        cells > 1 && (grid.sizes.len() > 1 || title.starts_with("Pings"))
    };
    grids
        .into_iter()
        .filter(|(title, grid)| worth(title, grid))
        .map(|(title, grid)| grid.table(title))
        .collect()
}

fn add_pings(grids: &mut BTreeMap<String, Grid>, number: usize, pings: &Pings, names: &Names) {
    for row in &pings.rows {
        let title = match &pings.destination {
            Some(destination) => format!("Pings by size and hop, {}", names.pair(&pings.from, destination)),
            None => format!("Pings by size, from {}", names.of(&pings.from)),
        };
        let grid = grids.entry(title).or_default();
        grid.cites.insert(number);
        let size = row.size_bytes;
        grid.sizes.insert(size);
        let cell = grid
            .cells
            .entry((row.ttl, names.of(&row.to)))
            .or_default()
            .entry(size)
            .or_default();
        add_row(cell, row);
    }
}

fn add_row(cell: &mut Outcome, row: &PingRow) {
    if let Some((sent, received)) = row.sent.zip(row.received) {
        cell.sent = cell.sent.saturating_add(sent);
        cell.received = cell.received.saturating_add(received);
    }
    cell.share = row.loss_ratio.or(cell.share);
    let rtt = row.rtt.and_then(|rtt| rtt.mean_ns.or(rtt.min_ns));
    cell.rtt_ns = cell.rtt_ns.into_iter().chain(rtt).min();
    let told = row.errors.first().map(|error| match error.mtu_bytes {
        Some(mtu) => format!("told: at most {mtu}"),
        None => error.text.clone(),
    });
    cell.error = told.or(cell.error.take());
}

fn add_trace(grids: &mut BTreeMap<String, Grid>, number: usize, trace: &Trace, names: &Names) {
    let title = format!("Traces by size, {}", names.pair(&trace.from, &trace.to));
    let grid = grids.entry(title).or_default();
    grid.cites.insert(number);
    grid.sizes.insert(trace.size_bytes);
    for hop in &trace.hops {
        // One row a hop number: at the size that gets no answer its name is not known.
        let cell = grid
            .cells
            .entry((Some(hop.ttl), String::new()))
            .or_default()
            .entry(trace.size_bytes)
            .or_default();
        let answers = hop.answers.len() as u64;
        cell.received = cell.received.saturating_add(answers);
        cell.sent = cell
            .sent
            .saturating_add(answers)
            .saturating_add(u64::from(hop.unanswered));
        cell.rtt_ns = cell
            .rtt_ns
            .into_iter()
            .chain(hop.answers.iter().filter_map(|a| a.rtt_ns))
            .min();
        let told = hop
            .answers
            .iter()
            .find_map(|a| a.mtu_bytes)
            .map(|mtu| format!("told: at most {mtu}"));
        cell.error = told.or(cell.error.take());
    }
}

impl Grid {
    fn table(&self, title: String) -> Table {
        let sizes = self.sizes.iter().map(|size| match size {
            Some(size) => format!("{size} bytes"),
            None => "size not told".to_owned(),
        });
        let rows = self.cells.iter().take(MOST_ROWS).map(|((ttl, name), cells)| {
            let label = match ttl {
                Some(ttl) => format!("{ttl} {name}").trim().to_owned(),
                None => name.clone(),
            };
            let short = label.chars().take(24).collect::<String>();
            // A hop that answers no size at all says nothing about sizes.
            let mute = cells
                .values()
                .all(|cell| cell.received == 0 && cell.share.is_none_or(|s| s >= 1.0));
            let shown = self.sizes.iter().map(|size| {
                cells
                    .get(size)
                    .map_or_else(untested, |cell| self::cell(cell, mute))
            });
            Row::new(
                std::iter::once(Cell::new(label).short(short))
                    .chain(shown)
                    .collect(),
            )
        });
        let left = self.cells.len().saturating_sub(MOST_ROWS);
        let mut notes = vec!["Lost of those sent; sizes are of the whole IP packet. A hop that never answers says nothing about the hops behind it.".to_owned()];
        if left > 0 {
            notes.push(format!("{} more rows are not shown.", words::count(left as u64)));
        }
        Table {
            title,
            cites: self.cites.iter().copied().collect(),
            head: std::iter::once("hop".to_owned()).chain(sizes).collect(),
            rows: rows.collect(),
            notes,
        }
    }
}

fn untested() -> Cell {
    Cell::toned("·", Tone::Soft)
}

fn cell(outcome: &Outcome, mute: bool) -> Cell {
    let rtt = outcome
        .rtt_ns
        .map_or(String::new(), |rtt| format!(", {}", Nanos(rtt)));
    if let Some(error) = &outcome.error {
        return Cell::toned(format!("{error}{rtt}"), Tone::Warn);
    }
    let (text, share) = match (outcome.sent, outcome.share) {
        (0, None) => return Cell::toned("not told", Tone::Soft),
        (0, Some(share)) => (format!("{} lost", words::share(share)), share),
        (sent, _) => {
            let lost = sent.saturating_sub(outcome.received);
            (
                format!("{} of {} lost", words::count(lost), words::count(sent)),
                lost as f64 / sent as f64,
            )
        }
    };
    let tone = match share {
        _ if mute => Tone::Soft,
        s if s >= 1.0 => Tone::Bad,
        s if s > 0.0 => Tone::Warn,
        _ => Tone::Good,
    };
    Cell::toned(format!("{text}{rtt}"), tone).short(text)
}
