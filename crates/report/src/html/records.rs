//! What other tools recorded, in pictures and tables.

use super::chart::{Chart, Mark, number};
use super::{anchor, chain, series, table};
use crate::names::Names;
use crate::subject::Subject;
use crate::table::Table;
use crate::views::transfer::{Slice, slices};
use crate::views::{interfaces, matrix, of_round, routes, sizes};
use crate::words;
use evidence::v1::{Payload, RateBps, ThroughputRecord, Verdict};
use maud::{Markup, html};

/// More points than this cannot be told apart at the width shown.
const MOST_POINTS: usize = 240;

/// Routes of records side by side.
pub(super) fn routes(subject: &Subject, verdict: &Verdict) -> Markup {
    let tables = routes::tables(subject, verdict.round, Some(verdict));
    html! {
        @if !tables.is_empty() {
            section {
                h2 id=(anchor(subject, verdict, "aligned")) { "Routes side by side" }
                p.soft {
                    "Hops that routes have in common stand on one row; a number is that of the hop on its own route. "
                    @if tables.iter().any(|t| t.rows.iter().any(|r| r.mark.is_some())) { "The stretch of a finding carries its code." }
                }
                p.legend {
                    span { i.swatch.t-plain {} "on every route" }
                    span { i.swatch.t-good {} "on several" }
                    span { i.swatch.t-warn {} "on one only" }
                }
                @for aligned in &tables { (table::titled(aligned, "filled")) }
            }
        }
    }
}

/// Series, counters, pings, transfers and interfaces.
pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    html! {
        @for (name, title, content) in parts(subject, verdict) {
            section { h2 id=(anchor(subject, verdict, name)) { (title) } (content) }
        }
    }
}

/// Anchors and titles of what is there, for the line of links at the page's head.
pub(super) fn sections(subject: &Subject, verdict: &Verdict) -> Vec<(&'static str, &'static str)> {
    let aligned = !routes::tables(subject, verdict.round, Some(verdict)).is_empty();
    let routes = aligned.then_some(("aligned", "Routes side by side"));
    let parts = parts(subject, verdict)
        .into_iter()
        .map(|(name, title, _)| (name, title));
    routes.into_iter().chain(parts).collect()
}

/// (anchor, title, content) of each part that has content.
fn parts(subject: &Subject, verdict: &Verdict) -> Vec<(&'static str, &'static str, Markup)> {
    let round = verdict.round;
    let tables =
        |tables: Vec<Table>, class: &str| html! { @for one in &tables { (table::titled(one, class)) } };
    let mesh = matrix::table(subject, round).into_iter().collect();
    let interfaces = interfaces::tables(subject, round, Some(verdict));
    let parts = [
        ("series", "Over time", series::figures(subject, round)),
        ("counters", "Packet counters", chain::section(subject, verdict)),
        (
            "pings",
            "Pings and traces by size",
            tables(sizes::tables(subject, round), "filled"),
        ),
        ("mesh", "Throughput between hosts", tables(mesh, "")),
        (
            "slices",
            "Recorded transfers over time",
            transfers(subject, round),
        ),
        ("interfaces", "Interfaces", tables(interfaces, "")),
    ];
    parts
        .into_iter()
        .filter(|(_, _, content)| !content.0.trim().is_empty())
        .collect()
}

fn transfers(subject: &Subject, round: u32) -> Markup {
    let names = Names::new(subject.case);
    html! {
        @for (observation, o) in of_round(subject, round) {
            @if let Payload::Throughput(transfer) = &o.payload {
                @if transfer.intervals.len() > 1 {
                    h3 { (names.pair(&transfer.from, &transfer.to)) " " (table::links(&[observation])) }
                    div.panels { (panels(transfer)) }
                }
            }
        }
    }
}

/// Title, mark, points (seconds, value), and how a value is written.
type Panel = (&'static str, Mark, Vec<(f64, f64)>, fn(f64) -> String);

fn panels(transfer: &ThroughputRecord) -> Markup {
    let slices = slices(transfer, MOST_POINTS);
    let until_s = slices.last().map_or(1.0, |slice| slice.until_s);
    let over = |value: &dyn Fn(&Slice) -> Option<f64>| -> Vec<(f64, f64)> {
        let middle = |slice: &Slice| (slice.from_s + slice.until_s) / 2.0;
        slices
            .iter()
            .filter_map(|slice| Some((middle(slice), value(slice)?)))
            .collect()
    };
    let charts: [Panel; 4] = [
        ("Rate", Mark::Curve, over(&|s| Some(s.rate_bps)), |bps| {
            RateBps(bps).to_string()
        }),
        (
            "Retransmitted segments",
            Mark::Bars,
            over(&|s| Some(s.retransmits? as f64)),
            number,
        ),
        (
            "Congestion window",
            Mark::Curve,
            over(&|s| Some(s.cwnd_bytes? as f64)),
            |b| words::bytes(b as u64).replace(".0 ", " "),
        ),
        (
            "Packets lost",
            Mark::Bars,
            over(&|s| Some(s.lost? as f64)),
            number,
        ),
    ];
    html! {
        @for (title, mark, points, show) in charts {
            @if !points.is_empty() {
                @let at_least = if mark == Mark::Bars { 4.0 } else { 0.0 };
                (Chart { title, mark, points, until_s, at_least, rule: None, show }.draw())
            }
        }
    }
}
