//! Lines that belong together.

use crate::blocks::LARGEST_BLOCK;
use crate::brackets::Brackets;
use crate::tags::Tags;
use std::cell::{Cell, RefCell};

/// A set of dialects of interfaces, a bit for each.
pub(crate) type DialectSet = u128;

/// The lines that one format claimed, in one buffer: a line of its own on the heap each costs more than reading it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    /// Number of the first line, from 1.
    pub(crate) first_line: u64,
    /// The lines, each ended by a line feed. Bytes that are no UTF-8 stand as U+FFFD.
    text: String,
    /// Where each line ends in `text`: the place of its line feed.
    ends: Vec<usize>,
    /// What its format found out about the lines so far, so that it need not look at them again.
    pub(crate) memo: Cell<Option<usize>>,
    /// For `show interfaces`: the place of a head, and a bit for each dialect that may begin with it.
    pub(crate) dialects: Cell<Option<(usize, DialectSet)>>,
    /// A bit for the one that claimed a line last, whichever the head above it.
    pub(crate) claimant: Cell<DialectSet>,
    /// For JSON: how far brackets are balanced up to here, so that each line is looked at once.
    pub(crate) brackets: Cell<Option<Brackets>>,
    /// For XML: how far tags are.
    pub(crate) tags: Cell<Option<Tags>>,
    /// How many lines there are up to the last one that is not blank.
    written: usize,
    /// What was asked about its lines so far.
    asked: RefCell<Vec<Asked>>,
    /// What its format found out about each line when it claimed it, and about the one that it may claim next.
    noted: Vec<Option<bool>>,
    next: Cell<Option<bool>>,
}

/// A question about lines, and what those that were looked at answer.
#[derive(Debug, Clone, Copy)]
struct Asked {
    is_such: fn(&str) -> bool,
    /// Of how many first lines it is asked.
    count: usize,
    /// How many lines were looked at.
    seen: usize,
    /// The places of the first and the last such line.
    such: Option<(usize, usize)>,
}

/// A buffer is kept for the next line or block; one that grew larger than this only where it is needed.
pub(crate) const LARGEST_KEPT: usize = 1 << 20;

impl Block {
    /// Begins anew at this line, in the buffers of the block that was read.
    pub(crate) fn begin(&mut self, number: u64, line: &str) {
        // What grew large is kept for one as large: the kernel clears each page that is given anew.
        if self.text.capacity() > LARGEST_KEPT && self.held_bytes() < self.text.capacity() / 4 {
            *self = Self::default();
        }
        self.first_line = number;
        self.text.clear();
        self.ends.clear();
        self.written = 0;
        self.forget();
        self.push(line);
    }

    /// Adds a line, given without its end.
    pub(crate) fn push(&mut self, line: &str) {
        self.next.set(None);
        // What grew long may grow to the largest: to move it each time that it doubles takes longer than pages that are not used.
        if self.text.len() > LARGEST_KEPT && self.text.capacity() - self.text.len() <= line.len() {
            self.text.reserve(LARGEST_BLOCK);
            let bytes_of_line = self.held_bytes().checked_div(self.len()).unwrap_or_default();
            self.ends
                .reserve(LARGEST_BLOCK.checked_div(bytes_of_line).unwrap_or_default());
        }
        self.text.push_str(line);
        self.ends.push(self.text.len());
        self.text.push('\n');
        if !line.trim_ascii_start().is_empty() {
            self.written = self.ends.len();
        }
    }

