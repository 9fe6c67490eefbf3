//! Bytes to lines as they are shown.
//!
//! Memory stays flat however long the input is: a block is read and forgotten when it ends, and a block that never ends
//! is cut.

use crate::arrival::{
    Decoder, QuotedPrintable, Spaced, as_shown, clean, may_be_of_page, may_be_quoted_printable,
    may_be_unclean,
};
use crate::block::LARGEST_KEPT;
use crate::blocks::Blocks;
use crate::{Context, Event, ImportComplaint, Record};
use memchr::{memchr, memchr_iter, memrchr};

/// A longer line is cut here: no tool prints one, but JSON documents come in one line, some of them large.
const LONGEST_LINE: usize = 32 << 20;

/// So many bytes are looked at together, whether their lines are to be looked at one by one.
const DOUBTED: usize = 4 << 10;

/// Reads text that comes in pieces.
pub struct Importer<'a> {
    /// Bytes as UTF-8.
    pub(crate) decoder: Decoder,
    /// The line that is not complete yet.
    rest: Vec<u8>,
    pub(crate) quoted: QuotedPrintable,
    pub(crate) spaced: Spaced,
    pub(crate) blocks: Blocks<'a>,
}

impl<'a> Importer<'a> {
    /// A reader at the first line.
    #[must_use]
    pub fn new(context: &'a Context) -> Self {
        Self::with(Decoder::default(), Blocks::new(context))
    }

    pub(crate) fn with(decoder: Decoder, blocks: Blocks<'a>) -> Self {
        Self {
            decoder,
            rest: Vec::new(),
            quoted: QuotedPrintable::default(),
            spaced: Spaced::default(),
            blocks,
        }
    }

