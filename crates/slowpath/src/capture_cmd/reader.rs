//! Captures in chunks of whole records, in their order.

use super::source::Source;
use crate::console::Meter;
use crate::intake;
use capture::file::{Complaint, Description, Framer, Packets};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// A chunk and the segments that are made of it stay in the second cache of a processor.
const CHUNK_BYTES: usize = 1 << 18;

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

struct Open {
    path: PathBuf,
    source: Source,
    framer: Framer,
    meter: Meter,
    /// Bytes behind the last whole record.
    rest: Vec<u8>,
    at_end: bool,
    broke: Option<String>,
}

/// Reads files one after the other, as one capture.
pub(crate) struct Reader<'a> {
    waiting: VecDeque<PathBuf>,
    open: Option<Open>,
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
        loop {
            if self.stop.load(Ordering::Relaxed) {
                self.close();
                self.waiting.clear();
            }
            if self.open.is_none() {
                let Some(path) = self.waiting.pop_front() else {
                    return Ok(None);
                };
                self.open = Some(Open::new(path)?);
            }
            let Some(open) = &mut self.open else { continue };
            let packets = open.fill(&mut buffer)?;
            let is_done = open.at_end && open.rest.is_empty();
            if is_done {
                self.close();
            }
            if !packets.is_empty() {
                let index = self.index;
                self.index += 1;
                return Ok(Some(Chunk {
                    index,
                    bytes: buffer,
                    packets,
                }));
            }
        }
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

impl Open {
    fn new(path: PathBuf) -> Result<Self, String> {
        let source =
            Source::open(&path).map_err(|error| format!("{}: cannot read: {error}", intake::shown(&path)))?;
        let meter = Meter::new(&format!("reading {}", intake::shown(&path)), source.size_bytes);
        Ok(Self {
            path,
            source,
            framer: Framer::new(),
            meter,
            rest: Vec::new(),
            at_end: false,
            broke: None,
        })
    }

    /// Puts the next bytes into `buffer` and finds the packets in them. What is behind these in the buffer is of an earlier use.
    fn fill(&mut self, buffer: &mut Vec<u8>) -> Result<Vec<(usize, Packets)>, String> {
        let begun = self.rest.len();
        let wanted = begun.max(CHUNK_BYTES);
        // Only what was never used is cleared: to clear all for each chunk costs half as much as to read it.
        let least = LINE_BYTES + (begun + 1).next_multiple_of(CHUNK_BYTES / 4) + wanted;
        if buffer.len() < least {
            *buffer = vec![0; least];
        }
        // What is left lies before a place where the kernel copies fast.
        let aligned = buffer.as_ptr().align_offset(LINE_BYTES).min(LINE_BYTES);
        let place = aligned + begun.next_multiple_of(LINE_BYTES);
        let mut start = place - begun;
        if let Some(front) = buffer.get_mut(start..place) {
            front.copy_from_slice(&self.rest);
        }
        let filled = self.read(buffer.get_mut(..place + wanted).unwrap_or_default(), place);
        let bytes = buffer.get(..filled).unwrap_or_default();
        let mut found = Vec::new();
        loop {
            let step = self
                .framer
                .advance(bytes.get(start..).unwrap_or_default(), self.at_end)
                .map_err(|error| format!("{}: {error}", intake::shown(&self.path)))?;
            if step.consumed == 0 {
                break;
            }
            if step.packets.count() > 0 {
                found.push((start, step.packets));
            }
            start += step.consumed;
        }
        // What is left is less than a record, or than the framer looks ahead behind damage.
        self.rest.clear();
        if !self.at_end {
            self.rest
                .extend_from_slice(bytes.get(start..).unwrap_or_default());
        }
        Ok(found)
    }

    /// Reads behind the first `filled` bytes until the buffer is full or no more come; says how many there are then. What cannot
    /// be decompressed ends the file where it is.
    fn read(&mut self, buffer: &mut [u8], mut filled: usize) -> usize {
        while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
            match self.source.read(room) {
                Ok(0) => {
                    self.at_end = true;
                    break;
                }
                Ok(length) => filled += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.broke = Some(error.to_string());
                    self.at_end = true;
                    break;
                }
            }
        }
        self.meter.reach(self.source.read_bytes());
        filled
    }
}
