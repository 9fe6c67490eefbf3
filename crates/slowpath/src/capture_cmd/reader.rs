//! Captures in chunks of whole records, in their order.
//!
//! Where records end is known only of one chunk after the other. But most of the time of reading goes to copying, which several
//! threads do at once: each takes a [`Part`] in its turn, fills it, and has records found in it in its turn again.

use super::source::Source;
use crate::console::Meter;
use crate::intake;
use capture::Segment;
use capture::file::{Complaint, Description, Framer, Packets};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A chunk and the segments that are made of it stay in the second cache of a processor. Of long packets these are next to nothing,
/// and a chunk may be twice as long: threads hand each other what is known of connections with each, which takes as long as to follow
/// hundreds of packets where they have no cache in common.
const CHUNK_BYTES: usize = 1 << 18;
const LONG_CHUNK_BYTES: usize = 2 * CHUNK_BYTES;

/// From this mean length of records on, packets are long: then so many segments take a quarter of the room of a chunk.
const LONG_RECORD_BYTES: u64 = 4 * size_of::<Segment>() as u64;

/// Room before what is read, for the part of a record that the chunk before ended with.
const ROOM_BYTES: usize = CHUNK_BYTES / 4;

/// To a buffer that does not begin with a line of the caches the kernel copies a fifth slower.
const LINE_BYTES: usize = 64;

/// Whole records, and how to read them.
pub(crate) struct Chunk {
    pub(crate) index: u64,
    pub(crate) bytes: Vec<u8>,
    /// Packets, and where in `bytes` those begin that they speak of.
    pub(crate) packets: Vec<(usize, Packets)>,
}

/// What a file said of itself when it was read.
#[derive(Debug)]
pub(crate) struct FileSaid {
    pub(crate) path: PathBuf,
    pub(crate) description: Description,
    pub(crate) packets: u64,
    pub(crate) complaints: Vec<Complaint>,
    pub(crate) further_complaints: u64,
    /// It could not be read to its end: why.
    pub(crate) broke: Option<String>,
}

/// Bytes that are read of a file, and whose turn it is.
pub(crate) struct Part {
    pub(crate) turn: u64,
    file: u64,
    /// Where they are read from, unless they are of a source that only one can read.
    from: Option<(Arc<File>, u64)>,
    buffer: Vec<u8>,
    /// Where they begin in the buffer, how many there may be, and how many there are.
    place: usize,
    wanted: usize,
    filled: usize,
    broke: Option<String>,
}

struct Open {
    number: u64,
    path: PathBuf,
    source: Source,
    /// Parts up to there are read by somebody.
    given_bytes: u64,
    /// How long the next part is.
    chunk_bytes: usize,
    framer: Framer,
    meter: Meter,
    /// Bytes behind the last whole record.
    rest: Vec<u8>,
    broke: Option<String>,
}

/// Reads files one after the other, as one capture.
pub(crate) struct Reader<'a> {
    waiting: VecDeque<PathBuf>,
    open: Option<Open>,
    /// Files that were opened.
    files: u64,
    /// Parts that were given, and those of them in which records were looked for.
    given: u64,
    done: u64,
    /// Chunks that were found.
    index: u64,
    /// Whoever sets it wants no more.
    stop: &'a AtomicBool,
    pub(crate) said: Vec<FileSaid>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(paths: &[PathBuf], stop: &'a AtomicBool) -> Self {
        Self {
            waiting: paths.iter().cloned().collect(),
            open: None,
            files: 0,
            given: 0,
            done: 0,
            index: 0,
            stop,
            said: Vec::new(),
        }
    }

    /// The next chunk, in a buffer that was used before; `None` behind the last.
    ///
    /// # Errors
    /// With the file that cannot be opened or is no capture, in words.
    pub(crate) fn next(&mut self, mut buffer: Vec<u8>) -> Result<Option<Chunk>, String> {
        while let Some(mut part) = self.part(buffer)? {
            part.read();
            match self.chunk(part)? {
                Ok(chunk) => return Ok(Some(chunk)),
                Err(unused) => buffer = unused,
            }
        }
        Ok(None)
    }

    /// The next part, in a buffer that was used before; `None` behind the last.
    ///
    /// # Errors
    /// With the file that cannot be opened, in words.
    pub(crate) fn part(&mut self, buffer: Vec<u8>) -> Result<Option<Part>, String> {
        if self.stop.load(Ordering::Relaxed) {
            self.close();
            self.waiting.clear();
        }
        if self.open.is_none() {
            let Some(path) = self.waiting.pop_front() else {
                return Ok(None);
            };
            self.files += 1;
            self.open = Some(Open::new(path, self.files)?);
        }
        let turn = self.given;
        let part = self.open.as_mut().map(|open| open.part(turn, buffer));
        self.given += 1;
        Ok(part)
    }

    /// The part whose turn it is: all before it were looked at.
    pub(crate) fn turn(&self) -> u64 {
        self.done
    }

    /// Whether there are parts that were not looked at.
    pub(crate) fn is_read_by_others(&self) -> bool {
        self.given > self.done
    }

    /// Finds the records of a part whose turn it is; or gives its buffer back, where there are none.
    ///
    /// # Errors
    /// With the file that is no capture, in words.
    pub(crate) fn chunk(&mut self, part: Part) -> Result<Result<Chunk, Vec<u8>>, String> {
        self.done += 1;
        // What lies behind the end of a file is of no file.
        let Some(open) = self.open.as_mut().filter(|open| open.number == part.file) else {
            return Ok(Err(part.buffer));
        };
        let is_last = part.is_last();
        let mut bytes = Vec::new();
        let packets = open.find(part, &mut bytes)?;
        if is_last {
            self.close();
        }
        if packets.is_empty() {
            return Ok(Err(bytes));
        }
        let index = self.index;
        self.index += 1;
        Ok(Ok(Chunk {
            index,
            bytes,
            packets,
        }))
    }

    /// Notes what the open file said of itself.
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.said.push(FileSaid {
                packets: open.framer.packets(),
                complaints: open.framer.complaints().to_vec(),
                further_complaints: open.framer.further_complaints(),
                description: open.framer.description().clone(),
                path: open.path,
                broke: open.broke,
            });
        }
    }
}

