//! The page: one file that opens from a disk, with its data, its script and its style in it.
//!
//! Whatever came from a capture is escaped by maud, or is a number, or stands in JSON whose `<` are written as `\u003c`. The
//! content security policy lets the page load nothing, so that what slipped through could not tell anyone.

mod table;

use super::column::base64;
use super::mark::MarkKind;
use super::series::TILE_ROWS;
use super::{Picture, units};
use crate::causes::{Causes, Label, Share};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Value, json};
use std::io::{self, Write};

const STYLE: &str = include_str!("style.css");

/// One scope: nothing is left in the window, and each part sees those before it.
const SCRIPT: [&str; 8] = [
    include_str!("data.js"),
    include_str!("units.js"),
    include_str!("paint.js"),
    include_str!("panels.js"),
    include_str!("marks.js"),
    include_str!("view.js"),
    include_str!("input.js"),
    include_str!("main.js"),
];

/// Nothing is fetched, nothing is sent; the script and the style stand in the page.
const POLICY: &str =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";

pub(super) fn write(picture: &Picture, out: &mut impl Write) -> io::Result<()> {
    let summary = &picture.summary;
    let head = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                title { (summary.who()) ": " (summary.how()) }
                style { (PreEscaped(STYLE)) }
            }
            (PreEscaped("<body>"))
            (body(picture))
        }
    };
    // The body stays open: the data follow one by one, never all in memory at once.
    let head = head.into_string();
    out.write_all(head.trim_end_matches("</html>").as_bytes())?;
    data(out, "meta", &meta(picture).to_string().replace('<', "\\u003c"))?;
    packed(out, "sent", &picture.sent.packed_leaves())?;
    packed(out, "acked", &picture.acked.packed_leaves())?;
    packed(out, "marks", &picture.marks.packed())?;
    packed(out, "sacks", &picture.sacks.packed())?;
    for (series, tiles) in [("s", &picture.sent.tiles), ("a", &picture.acked.tiles)] {
        for (number, tile) in tiles.iter().enumerate() {
            packed(out, &format!("{series}{number}"), tile)?;
        }
    }
    write!(out, "<script>\n(() => {{\n'use strict';\n")?;
    for part in SCRIPT {
        out.write_all(part.as_bytes())?;
    }
    writeln!(out, "}})();\n</script>\n</body></html>")
}

fn packed(out: &mut impl Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    data(out, id, &base64(bytes))
}

/// A script of a type that no browser runs: text that the script finds by its name.
fn data(out: &mut impl Write, id: &str, text: &str) -> io::Result<()> {
    writeln!(out, "<script type=\"text/plain\" id=\"d-{id}\">{text}</script>")
}

