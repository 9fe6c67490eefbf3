//! Lines with a blank one behind each, as what passed through a word processor or a mail program has them: of each line it made a
//! paragraph. A blank line ends a table, so nothing below a heading would be read.
//!
//! Nothing marks such a text but that its lines stand so, one after the other: lines wait from the first that may be one of them until
//! there are several. Tools print a few lines like this too, of which none needs the blank ones.

use crate::block::LARGEST_KEPT;

/// So many lines in a row, each with a blank one behind it, are enough, if most are set in columns: paragraphs are not.
const LEAST: usize = 6;

/// So many lines without a blank one between them end such a text; a long one may have been broken in two.
pub(crate) const MOST_TOGETHER: usize = 3;

/// More blank lines in a row are none of a line: the text had one there, which is one of three now.
const MOST_BLANK: u64 = 3;

/// Whether the lines of a text stand apart.
#[derive(Debug, Default)]
pub(crate) struct Spaced {
    /// Lines with the number of further ones on which each stood, the first of which is the blank one behind a line that was handed on.
    waiting: Waiting,
    /// How many of these are not blank, with that one.
    written: usize,
    /// How many of these are set in columns.
    in_columns: usize,
    /// Blank lines behind the last that is none.
    blank: u64,
    /// So many lines came right behind each other.
    together: usize,
    /// The first that waits ends a paragraph that is none of such a text.
    ends_paragraph: bool,
    is_spaced: bool,
    /// Marks of a mail's quotes stand before its lines: it ends where they do.
    is_quoted: bool,
}

impl Spaced {
    /// Whether a line is handed on as it is: nearly all are.
    pub(crate) fn passes(&mut self, line: &str) -> bool {
        let is_blank = is_blank(line);
        let passes = self.is_idle() && !(is_blank && self.together > 0);
        if passes {
            self.together = if is_blank { 0 } else { self.together + 1 };
        }
        passes
    }

    /// Takes a line that does not pass. Lines go to `sink` when it is known what they are, none for a blank one that is not of the text.
    pub(crate) fn take(&mut self, line: &str, further: u64, sink: &mut dyn FnMut(Option<&str>, u64)) {
        if self.is_spaced {
            return self.take_spaced(line, further, sink);
        }
        let is_blank = is_blank(line);
        let was_blank = self.waiting.is_empty() || self.blank > 0;
        let waits = if is_blank {
            self.blank < MOST_BLANK
        } else {
            was_blank
        };
        if is_blank && self.waiting.is_empty() {
            (self.written, self.in_columns) = (1, 0);
            self.ends_paragraph = self.together >= MOST_TOGETHER;
        } else if !is_blank {
            self.written += 1;
            self.in_columns += usize::from(is_in_columns(line));
        }
        self.waiting.push(line, further);
        self.blank = if is_blank { self.blank + 1 } else { 0 };
        let is_enough = is_blank && self.written >= LEAST;
        if is_enough && 2 * self.in_columns >= self.written {
            self.is_spaced = true;
            let first = self.waiting.lines().find(|(line, _)| !self::is_blank(line));
            self.is_quoted = first.is_some_and(|(line, _)| is_quoted(line));
            // That one stays: the rows of a table above it are not those of the lines below.
            (self.blank, self.together) = (u64::from(self.ends_paragraph), 0);
            self.drain(|spaced, line, further| spaced.take_spaced(line, further, sink));
        } else if is_enough {
            self.release_first(sink);
            self.ends_paragraph = false;
        } else if !waits {
            self.release(sink);
            self.together = if is_blank { 0 } else { 2 };
        }
    }

    /// Takes a line of a text that is so: the first blank one behind a line is dropped, and of more of them each second one.
    fn take_spaced(&mut self, line: &str, further: u64, sink: &mut dyn FnMut(Option<&str>, u64)) {
        if is_blank(line) {
            self.blank += 1;
            return sink(Some(line).filter(|_| self.blank.is_multiple_of(2)), further);
        }
        self.together = if self.blank > 0 { 1 } else { self.together + 1 };
        self.blank = 0;
        if self.together >= MOST_TOGETHER || self.is_quoted && !is_quoted(line) {
            self.is_spaced = false;
        }
        sink(Some(line), further);
    }

    /// Hands on the first line that waits, with the blank ones before it: a paragraph, below which others may be lines in columns.
    fn release_first(&mut self, sink: &mut dyn FnMut(Option<&str>, u64)) {
        let first = self.waiting.lines().position(|(line, _)| !is_blank(line));
        let count = first.map_or(0, |first| first + 1);
        for (line, further) in self.waiting.lines().take(count) {
            self.in_columns -= usize::from(!is_blank(line) && is_in_columns(line));
            sink(Some(line), further);
        }
        self.waiting.take_off(count);
        self.written -= 1;
    }

    /// Hands the lines on that wait, as they are.
    pub(crate) fn release(&mut self, sink: &mut dyn FnMut(Option<&str>, u64)) {
        self.blank = 0;
        self.drain(|_, line, further| sink(Some(line), further));
    }

