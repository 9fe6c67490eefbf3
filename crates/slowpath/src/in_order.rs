//! Records on their way out. What is written of them is made many at a time by other threads than the one that reads, which goes
//! on reading, and is taken in the order of the records.

use crate::workers::Workers;
use ingest::Record;
use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::thread::Scope;

/// So many records are worth a message to another thread.
const MANY: usize = 256;

/// Records are held, or wait, while no more than so much was read behind the first of them: they may be as large as what they
/// are read from.
const MOST_HELD_BYTES: u64 = 1 << 20;
const MOST_WAITING_BYTES: u64 = 32 << 20;

/// Records, how what is written is made of them, and what takes it.
pub(crate) struct InOrder<'scope, 'env, F, T, M> {
    scope: &'scope Scope<'scope, 'env>,
    threads: usize,
    make: &'env F,
    take: T,
    /// Somebody waits for each record.
    is_live: bool,
    held: Vec<Record>,
    /// How much was read before the first of those that are held.
    held_from: u64,
    /// There are none before there are many records.
    workers: Option<Workers<Vec<Record>, M>>,
    waiting: VecDeque<(u64, Receiver<M>)>,
}

impl<'scope, 'env, F, T, M> InOrder<'scope, 'env, F, T, M>
where
    F: Fn(Vec<Record>) -> M + Sync,
    T: FnMut(M),
    M: Send + 'scope,
{
    /// Records of `file`, for so many threads.
    pub(crate) fn new(
        scope: &'scope Scope<'scope, 'env>,
        threads: usize,
        file: &Path,
        make: &'env F,
        take: T,
    ) -> Self {
        Self {
            scope,
            threads,
            make,
            take,
            is_live: file == Path::new("-") || io::stdout().is_terminal(),
            held: Vec::new(),
            held_from: 0,
            workers: None,
            waiting: VecDeque::new(),
        }
    }

    /// Takes the next record, when so many bytes were read.
    pub(crate) fn push(&mut self, record: Record, read_bytes: u64) {
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

    /// Has others work on what is held, and takes what they made before.
    fn hand_on(&mut self, read_bytes: u64) {
        if self.threads < 2 {
            return self.flush();
        }
        let make = self.make;
        let workers = self
            .workers
            .get_or_insert_with(|| Workers::start(self.scope, self.threads, make));
        let records = std::mem::replace(&mut self.held, Vec::with_capacity(MANY));
        self.waiting.push_back((self.held_from, workers.give(records)));
        while let Some((from, _)) = self.waiting.front()
            && (self.waiting.len() > 2 * self.threads || read_bytes - from > MOST_WAITING_BYTES)
        {
            self.take_first();
        }
    }

    /// What is made of all records up to here is taken.
    pub(crate) fn flush(&mut self) {
        while !self.waiting.is_empty() {
            self.take_first();
        }
        if !self.held.is_empty() {
            let records = std::mem::take(&mut self.held);
            (self.take)((self.make)(records));
        }
    }

    fn take_first(&mut self) {
        // Of work on which its thread fell nothing comes, and the scope ends the program.
        if let Some((_, made)) = self.waiting.pop_front()
            && let Ok(made) = made.recv()
        {
            (self.take)(made);
        }
    }
}
