//! Which packet sizes reach which hops, as a table with the figures in each cell.

use super::{anchor, link};
use crate::path_view::row_of;
use crate::subject::Subject;
use crate::words;
use evidence::v1::{Location, PathMtu, Payload, SizeCell, SizeProbeMode, Verdict};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    let tables: Vec<_> = subject
        .numbered()
        .filter(|(_, o)| o.provenance.round == verdict.round)
        .filter_map(|(number, o)| match &o.payload {
            Payload::PathMtu(sizes) => Some((number, &o.provenance.vantage, sizes)),
            _ => None,
        })
        .collect();
    html! {
        @if !tables.is_empty() {
            section {
                h2 id=(anchor(subject, verdict, "sizes")) { "Which packets get through" }
                p.soft {
                    "Rows are hops, columns are sizes of the IP packet in bytes; neighbouring sizes with the same \
                     outcome share a column. A cell says how many of the probes sent were answered."
                }
                (key())
                @for (number, vantage, sizes) in tables {
                    div.side {
                        (grid(verdict, number, words::vantage(vantage), sizes, SizeProbeMode::DontFragment))
                        (grid(verdict, number, words::vantage(vantage), sizes, SizeProbeMode::MayFragment))
                    }
                }
            }
        }
    }
}

fn key() -> Markup {
    html! {
        div.key {
            @for (class, text, meaning) in [
                ("all", "2/2", "all answered"),
                ("part", "1/2", "some answered"),
                ("none", "0/4", "nothing came back"),
                ("told", "≤1500", "a router said it is too big, and the limit"),
                ("told", "own", "this host itself refused to send it"),
                ("mute", "0/2", "this hop answers no size at all: says nothing"),
                ("untested", "·", "not tested"),
            ] {
                span { table.grid { tr { td.(class) { (text) } } } (meaning) }
            }
        }
    }
}

/// What came of all probes of a cell, as far as a reader tells cells apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    All,
    Part,
    Nothing,
    /// A router's word, with the limit it named.
    Told(Option<u32>),
    /// This host's own limit.
    Own(u32),
}

fn outcome(cell: &SizeCell) -> Outcome {
    if let Some(limit) = cell.refused_locally_mtu_bytes {
        return Outcome::Own(limit);
    }
    match cell.answered {
        0 => match cell.fragmentation_needed.first() {
            Some(told) => Outcome::Told(told.mtu_bytes),
            None => Outcome::Nothing,
        },
        n if n < cell.sent => Outcome::Part,
        _ => Outcome::All,
    }
}

/// Neighbouring sizes that had the same outcome at every hop, as one column.
struct Column<'a> {
    smallest: u32,
    largest: u32,
    /// By TTL: outcome, probes answered, probes sent, and one cell of it.
    cells: BTreeMap<u8, (Outcome, u32, u32, &'a SizeCell)>,
}

fn columns(sizes: &PathMtu, mode: SizeProbeMode) -> Vec<Column<'_>> {
    let mut by_size: BTreeMap<u32, BTreeMap<u8, &SizeCell>> = BTreeMap::new();
    for cell in sizes.cells.iter().filter(|cell| cell.mode == mode) {
        if let Some(ttl) = row_of(sizes, cell) {
            by_size.entry(cell.size_bytes).or_default().insert(ttl, cell);
        }
    }
    let mut columns: Vec<Column> = Vec::new();
    for (size, cells) in by_size {
        let same = |column: &Column| {
            column.cells.len() == cells.len()
                && column
                    .cells
                    .iter()
                    .all(|(ttl, cell)| cells.get(ttl).map(|c| outcome(c)) == Some(cell.0))
        };
        match columns.last_mut().filter(|last| same(last)) {
            Some(column) => {
                column.largest = size;
                for (ttl, (_, answered, sent, _)) in &mut column.cells {
                    let more = cells.get(ttl).map_or((0, 0), |c| (c.answered, c.sent));
                    *answered += u32::from(more.0);
                    *sent += u32::from(more.1);
                }
            }
            None => columns.push(Column {
                smallest: size,
                largest: size,
                cells: cells
                    .into_iter()
                    .map(|(ttl, c)| (ttl, (outcome(c), u32::from(c.answered), u32::from(c.sent), c)))
                    .collect(),
            }),
        }
    }
    columns
}

