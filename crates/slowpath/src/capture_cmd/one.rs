//! One connection, looked at a second time: for its picture, and for the comparison of several captures.

use super::engine::Job;
use super::reader::{Chunk, Reader};
use crate::intake;
use capture::decode::{Decoder, Defragmenter, Packet};
use capture::flow::{FlowReport, HalfEvent, Limits, Table};
use capture::picture::{self, MarkKind, Picture, Recorder, Summary};
use capture::{Flags, FlowKey, Segment, TooBig, Way};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Fragmented packets that wait for their rest: more than that in flight of one connection is an attack.
pub(super) const MOST_FRAGMENTED: usize = 4_096;

/// What may be told of one connection.
pub(super) enum Seen {
    Segment(Segment),
    TooBig(TooBig),
}

/// The packets of some connections in the order of their capture.
pub(super) struct Packets<'a> {
    reader: Reader<'a>,
    decoder: Decoder,
    defragmenter: Defragmenter,
    wanted: &'a dyn Fn(&FlowKey) -> bool,
    ready: VecDeque<Seen>,
    spare: Vec<u8>,
    /// First and last packet of the capture, whoever's.
    pub(super) span_ns: Option<(i64, i64)>,
    is_done: bool,
}

impl<'a> Packets<'a> {
    pub(super) fn new(
        paths: &[PathBuf],
        seed: u64,
        wanted: &'a dyn Fn(&FlowKey) -> bool,
        stop: &'a AtomicBool,
    ) -> Self {
        Self {
            reader: Reader::new(paths, stop),
            decoder: Decoder::new(seed),
            defragmenter: Defragmenter::new(MOST_FRAGMENTED),
            wanted,
            ready: VecDeque::new(),
            spare: Vec::new(),
            span_ns: None,
            is_done: false,
        }
    }

    /// The next packet that is wanted; `None` behind the last.
    ///
    /// # Errors
    /// In words, when a file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<Seen>, String> {
        loop {
            if let Some(seen) = self.ready.pop_front() {
                return Ok(Some(seen));
            }
            if self.is_done {
                return Ok(None);
            }
            match self.reader.next(std::mem::take(&mut self.spare))? {
                Some(chunk) => {
                    self.decode(&chunk);
                    self.spare = chunk.bytes;
                }
                None => {
                    self.is_done = true;
                    let (wanted, ready) = (self.wanted, &mut self.ready);
                    self.defragmenter.finish(&mut |whole| keep(wanted, ready, whole));
                }
            }
        }
    }

    fn decode(&mut self, chunk: &Chunk) {
        let (wanted, ready) = (self.wanted, &mut self.ready);
        for (start, packets) in &chunk.packets {
            let bytes = chunk.bytes.get(*start..).unwrap_or_default();
            for frame in packets.frames(bytes) {
                let (first, last) = self.span_ns.unwrap_or((frame.time_ns, frame.time_ns));
                self.span_ns = Some((first.min(frame.time_ns), last.max(frame.time_ns)));
                match self.decoder.decode(&frame) {
                    Packet::Tcp(segment) => keep(wanted, ready, segment),
                    Packet::TooBig(told) if wanted(&told.key) => ready.push_back(Seen::TooBig(told)),
                    Packet::Fragment(fragment) => self
                        .defragmenter
                        .feed(&fragment, &mut |whole| keep(wanted, ready, whole)),
                    Packet::TooBig(_) | Packet::Other(_) => {}
                }
            }
        }
    }
}

fn keep(wanted: &dyn Fn(&FlowKey) -> bool, ready: &mut VecDeque<Seen>, segment: Segment) {
    if wanted(&segment.key) {
        ready.push_back(Seen::Segment(segment));
    }
}

/// The picture of one direction of a connection.
///
/// # Errors
/// In words, when a file cannot be read again.
pub(super) fn picture(job: &Job<'_>, flow: &FlowReport, way: Way) -> Result<Picture, String> {
    let wanted = |key: &FlowKey| *key == flow.key;
    let mut packets = Packets::new(job.paths, job.seed, &wanted, job.stop);
    let mut table = Table::new(Limits {
        memory_bytes: job.memory_bytes,
        ..Limits::default()
    });
    table.watch_all();
    let mut recorder = Recorder::new(picture::Limits::default());
    while let Some(seen) = packets.next()? {
        match seen {
            // A later connection of the same ports is another one.
            Seen::Segment(segment) if (flow.first_ns..=flow.last_ns).contains(&segment.time_ns) => {
                table.take_observed(&segment, &mut |_| {}, &mut |_, of, event, segment| {
                    if of == way {
                        recorder.take(event, &sack_offsets(event, segment));
                        mark_flags(&mut recorder, event, segment);
                    }
                });
            }
            Seen::TooBig(told) if told.way == way => recorder.mark(told.time_ns, MarkKind::TooBig, 0, 0),
            Seen::Segment(_) | Seen::TooBig(_) => {}
        }
    }
    let names: Vec<String> = job.paths.iter().map(|path| intake::shown(path)).collect();
    Ok(recorder.finish(Summary {
        capture: words::first_few(&names, 2),
        sender: flow.key.sender(way),
        receiver: flow.key.receiver(way),
        half: flow.halves[way.index()].clone(),
    }))
}

/// The SACK blocks of an acknowledgement, counted as its event counts.
fn sack_offsets(event: &HalfEvent, segment: &Segment) -> Vec<(u64, u64)> {
    let HalfEvent::Acked(acked) = event else {
        return Vec::new();
    };
    // Blocks lie within half of the sequence space of the acknowledgement (RFC 2018, RFC 9293 section 3.4).
    let offset = |number: u32| {
        let distance = i64::from(number.wrapping_sub(segment.ack) as i32);
        acked.ack.saturating_add_signed(distance)
    };
    let blocks = segment.sack().iter();
    blocks.map(|(from, to)| (offset(*from), offset(*to))).collect()
}

fn mark_flags(recorder: &mut Recorder, event: &HalfEvent, segment: &Segment) {
    if let HalfEvent::Sent(sent) = event
        && segment.flags.has(Flags::FIN)
    {
        recorder.mark(sent.time_ns, MarkKind::Fin, sent.end, sent.end);
    }
}
