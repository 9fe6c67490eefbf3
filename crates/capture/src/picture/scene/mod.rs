//! What is drawn: shapes and words with their places, whoever writes them as SVG or paints them.

mod look;

#[cfg(test)]
pub(super) use look::Fill;
pub(super) use look::{Class, INK, Rgb, SOFT, WHITE};

/// A whole drawing, in units. What comes later lies above.
pub(super) struct Scene {
    pub(super) width: f64,
    pub(super) height: f64,
    /// What it is of, for those who cannot see it.
    pub(super) title: String,
    pub(super) items: Vec<Item>,
}

pub(super) enum Item {
    Path(Class, Path),
    Bar(Bar),
    Text(Text),
    /// What lies within an area; all beyond it is cut.
    Within(Area, Vec<Item>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A filled rectangle.
pub(super) struct Bar {
    pub(super) class: Class,
    pub(super) area: Area,
    /// What a reader is told who points at it.
    pub(super) hint: Option<&'static str>,
}

/// A line of words.
pub(super) struct Text {
    pub(super) x: f64,
    /// Of the line that the letters stand on.
    pub(super) y: f64,
    pub(super) words: String,
    pub(super) anchor: Anchor,
    pub(super) size: f64,
    pub(super) is_strong: bool,
}

/// Which part of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Of letters, unless they are said to be larger.
pub(super) const LETTERS: f64 = 11.0;

impl Text {
    pub(super) fn new(x: f64, y: f64, words: impl Into<String>) -> Self {
        Self {
            x,
            y,
            words: words.into(),
            anchor: Anchor::Start,
            size: LETTERS,
            is_strong: false,
        }
    }

    pub(super) fn strong(self) -> Self {
        Self {
            is_strong: true,
            ..self
        }
    }

    pub(super) fn sized(self, size: f64) -> Self {
        Self { size, ..self }
    }

    pub(super) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

/// A place or a length in tenths of a unit, which is all that anyone sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tenths(i32);

impl Tenths {
    pub(super) fn of(units: f64) -> Self {
        Self((units * 10.0).round() as i32)
    }

    pub(super) fn units(self) -> f64 {
        f64::from(self.0) / 10.0
    }
}

impl std::fmt::Display for Tenths {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.units())
    }
}

/// A move of the pen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Lifted.
    Move(Tenths, Tenths),
    Line(Tenths, Tenths),
    /// To another x.
    Across(Tenths),
    /// To another y.
    Along(Tenths),
    Close,
}

/// Where a pen goes.
#[derive(Debug, Clone, Default)]
pub(super) struct Path {
    pub(super) steps: Vec<Step>,
}

impl Path {
    pub(super) fn from_to((x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> Self {
        let mut path = Self::default();
        path.move_to(x0, y0);
        match () {
            () if y0 == y1 => path.across(x1),
            () if x0 == x1 => path.along(y1),
            () => path.line_to(x1, y1),
        }
        path
    }

    pub(super) fn move_to(&mut self, x: f64, y: f64) {
        self.steps.push(Step::Move(Tenths::of(x), Tenths::of(y)));
    }

    pub(super) fn line_to(&mut self, x: f64, y: f64) {
        self.steps.push(Step::Line(Tenths::of(x), Tenths::of(y)));
    }

    pub(super) fn across(&mut self, x: f64) {
        self.steps.push(Step::Across(Tenths::of(x)));
    }

    pub(super) fn along(&mut self, y: f64) {
        self.steps.push(Step::Along(Tenths::of(y)));
    }

    pub(super) fn close(&mut self) {
        self.steps.push(Step::Close);
    }
}