    /// Takes each line that waits, in their order.
    fn drain(&mut self, mut take: impl FnMut(&mut Self, &str, u64)) {
        let mut waiting = std::mem::take(&mut self.waiting);
        for (line, further) in waiting.lines() {
            take(self, line, further);
        }
        waiting.clear();
        self.waiting = waiting;
    }

    /// Whether what a line is does not depend on those above.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && !self.is_spaced
    }

    /// How many lines were taken and not given yet.
    pub(crate) fn waiting_count(&self) -> u64 {
        self.waiting.lines().map(|(_, further)| 1 + further).sum()
    }
}

fn is_quoted(line: &str) -> bool {
    line.trim_ascii_start().starts_with('>')
}

/// Lines that wait, in one buffer, as lines do behind each blank one.
#[derive(Debug, Default)]
struct Waiting {
    text: String,
    /// Where each ends, and on how many further ones it stood.
    ends: Vec<(usize, u64)>,
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn push(&mut self, line: &str, further: u64) {
        self.text.push_str(line);
        self.ends.push((self.text.len(), further));
    }

    fn lines(&self) -> impl Iterator<Item = (&str, u64)> {
        let mut begin = 0;
        self.ends.iter().map(move |(end, further)| {
            let line = self.text.get(begin..*end).unwrap_or_default();
            begin = *end;
            (line, *further)
        })
    }

    /// Takes so many first lines away.
    fn take_off(&mut self, count: usize) {
        let end = self.ends.drain(..count).next_back().map_or(0, |(end, _)| end);
        self.text.drain(..end);
        self.ends.iter_mut().for_each(|(of, _)| *of -= end);
    }

    fn clear(&mut self) {
        self.ends.clear();
        self.text.clear();
        self.text.shrink_to(LARGEST_KEPT);
    }
}

/// Whether blanks set something off in a line, or the line itself.
fn is_in_columns(line: &str) -> bool {
    let text = line.trim_start_matches('>').trim_ascii_end();
    text.contains("  ") || text.contains('\t')
}

/// Quoted, a blank line has the mark alone.
fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a text without those that it was spaced by, which are counted.
    fn taken(text: &str) -> (String, u64) {
        let (mut spaced, mut lines, mut dropped) = (Spaced::default(), String::new(), 0);
        let mut sink = |line: Option<&str>, _| match line {
            Some(line) => lines += &format!("{line}\n"),
            None => dropped += 1,
        };
        for line in text.lines() {
            match spaced.passes(line) {
                true => sink(Some(line), 0),
                false => spaced.take(line, 0, &mut sink),
            }
        }
        spaced.release(&mut sink);
        (lines, dropped)
    }

    #[test]
    fn blank_lines_behind_each_are_dropped() {
        let text = "show\nPort  Errors\nGi1  0\nGi2  1\n\nPort  Drops\nGi1  2\nGi2  3\n";
        let spaced = text.replace('\n', "\n\n");
        assert_eq!(taken(&spaced), (text.to_owned(), 8));
        assert_eq!(taken(&spaced.replace("\n\n", "\n> \n")).1, 8);
        // Paragraphs above it are spaced too.
        let letter = format!("Hello\n\nall\n\nthis\n\nis\n\nit\n\n{spaced}");
        let (lines, dropped) = taken(&letter);
        assert!(lines.ends_with(text) && dropped >= 8, "{lines}");
        // A blank line that ends a table above it stays.
        let below = format!("Port  Errors\nGi3  0\nGi4  0\n\nAnd so:\n\n{spaced}");
        assert_eq!(
            taken(&below).0,
            format!("Port  Errors\nGi3  0\nGi4  0\n\nAnd so:\n{text}")
        );
        // Above it the text may be as it was, and below it again.
        let within = format!("Hello\n{spaced}so\nit\nis\n\nBye\n");
        assert_eq!(taken(&within), (format!("Hello\n{text}so\nit\nis\n\nBye\n"), 8));
    }

    #[test]
    fn few_lines_wait() {
        let mut spaced = Spaced::default();
        for line in ["It is so.", ""].repeat(1_000) {
            if !spaced.passes(line) {
                spaced.take(line, 0, &mut |_, _| {});
            }
            assert!(spaced.waiting_count() <= 2 * LEAST as u64);
        }
    }

    #[test]
    fn other_texts_are_as_they_were() {
        for text in [
            "one\n\ntwo\n\nthree\n",
            "one\n\ntwo\nthree\n\nfour\n\nfive\nsix\n",
            "\n\none\n\n\n\n\ntwo\n\n\n\n\nthree\n\n\n\n\nfour\n",
            "one\n\ntwo\n\nthree\n\nfour\n\nfive\n\nsix\n\nseven\n\n",
            "a  b\n\nc  d\n\ne  f\n\n",
            "",
        ] {
            assert_eq!(taken(text), (text.to_owned(), 0), "{text}");
        }
    }
}
