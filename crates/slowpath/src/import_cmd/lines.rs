//! Records as lines on standard output. They are made many at a time by other threads than the one that reads, which goes on
//! reading, and come out in the order of the records.

use crate::output;
use crate::workers::Workers;
use ingest::Record;
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::Receiver;
use std::thread::Scope;

/// So many records are worth a message to another thread.
const MANY: usize = 256;

/// Records are held, or wait, while no more than so much was read behind the first of them: they may be as large as what they
/// are read from.
const MOST_HELD_BYTES: u64 = 1 << 20;
const MOST_WAITING_BYTES: u64 = 32 << 20;

/// The lines of records, and how they are made.
pub(super) struct Lines<'scope, 'env, F> {
    scope: &'scope Scope<'scope, 'env>,
    threads: usize,
    make: &'env F,
    /// Somebody waits for each line.
    is_live: bool,
    held: Vec<Record>,
    /// How much was read before the first of those that are held.
    held_from: u64,
    /// There are none before there are many records.
    workers: Option<Workers<Vec<Record>, String>>,
    waiting: VecDeque<(u64, Receiver<String>)>,
    written: io::Result<()>,
}

impl<'scope, 'env, F> Lines<'scope, 'env, F>
where
    F: Fn(&Record, &mut String) + Sync,
{
    /// Lines that so many threads make. `make` adds the line of a record.
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        threads: usize,
        is_live: bool,
        make: &'env F,
    ) -> Self {
        Self {
            scope,
            threads,
            make,
            is_live,
            held: Vec::new(),
            held_from: 0,
            workers: None,
            waiting: VecDeque::new(),
            written: Ok(()),
        }
    }

    /// Takes the next record, when so many bytes were read.
    pub(super) fn push(&mut self, record: Record, read_bytes: u64) {
        if self.held.is_empty() {
            self.held_from = read_bytes;
        }
        self.held.push(record);
        if self.is_live {
            self.flush();
        } else if self.held.len() >= MANY || read_bytes - self.held_from > MOST_HELD_BYTES {
            self.hand_on(read_bytes);
        }
    }

    /// Has the lines of what is held made, and writes those that were made before.
    fn hand_on(&mut self, read_bytes: u64) {
        if self.threads < 2 {
            return self.flush();
        }
        let make = self.make;
        let lines = move |records: Vec<Record>| lines_of(make, &records);
        let workers = self
            .workers
            .get_or_insert_with(|| Workers::start(self.scope, self.threads, lines));
        let records = std::mem::replace(&mut self.held, Vec::with_capacity(MANY));
        self.waiting.push_back((self.held_from, workers.give(records)));
        while let Some((from, _)) = self.waiting.front()
            && (self.waiting.len() > 2 * self.threads || read_bytes - from > MOST_WAITING_BYTES)
        {
            self.write_first();
        }
    }

    /// Writes the lines of all records up to here.
    pub(super) fn flush(&mut self) {
        while !self.waiting.is_empty() {
            self.write_first();
        }
        let lines = lines_of(self.make, &self.held);
        self.held.clear();
        self.write(&lines);
    }

    fn write_first(&mut self) {
        if let Some((_, lines)) = self.waiting.pop_front() {
            match lines.recv() {
                Ok(lines) => self.write(&lines),
                Err(error) => self.written = Err(io::Error::other(error)),
            }
        }
    }

    fn write(&mut self, lines: &str) {
        if self.written.is_ok() && !lines.is_empty() {
            self.written = output::try_print(lines);
        }
    }

    /// Writes what is left. Returns whether all could be written.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush();
        self.written
    }
}

fn lines_of(make: impl Fn(&Record, &mut String), records: &[Record]) -> String {
    let mut lines = String::new();
    records.iter().for_each(|record| make(record, &mut lines));
    lines
}
