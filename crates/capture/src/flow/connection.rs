//! One connection: its two halves, its beginning and its end.

mod outcome;
mod phase;

use super::event::HalfEvent;
use super::followed::when;
use super::half::{Half, Step};
use super::handshake::Opening;
use super::spare::Spare;
use crate::{Flags, FlowKey, Segment, TooBig, Way};
use phase::Phase;

/// Who is told each event: connection, direction of the data, event, and the segment that it comes from.
pub(super) type Observer<'a> = dyn FnMut(&FlowKey, Way, &HalfEvent, &Segment) + 'a;

/// What a packet was to its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// One of many.
    GoesOn,
    /// The connection has ended with it.
    Ends,
}

/// State of a connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub key: FlowKey,
    pub tag: u32,
    /// Tells the connections that held one slot apart.
    pub serial: u32,
    last_ns: i64,
    first_ns: i64,
    previous_ns: i64,
    pub ended_ns: i64,
    /// Its number among those that linger.
    pub ended_as: u32,
    phase: Phase,
    is_watched: bool,
    /// It ended, and nobody wanted more than sums of it.
    is_refused: bool,
    /// These were told: what has come since came late.
    is_told: bool,
    /// It has ended, and was not concluded yet.
    pub is_ending: bool,
    /// Nothing of it asks for the long way; see [`Connection::take_usual`].
    pub is_usual: bool,
    clock_went_back: u32,
    /// Heap bytes that the table has counted for it.
    pub counted_bytes: u32,
    pub opening: Opening,
    pub halves: [Half; 2],
}

impl Connection {
    /// The first packet of a connection is yet to be taken.
    pub(super) fn new(key: FlowKey, segment: &Segment, tag: u32, serial: u32, is_watched: bool) -> Self {
        Self {
            key,
            tag,
            serial,
            last_ns: segment.time_ns,
            first_ns: segment.time_ns,
            previous_ns: segment.time_ns,
            ended_ns: 0,
            ended_as: 0,
            phase: Phase::Open,
            is_watched,
            is_refused: false,
            is_told: false,
            is_ending: false,
            is_usual: false,
            clock_went_back: 0,
            counted_bytes: 0,
            opening: Opening::default(),
            halves: [Half::default(), Half::default()],
        }
    }

    /// Begins with memory of those that have ended.
    pub(super) fn borrow(&mut self, spare: &mut Spare) {
        self.halves.iter_mut().for_each(|half| spare.lend(half));
    }

    /// Bytes that hang on it.
    #[inline]
    pub(super) fn heap_bytes(&self) -> u32 {
        let [up, down] = &self.halves;
        up.heap_bytes.saturating_add(down.heap_bytes)
    }

    /// The same, and as the table has counted it so far; from now on it has counted this.
    pub(super) fn count_heap(&mut self) -> (usize, usize) {
        let now = self.heap_bytes();
        let before = std::mem::replace(&mut self.counted_bytes, now);
        (now as usize, before as usize)
    }

    /// Takes a packet of it.
    #[inline]
    pub(super) fn take(&mut self, segment: &Segment, observer: &mut Observer<'_>) -> Taken {
        if self.take_usual::<{ when::LATER }>(segment) {
            Taken::GoesOn
        } else {
            self.take_any(segment, observer)
        }
    }

    /// As [`Connection::take`], for one of many packets that come one behind the other. Nobody observes it.
    #[inline]
    pub(super) fn take_of_run<const WHEN: u8>(&mut self, segment: &Segment) -> Taken {
        if self.take_usual::<WHEN>(segment) {
            Taken::GoesOn
        } else {
            self.take_any(segment, &mut |_, _, _, _| {})
        }
    }

