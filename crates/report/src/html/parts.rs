//! What a round's observations show beside the path, in tables and pictures: each part stands on the page where it has
//! something to show.

use super::links::anchor;
use super::{chain, series, table, transfers};
use crate::subject::Subject;
use crate::table::Table;
use crate::views::{interfaces, matrix, pairs, routes, sizes};
use evidence::Verdict;
use maud::{Markup, html};

/// One part of the page.
pub(super) struct Part {
    /// Its id, for links.
    pub(super) anchor: &'static str,
    pub(super) title: &'static str,
    content: Markup,
}

/// The parts that have content.
pub(super) fn parts(subject: &Subject, verdict: &Verdict) -> Vec<Part> {
    let round = verdict.round;
    let mesh: Vec<Table> = matrix::table(subject, round).into_iter().collect();
    let parts = [
        (
            "pairs",
            "Between all places",
            tables(&pairs::tables(subject, round), "filled"),
        ),
        ("aligned", "Routes side by side", side_by_side(subject, verdict)),
        ("sizes", "Which packets get through", by_size(subject, verdict)),
        ("transfers", "Transfers", transfers::figures(subject, verdict)),
        ("series", "Over time", series::figures(subject, round)),
        ("counters", "Packet counters", chain::section(subject, verdict)),
        ("mesh", "Throughput between hosts", tables(&mesh, "")),
        (
            "interfaces",
            "Interfaces",
            tables(&interfaces::tables(subject, round, Some(verdict)), ""),
        ),
    ];
    let part = |(anchor, title, content)| Part {
        anchor,
        title,
        content,
    };
    let parts = parts.into_iter().map(part);
    parts.filter(|part| !part.content.0.trim().is_empty()).collect()
}

pub(super) fn sections(subject: &Subject, verdict: &Verdict, parts: &[Part]) -> Markup {
    html! {
        @for part in parts {
            section { h2 id=(anchor(subject, verdict, part.anchor)) { (part.title) } (part.content) }
        }
    }
}

fn tables(tables: &[Table], class: &str) -> Markup {
    html! { @for one in tables { (table::titled(one, class)) } }
}

fn side_by_side(subject: &Subject, verdict: &Verdict) -> Markup {
    let aligned = routes::tables(subject, verdict.round, Some(verdict), true);
    html! {
        @if !aligned.is_empty() {
            p.soft {
                "Hops that routes have in common stand on one row; a number is that of the hop on its own route. "
                @if aligned.iter().any(|t| t.rows.iter().any(|r| r.mark.is_some())) { "The stretch of a finding carries its code." }
            }
            p.legend {
                span { i.swatch.t-plain {} "on every route" }
                span { i.swatch.t-good {} "on several" }
                span { i.swatch.t-warn {} "on one only" }
            }
            (tables(&aligned, "filled"))
        }
    }
}

fn by_size(subject: &Subject, verdict: &Verdict) -> Markup {
    let sizes = sizes::tables(&subject.of_round(verdict.round), &subject.names, Some(verdict));
    html! {
        @if !sizes.is_empty() {
            p.soft {
                "Rows are hops, columns are sizes of the IP packet in bytes; where many were tried, neighbouring sizes with \
                 the same outcome share a column. A cell says how many of the probes sent were answered."
            }
            p.legend.outcomes {
                span { i.swatch.t-good {} "all answered" }
                span { i.swatch.t-warn {} "some answered, or a router's word came back" }
                span { i.swatch.t-bad {} "nothing came back" }
                span { i.swatch.t-soft {} "this hop answers no size at all, or was not asked: says nothing" }
            }
            (tables(&sizes, "filled outcomes"))
        }
    }
}
