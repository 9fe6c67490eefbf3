//! Rates on one logarithmic axis: measured, what the fault allows, expected, and what its repair would give.

use evidence::{RateBps, RateRange, Verdict, VerdictState};
use maud::{Markup, html};

/// Drawing units: about CSS pixels at the size shown.
const WIDTH: f64 = 380.0;
const ROW: f64 = 34.0;
const TOP: f64 = 4.0;

struct Row {
    name: &'static str,
    tone: &'static str,
    range: RateRange,
}

/// The picture, or nothing when fewer than two rates are known: one rate alone compares with nothing.
pub(super) fn ladder(verdict: &Verdict, before: Option<&Verdict>) -> Markup {
    let rows = rows(verdict, before);
    if rows.len() < 2 {
        return html! {};
    }
    let (low, high) = decades(&rows);
    let x = |rate: RateBps| ((rate.0.log10() - low) / (high - low)).clamp(0.0, 1.0) * WIDTH;
    let bottom = TOP + ROW * rows.len() as f64;
    html! {
        figure {
            svg viewBox={ "-4 0 " (WIDTH + 8.0) " " (bottom + 20.0) } role="img" aria-label="rates compared" {
                @for decade in low as i32..=high as i32 {
                    @let at = x(RateBps(10_f64.powi(decade)));
                    @let anchor = if decade == low as i32 { "start" } else if decade == high as i32 { "end" } else { "middle" };
                    line.gridline x1=(at) x2=(at) y1=(TOP) y2=(bottom) {}
                    text x=(at) y=(bottom + 14.0) text-anchor=(anchor) { (RateBps(10_f64.powi(decade))) }
                }
                @for (index, row) in rows.iter().enumerate() {
                    (draw(row, TOP + ROW * index as f64, x))
                }
            }
        }
    }
}

fn draw(row: &Row, top: f64, x: impl Fn(RateBps) -> f64) -> Markup {
    let (left, at, right) = (x(row.range.low), x(row.range.best), x(row.range.high));
    let middle = top + 23.0;
    // The label goes where the row has room: it starts at the mark, or ends there in the right half.
    let (anchor, from) = if at < WIDTH / 2.0 {
        ("start", left - 4.0)
    } else {
        ("end", right + 4.0)
    };
    html! {
        g class=(row.tone) {
            line.spread x1=(left) x2=(right) y1=(middle) y2=(middle) stroke="currentColor" stroke-width="7" {}
            circle class=(row.tone) cx=(at) cy=(middle) r="5" {}
            text.halo x=(from.clamp(0.0, WIDTH)) y=(top + 12.0) text-anchor=(anchor) {
                tspan.strong { (row.range.best) } " " (row.name)
            }
        }
    }
}

fn rows(verdict: &Verdict, before: Option<&Verdict>) -> Vec<Row> {
    let exactly = |rate: RateBps| RateRange {
        low: rate,
        best: rate,
        high: rate,
    };
    // What sets the rate of a healthy transfer is no fault whose removal promises anything.
    let main = verdict
        .findings
        .first()
        .filter(|_| verdict.state != VerdictState::Ok);
    let candidates = [
        (
            "in the round before",
            "tone-soft",
            before.and_then(|v| v.measured_bps).map(exactly),
        ),
        ("measured", "tone-ink", verdict.measured_bps.map(exactly)),
        (
            "is what the fault allows",
            "tone-bad",
            main.and_then(|f| f.allows_bps),
        ),
        ("expected", "tone-one", verdict.expected_bps.map(exactly)),
        ("after the fix", "tone-good", main.and_then(|f| f.after_fix_bps)),
    ];
    // A logarithm needs more than zero, and a picture a sane number of decades.
    let drawable = |r: &RateRange| {
        [r.low, r.best, r.high]
            .iter()
            .all(|rate| (1.0..1e15).contains(&rate.0))
    };
    candidates
        .into_iter()
        .filter_map(|(name, tone, range)| {
            Some(Row {
                name,
                tone,
                range: range.filter(drawable)?,
            })
        })
        .collect()
}

/// The whole decades around all rates.
fn decades(rows: &[Row]) -> (f64, f64) {
    let low = rows.iter().map(|r| r.range.low.0).fold(f64::INFINITY, f64::min);
    let high = rows.iter().map(|r| r.range.high.0).fold(0.0, f64::max);
    let (low, high) = (low.log10().floor(), high.log10().ceil());
    (low, high.max(low + 1.0))
}
