//! Bytes to lines, lines to blocks, blocks to records.
//!
//! Memory stays flat however long the input is: a block is read and forgotten when it ends, and a block that never ends
//! is cut.

use crate::block::{Block, Findings, Format};
use crate::formats::FORMATS;
use crate::{Context, Event, ImportComplaint, Record};
use std::borrow::Cow;

/// A longer line is cut here: no tool prints one, but JSON documents come in one line, some of them large.
const LONGEST_LINE: usize = 32 << 20;
/// A block is read, and the next one begun, when it has as many bytes.
const LARGEST_BLOCK: usize = 64 << 20;

/// Reads text that comes in pieces.
pub struct Importer<'a> {
    context: &'a Context,
    /// The line that is not complete yet.
    rest: Vec<u8>,
    line: u64,
    open: Option<(&'static Format, Block, usize)>,
    /// Lines that no format claims, complained about together.
    unknown: Option<(u64, u64)>,
}

impl<'a> Importer<'a> {
    /// A reader at the first line.
    #[must_use]
    pub fn new(context: &'a Context) -> Self {
        Self {
            context,
            rest: Vec::new(),
            line: 0,
            open: None,
            unknown: None,
        }
    }

    /// Takes the next bytes; what they complete goes to `sink`.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event)) {
        let mut pieces = bytes.split_inclusive(|byte| *byte == b'\n');
        for piece in &mut pieces {
            let complete = piece.ends_with(b"\n");
            if complete && self.rest.is_empty() {
                self.take_line(piece, sink);
                continue;
            }
            self.rest.extend_from_slice(piece);
            if complete || self.rest.len() >= LONGEST_LINE {
                let line = std::mem::take(&mut self.rest);
                self.take_line(&line, sink);
            }
        }
    }

    /// Takes what is left as the last line.
    pub fn finish(mut self, sink: &mut dyn FnMut(Event)) {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            self.take_line(&rest, sink);
        }
        self.close(sink);
        self.complain_about_unknown(sink);
    }

    fn take_line(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event)) {
        self.line += 1;
        let text = without_line_end(bytes);
        // The checked conversion is several times faster, and nearly all text is UTF-8.
        let text = std::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
        let line: &str = &text;
        if let Some((format, block, size)) = &mut self.open {
            if *size < LARGEST_BLOCK && (format.continues)(block, line) {
                *size += line.len() + 1;
                block.lines.push(line.to_owned());
                return;
            }
            self.close(sink);
        }
        match FORMATS.iter().copied().find(|format| (format.starts)(line)) {
            Some(format) => {
                self.complain_about_unknown(sink);
                let block = Block {
                    first_line: self.line,
                    lines: vec![line.to_owned()],
                    ..Block::default()
                };
                self.open = Some((format, block, line.len()));
            }
            None if line.trim().is_empty() => {}
            None => {
                let first = self.unknown.map_or(self.line, |(first, _)| first);
                self.unknown = Some((first, self.line));
            }
        }
    }

    fn close(&mut self, sink: &mut dyn FnMut(Event)) {
        if let Some((format, block, _)) = self.open.take() {
            let mut findings = Findings::default();
            (format.read)(&block, self.context, &mut findings);
            if findings.events.is_empty() && !findings.is_understood {
                sink(Event::Complaint(ImportComplaint {
                    first_line: block.first_line,
                    last_line: block.last_line(),
                    reason: format!("begins like {}, but holds nothing of it", format.name),
                }));
            }
            findings.events.into_iter().for_each(sink);
        }
    }

    fn complain_about_unknown(&mut self, sink: &mut dyn FnMut(Event)) {
        if let Some((first_line, last_line)) = self.unknown.take() {
            sink(Event::Complaint(ImportComplaint {
                first_line,
                last_line,
                reason: "no format that slowpath knows".to_owned(),
            }));
        }
    }
}

fn without_line_end(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'));
    line.get(..end.map_or(0, |last| last + 1)).unwrap_or(line)
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
