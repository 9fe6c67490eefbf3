//! Places on the drawing, and paths.

use super::axis::Axis;
use maud::{Markup, html};
use std::fmt::Write as _;

const LEFT: f64 = 58.0;
const RIGHT: f64 = 12.0;

/// The time axis that all panels share.
pub(super) struct Frame {
    pub(super) span_ns: (i64, i64),
    width: f64,
}

impl Frame {
    pub(super) fn new(span_ns: (i64, i64), width: f64) -> Self {
        let (first, last) = span_ns;
        let span_ns = (first, last.max(first.saturating_add(1000)));
        Self { span_ns, width }
    }

    pub(super) fn left(&self) -> f64 {
        LEFT
    }

    pub(super) fn right(&self) -> f64 {
        self.width - RIGHT
    }

    pub(super) fn plot(&self) -> f64 {
        self.right() - LEFT
    }

    pub(super) fn columns(&self) -> u32 {
        self.plot() as u32
    }

    pub(super) fn x(&self, time_ns: i64) -> f64 {
        let (first, last) = self.span_ns;
        LEFT + (time_ns as f64 - first as f64) / (last as f64 - first as f64) * self.plot()
    }
}

/// One quantity.
pub(super) struct Panel {
    title: &'static str,
    unit: &'static str,
    scale: f64,
    top: f64,
    height: f64,
    range: (f64, f64),
}

impl Panel {
    /// One whose range holds all values; from zero, unless they lie close together far above. A limit that is near is held,
    /// too; one far above would flatten the rest.
    pub(super) fn new(
        title: &'static str,
        unit: &'static str,
        scale: f64,
        (top, height): (f64, f64),
        values: impl Iterator<Item = (u64, u64)>,
        limit: Option<u64>,
    ) -> Self {
        let all = values.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        let (low, high) = all.unwrap_or((0, 1));
        let (low, high) = (low as f64, (high as f64).max(low as f64 + 1.0));
        let limit = limit
            .map(|limit| limit as f64)
            .filter(|limit| *limit < high + 1.5 * (high - low));
        let high = high.max(limit.unwrap_or(high));
        let low = if low > 0.6 * high {
            low - (high - low) * 0.1
        } else {
            0.0
        };
        Self {
            title,
            unit,
            scale,
            top,
            height,
            range: (low, high + (high - low) * 0.03),
        }
    }

    pub(super) fn y(&self, value: u64) -> f64 {
        let (low, high) = self.range;
        self.top + self.height - (value as f64 - low) / (high - low) * self.height
    }

    pub(super) fn axes(&self, frame: &Frame) -> Markup {
        let (low, high) = self.range;
        let axis = Axis::new(low, high, self.height / 34.0, self.unit, self.scale);
        let bottom = self.top + self.height;
        html! {
            text.strong x=(LEFT) y=(format!("{:.1}", self.top - 5.0)) { (self.title) ", " (axis.unit) }
            @for (at, text) in &axis.ticks {
                @let y = format!("{:.1}", bottom - (at - low) / (high - low) * self.height);
                path.hair d={ "M" (LEFT) " " (y) "H" (frame.right()) } {}
                text x=(LEFT - 6.0) y=(y) dy="4" text-anchor="end" { (text) }
            }
            path.base d={ "M" (LEFT) " " (format!("{bottom:.1}")) "H" (frame.right()) } {}
        }
    }
}

/// The text of a path; a tenth of a unit is all that anyone sees.
#[derive(Default)]
pub(super) struct Line {
    text: String,
    level: Option<f64>,
    last: String,
}

impl Line {
    /// From low to high at a place; as an area where it is wide and open.
    pub(super) fn bar(&mut self, (from, to): (f64, f64), (low, high): (f64, f64), is_open: bool) {
        // A stroke without length would not be drawn.
        let (low, high) = if (low - high).abs() < 1.0 {
            (low + 0.5, low - 0.5)
        } else {
            (low, high)
        };
        let text = if is_open {
            format!("M{from:.1} {low:.1}V{high:.1}H{to:.1}V{low:.1}Z")
        } else {
            format!("M{from:.1} {low:.1}V{high:.1}")
        };
        if text != self.last {
            self.text.push_str(&text);
            self.last = text;
        }
    }

    /// Level until `x`, then over all values between the bounds, to the last.
    pub(super) fn step(&mut self, x: f64, low: f64, high: f64, last: f64) {
        let _ = match self.level {
            None => write!(self.text, "M{x:.1} {low:.1}"),
            Some(_) => write!(self.text, "H{x:.1}"),
        };
        let mut at = self.level.unwrap_or(low);
        for value in [low, high, last] {
            if (value - at).abs() >= 0.05 {
                let _ = write!(self.text, "V{value:.1}");
                at = value;
            }
        }
        self.level = Some(last);
    }

    pub(super) fn break_off(&mut self) {
        self.level = None;
    }

    pub(super) fn cross(&mut self, x: f64, y: f64, radius: f64) {
        let (left, right, top, bottom) = (x - radius, x + radius, y - radius, y + radius);
        let _ = write!(
            self.text,
            "M{left:.1} {top:.1}L{right:.1} {bottom:.1}M{left:.1} {bottom:.1}L{right:.1} {top:.1}"
        );
    }

    pub(super) fn path(&self, class: &str) -> Markup {
        html! { @if !self.text.is_empty() { path.(class) d=(self.text) {} } }
    }
}