    /// Takes the next bytes; what they complete goes to `sink`.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event)) {
        let decoded = self.decoder.take(bytes);
        self.take_text(&decoded, sink);
    }

    fn take_text(&mut self, mut bytes: &[u8], sink: &mut dyn FnMut(Event)) {
        if !self.rest.is_empty() {
            let end = memchr(b'\n', bytes).map(|end| end + 1);
            let (piece, behind) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.rest.extend_from_slice(piece);
            if end.is_none() && self.rest.len() < LONGEST_LINE {
                return;
            }
            self.take_rest(sink);
            bytes = behind;
        }
        let complete = memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let (lines, rest) = bytes.split_at(complete);
        self.take_lines(lines, sink);
        self.rest.extend_from_slice(rest);
        if self.rest.len() >= LONGEST_LINE {
            self.take_rest(sink);
        }
    }

    /// Takes what is left as the last line.
    pub fn finish(mut self, sink: &mut dyn FnMut(Event)) {
        let held = self.decoder.finish();
        self.take_text(&held, sink);
        if !self.rest.is_empty() {
            self.take_rest(sink);
        }
        let mut quoted = std::mem::take(&mut self.quoted);
        quoted.finish(&mut |line, further| self.take_doubted(line, further, Doubts::ALL, sink));
        let mut spaced = std::mem::take(&mut self.spaced);
        spaced.release(&mut |line, further| self.take_known(line, further, sink));
        self.blocks.finish(sink);
    }

    fn take_rest(&mut self, sink: &mut dyn FnMut(Event)) {
        let mut line = std::mem::take(&mut self.rest);
        self.take_written(&String::from_utf8_lossy(&line), Doubts::of(&line), sink);
        line.clear();
        line.shrink_to(LARGEST_KEPT);
        self.rest = line;
    }

    /// Takes lines that are complete. Nearly all text is UTF-8, and checking it at once is much faster than by the line.
    fn take_lines(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event)) {
        let text = std::str::from_utf8(bytes).ok();
        let (mut doubts, mut doubted_to) = (Doubts::default(), 0);
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes) {
            if end >= doubted_to {
                doubted_to = bytes.len().min((start + DOUBTED).max(end + 1));
                doubts = bytes.get(start..doubted_to).map(Doubts::of).unwrap_or_default();
            }
            if let Some(line) = text.and_then(|text| text.get(start..end)) {
                self.take_written(line, doubts, sink);
            } else if let Some(line) = bytes.get(start..end) {
                self.take_written(&String::from_utf8_lossy(line), doubts, sink);
            }
            start = end + 1;
        }
    }

    /// Takes a line as it is written, without its line feed.
    fn take_written(&mut self, line: &str, doubts: Doubts, sink: &mut dyn FnMut(Event)) {
        // Without a sign of it, or the header that begins it, a line is none where none waits.
        let may_be_one = || memchr(b'=', line.as_bytes()).is_some() || line.starts_with(['c', 'C']);
        if self.quoted.is_idle() && !(doubts.may_be_quoted_printable && may_be_one()) {
            return self.take_doubted(line, 0, doubts, sink);
        }
        let noted = self.blocks.beginning_count();
        let mut quoted = std::mem::take(&mut self.quoted);
        let was_idle = quoted.is_idle();
        quoted.take(without_end(line), &mut |line, further| {
            self.take_doubted(line, further, Doubts::ALL, sink)
        });
        if !(was_idle && quoted.is_idle()) {
            self.blocks.forget_beginnings(noted);
        }
        self.quoted = quoted;
    }

    /// Takes a line that stood on so many further ones.
    fn take_doubted(&mut self, line: &str, further: u64, doubts: Doubts, sink: &mut dyn FnMut(Event)) {
        if doubts.may_be_unclean && may_be_unclean(line.as_bytes()) {
            let shown = clean(line);
            self.take_shown(&as_shown(without_end(&shown)), further, sink);
        } else if doubts.may_be_of_page {
            self.take_shown(&as_shown(without_end(line)), further, sink);
        } else {
            self.take_shown(without_end(line), further, sink);
        }
    }

    fn take_shown(&mut self, line: &str, further: u64, sink: &mut dyn FnMut(Event)) {
        if self.spaced.passes(line) {
            return self.take_known(Some(line), further, sink);
        }
        let noted = self.blocks.beginning_count();
        let mut spaced = std::mem::take(&mut self.spaced);
        let mut is_dropped = false;
        spaced.take(line, further, &mut |line, further| {
            is_dropped |= line.is_none();
            self.take_known(line, further, sink);
        });
        if is_dropped || !spaced.is_idle() {
            self.blocks.forget_beginnings(noted);
        }
        self.spaced = spaced;
    }

    /// Takes a line, or passes one over.
    fn take_known(&mut self, line: Option<&str>, further: u64, sink: &mut dyn FnMut(Event)) {
        match line {
            Some(line) => {
                self.blocks.take_line(line, sink);
                self.blocks.skip(further, true);
            }
            None => self.blocks.skip(1 + further, true),
        }
    }
}

/// What lines may have that is not shown: asked of several at once, as most have nothing of it.
#[derive(Debug, Clone, Copy, Default)]
struct Doubts {
    may_be_unclean: bool,
    may_be_of_page: bool,
    may_be_quoted_printable: bool,
}

impl Doubts {
    /// Of a single line, to doubt takes as long as to look.
    const ALL: Self = Self {
        may_be_unclean: true,
        may_be_of_page: true,
        may_be_quoted_printable: true,
    };

    fn of(text: &[u8]) -> Self {
        Self {
            may_be_unclean: may_be_unclean(text),
            may_be_of_page: may_be_of_page(text),
            may_be_quoted_printable: may_be_quoted_printable(text),
        }
    }
}

/// The line without what ends it.
fn without_end(mut line: &str) -> &str {
    while let Some(before) = line.strip_suffix(['\r', '\n']) {
        line = before;
    }
    line
}

