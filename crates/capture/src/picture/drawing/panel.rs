//! Places on the drawing, and paths.

use super::axis::Axis;
use crate::picture::scene::{Anchor, Area, Class, Item, Path, Step, Text};

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

    /// Its axes, and within them what it shows.
    pub(super) fn with(&self, frame: &Frame, shown: Vec<Item>) -> Vec<Item> {
        // Half of a thick line on the edge lies beyond it.
        let area = Area {
            x: LEFT - 2.0,
            y: self.top - 2.0,
            width: frame.plot() + 4.0,
            height: self.height + 4.0,
        };
        let mut items = self.axes(frame);
        items.push(Item::Within(area, shown));
        items
    }

    fn axes(&self, frame: &Frame) -> Vec<Item> {
        let (low, high) = self.range;
        let axis = Axis::new(low, high, self.height / 34.0, self.unit, self.scale);
        let bottom = self.top + self.height;
        let level = |class, y| Item::Path(class, Path::from_to((LEFT, y), (frame.right(), y)));
        let title = format!("{}, {}", self.title, axis.unit);
        let mut items = vec![Item::Text(Text::new(LEFT, self.top - 5.0, title).strong())];
        for (at, text) in &axis.ticks {
            let y = bottom - (at - low) / (high - low) * self.height;
            let label = Text::new(LEFT - 6.0, y + 4.0, text.as_str()).anchored(Anchor::End);
            items.extend([level(Class::Hair, y), Item::Text(label)]);
        }
        items.push(level(Class::Base, bottom));
        items
    }
}

/// A path, and where its level was left.
#[derive(Default)]
pub(super) struct Line {
    path: Path,
    level: Option<f64>,
    /// Where the last bar begins in the path.
    last: usize,
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
        let begin = self.path.steps.len();
        self.path.move_to(from, low);
        self.path.along(high);
        if is_open {
            self.path.across(to);
            self.path.along(low);
            self.path.close();
        }
        let steps: &[Step] = &self.path.steps;
        if steps.get(self.last..begin) == steps.get(begin..) {
            self.path.steps.truncate(begin);
        } else {
            self.last = begin;
        }
    }

    /// Level until `x`, then over all values between the bounds, to the last.
    pub(super) fn step(&mut self, x: f64, low: f64, high: f64, last: f64) {
        match self.level {
            None => self.path.move_to(x, low),
            Some(_) => self.path.across(x),
        }
        let mut at = self.level.unwrap_or(low);
        for value in [low, high, last] {
            if (value - at).abs() >= 0.05 {
                self.path.along(value);
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
        self.path.move_to(left, top);
        self.path.line_to(right, bottom);
        self.path.move_to(left, bottom);
        self.path.line_to(right, top);
    }

    pub(super) fn of(self, class: Class) -> Option<Item> {
        (!self.path.steps.is_empty()).then_some(Item::Path(class, self.path))
    }
}