    /// Takes all but so many lines away.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        self.text.truncate(self.ends.last().map_or(0, |end| end + 1));
        let blank = self.lines().rev().take_while(|line| line.trim_ascii().is_empty());
        self.written = self.ends.len() - blank.count();
        // What is left is as it was.
        let noted = std::mem::take(&mut self.noted);
        self.forget();
        self.noted = noted;
        self.noted.truncate(count);
    }

    fn forget(&mut self) {
        self.memo.set(None);
        self.dialects.set(None);
        self.claimant.set(0);
        self.brackets.set(None);
        self.tags.set(None);
        self.asked.get_mut().clear();
        self.noted.clear();
        self.next.set(None);
    }

    /// Notes what a format found out about the line that it is asked about, so that it need not ask again when it reads.
    pub(crate) fn note(&self, answer: bool) {
        self.next.set(Some(answer));
    }

    /// Adds the line that its format was asked about last.
    pub(crate) fn push_asked(&mut self, line: &str) {
        let answer = self.next.take();
        self.push(line);
        if answer.is_some() {
            self.noted.resize(self.ends.len() - 1, None);
            self.noted.push(answer);
        }
    }

    /// What was noted about a line.
    pub(crate) fn noted(&self, place: usize) -> Option<bool> {
        self.noted.get(place).copied().flatten()
    }

    /// Whether a line is such. However often this is asked while the block grows, each line is looked at once.
    pub(crate) fn has(&self, is_such: fn(&str) -> bool) -> bool {
        self.such(usize::MAX, is_such).is_some()
    }

    /// Whether one of so many first lines is such, each looked at once.
    pub(crate) fn begins_with(&self, count: usize, is_such: fn(&str) -> bool) -> bool {
        self.such(count, is_such).is_some()
    }

    /// The first such line, each looked at once.
    pub(crate) fn first_such(&self, is_such: fn(&str) -> bool) -> Option<&str> {
        self.get(self.such(usize::MAX, is_such)?.0)
    }

    /// The last such line, each looked at once.
    pub(crate) fn last_such(&self, is_such: fn(&str) -> bool) -> Option<&str> {
        self.get(self.such(usize::MAX, is_such)?.1)
    }

    /// The places of the first and the last such line among so many first ones.
    fn such(&self, count: usize, is_such: fn(&str) -> bool) -> Option<(usize, usize)> {
        let mut all = self.asked.borrow_mut();
        let is_same = |asked: &Asked| asked.count == count && std::ptr::fn_addr_eq(asked.is_such, is_such);
        let known = all.iter().position(is_same);
        let place = known.unwrap_or(all.len());
        if known.is_none() {
            all.push(Asked {
                is_such,
                count,
                seen: 0,
                such: None,
            });
        }
        let asked = all.get_mut(place)?;
        let end = self.len().min(count);
        for place in asked.seen..end {
            if self.get(place).is_some_and(is_such) {
                asked.such = Some((asked.such.map_or(place, |(first, _)| first), place));
            }
        }
        asked.seen = end;
        asked.such
    }

    /// The last line that is not blank.
    pub(crate) fn last_written(&self) -> Option<&str> {
        self.get(self.written.checked_sub(1)?)
    }

    /// Lines without their ends.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        (0..self.ends.len()).map(|place| self.get(place).unwrap_or_default())
    }

    /// Lines with their numbers.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u64, &str)> {
        (self.first_line..).zip(self.lines())
    }

    pub(crate) fn get(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)?;
        let start = match place.checked_sub(1) {
            Some(before) => self.ends.get(before)? + 1,
            None => 0,
        };
        self.text.get(start..end)
    }

    pub(crate) fn first(&self) -> Option<&str> {
        self.get(0)
    }

    pub(crate) fn last(&self) -> Option<&str> {
        self.get(self.ends.len().checked_sub(1)?)
    }

    /// How many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All lines, with line feeds between them.
    pub(crate) fn text(&self) -> &str {
        self.text.strip_suffix('\n').unwrap_or(&self.text)
    }

    /// Memory that its lines take: that of blank ones is all for their places.
    pub(crate) fn held_bytes(&self) -> usize {
        self.text.len() + size_of_val(self.ends.as_slice())
    }

    pub(crate) fn last_line(&self) -> u64 {
        self.first_line + (self.ends.len() as u64).saturating_sub(1)
    }

    /// The number of the last line that is not blank.
    pub(crate) fn last_written_line(&self) -> u64 {
        self.first_line + (self.written as u64).saturating_sub(1)
    }

    /// How many blank lines stand at the end.
    pub(crate) fn blank_count(&self) -> usize {
        self.ends.len() - self.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_stays_with_its_line() {
        let mut block = Block::default();
        block.begin(1, "head");
        block.note(true);
        block.push_asked("asked");
        block.note(true);
        block.push("another than was asked about");
        block.push_asked("nothing noted");
        block.note(false);
        block.push_asked("asked too");
        let noted = |block: &Block| (0..6).map(|place| block.noted(place)).collect::<Vec<_>>();
        let all = [None, Some(true), None, None, Some(false), None];
        assert_eq!(noted(&block), all);
        block.truncate(4);
        assert_eq!(noted(&block), [None, Some(true), None, None, None, None]);
        block.begin(1, "head");
        assert_eq!(noted(&block), [None; 6]);
    }

    fn block(lines: &[&str]) -> Block {
        let mut block = Block::default();
        block.begin(7, "head");
        lines.iter().for_each(|line| block.push(line));
        block
    }

    #[test]
    fn what_is_asked_about_lines_is_remembered_and_follows_them() {
        let is_a = |line: &str| line.starts_with('a');
        let mut grown = block(&[]);
        assert!(!grown.has(is_a) && grown.first_such(is_a).is_none() && !grown.begins_with(2, is_a));
        ["b", "a1", "", "a2", " "]
            .iter()
            .for_each(|line| grown.push(line));
        assert_eq!(
            (grown.first_such(is_a), grown.last_such(is_a)),
            (Some("a1"), Some("a2"))
        );
        assert!(grown.has(is_a) && !grown.begins_with(2, is_a) && grown.begins_with(3, is_a));
        assert_eq!(
            (grown.last_written(), grown.last_written_line()),
            (Some("a2"), 11)
        );
        grown.truncate(3);
        assert_eq!(
            (grown.last_such(is_a), grown.last_written()),
            (Some("a1"), Some("a1"))
        );
        grown.begin(1, "");
        assert!(!grown.has(is_a) && grown.last_written().is_none());
        assert_eq!(grown.last_written_line(), 1);
    }

    #[test]
    fn each_line_is_looked_at_once() {
        thread_local! {
            static LOOKS: Cell<usize> = const { Cell::new(0) };
        }
        fn is_such(line: &str) -> bool {
            LOOKS.set(LOOKS.get() + 1);
            line == "such"
        }
        let mut grown = block(&[]);
        for _ in 0..1_000 {
            grown.push("line");
            assert!(!grown.has(is_such));
        }
        assert_eq!(LOOKS.get(), grown.len());
    }
}
