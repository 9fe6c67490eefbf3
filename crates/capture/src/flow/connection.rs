//! One connection: its two halves, its beginning and its end.

use super::brief::{Brief, Extent, Sink};
use super::ended::Lingering;
use super::event::HalfEvent;
use super::half::{Half, Step};
use super::handshake::Opening;
use super::report::{Ending, FlowReport};
use super::retired::Retired;
use super::spare::Spare;
use crate::causes::Labelling;
use crate::{Flags, FlowKey, Segment, TooBig, Way};

/// A SYN with another initial sequence number after so much silence is a new connection, whether or not the end of the old
/// one was captured. TIME-WAIT, before which no port is used again (RFC 9293 section 3.6.1), is 60 s on Linux; a system that
/// uses it again earlier (RFC 6191) does so after an end, which mostly was captured.
const REUSE_SILENCE_NS: i64 = 30_000_000_000;

/// A window of a reset that is taken for true while the receiver's window is not known.
const RESET_REACH: u64 = 1 << 20;

/// Who is told each event: connection, direction of the data, event, and the segment that it comes from.
pub(super) type Observer<'a> = dyn FnMut(&FlowKey, Way, &HalfEvent, &Segment) + 'a;

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    Closed,
    /// Reset by the sender of this way, when its peer had sent up to there.
    Reset(Way, u64),
}

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
    pub(super) fn new(segment: &Segment, tag: u32, serial: u32, is_watched: bool) -> Self {
        Self {
            key: segment.key,
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

    /// One that had no slot, of this number among those that linger.
    pub(super) fn revived(one: &Lingering, number: u32, serial: u32) -> Option<Self> {
        let kept = one.retired.as_ref()?;
        Some(Self {
            key: kept.key,
            tag: one.tag,
            serial,
            last_ns: kept.previous_ns,
            first_ns: kept.previous_ns,
            previous_ns: kept.previous_ns,
            ended_ns: one.ended_ns,
            ended_as: number,
            phase: Phase::Closed,
            is_watched: false,
            is_refused: true,
            is_told: true,
            is_ending: false,
            is_usual: false,
            clock_went_back: 0,
            counted_bytes: 0,
            opening: Opening::passed(kept.had_syn),
            halves: kept.halves.map(|half| half.revived()),
        })
    }

    /// What must be kept for late packets once all was told, where it is little.
    fn retired(&self) -> Option<Retired> {
        let [up, down] = &self.halves;
        Some(Retired {
            key: self.key,
            previous_ns: self.previous_ns,
            had_syn: [Way::Up, Way::Down].map(|way| self.opening.has_syn(way)),
            halves: [up.retired()?, down.retired()?],
        })
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

    /// Both sides have finished, or one has reset it.
    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        self.phase != Phase::Open
    }

    /// Whether a segment with SYN opens another connection between the same ports.
    pub(super) fn is_reused_by(&self, segment: &Segment) -> bool {
        let Some(own) = self.halves.get(segment.way.index()) else {
            return false;
        };
        if own.initial() == Some(segment.seq) {
            return false;
        }
        let silence_ns = segment.time_ns.saturating_sub(self.last_ns);
        if self.has_ended() || silence_ns >= REUSE_SILENCE_NS {
            return true;
        }
        if segment.flags.has(Flags::ACK) {
            return false;
        }
        // Nothing of it was answered: a new attempt. Or its beginning was not captured, and this is not it.
        let is_embryonic = self.opening.has_syn(segment.way) && !self.opening.is_answered();
        let begins_elsewhere =
            own.initial().is_none() && own.is_based && !own.is_start(segment.seq.wrapping_add(1));
        is_embryonic || begins_elsewhere
    }

    /// Takes a packet of it.
    #[inline]
    pub(super) fn take(&mut self, segment: &Segment, observer: &mut Observer<'_>) -> Taken {
        if self.take_usual::<false>(segment) {
            Taken::GoesOn
        } else {
            self.take_any(segment, observer)
        }
    }

    /// As [`Connection::take`], for one of many packets that come one behind the other. Nobody observes it.
    #[inline]
    pub(super) fn take_of_run(&mut self, segment: &Segment) -> Taken {
        if self.take_usual::<true>(segment) {
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
        let [up, down] = &mut self.halves;
        let (own, other) = if segment.way == Way::Up {
            (up, down)
        } else {
            (down, up)
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

    fn end(&mut self, segment: &Segment) {
        match self.phase {
            Phase::Open if segment.flags.has(Flags::RST) && self.is_reset_true(segment) => {
                let peer = self.halves.get(segment.way.reversed().index());
                self.phase = Phase::Reset(segment.way, peer.map_or(0, |half| half.top));
            }
            Phase::Open if self.halves.iter().all(Half::is_finished) => self.phase = Phase::Closed,
            // Who resets does not go on to acknowledge: somebody else had sent that reset, or it was not heeded.
            Phase::Reset(way, peer_top) if segment.way == way && !segment.flags.has(Flags::RST) => {
                let peer = self.halves.get(way.reversed().index());
                if peer.is_some_and(|half| half.una > peer_top) {
                    self.phase = Phase::Open;
                }
                return;
            }
            _ => return,
        }
        self.ended_ns = segment.time_ns;
    }

    /// A reset outside of the window is not heeded (RFC 9293 section 3.10.7.4), so it ends nothing.
    fn is_reset_true(&self, segment: &Segment) -> bool {
        let Some(own) = self.halves.get(segment.way.index()) else {
            return true;
        };
        if !own.is_based || !own.acks_pass {
            return true;
        }
        let place = own.place(segment.seq);
        let edge = own
            .window_edge()
            .unwrap_or(own.top.saturating_add(RESET_REACH))
            .max(own.top);
        place.saturating_add(1) >= own.una && place <= edge.saturating_add(1)
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

    /// Where both sides have finished, looks at what is kept of it while that is near: what comes later are copies of its last
    /// packets. Where it is not wanted whole, tells what sums over connections need; what is left then, if it is little, is
    /// returned, and the connection can go.
    pub(super) fn conclude(
        &mut self,
        sink: &mut dyn Sink,
        labelling: &mut Labelling,
        spare: &mut Spare,
    ) -> Option<Retired> {
        self.is_ending = false;
        let retired = self.sum_up(sink, labelling);
        for half in &mut self.halves {
            spare.collect(half);
            half.recount();
        }
        retired
    }

    fn sum_up(&mut self, sink: &mut dyn Sink, labelling: &mut Labelling) -> Option<Retired> {
        if self.phase != Phase::Closed {
            return None;
        }
        self.is_refused = !self.is_wanted(sink);
        if self.is_refused {
            return self.tell_sums(sink, labelling);
        }
        sink.expect(&self.extent());
        let (last_ns, opening) = (self.last_ns, &self.opening);
        for (half, way) in self.halves.iter_mut().zip([Way::Up, Way::Down]) {
            let known = half.known(|| opening.setting(way));
            half.followed.conclude(last_ns, &known);
        }
        None
    }

    /// Tells all that nobody wants more of, where what is left then is little.
    fn tell_sums(&mut self, sink: &mut dyn Sink, labelling: &mut Labelling) -> Option<Retired> {
        let retired = self.retired();
        if retired.is_some() {
            sink.brief(&self.brief(labelling));
        }
        let (last_ns, opening) = (self.last_ns, &self.opening);
        for (half, way) in self.halves.iter_mut().zip([Way::Up, Way::Down]) {
            let known = half.known(|| opening.setting(way));
            let followed = &mut half.followed;
            let label_bytes = retired
                .is_none()
                .then(|| followed.label_bytes(last_ns, &known, labelling));
            half.dismiss(label_bytes);
        }
        retired
    }

    /// Whether it is to be handed out whole.
    pub(super) fn is_wanted(&self, sink: &dyn Sink) -> bool {
        !self.is_refused && sink.wants(&self.extent())
    }

    fn extent(&self) -> Extent {
        let bytes = self.halves.iter().map(Half::unique_bytes);
        Extent {
            unique_bytes: bytes.fold(0, u64::saturating_add),
            first_ns: self.first_ns,
        }
    }

    /// What sums over connections need of it.
    pub(super) fn brief(&mut self, labelling: &mut Labelling) -> Brief {
        let mut brief = Brief {
            connections: u64::from(!self.is_told),
            clock_went_back: u64::from(self.clock_went_back),
            ..Brief::default()
        };
        let (last_ns, opening) = (self.last_ns, &self.opening);
        for (half, way) in self.halves.iter_mut().zip([Way::Up, Way::Down]) {
            half.sum_up(&mut brief, last_ns, || opening.setting(way), labelling);
        }
        brief
    }

    /// What is known of it.
    pub(super) fn report(&mut self, is_evicted: bool) -> FlowReport {
        let has_finished = self.halves.iter().all(|half| half.fin_end != 0);
        let ending = match self.phase {
            Phase::Reset(..) => Ending::Reset,
            Phase::Closed => Ending::Closed,
            Phase::Open if has_finished => Ending::Closed,
            Phase::Open if is_evicted => Ending::Evicted,
            Phase::Open => Ending::Open,
        };
        let last_ns = self.last_ns;
        let (opening, [up, down]) = (&self.opening, &mut self.halves);
        FlowReport {
            key: self.key,
            first_ns: self.first_ns,
            last_ns,
            opened: self.opening.opened,
            handshake: self.opening.report(),
            ending,
            halves: [
                up.report(last_ns, || opening.setting(Way::Up)),
                down.report(last_ns, || opening.setting(Way::Down)),
            ],
            clock_went_back: u64::from(self.clock_went_back),
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
            half.follow::<false>(event, || self.opening.setting(way));
        }
    }

    #[cold]
    fn observed(&self, way: Way, event: HalfEvent, observer: &mut Observer<'_>) {
        observer(self.key, way, &event, self.segment);
    }
}

impl Half {
    /// Its FIN was acknowledged.
    fn is_finished(&self) -> bool {
        self.fin_end != 0 && self.una >= self.fin_end
    }
}
