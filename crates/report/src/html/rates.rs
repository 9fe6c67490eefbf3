//! Rates on one logarithmic axis: measured, what the fault allows, expected, and what its repair would give.

use evidence::{RateBps, RateRange, Verdict, VerdictState};
use libm::log10;
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
    let Some((low, high)) = decades(&rows).filter(|_| rows.len() > 1) else {
        return html! {};
    };
    let zero = rows.iter().any(|row| row.range.low.0 < 1.0);
    let share = |rate: RateBps| (log10(rate.0.max(1.0)) - f64::from(low)) / f64::from(high - low);
    let x = |rate: RateBps| share(rate).clamp(0.0, 1.0) * WIDTH;
    // More labels than these would run into each other.
    let every = (high - low + 4) / 5;
    let bottom = TOP + ROW * rows.len() as f64;
    html! {
        figure {
            svg viewBox={ "-4 0 " (WIDTH + 8.0) " " (bottom + 20.0) } role="img" aria-label="rates compared" {
                @for decade in low..=high {
                    @let at = x(RateBps(10_f64.powi(decade)));
                    @let anchor = if decade == low { "start" } else if decade == high { "end" } else { "middle" };
                    line.gridline x1=(at) x2=(at) y1=(TOP) y2=(bottom) {}
                    @if (decade - low) % every == 0 {
                        text x=(at) y=(bottom + 14.0) text-anchor=(anchor) {
                            @if zero && decade == low { "0" } @else { (RateBps(10_f64.powi(decade))) }
                        }
                    }
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
            circle.(row.tone).zero[row.range.best.0 < 1.0] cx=(at) cy=(middle) r="5" {}
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
    // A picture needs a sane number of decades; zero stands at the left edge of them.
    let drawable = |r: &RateRange| {
        [r.low, r.best, r.high]
            .iter()
            .all(|rate| (0.0..1e15).contains(&rate.0))
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

/// The whole decades around all rates, as powers of ten; `None` when all are zero. Below the smallest rate there is
/// room for a rate of zero.
fn decades(rows: &[Row]) -> Option<(i32, i32)> {
    let rates = rows
        .iter()
        .flat_map(|r| [r.range.low.0, r.range.best.0, r.range.high.0]);
    let (zero, positive): (Vec<f64>, Vec<f64>) = rates.partition(|rate| *rate < 1.0);
    let low = log10(positive.iter().copied().reduce(f64::min)?).floor() as i32;
    let high = log10(positive.iter().copied().reduce(f64::max)?).ceil() as i32;
    let low = low - i32::from(!zero.is_empty());
    Some((low, high.max(low + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_spans_whole_decades_and_has_room_for_zero() {
        let row = |low, best, high| Row {
            name: "",
            tone: "",
            range: RateRange {
                low: RateBps(low),
                best: RateBps(best),
                high: RateBps(high),
            },
        };
        assert_eq!(
            decades(&[row(2e6, 3e6, 4e6), row(1.2e9, 1.2e9, 1.2e9)]),
            Some((6, 10))
        );
        assert_eq!(decades(&[row(0.0, 0.0, 2e8), row(3e8, 3e8, 3e8)]), Some((7, 9)));
        assert_eq!(decades(&[row(1e9, 1e9, 1e9)]), Some((9, 10)));
        assert_eq!(decades(&[row(0.0, 0.0, 0.0)]), None);
    }
}
