//! A long file, read in parts by all processors. What comes out, and in which order, is what one reader would say.

use ingest::{Event, Importer, Part, PartReader};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A part: much longer than most records, as the first of each part is read twice, and short enough that many are nothing
/// beside the memory of a host.
const PART_BYTES: usize = 1 << 20;

/// From this size on it is worth the threads.
pub(super) const LONG_BYTES: u64 = 4 * PART_BYTES as u64;

/// Lines that are read by themselves, and where the answer is awaited.
struct Job<'a> {
    bytes: Vec<u8>,
    lines_above: u64,
    answer: SyncSender<(Vec<u8>, Part<'a>)>,
}

/// A part whose turn will come.
enum Pending<'a> {
    Read(Receiver<(Vec<u8>, Part<'a>)>),
    /// It begins or ends within a line.
    Unread(Vec<u8>),
}

/// Reads to the end. `piece` gets the bytes as they are, in their order, `advance` how many are done.
pub(super) fn read<'a>(
    reader: impl Read,
    mut importer: Importer<'a>,
    piece: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    advance: &mut dyn FnMut(u64),
    sink: &mut dyn FnMut(Event),
) -> io::Result<()> {
    let mut lines = Lines {
        reader,
        rest: Vec::new(),
    };
    let mut part_reader = None;
    // The first part tells whether lines can be told from bytes.
    if let Some(bytes) = lines.next()? {
        piece(&bytes)?;
        importer.feed(&bytes, sink);
        advance(bytes.len() as u64);
        part_reader = importer.part_reader().filter(|_| bytes.ends_with(b"\n"));
    }
    let Some(part_reader) = part_reader else {
        while let Some(bytes) = lines.next()? {
            piece(&bytes)?;
            importer.feed(&bytes, sink);
            advance(bytes.len() as u64);
        }
        importer.finish(sink);
        return Ok(());
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let (jobs, waiting) = sync_channel(threads);
    let waiting = Mutex::new(waiting);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&part_reader, &waiting));
        }
        let mut queue = Queue {
            jobs,
            lines_above: importer.line_count(),
            within_line: false,
            pending: VecDeque::new(),
        };
        loop {
            while queue.pending.len() <= threads
                && let Some(bytes) = lines.next()?
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
                Some(Pending::Read(answer)) => {
                    // A reader that fell ends the program when the scope ends.
                    let (bytes, part) = answer.recv().map_err(io::Error::other)?;
                    importer.join(&bytes, part, sink);
                    bytes.len()
                }
            };
            advance(length as u64);
        }
        importer.finish(sink);
        Ok(())
    })
}

/// Reads parts until there are no more.
fn work<'a>(reader: &PartReader<'a>, waiting: &Mutex<Receiver<Job<'a>>>) {
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(job) = next() {
        let part = reader.read(&job.bytes, job.lines_above);
        // Nobody waits for it any more where the file could not be read on.
        let _ = job.answer.send((job.bytes, part));
    }
}

/// The parts whose turn will come, in their order.
struct Queue<'a> {
    jobs: SyncSender<Job<'a>>,
    lines_above: u64,
    /// What comes next is the rest of a line.
    within_line: bool,
    pending: VecDeque<Pending<'a>>,
}

impl Queue<'_> {
    fn add(&mut self, bytes: Vec<u8>) {
        let count = memchr::memchr_iter(b'\n', &bytes).count() as u64;
        let whole = bytes.ends_with(b"\n");
        let next = if whole && !self.within_line {
            let (answer, awaited) = sync_channel(1);
            let job = Job {
                bytes,
                lines_above: self.lines_above,
                answer,
            };
            match self.jobs.send(job) {
                Ok(()) => Pending::Read(awaited),
                Err(unsent) => Pending::Unread(unsent.0.bytes),
            }
        } else {
            Pending::Unread(bytes)
        };
        self.pending.push_back(next);
        self.lines_above += count;
        self.within_line = !whole;
    }
}

/// Bytes in parts that end with a line, unless a line is longer than a part.
struct Lines<R> {
    reader: R,
    /// The beginning of the next part.
    rest: Vec<u8>,
}

impl<R: Read> Lines<R> {
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