fn body(picture: &Picture) -> Markup {
    let summary = &picture.summary;
    let (first, last) = picture.span_ns();
    let length = last.saturating_sub(first) as f64 / 1e9;
    html! {
        header {
            h1 { (summary.who()) }
            p.how { (summary.how()) }
            p.soft {
                (summary.capture) " · from " (units::utc(picture.origin_ns)) " · "
                (units::count(picture.sent.rows)) " data packets, " (units::count(picture.acked.rows))
                " acknowledgements in " (units::seconds(length))
            }
            @for line in picture.missing() { p.missing { (line) } }
        }
        noscript { p.missing { "The charts need the script of this page; the tables below stand without it." } }
        main {
            div #tools role="toolbar" aria-label="View" hidden {
                span.group {
                    button type="button" data-do="pan" aria-pressed="true" title="Drag moves the view (shift and drag: box)" { "Move" }
                    button type="button" data-do="box" aria-pressed="false" title="Drag zooms into a box" { "Box" }
                    button type="button" data-do="measure" aria-pressed="false" title="Drag measures from A to B (or press a and b)" { "Measure" }
                }
                span.group {
                    button type="button" data-do="in" aria-label="Zoom in" title="Zoom in (+)" { "+" }
                    button type="button" data-do="out" aria-label="Zoom out" title="Zoom out (-)" { "−" }
                    button type="button" data-do="back" title="The view before (Backspace)" { "Back" }
                    button type="button" data-do="reset" title="Everything (0)" { "All" }
                }
                span.group {
                    button type="button" data-do="previous" title="The mark before (p)" { "‹ Mark" }
                    button type="button" data-do="next" title="The next mark (n)" { "Mark ›" }
                }
                span.group {
                    button type="button" data-do="fit" title="The sequence axis fits all in view; again: data, acknowledgements (y)" { "Fit" }
                    button type="button" data-do="clock" aria-pressed="false" title="Time of day on the axis (t)" { "UTC" }
                    button type="button" data-do="help" aria-expanded="false" title="Keys (?)" { "?" }
                }
                output #where aria-live="off" {}
            }
            (keys())
            div #plot {
                canvas #chart aria-hidden="true" {}
                canvas #over tabindex="0" role="application"
                    aria-label="Time–sequence graph, round trips, bytes in flight, throughput and causes on one time axis. Arrow keys move, plus and minus zoom, n goes to the next mark, a and b set cursors, question mark lists all keys. The tables below say the same in words." {}
                div #tip hidden {}
            }
            p #note.soft role="status" aria-live="polite" {}
            dl #measured hidden {}
            ul #legend aria-label="Lines and marks: press to hide or show" {}
            div #causes {}
        }
        (table::tables(picture))
    }
}

fn keys() -> Markup {
    let keys = [
        ("drag", "move; with shift, or in Box: zoom into a box"),
        ("wheel", "zoom in time; with shift: in sequence; with alt: move"),
        ("two fingers", "zoom and move"),
        ("← →", "move in time; with shift: by a whole view"),
        ("↑ ↓", "move in sequence"),
        ("+ −", "zoom in time"),
        ("Page Up, Page Down", "zoom in sequence"),
        (
            "y",
            "sequence axis fits what is in view; again: the data alone, the acknowledgements alone",
        ),
        ("n p", "next mark, mark before"),
        (", .", "packet before, next packet"),
        (
            "a b",
            "cursor A, cursor B at the pointer or the chosen packet; Escape takes both away",
        ),
        ("t", "time of day or time since the beginning"),
        ("Backspace, 0", "the view before; everything"),
    ];
    html! {
        dl #keys hidden {
            @for (key, does) in keys { div { dt { (key) } dd { (does) } } }
        }
    }
}

/// What the script needs to know beside the packed data.
fn meta(picture: &Picture) -> Value {
    let (first, last) = picture.span_ns();
    let kinds: Vec<Value> = MarkKind::ALL
        .iter()
        .map(|kind| {
            let list = if *kind == MarkKind::Sack {
                &picture.sacks
            } else {
                &picture.marks
            };
            json!({ "key": kind, "words": kind.words(), "count": list.count(*kind) })
        })
        .collect();
    let causes = picture.summary.half.causes.as_ref();
    let since = |ns: i64| ns.saturating_sub(picture.origin_ns);
    let intervals: Vec<Value> = causes
        .iter()
        .flat_map(|causes| &causes.intervals)
        .map(|one| json!([since(one.from_ns), since(one.to_ns), one.label, one.bytes]))
        .collect();
    json!({
        // In microseconds and nanoseconds: together they do not fit a double.
        "origin_us": picture.origin_ns.div_euclid(1000),
        "origin_ns": picture.origin_ns.rem_euclid(1000),
        "first": first,
        "last": last,
        "tile_rows": TILE_ROWS,
        "sent": { "rows": picture.sent.rows, "kept": picture.sent.kept_rows },
        "acked": { "rows": picture.acked.rows, "kept": picture.acked.kept_rows },
        "kinds": kinds,
        "intervals": intervals,
        "shares": causes.map(shares).unwrap_or_default(),
    })
}