    /// The long way, for any packet.
    #[inline(never)]
    pub(super) fn take_any(&mut self, segment: &Segment, observer: &mut Observer<'_>) -> Taken {
        self.note_time(segment.time_ns);
        let had_ended = self.has_ended();
        let Ok([own, other]) = self.halves.get_disjoint_mut(segment.way.both()) else {
            return Taken::GoesOn;
        };
        let flags = segment.flags;
        // Most segments carry none of these.
        let is_marked = flags.0 & (Flags::SYN.0 | Flags::FIN.0 | Flags::RST.0) != 0;
        if is_marked && flags.has(Flags::SYN) {
            self.opening.take_syn(segment, own, other);
        } else if self.opening.awaits_ack() {
            self.opening.take_ack(segment, own, other);
        }
        let is_copied_ack = flags.has(Flags::ACK) && other.is_copied_ack(segment);
        let told = Telling {
            key: &self.key,
            opening: &self.opening,
            segment,
            is_watched: self.is_watched,
        };
        match own.receive(segment) {
            Step::Nothing => {}
            Step::Next(start, length) => {
                let sent = own.send_next(segment, start, length);
                told.of(own, segment.way, HalfEvent::Sent(sent), observer);
            }
            Step::Unusual(start, length) => {
                if let Some(sent) = own.send_unusual(segment, start, length, other.rtt.min_ns()) {
                    told.of(own, segment.way, HalfEvent::Sent(sent), observer);
                }
            }
        }
        if is_copied_ack {
            own.rare().tally.duplicated += 1;
        }
        if flags.has(Flags::ACK) && !(is_marked && flags.has(Flags::RST)) && !is_copied_ack {
            other.await_echo(segment);
            if let Some(acked) = other.answer(segment) {
                told.of(other, segment.way.reversed(), HalfEvent::Acked(acked), observer);
            }
        }
        if own.fin_end != 0 || other.fin_end != 0 || is_marked || had_ended {
            self.end(segment);
        }
        self.is_usual = !self.is_watched
            && !self.opening.awaits_ack()
            && !self.has_ended()
            && self.halves.iter().all(|half| half.fin_end == 0);
        if !had_ended && self.has_ended() {
            Taken::Ends
        } else {
            Taken::GoesOn
        }
    }

    /// From now on its events are told.
    pub(super) fn watch(&mut self) {
        (self.is_watched, self.is_usual) = (true, false);
    }

    #[inline]
    pub(super) fn note_time(&mut self, time_ns: i64) {
        if time_ns < self.previous_ns {
            self.clock_went_back = self.clock_went_back.saturating_add(1);
            self.first_ns = self.first_ns.min(time_ns);
        }
        self.previous_ns = time_ns;
        self.last_ns = self.last_ns.max(time_ns);
    }

    /// A router refused one of its packets.
    pub(super) fn too_big(&mut self, message: &TooBig) {
        if let Some(half) = self.halves.get_mut(message.way.index()) {
            let tally = &mut half.rare().tally;
            tally.too_big_mtu_bytes = if tally.too_big == 0 {
                message.mtu_bytes
            } else {
                tally.too_big_mtu_bytes.min(message.mtu_bytes)
            };
            tally.too_big += 1;
            half.recount();
        }
    }
}

/// What an event is told with.
struct Telling<'a> {
    key: &'a FlowKey,
    opening: &'a Opening,
    segment: &'a Segment,
    is_watched: bool,
}

impl Telling<'_> {
    /// Tells an event of a half to whoever follows it. By value throughout, so that it lies nowhere in memory: reading small
    /// fields back just after they were written holds the processor up for longer than all else here.
    #[inline(always)]
    fn of(&self, half: &mut Half, way: Way, event: HalfEvent, observer: &mut Observer<'_>) {
        if self.is_watched {
            self.observed(way, event, observer);
        }
        // Acknowledgements before any data answer nothing.
        if matches!(event, HalfEvent::Sent(_)) || half.followed.has_begun() {
            half.follow::<{ when::LATER }>(event, || self.opening.setting(way));
        }
    }

    #[cold]
    fn observed(&self, way: Way, event: HalfEvent, observer: &mut Observer<'_>) {
        observer(self.key, way, &event, self.segment);
    }
}
