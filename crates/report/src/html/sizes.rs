//! Which packet sizes reach which hops, as a table with the figures in each cell.

use super::{anchor, link};
use crate::path_view::row_of;
use crate::subject::Subject;
use crate::words;
use evidence::{Location, PathMtu, Payload, SizeCell, SizeProbeMode, Verdict};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    let tables: Vec<_> = subject
        .numbered()
        .filter(|(_, o)| o.provenance.round == verdict.round)
        .filter_map(|(number, o)| match &o.payload {
            Payload::PathMtu(sizes) => Some((number, o.provenance.vantage, sizes)),
            _ => None,
        })
        .collect();
    html! {
        @if !tables.is_empty() {
            section {
                h2 id=(anchor(subject, verdict, "sizes")) { "Which packets get through" }
                p.soft {
                    "Rows are hops, columns are sizes of the IP packet in bytes. A cell says how many of the probes sent \
                     were answered."
                }
                (key())
                @for (number, vantage, sizes) in tables {
                    div.side {
                        (grid(verdict, number, words::end(vantage), sizes, SizeProbeMode::DontFragment))
                        (grid(verdict, number, words::end(vantage), sizes, SizeProbeMode::MayFragment))
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
                ("mute", "0/2", "this hop answers no size at all: says nothing"),
                ("untested", "·", "not tested"),
            ] {
                span { table.grid { tr { td.(class) { (text) } } } (meaning) }
            }
        }
    }
}

type Cells<'a> = BTreeMap<(u8, u32), &'a SizeCell>;

fn grid(verdict: &Verdict, number: usize, from: &str, sizes: &PathMtu, mode: SizeProbeMode) -> Markup {
    let cells: Cells = sizes
        .cells
        .iter()
        .filter(|cell| cell.mode == mode)
        .filter_map(|cell| Some(((row_of(sizes, cell)?, cell.size_bytes), cell)))
        .collect();
    if cells.is_empty() {
        return html! {};
    }
    let columns: BTreeSet<u32> = cells.keys().map(|(_, size)| *size).collect();
    let rows: BTreeSet<u8> = cells.keys().map(|(ttl, _)| *ttl).collect();
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
                    thead { tr { th {} @for size in &columns { th scope="col" { (size) } } } }
                    tbody {
                        @for ttl in &rows {
                            (row(*ttl, &columns, &cells, sizes))
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

fn row(ttl: u8, columns: &BTreeSet<u32>, cells: &Cells, sizes: &PathMtu) -> Markup {
    let mine = || cells.range((ttl, 0)..=(ttl, u32::MAX)).map(|(_, cell)| *cell);
    let mute = mine().all(|cell| cell.answered == 0 && cell.fragmentation_needed.is_empty());
    let names: BTreeSet<String> = mine()
        .flat_map(|c| c.answered_by.iter().map(ToString::to_string))
        .collect();
    html! {
        tr {
            th scope="row" {
                b { (ttl) }
                span.who.soft {
                    @for name in &names { (name) " " }
                    @if names.is_empty() { "silent" }
                    @if sizes.destination_ttl == Some(ttl) { "(destination)" }
                }
            }
            @for size in columns { (cell(cells.get(&(ttl, *size)).copied(), mute)) }
        }
    }
}

fn cell(cell: Option<&SizeCell>, mute: bool) -> Markup {
    let Some(cell) = cell else {
        return html! { td.untested title="not tested" { "·" } };
    };
    let tries = format!("{}/{}", cell.answered, cell.sent);
    if let Some(limit) = cell.refused_locally_mtu_bytes {
        return html! { td.told title={ "this host refused to send more than " (limit) " bytes" } { "own " (limit) } };
    }
    if let Some(told) = cell.fragmentation_needed.first().filter(|_| cell.answered == 0) {
        let said = told
            .mtu_bytes
            .map_or_else(|| "too big".to_owned(), |mtu| format!("≤{mtu}"));
        return html! { td.told title={ "said by " (told.from) } { (said) } };
    }
    let class = match cell.answered {
        0 if mute => "mute",
        0 => "none",
        n if n < cell.sent => "part",
        _ => "all",
    };
    html! { td.(class) { (tries) } }
}
