//! A line of an interface as patterns are held against it, and what is asked of it in every dialect that it may be in.

use super::benign;
use super::pattern::squeezed;
use super::setting;
use crate::arrival::{is_furniture, is_omission};
use crate::sieve::Glance;
use std::borrow::Cow;
use std::cell::OnceCell;

/// A line, and what was asked of it so far.
#[derive(Debug)]
pub(super) struct Line<'l> {
    pub(super) number: u64,
    /// With single blanks.
    pub(super) text: Cow<'l, str>,
    /// Blanks before it.
    pub(super) indentation: usize,
    is_empty: bool,
    is_omission: bool,
    glance: Glance,
    is_setting: OnceCell<bool>,
    has_figure: OnceCell<bool>,
    has_figure_or_name: OnceCell<bool>,
}

impl<'l> Line<'l> {
    pub(super) fn new(number: u64, line: &'l str) -> Self {
        Self::of(number, line, unframed(squeezed(line)))
    }

    /// One that is put together of several.
    pub(super) fn joined(number: u64, line: &str) -> Self {
        Self::of(number, line, Cow::Owned(unframed(squeezed(line)).into_owned()))
    }

    fn of(number: u64, line: &str, text: Cow<'l, str>) -> Self {
        Self {
            number,
            indentation: indentation(line),
            is_empty: text.is_empty() || is_furniture(&text),
            is_omission: is_omission(&text),
            glance: Glance::at(&text),
            text,
            is_setting: OnceCell::new(),
            has_figure: OnceCell::new(),
            has_figure_or_name: OnceCell::new(),
        }
    }

    /// Whether it holds nothing: what pagers write is nothing of the interface.
    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Whether it says that lines were left out.
    pub(super) fn is_omission(&self) -> bool {
        self.is_omission
    }

    /// What the tables of every dialect need to know of it.
    pub(super) fn glance(&self) -> &Glance {
        &self.glance
    }

    /// Whether it is a setting that nobody need be told of.
    pub(super) fn is_setting(&self) -> bool {
        *self.is_setting.get_or_init(|| setting::is_setting(&self.text))
    }

    /// Whether there is a figure in it that somebody may miss.
    pub(super) fn has_figure(&self) -> bool {
        *self.has_figure.get_or_init(|| benign::has_figure(&self.text))
    }

    /// Whether there is a figure in it, or a name of which figures may follow.
    pub(super) fn has_figure_or_name(&self) -> bool {
        *self
            .has_figure_or_name
            .get_or_init(|| benign::has_figure_or_name(&self.text))
    }
}

/// The column that a line begins in: a tab goes to the next of every eighth.
fn indentation(line: &str) -> usize {
    let blanks = line.bytes().take_while(u8::is_ascii_whitespace);
    blanks.fold(0, |column, blank| match blank {
        b'\t' => (column / 8 + 1) * 8,
        _ => column + 1,
    })
}

/// Without the frame of a table that it was pasted into.
fn unframed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_suffix(" |").unwrap_or(text)),
        Cow::Owned(mut text) => {
            text.truncate(text.strip_suffix(" |").map_or(text.len(), str::len));
            Cow::Owned(text)
        }
    }
}