fn grid(verdict: &Verdict, number: usize, from: &str, sizes: &PathMtu, mode: SizeProbeMode) -> Markup {
    let columns = columns(sizes, mode);
    if columns.is_empty() {
        return html! {};
    }
    let rows: BTreeSet<u8> = columns
        .iter()
        .flat_map(|column| column.cells.keys().copied())
        .collect();
    let cuts = cuts(verdict);
    html! {
        div {
            h3 {
                @match mode {
                    SizeProbeMode::DontFragment => "Don't fragment",
                    SizeProbeMode::MayFragment => "Routers may fragment",
                }
                ", from the " (from) " " (link(number))
            }
            div.scroll {
                table.grid {
                    thead { tr { th {} @for column in &columns { th scope="col" { (sizes_words(column)) } } } }
                    tbody {
                        @for ttl in &rows {
                            (row(*ttl, &columns, sizes))
                            @if let Some((code, after)) = cuts.get(ttl) {
                                tr.cut { th {} td.cutline colspan=(columns.len()) { (code) ", hop " (ttl) " → " (after) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn sizes_words(column: &Column) -> String {
    if column.smallest == column.largest {
        column.smallest.to_string()
    } else {
        format!("{}–{}", column.smallest, column.largest)
    }
}

/// Hops behind which a finding lies.
fn cuts(verdict: &Verdict) -> BTreeMap<u8, (&str, u8)> {
    verdict
        .findings
        .iter()
        .filter_map(|f| match &f.location {
            Location::Link { before, after } => Some((before.ttl, (f.code.as_str(), after.ttl))),
            _ => None,
        })
        .collect()
}

fn row(ttl: u8, columns: &[Column], sizes: &PathMtu) -> Markup {
    // A hop that answers in either mode is not silent: what it does not answer then did not get there.
    let mine = || sizes.cells.iter().filter(|cell| row_of(sizes, cell) == Some(ttl));
    let mute = mine().all(|cell| matches!(outcome(cell), Outcome::Nothing | Outcome::Own(_)));
    let names: BTreeSet<String> = mine()
        .flat_map(|c| c.answered_by.iter().map(ToString::to_string))
        .collect();
    html! {
        tr {
            th scope="row" {
                b { (ttl) }
                span.who.soft {
                    @for name in &names { (name) " " }
                    @if names.is_empty() { "silent " }
                    @if sizes.destination_ttl == Some(ttl) { "(destination)" }
                }
            }
            @for column in columns { (cell(column.cells.get(&ttl), mute)) }
        }
    }
}

fn cell(cell: Option<&(Outcome, u32, u32, &SizeCell)>, mute: bool) -> Markup {
    let Some((outcome, answered, sent, example)) = cell else {
        return html! { td.untested title="not tested" { "·" } };
    };
    let tries = format!("{answered}/{sent}");
    match outcome {
        Outcome::All => html! { td.all { (tries) } },
        Outcome::Part => html! { td.part { (tries) } },
        Outcome::Nothing if mute => html! { td.mute { (tries) } },
        Outcome::Nothing => html! { td.none { (tries) } },
        Outcome::Own(limit) => html! { td.told title={ "this host's limit: " (limit) " bytes" } { "own" } },
        Outcome::Told(limit) => {
            let said = limit.map_or_else(|| "too big".to_owned(), |mtu| format!("≤{mtu}"));
            let who = example
                .fragmentation_needed
                .first()
                .map(|told| format!("said by {}", told.from));
            html! { td.told title=(who.unwrap_or_default()) { (said) } }
        }
    }
}