fn shares(causes: &Causes) -> Vec<Value> {
    by_time(causes)
        .iter()
        .map(|share| {
            json!({ "label": share.label, "words": label_words(share.label), "ns": share.time_ns, "bytes": share.bytes })
        })
        .collect()
}

/// Shares, the longest first.
fn by_time(causes: &Causes) -> Vec<Share> {
    let mut shares = causes.shares.clone();
    shares.sort_by_key(|share| std::cmp::Reverse(share.time_ns));
    shares
}

pub(super) fn label_words(label: Label) -> &'static str {
    match label {
        Label::Application => "application",
        Label::SendBuffer => "send buffer",
        Label::ReceiverWindow => "receiver's window",
        Label::Bottleneck => "bottleneck",
        Label::LossRecovery => "loss recovery",
        Label::SlowStart => "slow start",
        Label::PathMtuStall => "path MTU stall",
        Label::Idle => "idle",
        Label::Unknown => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::testing::{conversation, small, summary};
    use crate::picture::{Limits, Recorder};

    #[test]
    fn what_came_from_the_capture_is_escaped() {
        let mut summary = summary();
        summary.capture = "</title></script><script>alert(1)</script>\"'&".to_owned();
        let page = Recorder::new(Limits::default()).finish(summary).html();
        assert!(!page.contains("alert(1)</script>"));
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    }

    #[test]
    fn the_page_needs_nothing_else() {
        let page = small().html();
        assert!(page.starts_with("<!DOCTYPE html>"));
        assert!(page.ends_with("</script>\n</body></html>\n"));
        for foreign in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        // Each script begins and ends: none of its parts says `</script` in between.
        assert_eq!(page.matches("<script").count(), page.matches("</script").count());
    }

    #[test]
    fn every_tile_is_in_the_page() {
        let picture = conversation(2 * TILE_ROWS as u64 + 1, |n| n * 1448);
        let page = picture.html();
        for id in ["s0", "s2", "a0", "a2"] {
            assert!(page.contains(&format!("id=\"d-{id}\"")), "{id}");
        }
        assert!(!page.contains("id=\"d-s3\""));
    }

    #[test]
    fn what_is_missing_is_said() {
        let missing = "are here as bounds only";
        assert!(!small().html().contains(missing));
        let mut recorder = Recorder::new(Limits {
            packet_bytes: 2,
            ..Limits::default()
        });
        for n in 0..40_000u64 {
            let kind = crate::flow::SentKind::New;
            recorder.take(
                &crate::picture::testing::sent(n as i64, n * 1448, 1448, kind),
                &[],
            );
        }
        let page = recorder.finish(summary()).html();
        assert!(
            page.contains("The last 23,616 data packets are here as bounds only"),
            "16,384 are kept"
        );
    }

    /// The script has a colour, a shape or a pattern for every kind and label: their names stand in it.
    #[test]
    fn the_script_knows_every_kind_and_every_cause() {
        let script = SCRIPT.concat();
        let named = |name: &Value| {
            let name = name.as_str().unwrap_or_default().to_owned();
            [
                format!("{name}: ["),
                format!("'{name}': ["),
                format!("{name}: '"),
                format!("'{name}': '"),
            ]
        };
        for kind in MarkKind::ALL {
            let names = named(&json!(kind));
            assert!(names.iter().any(|name| script.contains(name)), "{kind:?}");
        }
        let labels = [
            Label::Application,
            Label::SendBuffer,
            Label::ReceiverWindow,
            Label::Bottleneck,
            Label::LossRecovery,
            Label::SlowStart,
            Label::PathMtuStall,
            Label::Idle,
            Label::Unknown,
        ];
        for label in labels {
            let names = named(&json!(label));
            assert!(names.iter().any(|name| script.contains(name)), "{label:?}");
            let colour = format!("--c-{}:", json!(label).as_str().unwrap_or_default());
            assert_eq!(STYLE.matches(&colour).count(), 2, "{colour} by day and by night");
        }
    }
}
