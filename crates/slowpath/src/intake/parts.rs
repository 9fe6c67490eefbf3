//! A long file, read in parts by several threads. What comes out, and in which order, is what one reader would say.

use crate::workers::Workers;
use ingest::{Event, Importer, Part};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::Receiver;
use std::thread;

/// A part: much longer than most records, as the first of each part is read twice, and short enough that many are nothing
/// beside the memory of a host.
const PART_BYTES: usize = 1 << 20;

/// From this size on it is worth the threads.
pub(super) const LONG_BYTES: u64 = 4 * PART_BYTES as u64;

/// Within a block that is longer than so many parts, to read them by themselves is for nothing: one of so many further ones
/// is, to see whether the block has ended.
const LONG_BLOCK: u32 = 3;
const SELDOM: u64 = 16;

/// Lines, and how many are above them.
type Lines = (Vec<u8>, u64);

/// A part whose turn will come.
enum Pending<'a> {
    Read(Receiver<(Vec<u8>, Part<'a>)>),
    /// It begins or ends within a line, or may as well be read in its turn.
    Unread(Vec<u8>),
}

/// Reads to the end with so many threads. `piece` gets the bytes as they are, in their order, `advance` how many are done.
pub(super) fn read<'a>(
    reader: impl Read,
    threads: usize,
    mut importer: Importer<'a>,
    piece: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    advance: &mut dyn FnMut(u64),
    sink: &mut dyn FnMut(Event),
) -> io::Result<()> {
    let mut parts = Parts {
        reader,
        rest: Vec::new(),
    };
    let mut part_reader = None;
    // The first part tells whether lines can be told from bytes.
    if let Some(bytes) = parts.next()? {
        piece(&bytes)?;
        importer.feed(&bytes, sink);
        advance(bytes.len() as u64);
        part_reader = importer.part_reader().filter(|_| bytes.ends_with(b"\n"));
    }
    let Some(part_reader) = part_reader else {
        while let Some(bytes) = parts.next()? {
            piece(&bytes)?;
            importer.feed(&bytes, sink);
            advance(bytes.len() as u64);
        }
        importer.finish(sink);
        return Ok(());
    };
    let read = |(bytes, lines_above): Lines| {
        let part = part_reader.read(&bytes, lines_above);
        (bytes, part)
    };
    thread::scope(|scope| {
        let mut queue = Queue {
            workers: Workers::start(scope, threads, &read),
            lines_above: importer.line_count(),
            within_line: false,
            pending: VecDeque::new(),
            count: 0,
            useless: 0,
        };
        loop {
            while queue.pending.len() <= threads
                && let Some(bytes) = parts.next()?
            {
                piece(&bytes)?;
                queue.add(bytes);
            }
            let length = match queue.pending.pop_front() {
                None => break,
                Some(Pending::Unread(bytes)) => {
                    importer.feed(&bytes, sink);
                    bytes.len()
                }
                Some(Pending::Read(part)) => {
                    let (bytes, part) = part.recv().map_err(io::Error::other)?;
                    let is_of_use = importer.join(&bytes, part, sink);
                    queue.useless = if is_of_use {
                        0
                    } else {
                        queue.useless.saturating_add(1)
                    };
                    bytes.len()
                }
            };
            advance(length as u64);
        }
        importer.finish(sink);
        Ok(())
    })
}

/// The parts whose turn will come, in their order.
struct Queue<'a> {
    workers: Workers<Lines, (Vec<u8>, Part<'a>)>,
    lines_above: u64,
    /// What comes next is the rest of a line.
    within_line: bool,
    pending: VecDeque<Pending<'a>>,
    /// How many parts there were.
    count: u64,
    /// How many of those that were read by themselves were of no use, since the last that was.
    useless: u32,
}

impl Queue<'_> {
    fn add(&mut self, bytes: Vec<u8>) {
        let count = memchr::memchr_iter(b'\n', &bytes).count() as u64;
        let whole = bytes.ends_with(b"\n");
        let is_worth_it = self.useless < LONG_BLOCK || self.count.is_multiple_of(SELDOM);
        let next = if whole && !self.within_line && is_worth_it {
            Pending::Read(self.workers.give((bytes, self.lines_above)))
        } else {
            Pending::Unread(bytes)
        };
        self.pending.push_back(next);
        self.lines_above += count;
        self.within_line = !whole;
        self.count += 1;
    }
}

/// Bytes in parts that end with a line, unless a line is longer than a part.
struct Parts<R> {
    reader: R,
    /// The beginning of the next part.
    rest: Vec<u8>,
}

impl<R: Read> Parts<R> {
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.reserve(PART_BYTES.saturating_sub(bytes.len()));
        let wanted = PART_BYTES.saturating_sub(bytes.len()) as u64;
        (&mut self.reader).take(wanted).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.len() >= PART_BYTES
            && let Some(end) = memchr::memrchr(b'\n', &bytes)
        {
            self.rest = bytes.split_off(end + 1);
        }
        Ok(Some(bytes))
    }
}
