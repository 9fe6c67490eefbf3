//! Lines that belong together, and what a format answers about them.

use crate::formats::Brackets;
use crate::{Context, Event, ImportComplaint, Record};
use evidence::{Payload, Timestamp};
use std::cell::Cell;

/// The lines that one format claimed.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Number of the first line, from 1.
    pub(crate) first_line: u64,
    /// Without line ends. Bytes that are no UTF-8 stand as U+FFFD.
    pub(crate) lines: Vec<String>,
    /// For JSON: how far brackets are balanced up to here, so that each line is looked at once.
    pub(crate) brackets: Cell<Option<Brackets>>,
}

impl Block {
    /// Lines with their numbers.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u64, &str)> {
        (self.first_line..).zip(self.lines.iter().map(String::as_str))
    }

    pub(crate) fn last_line(&self) -> u64 {
        self.first_line + (self.lines.len() as u64).saturating_sub(1)
    }

    /// The last line that is not blank.
    pub(crate) fn last_written_line(&self) -> u64 {
        let blank = self.lines.iter().rev().take_while(|line| line.trim().is_empty());
        self.last_line()
            .saturating_sub(blank.count() as u64)
            .max(self.first_line)
    }
}

/// A format: how its blocks are recognised and read.
///
/// `starts` is asked of every line that belongs to no block yet: it must decide in well under a microsecond for a line
/// that is not its own (first byte, prefix), without allocating.
pub(crate) struct Format {
    /// What people call it: `ping`.
    pub(crate) name: &'static str,
    /// What it reads, for `slowpath import --formats`.
    pub(crate) reads: &'static str,
    /// Whether a block begins with this line.
    pub(crate) starts: fn(&str) -> bool,
    /// Whether this line goes on with the block. Blank lines are asked about too.
    pub(crate) continues: fn(&Block, &str) -> bool,
    /// Reads a block. Never fails: what is not understood becomes a complaint.
    pub(crate) read: fn(&Block, &Context, &mut Findings),
}

/// What reading a block gave.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) events: Vec<Event>,
    /// The block was understood, and has nothing to record.
    pub(crate) is_understood: bool,
}

impl Findings {
    /// Adds a record made of the whole block.
    pub(crate) fn record(&mut self, block: &Block, tool: &str, at: Option<Timestamp>, payload: Payload) {
        self.record_of((block.first_line, block.last_line()), tool, at, payload);
    }

    /// Adds a record made of these lines.
    pub(crate) fn record_of(
        &mut self,
        lines: (u64, u64),
        tool: &str,
        at: Option<Timestamp>,
        payload: Payload,
    ) {
        self.events.push(Event::Record(Box::new(Record {
            payload,
            at,
            tool: tool.to_owned(),
            lines,
        })));
    }

    /// The block was understood, but is no record: not to be complained about.
    pub(crate) fn nothing_to_say(&mut self) {
        self.is_understood = true;
    }

    /// Complains about one line.
    pub(crate) fn complain(&mut self, line: u64, reason: impl Into<String>) {
        self.complain_of((line, line), reason);
    }

    /// Complains about these lines.
    pub(crate) fn complain_of(&mut self, lines: (u64, u64), reason: impl Into<String>) {
        self.events.push(Event::Complaint(ImportComplaint {
            first_line: lines.0,
            last_line: lines.1,
            reason: reason.into(),
        }));
    }
}
