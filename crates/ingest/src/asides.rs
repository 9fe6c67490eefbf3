//! Lines that stand within a block and are none of it, until it is known whether the block goes on behind them.

use crate::skipped::Skipped;

/// An answer within a quoted output is a few sentences: of longer ones, and of what is no answer, the block has ended before.
const MOST: usize = 60;

/// Lines behind the end of a block, and those that turned out to stand within it.
#[derive(Debug, Default)]
pub(crate) struct Asides {
    open: Vec<Aside>,
    /// The first and the last line of each that stands within the block, and that no format knows.
    lifted: Vec<(u64, u64)>,
}

#[derive(Debug)]
pub(crate) struct Aside {
    pub(crate) number: u64,
    pub(crate) line: String,
    /// So many further lines of the text are part of it.
    pub(crate) further: u64,
    /// It says that something was left out, and nothing else.
    is_mark: bool,
}

impl Asides {
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.open.len() >= MOST
    }

    pub(crate) fn push(&mut self, number: u64, line: &str, is_mark: bool) {
        self.open.push(Aside {
            number,
            line: line.to_owned(),
            further: 0,
            is_mark,
        });
    }

    /// So many further lines are part of the last one.
    pub(crate) fn skip(&mut self, count: u64) {
        if let Some(last) = self.open.last_mut() {
            last.further += count;
        }
    }

    /// The block goes on: what was set aside behind this line of it stands within it.
    pub(crate) fn lift(&mut self, place: usize, skipped: &mut Skipped) {
        if self.open.is_empty() {
            return;
        }
        let count = self.open.iter().map(|aside| 1 + aside.further).sum();
        skipped.push(place, count, false);
        let said = || {
            self.open
                .iter()
                .filter(|aside| !aside.is_mark && !aside.line.trim_ascii().is_empty())
        };
        if let Some((first, last)) = said().next().zip(said().next_back()) {
            self.lifted.push((first.number, last.number + last.further));
        }
        self.open.clear();
    }

    /// What stands within the block.
    pub(crate) fn lifted(&self) -> impl Iterator<Item = (u64, u64)> {
        self.lifted.iter().copied()
    }

    /// What stands behind it.
    pub(crate) fn open(&self) -> &[Aside] {
        &self.open
    }
}
