//! The tables behind the charts: the same in words, for those who do not see a canvas, and for copying.

use super::super::mark::{Mark, MarkKind};
use super::super::{Picture, units};
use super::{by_time, label_words};
use maud::{Markup, html};

/// Marks in the table: a screen reader's user wants the beginning and the counts, not a million rows.
const MOST_MARKS: usize = 1000;

pub(super) fn tables(picture: &Picture) -> Markup {
    html! {
        section #tables aria-label="Tables" {
            details { summary { "Summary" } (summary(picture)) }
            details { summary { "Why no faster, over time" } (causes(picture)) }
            details { summary { "Marks" } (marks(picture)) }
        }
    }
}

fn summary(picture: &Picture) -> Markup {
    let half = &picture.summary.half;
    let ms = |ns: i64| units::seconds(ns as f64 / 1e9);
    let mut rows: Vec<(&str, String)> = vec![
        ("Bytes", units::count(half.unique_bytes)),
        ("Data packets", units::count(half.data_packets)),
        ("Retransmitted packets", units::count(half.retransmitted_packets)),
        ("Lost behind the capture", units::count(half.lost_behind)),
        ("Lost before the capture", units::count(half.lost_before)),
        (
            "Most bytes in flight",
            units::bytes(half.largest_flight_bytes as f64),
        ),
    ];
    if let Some(rtt) = &half.rtt {
        let text = format!(
            "{} least, {} median, {} most ({} samples)",
            ms(rtt.min_ns),
            ms(rtt.median_ns),
            ms(rtt.max_ns),
            units::count(rtt.count)
        );
        rows.push(("Round trip behind the capture", text));
    }
    if let Some((low, high)) = half.window_bytes {
        let text = format!("{} to {}", units::bytes(low as f64), units::bytes(high as f64));
        rows.push(("Receiver's window", text));
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label="Summary" {
            table {
                tbody {
                    @for (name, value) in rows { tr { th scope="row" { (name) } td { (value) } } }
                    @for kind in MarkKind::ALL {
                        @let list = if kind == MarkKind::Sack { &picture.sacks } else { &picture.marks };
                        @if list.count(kind) > 0 {
                            tr { th scope="row" { "Marks: " (kind.words()) } td { (units::count(list.count(kind))) } }
                        }
                    }
                }
            }
        }
    }
}

fn causes(picture: &Picture) -> Markup {
    let Some(causes) = &picture.summary.half.causes else {
        return html! { p { "Nothing is known of it." } };
    };
    let whole: i64 = causes
        .shares
        .iter()
        .map(|share| share.time_ns)
        .fold(0, i64::saturating_add);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Causes" {
            table {
                thead { tr { th scope="col" { "Reason" } th scope="col" { "Time" } th scope="col" { "Share" } th scope="col" { "Acknowledged" } } }
                tbody {
                    @for share in by_time(causes) {
                        tr {
                            th scope="row" { (label_words(share.label)) }
                            td { (units::seconds(share.time_ns as f64 / 1e9)) }
                            td { (units::percent(share.time_ns as f64 / whole.max(1) as f64)) }
                            td { (units::bytes(share.bytes as f64)) }
                        }
                    }
                }
            }
        }
    }
}

fn marks(picture: &Picture) -> Markup {
    let all = picture.marks.as_slice();
    html! {
        @if all.len() > MOST_MARKS {
            p { "The first " (MOST_MARKS) " of " (units::count(all.len() as u64)) "." }
        }
        @if all.is_empty() { p { "None." } } @else {
            div.scroll tabindex="0" role="region" aria-label="Marks" {
                table {
                    thead { tr { th scope="col" { "Time" } th scope="col" { "What" } th scope="col" { "First byte" } th scope="col" { "Bytes" } } }
                    tbody { @for mark in all.iter().take(MOST_MARKS) { (row(mark)) } }
                }
            }
        }
    }
}

fn row(mark: &Mark) -> Markup {
    html! {
        tr {
            td { (format!("{:.6} s", mark.time_ns as f64 / 1e9)) }
            td { (mark.kind.words()) }
            td { (units::count(mark.start)) }
            td { (units::count(mark.end.saturating_sub(mark.start))) }
        }
    }
}
