//! Paper: labelled, indented, wrapped and coloured lines. The only place where text leaves for a terminal, hence the
//! place where it is cleaned.

use crate::clean::clean;
use anstyle::{AnsiColor, Style as Ansi};
use unicode_width::UnicodeWidthStr;

/// Whether colour codes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Text only.
    Plain,
    /// ANSI colour codes.
    Ansi,
}

/// How to lay text out.
#[derive(Debug, Clone, Copy)]
pub struct TextOptions {
    /// Columns of the terminal. Less than 40 is treated as 40.
    pub width: usize,
    /// Colours or none: the caller knows whether a terminal is there.
    pub style: Style,
}

/// What a piece of text is, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    Label,
    Good,
    Bad,
    Unsure,
    Strong,
    Faint,
}

impl Role {
    fn ansi(self) -> Ansi {
        match self {
            Self::Plain => Ansi::new(),
            Self::Label | Self::Strong => Ansi::new().bold(),
            Self::Good => AnsiColor::Green.on_default().bold(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Unsure => AnsiColor::Yellow.on_default().bold(),
            Self::Faint => Ansi::new().dimmed(),
        }
    }
}

/// A piece of text with one role.
pub(crate) type Span = (Role, String);

/// A labelled paragraph.
pub(crate) struct Item {
    /// Columns before the label.
    pub(crate) offset: usize,
    /// What stands in front.
    pub(crate) label: Span,
    /// The column at which the text starts and continues.
    pub(crate) indent: usize,
    /// The text.
    pub(crate) spans: Vec<Span>,
    /// Set at the right margin of the first line.
    pub(crate) right: Option<Span>,
}

/// Collects lines of a given width.
pub(crate) struct Paper {
    width: usize,
    style: Style,
    out: String,
}

impl Paper {
    pub(crate) fn new(width: usize, style: Style) -> Self {
        Self {
            width: width.max(40),
            style,
            out: String::new(),
        }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    pub(crate) fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Writes a labelled paragraph: so many columns before the label, the text from column `indent` on.
    pub(crate) fn line(
        &mut self,
        offset: usize,
        (role, label): (Role, &str),
        indent: usize,
        spans: Vec<Span>,
    ) {
        let label = (role, label.to_owned());
        self.item(&Item {
            offset,
            label,
            indent,
            spans,
            right: None,
        });
    }

    /// Writes a labelled paragraph, wrapped to the width. A label that reaches into the text's column pushes the
    /// first line to the right, never the others.
    pub(crate) fn item(&mut self, item: &Item) {
        let label_end = item.offset + width(&item.label.1);
        let first = if label_end == 0 || label_end < item.indent {
            item.indent
        } else {
            label_end + 2
        };
        let reserved = item.right.as_ref().map_or(0, |(_, text)| width(text) + 3);
        let mut lines = self.wrap(item, first, reserved).into_iter();

        self.pad(item.offset);
        self.ink(item.label.0, &item.label.1);
        let mut column = label_end;
        if let Some(line) = lines.next() {
            self.pad(first.saturating_sub(label_end));
            column = first + self.words(&line);
        }
        if let Some((role, text)) = &item.right {
            self.pad((self.width).saturating_sub(column + width(text)).max(2));
            self.ink(*role, text);
        }
        self.out.push('\n');
        for line in lines {
            self.pad(item.indent);
            self.words(&line);
            self.out.push('\n');
        }
    }

    /// Columns that a line has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Writes a row of cells under each other's columns, each padded to its width; nothing is wrapped.
    pub(crate) fn columns(&mut self, offset: usize, gap: usize, widths: &[usize], cells: Vec<Span>) {
        let mut due = offset;
        for (index, (role, text)) in cells.into_iter().enumerate() {
            if !text.is_empty() {
                self.pad(due);
                due = 0;
                self.ink(role, &text);
            }
            let column = widths.get(index).copied().unwrap_or(0);
            due += column.saturating_sub(width(&text)) + gap;
        }
        self.out.push('\n');
    }

    /// Breaks the spans into lines of words.
    fn wrap(&self, item: &Item, first: usize, reserved: usize) -> Vec<Vec<(Role, String)>> {
        let narrowest = 16;
        let room_first = self.width.saturating_sub(first + reserved).max(narrowest);
        let room = self.width.saturating_sub(item.indent).max(narrowest);
        let (mut lines, mut line, mut used) = (Vec::new(), Vec::new(), 0);
        for (role, word) in words(&item.spans) {
            for piece in pieces(&word, room) {
                let limit = if lines.is_empty() { room_first } else { room };
                let length = width(&piece);
                if used > 0 && used + 1 + length > limit {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                used += length + usize::from(used > 0);
                line.push((role, piece));
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
        lines
    }

    /// Writes the words of a line; neighbours of one role share one colour code. Returns the columns used.
    fn words(&mut self, line: &[(Role, String)]) -> usize {
        let mut used = 0;
        for (index, group) in line.chunk_by(|a, b| a.0 == b.0).enumerate() {
            if index > 0 {
                self.out.push(' ');
                used += 1;
            }
            let text = group
                .iter()
                .map(|(_, w)| w.as_str())
                .collect::<Vec<_>>()
                .join(" ");
            if let Some((role, _)) = group.first() {
                self.ink(*role, &text);
            }
            used += width(&text);
        }
        used
    }

    fn pad(&mut self, columns: usize) {
        self.out.extend(std::iter::repeat_n(' ', columns));
    }

    fn ink(&mut self, role: Role, text: &str) {
        let text = clean(text);
        let style = role.ansi();
        if self.style == Style::Plain || style == Ansi::new() || text.is_empty() {
            self.out.push_str(&text);
        } else {
            self.out.push_str(&format!("{style}{text}{style:#}"));
        }
    }
}

/// Splits spans into words. White space of any kind separates; none is kept but no-break spaces, which hold
/// citations and "97 %" together.
fn words(spans: &[Span]) -> impl Iterator<Item = (Role, String)> {
    spans.iter().flat_map(|(role, text)| {
        text.split(|c: char| c.is_whitespace() && c != NO_BREAK)
            .filter(|word| !word.is_empty())
            .map(|word| (*role, word.replace(NO_BREAK, " ")))
    })
}

/// A space at which no line is broken; printed as a plain space.
pub(crate) const NO_BREAK: char = '\u{a0}';

/// A word, cut where it is longer than a whole line.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let word = clean(word);
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for c in word.chars() {
        let columns = unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        if used + columns > room {
            pieces.push(String::new());
            used = 0;
        }
        used += columns;
        if let Some(last) = pieces.last_mut() {
            last.push(c);
        }
    }
    pieces
}

/// Columns that `text` takes on a terminal once it is cleaned.
pub(crate) fn width(text: &str) -> usize {
    clean(text).width()
}