/// Reads a whole text: what was understood, and complaints about the rest, both in the order of the lines.
#[must_use]
pub fn import(bytes: &[u8], context: &Context) -> (Vec<Record>, Vec<ImportComplaint>) {
    let (mut records, mut complaints) = (Vec::new(), Vec::new());
    let mut sink = |event| match event {
        Event::Record(record) => records.push(*record),
        Event::Complaint(complaint) => complaints.push(complaint),
    };
    let mut importer = Importer::new(context);
    importer.feed(bytes, &mut sink);
    importer.finish(&mut sink);
    (records, complaints)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a text gives when it is fed in pieces of this size.
    fn fed(bytes: &[u8], size: usize) -> Vec<Event> {
        let context = Context::default();
        let mut events = Vec::new();
        let mut importer = Importer::new(&context);
        for piece in bytes.chunks(size) {
            importer.feed(piece, &mut |event| events.push(event));
        }
        importer.finish(&mut |event| events.push(event));
        events
    }

    #[test]
    fn pieces_and_line_ends_change_nothing() {
        let text = "prose \u{2014} of many bytes\n\nPING a.example (240.0.0.1) 56(84) bytes of data.\n\
            64 bytes from a.example (240.0.0.1): icmp_seq=1 ttl=57 time=1.0 ms\nend";
        let mut bytes = text.as_bytes().to_vec();
        let whole = fed(&bytes, bytes.len());
        assert_eq!(whole.len(), 3, "{whole:?}");
        for size in 1..40 {
            assert_eq!(fed(&bytes, size), whole, "pieces of {size}");
        }
        assert_eq!(fed(text.replace('\n', "\r\n").as_bytes(), 64), whole);
        // One byte that is no UTF-8 spoils no other line.
        bytes[0] = 0xff;
        for size in [1, 7, bytes.len()] {
            assert_eq!(fed(&bytes, size), whole, "pieces of {size}");
        }
    }

    #[test]
    fn what_was_no_rest_of_a_line_is_read_again_once() {
        let repeated =
            "GigabitEthernet1/0/2 is down, line protocol is down (err-disabled) for long\nsw-edge3 said\n";
        let text = repeated.repeat(2_000);
        let events = fed(text.as_bytes(), text.len());
        let ends = events.iter().map(|event| match event {
            Event::Record(record) => record.lines.1,
            Event::Complaint(complaint) => complaint.last_line,
        });
        assert_eq!(ends.max(), Some(4_000));
    }

    #[test]
    fn texts_that_go_on_for_long_take_no_longer_for_each_line() {
        for (head, line, count) in [
            ("SettingName : Internet\n", "MinRto(ms) : 300\n", 40_000),
            ("r9#traceroute\n", "r9#traceroute\n", 40_000),
            (
                "Pinging a.example [192.0.2.40] with 32 bytes of data:\n",
                "Times:\n",
                40_000,
            ),
            ("$ fio --name=t\nfio-3.33\n", "\n", 40_000),
            ("| 1 | a.example (240.0.0.1) | 0.3 ms | 0.3 ms |\n", "\n", 40_000),
            ("owping -c 10 a.example\n", "\n", 40_000),
            (
                " # ADDRESS   LOSS SENT    LAST     AVG    BEST   WORST STD-DEV STATUS\n",
                "\n",
                40_000,
            ),
        ] {
            let text = head.to_owned() + &line.repeat(count);
            let events = fed(text.as_bytes(), 1 << 16);
            assert!(events.len() <= 2 * count, "{head}");
        }
    }

    #[test]
    fn blank_lines_in_a_row_are_counted_and_not_kept() {
        for count in [3, 300, 100_000] {
            let blank = "\n".repeat(count);
            let text = format!("TCP Statistics for IPv4\n{blank}  Segments Retransmitted = 12\n");
            let events = fed(text.as_bytes(), 1 << 16);
            let [Event::Record(record)] = &events[..] else {
                panic!("{events:?}");
            };
            assert_eq!(record.lines, (1, count as u64 + 2));
        }
    }

    #[test]
    fn a_line_that_no_tool_prints_is_told() {
        let rest = "icmp_seq=1 ttl=57 time=1.0 ms ".repeat(3_000);
        let text =
            format!("PING a.example (240.0.0.1) 56(84) bytes of data.\n64 bytes from a.example: {rest}\n");
        let events = fed(text.as_bytes(), 1 << 16);
        let is_told =
            |event: &Event| matches!(event, Event::Complaint(complaint) if complaint.last_line == 2);
        assert!(events.iter().any(is_told), "{events:?}");
    }
}