impl Part {
    /// Reads what only one reads, or what all may read at once.
    pub(crate) fn read(&mut self) {
        if let Some((file, offset)) = self.from.take() {
            let read = |buffer: &mut [u8], filled: usize| file.read_at(buffer, offset + filled as u64);
            self.fill(read);
        }
    }

    /// Until there are as many bytes as are wanted, or no more come. What cannot be decompressed ends the file where it is.
    fn fill(&mut self, mut read: impl FnMut(&mut [u8], usize) -> io::Result<usize>) {
        let buffer = self.buffer.get_mut(self.place..self.place + self.wanted);
        let buffer = buffer.unwrap_or_default();
        while let Some(room) = buffer.get_mut(self.filled..).filter(|room| !room.is_empty()) {
            match read(room, self.filled) {
                Ok(0) => break,
                Ok(length) => self.filled += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.broke = Some(error.to_string());
                    break;
                }
            }
        }
    }

    /// Nothing comes behind it.
    fn is_last(&self) -> bool {
        self.filled < self.wanted
    }

    /// The buffer, and where in it the bytes begin and end, with others before them.
    fn behind(self, rest: &[u8]) -> (Vec<u8>, usize, usize) {
        let Self {
            mut buffer,
            place,
            filled,
            ..
        } = self;
        if let Some(start) = place.checked_sub(rest.len()) {
            if let Some(front) = buffer.get_mut(start..place) {
                front.copy_from_slice(rest);
            }
            return (buffer, start, place + filled);
        }
        let all = [rest, buffer.get(place..place + filled).unwrap_or_default()].concat();
        let end = all.len();
        (all, 0, end)
    }
}

impl Open {
    fn new(path: PathBuf, number: u64) -> Result<Self, String> {
        let source =
            Source::open(&path).map_err(|error| format!("{}: cannot read: {error}", intake::shown(&path)))?;
        let meter = Meter::new(&format!("reading {}", intake::shown(&path)), source.size_bytes);
        Ok(Self {
            number,
            path,
            source,
            given_bytes: 0,
            chunk_bytes: CHUNK_BYTES,
            framer: Framer::new(),
            meter,
            rest: Vec::new(),
            broke: None,
        })
    }

    /// The next part of it: as long as what is left of the one before, if that is long.
    fn part(&mut self, turn: u64, mut buffer: Vec<u8>) -> Part {
        let wanted = self.rest.len().max(self.chunk_bytes);
        // Only what was never used is cleared: to clear all for each part costs half as much as to read it.
        let least = LINE_BYTES + ROOM_BYTES + wanted;
        if buffer.len() < least {
            buffer = vec![0; least];
        }
        let place = ROOM_BYTES + buffer.as_ptr().align_offset(LINE_BYTES).min(LINE_BYTES);
        let plain = self.source.plain.as_ref();
        let mut part = Part {
            turn,
            file: self.number,
            from: plain.map(|file| (Arc::clone(file), self.given_bytes)),
            buffer,
            place,
            wanted,
            filled: 0,
            broke: None,
        };
        self.given_bytes += wanted as u64;
        if part.from.is_none() {
            part.fill(|room, _| self.source.read(room));
        }
        part
    }

    /// How much of it was read, as it lies on the disk.
    fn read_bytes(&self) -> u64 {
        match (&self.source.plain, self.source.size_bytes) {
            (Some(_), Some(size_bytes)) => self.given_bytes.min(size_bytes),
            _ => self.source.read_bytes(),
        }
    }

    /// Finds the packets of the next part, in its bytes behind those that were left. What is behind them in the buffer is of an
    /// earlier use.
    fn find(&mut self, mut part: Part, buffer: &mut Vec<u8>) -> Result<Vec<(usize, Packets)>, String> {
        let is_last = part.is_last();
        self.broke = part.broke.take();
        let (start, end);
        (*buffer, start, end) = part.behind(&self.rest);
        let (begin, bytes) = (start, buffer.get(..end).unwrap_or_default());
        let (mut start, mut found) = (begin, Vec::new());
        loop {
            let step = self
                .framer
                .advance(bytes.get(start..).unwrap_or_default(), is_last)
                .map_err(|error| format!("{}: {error}", intake::shown(&self.path)))?;
            if step.consumed == 0 {
                break;
            }
            if step.packets.count() > 0 {
                found.push((start, step.packets));
            }
            start += step.consumed;
        }
        let count: u64 = found.iter().map(|(_, packets)| packets.count()).sum();
        let is_long = (start - begin) as u64 >= count * LONG_RECORD_BYTES;
        self.chunk_bytes = if is_long { LONG_CHUNK_BYTES } else { CHUNK_BYTES };
        // What is left is less than a record, or than the framer looks ahead behind damage.
        self.rest.clear();
        self.rest
            .extend_from_slice(bytes.get(start..).unwrap_or_default());
        self.meter.reach(self.read_bytes());
        Ok(found)
    }
}
