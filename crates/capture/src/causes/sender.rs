//! What the sender waited for before each segment.
//!
//! Time is cut at the segments with new data. The gap before one has the reason that ended it:
//!
//! - The receiver's window was full until an acknowledgement moved its edge: the window. Segmentation offload makes senders wait
//!   for more than one segment (Linux: up to a third of the window, at most one burst), so "full" is by that much less.
//! - A retransmission ended it: the timer, or duplicates. That is recovery, until all is acknowledged that was on the way.
//! - An acknowledgement ended it, and those before it left no room that went unused: the congestion window, or a limit of the
//!   host that looks the same. The round trip decides which (`round.rs`).
//! - The last segment before it was pushed and not full: the send queue was empty then (a sender cuts a segment short only when
//!   it has no more, RFC 9293 section 3.8.6.2.1), so the program had written nothing more. The mark alone tells nothing: Linux
//!   pushes every burst. Unless acknowledgements as a rule end such gaps: then a write waited for room in the send buffer.
//!   Likewise the program, if all was acknowledged before, or acknowledgements had made room and the segment followed none.
//! - Short gaps and small bursts that follow no acknowledgement are pacing, and stand for the congestion window.
//!
//! Time within a burst goes with the gap that ends it. Gaps as short as a host's reaction to an acknowledgement
//! ([`REACTION_NS`]) are part of a burst.

use super::lag::{Held, Lag};
use super::round::{Path, Round, Units};
use super::spacing::Spacing;
use super::timeline::{Tag, Timeline};
use super::{Label, Setting};
use crate::flow::{Acked, RetransmissionCause, Sent, SentKind};

/// From an acknowledgement that passes a point at the sender to the data that it releases: coalesced interrupts take up to
/// 100 µs, a busy processor a little more.
const REACTION_NS: i64 = 120_000;
/// The path between point and sender delays by more than it did in the handshake: an eighth of it is taken for jitter.
const JITTER_PART: i64 = 8;
/// Shorter than this before the point, and the order of events is the sender's (see [`Lag`]).
const NO_LAG_NS: i64 = 100_000;
/// RFC 6298 section 2.4: no timer runs out, and after RFC 5681 section 4.1 no window is kept, for longer idle times than this.
const IDLE_NS: i64 = 1_000_000_000;
/// Pacing waits no longer between bursts of more than two segments: Linux and FreeBSD send a millisecond's worth at once, and
/// their timers are late by a few milliseconds at most.
const PACING_NS: i64 = 4_000_000;
/// A burst that lasts for so many round trips is a stream: a program's block may take one or two by itself.
const ENDLESS_ROUNDS: u32 = 4;
/// So many segments that are not pushed tell the size of a full one.
const FULL_SEGMENTS: u32 = 4;
/// A burst of segmentation offload, as large as IP allows without jumbograms.
const OFFLOAD_BYTES: u64 = 65_536;
/// A segment's payload where nothing tells: 1500 bytes less headers and time stamps.
const USUAL_MSS: u64 = 1448;

/// A pause that only the program explains.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pause {
    /// How long, nanoseconds.
    pub(super) pause_ns: i64,
    /// Bytes since the one before.
    pub(super) block_bytes: u64,
}

/// What the event told beyond the labels.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told {
    pub(super) pause: Option<Pause>,
    /// A round trip ended.
    pub(super) round: Option<RoundTold>,
}

impl Told {
    /// Most events tell nothing.
    #[inline]
    pub(super) fn is_something(&self) -> bool {
        self.pause.is_some() || self.round.is_some()
    }
}

/// What a round trip measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundTold {
    pub(super) start_ns: i64,
    pub(super) end_ns: i64,
    pub(super) queue_ns: Option<i64>,
    pub(super) is_queued: bool,
    /// Of a full congestion window.
    pub(super) window: Tag,
    pub(super) is_repair: bool,
    pub(super) is_timeout: bool,
    pub(super) is_window: bool,
    pub(super) is_other: bool,
    pub(super) max_flight: u64,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Sender {
    pub(super) timeline: Timeline,
    pub(super) path: Path,
    round: Round,
    lag: Lag,
    lag_ns: i64,
    least_lag_ns: i64,
    pub(super) reaction_ns: i64,
    knows_lag: bool,
    pub(super) now: i64,
    pub(super) first_ns: i64,
    pub(super) units: Units,
    pub(super) una: u64,
    pub(super) next: u64,
    pub(super) flight: u64,
    flight_at: i64,
    /// Flight after the last segment.
    stopped_with: u64,
    /// Flight times nanoseconds.
    flight_sum: f64,
    pub(super) max_flight: u64,
    edge: Option<u64>,
    window: u64,
    pub(super) windows_known: bool,
    last_send: i64,
    last_is_short: bool,
    /// The largest segment that was not pushed, and how many such there were.
    unpushed: (u64, u32),
    burst: u64,
    last_ack: i64,
    last_acked: u64,
    /// Room that acknowledgements made since the last segment, the last one's aside.
    room: u64,
    empty_since: Option<i64>,
    /// The receiver's window was full at least until then.
    closed_until: i64,
    /// Until when all time has a reason.
    told_until: i64,
    acked: u64,
    told_acked: u64,
    recovery_end: Option<u64>,
    block: u64,
    /// Of gaps after short segments, the part that acknowledgements ended, and the part that would have been by chance.
    answered_part: f32,
    chance_part: f32,
    /// Acknowledgements since the last segment.
    gap_acks: u32,
    /// Gaps that only pacing explains, and all that needed a reason.
    pub(super) paced_gaps: u32,
    pub(super) gaps: u32,
    pub(super) window_ns: i64,
    pub(super) busy_ns: i64,
    pub(super) spacing: Spacing,
    /// Round trips in a row that the sender never stopped.
    busy_rounds: u32,
}

impl Sender {
    pub(super) fn new(setting: &Setting, first: i64) -> Self {
        let before = setting.before_ns.unwrap_or(0).max(0);
        let lag_ns = if before < NO_LAG_NS { 0 } else { before };
        let mss = setting.mss_bytes.map_or(USUAL_MSS, u64::from).max(1);
        Self {
            timeline: Timeline::default(),
            path: Path::new(),
            round: Round::new(first, 0),
            lag: Lag::default(),
            lag_ns,
            least_lag_ns: lag_ns / 2,
            reaction_ns: REACTION_NS.saturating_add(before / JITTER_PART),
            knows_lag: setting.before_ns.is_some(),
            now: first,
            first_ns: first,
            units: Units { mss, largest: 0 },
            una: 0,
            next: 0,
            flight: 0,
            flight_at: first,
            stopped_with: 0,
            flight_sum: 0.0,
            max_flight: 0,
            edge: None,
            window: 0,
            windows_known: false,
            last_send: first,
            last_is_short: false,
            unpushed: (0, 0),
            burst: 0,
            last_ack: first,
            last_acked: 0,
            room: 0,
            empty_since: None,
            closed_until: i64::MIN,
            told_until: first,
            acked: 0,
            told_acked: 0,
            recovery_end: None,
            block: 0,
            answered_part: 0.0,
            chance_part: 0.0,
            gap_acks: 0,
            paced_gaps: 0,
            gaps: 0,
            window_ns: 0,
            busy_ns: 0,
            spacing: Spacing::default(),
            busy_rounds: 0,
        }
    }

    /// As new, in the memory that it has.
    pub(super) fn begin_again(&mut self, setting: &Setting, first: i64) {
        let (mut timeline, mut lag) = (std::mem::take(&mut self.timeline), std::mem::take(&mut self.lag));
        timeline.clear();
        lag.clear();
        *self = Self {
            timeline,
            lag,
            ..Self::new(setting, first)
        };
    }

    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        self.timeline.heap_bytes() + self.lag.heap_bytes() + self.spacing.heap_bytes()
    }

    /// Time never goes back, nor before 1970: differences cannot overflow.
    fn advance(&mut self, time: i64) -> i64 {
        self.now = self.now.max(time);
        self.now
    }

    /// A segment passed the capture point.
    pub(super) fn sent(&mut self, sent: &Sent, told: &mut Told) {
        self.release(sent.time_ns, told);
        let now = self.advance(sent.time_ns);
        match sent.kind {
            SentKind::New | SentKind::NewBehindGap => self.new_data(sent, now, told),
            SentKind::Retransmitted(cause) | SentKind::RetransmittedUpstream(cause) => {
                self.retransmitted(sent, cause, now);
            }
            SentKind::Overtaken | SentKind::Duplicated | SentKind::KeepAlive | SentKind::WindowProbe => {}
        }
    }

    /// The part of the round trip before the capture point is no longer than this.
    pub(super) fn shorten_lag(&mut self, before_ns: i64) {
        self.lag_ns = self.lag_ns.min(before_ns.max(self.least_lag_ns));
    }

    /// Nobody sends beyond the window: the acknowledgement that allows this has reached the sender, and is nearer than the
    /// handshake said.
    fn learn_lag(&mut self, end: u64, now: i64, told: &mut Told) {
        while self.edge.is_some_and(|edge| end > edge) {
            let Some(held) = self.lag.hurry() else { return };
            // Acknowledgements that the capture dropped would have it shorter than it can be.
            let took = now.saturating_sub(held.time).max(self.least_lag_ns);
            self.lag_ns = self.lag_ns.min(took);
            self.arrived(&held, told);
        }
    }

    fn new_data(&mut self, sent: &Sent, now: i64, told: &mut Told) {
        let bytes = sent.end.saturating_sub(sent.start);
        if self.edge.is_none() {
            self.edge = sent.window_edge;
            self.windows_known |= sent.window_edge.is_some();
        }
        if self.lag_ns > 0 {
            self.learn_lag(sent.end, now, told);
        }
        // Segments without a byte may come before: time that has a reason already keeps it.
        let is_first = self.next == 0 && self.told_until == self.first_ns;
        let behind = now - self.last_send;
        if is_first {
            self.told_until = now;
            self.first_ns = now;
            self.round = Round::new(now, 0);
        } else {
            self.gap(now, behind, told);
        }
        self.units.largest = self.units.largest.max(bytes);
        self.next = self.next.max(sent.end);
        let seen = sent.flight_bytes.saturating_add(self.lag.bytes());
        let flight = seen
            .min(self.next.saturating_sub(self.una).saturating_sub(bytes))
            .saturating_add(bytes);
        self.set_flight(flight, now);
        self.round.max_flight = self.round.max_flight.max(flight);
        self.stopped_with = flight;
        self.last_send = now;
        self.last_is_short =
            sent.is_pushed && !bytes.is_multiple_of(self.full_segment(bytes, sent.is_pushed));
        self.burst = self.burst.saturating_add(bytes);
        self.block = self.block.saturating_add(bytes);
        self.room = 0;
        self.last_acked = 0;
        self.gap_acks = 0;
        self.empty_since = None;
    }

    /// Payload of a full segment: that of the handshake, or less where the path takes less. What is not pushed is full.
    fn full_segment(&mut self, bytes: u64, is_pushed: bool) -> u64 {
        let mss = self.units.mss;
        if !is_pushed && bytes <= mss {
            self.unpushed = (self.unpushed.0.max(bytes), self.unpushed.1.saturating_add(1));
        }
        if self.unpushed.1 >= FULL_SEGMENTS {
            self.unpushed.0.max(1)
        } else {
            mss
        }
    }

    /// Gives a reason to the time before a segment with new data.
    fn gap(&mut self, now: i64, gap: i64, told: &mut Told) {
        if self.recovery_end.is_some() {
            self.tell(now, Tag::Is(Label::LossRecovery));
            self.round.is_repair = true;
            self.burst = 0;
            return;
        }
        let closed = self.closed_until >= self.last_send;
        if closed {
            let until = self.closed_until.min(now);
            self.window_ns = self.window_ns.saturating_add(until - self.told_until.min(until));
            self.tell(until, Tag::Is(Label::ReceiverWindow));
            self.round.is_other = true;
            self.round.is_window = true;
            // What comes from afar is late by more than its usual jitter at times, and a sender that had room for nothing
            // else has room now.
            if now - until <= self.reaction_ns.max(self.lag_ns / 2) {
                self.tell(now, Tag::Is(Label::ReceiverWindow));
                self.burst = 0;
                return;
            }
        }
        if !self.is_short_queue(gap) {
            return;
        }
        self.gaps = self.gaps.saturating_add(1);
        match self.reason(now, gap) {
            Tag::Is(Label::Application) => self.paused(now, told),
            tag => self.tell(now, tag),
        }
        self.burst = 0;
    }

    /// Whether a gap needs a reason of its own.
    fn is_short_queue(&self, gap: i64) -> bool {
        gap > self.reaction_ns || self.last_is_short
    }

    /// The program gave nothing until now.
    fn paused(&mut self, now: i64, told: &mut Told) {
        self.round.is_other = true;
        let pause_ns = now - self.last_send;
        told.pause = Some(Pause {
            pause_ns,
            block_bytes: std::mem::take(&mut self.block),
        });
        let empty = self.empty_since.unwrap_or(now);
        let idle = IDLE_NS.max(if self.path.base_rtt < i64::MAX / 4 {
            self.path.base_rtt.saturating_mul(3)
        } else {
            0
        });
        if now - empty > idle {
            self.tell(empty, Tag::Is(Label::Application));
            self.tell(now, Tag::Is(Label::Idle));
        } else {
            self.tell(now, Tag::Is(Label::Application));
        }
    }

    fn reason(&mut self, now: i64, gap: i64) -> Tag {
        let application = Tag::Is(Label::Application);
        let is_remote = self.lag_ns > 0 || !self.knows_lag;
        // From afar the flight looks empty too early when the way to the sender is longer for once.
        let play = if is_remote { self.lag_ns / 2 } else { 0 };
        let is_empty = self.empty_since.is_some_and(|since| now - since > play);
        if is_empty && self.last_is_short {
            return application;
        }
        // One that is about to arrive has arrived: the smallest delay is not each delay.
        let is_due =
            |passed_ns: i64| passed_ns.saturating_add(self.lag_ns) <= now.saturating_add(REACTION_NS);
        let follows = (self.last_acked > 0 && now - self.last_ack <= self.reaction_ns)
            || self.lag.next_ns().is_some_and(is_due);
        if self.last_is_short {
            let wakes = self.wakes(follows, gap);
            return if wakes && follows {
                Tag::Window
            } else {
                application
            };
        }
        if follows && self.answers(gap) {
            return Tag::Window;
        }
        let is_small = gap <= PACING_NS || self.burst <= 2 * self.units.mss;
        if is_small {
            self.paced_gaps += 1;
            return Tag::Window;
        }
        match is_remote {
            _ if is_empty && self.knows_lag => application,
            false => application,
            // Late by what the way may take longer; beyond that nobody knows.
            true if self.last_acked > 0 && self.knows_lag && now - self.last_ack <= play => Tag::Window,
            true => Tag::Is(Label::Unknown),
        }
    }

    /// Whether short segments are as a rule followed by more when an acknowledgement comes: then it is not the program that
    /// waited. A write that is larger than the room in the send buffer waits for acknowledgements, and what was written before
    /// ends with a short segment.
    fn wakes(&mut self, follows: bool, gap: i64) -> bool {
        let chance = self.reaction_ns.saturating_mul(i64::from(self.gap_acks)) as f32 / gap.max(1) as f32;
        self.answered_part += (f32::from(u8::from(follows)) - self.answered_part) / 8.0;
        self.chance_part += (chance.min(1.0) - self.chance_part) / 8.0;
        self.stopped_with > 4 * self.units.mss
            && self.answered_part > 0.6
            && self.answered_part > self.chance_part + 0.3
    }

    /// Whether the acknowledgements before the one that ended the gap left no room unused. A third of the window may go
    /// unused by segmentation offload, and a third of a send buffer until Linux wakes the program. Where acknowledgements are
    /// so dense that any segment follows one, only what the delaying of acknowledgements explains may.
    fn answers(&self, gap: i64) -> bool {
        let ceiling = self.round.max_flight.max(self.flight);
        // A sender that stopped with as much on the way as ever was at a limit.
        let was_full = self.stopped_with >= self.path.proven - self.path.proven / 8;
        let is_sparse = was_full || self.reaction_ns.saturating_mul(i64::from(self.gap_acks)) < gap / 2;
        let unused = ceiling / if is_sparse { 2 } else { 3 };
        self.room <= unused.max(2 * self.units.mss)
    }

    fn retransmitted(&mut self, sent: &Sent, cause: RetransmissionCause, now: i64) {
        let is_timer = matches!(
            cause,
            RetransmissionCause::Timeout | RetransmissionCause::TailProbe
        );
        let tag = if is_timer || self.recovery_end.is_some() {
            Tag::Is(Label::LossRecovery)
        } else {
            Tag::Window
        };
        self.tell(now, tag);
        self.round.is_repair = true;
        self.round.is_timeout |= cause == RetransmissionCause::Timeout;
        self.recovery_end = Some(self.next.max(sent.end));
        self.last_send = now;
        self.burst = 0;
        self.room = 0;
        self.last_is_short = false;
    }

    /// An acknowledgement passed the capture point.
    pub(super) fn acked(&mut self, acked: &Acked, told: &mut Told) {
        let held = Held {
            time: acked.time_ns.max(0),
            ack: acked.ack,
            acked: acked.newly_acked_bytes,
            arrived: acked.newly_arrived_bytes,
            edge: acked.window_bytes.map(|window| acked.ack.saturating_add(window)),
            rtt: acked
                .rtt_ns
                .filter(|&rtt| rtt >= 0)
                .map(|rtt| rtt.saturating_add(self.lag_ns)),
        };
        if self.lag_ns == 0 {
            self.arrived(&held, told);
        } else {
            self.release(acked.time_ns, told);
            self.lag.hold(held);
        }
    }

    fn release(&mut self, time: i64, told: &mut Told) {
        if self.lag_ns == 0 {
            return;
        }
        while let Some(held) = self.lag.passed(time.saturating_sub(self.lag_ns)) {
            self.arrived(&held, told);
        }
    }

    /// An acknowledgement reached the sender.
    fn arrived(&mut self, held: &Held, told: &mut Told) {
        let now = self.advance(held.time.saturating_add(self.lag_ns));
        if self.next == 0 {
            self.edge = held.edge.or(self.edge);
            self.windows_known |= held.edge.is_some();
            return;
        }
        if self.is_closed() {
            self.closed_until = now;
        }
        self.next = self.next.max(held.ack);
        self.una = self.una.max(held.ack);
        if held.ack == self.una
            && let Some(edge) = held.edge
        {
            self.window = edge.saturating_sub(held.ack);
            self.edge = Some(edge);
            self.windows_known = true;
        }
        let fresh = held.arrived;
        let flight = self.flight.saturating_sub(fresh).min(self.next - self.una);
        self.set_flight(flight, now);
        if flight == 0 && self.empty_since.is_none() {
            self.empty_since = Some(now);
        }
        if held.acked > 0 || held.arrived > 0 {
            self.room = self.room.saturating_add(self.last_acked);
            self.last_acked = fresh;
            self.last_ack = now;
            self.gap_acks = self.gap_acks.saturating_add(1);
            self.acked = self.acked.saturating_add(held.acked);
            self.round.acked = self.round.acked.saturating_add(fresh);
            self.round.acks = self.round.acks.saturating_add(1);
            self.spacing.acked(now, fresh, self.path.base_rtt);
        }
        if let Some(rtt) = held.rtt {
            self.round.min_rtt = self.round.min_rtt.min(rtt);
            self.path.base_rtt = self.path.base_rtt.min(rtt);
        }
        if let Some(end) = self.recovery_end {
            self.round.is_repair = true;
            if self.una >= end {
                self.tell(now, Tag::Is(Label::LossRecovery));
                self.recovery_end = None;
            }
        }
        if self.una >= self.round.end_seq || self.timeline.is_full() {
            self.end_round(now, told);
        }
    }

    /// The receiver's window leaves less room than the sender waits for.
    fn is_closed(&self) -> bool {
        let Some(edge) = self.edge else { return false };
        let is_offloaded = self.units.largest > self.units.mss || self.lag_ns > 0;
        let burst = if is_offloaded {
            self.units.largest.max(OFFLOAD_BYTES)
        } else {
            0
        };
        let need = self.units.mss.max(burst.min(self.window / 3));
        edge.saturating_sub(self.next) < need
    }

    fn end_round(&mut self, now: i64, told: &mut Told) {
        self.told_of_endless(now);
        let rate = self.round.rate(now);
        self.spacing.round(rate);
        self.path.is_paced = self.paced_gaps > self.gaps / 2;
        let verdict = self.path.judge(&self.round, now, self.units, self.spacing.rate());
        told.round = Some(RoundTold {
            start_ns: self.round.start,
            end_ns: now,
            queue_ns: self.path.queue_ns(&self.round),
            is_queued: verdict.is_queued,
            window: verdict.window,
            is_repair: self.round.is_repair,
            is_timeout: self.round.is_timeout,
            is_window: self.round.is_window,
            is_other: self.round.is_other,
            max_flight: self.round.max_flight,
        });
        let window = Tag::Is(Label::ReceiverWindow);
        self.timeline.close(|tag| match tag {
            Tag::Window => verdict.window,
            // A larger window would only queue.
            tag if tag == window && verdict.is_full => Tag::Is(Label::Bottleneck),
            tag => tag,
        });
        if let Some((since, tag)) = verdict.ceiling {
            self.settle_ceiling(since, tag);
        }
        self.round = Round::new(now, self.next.max(self.una.saturating_add(1)));
        self.round.is_repair = self.recovery_end.is_some();
        self.round.max_flight = self.flight;
    }

    /// A sender that does not stop has no gap that would tell; after some round trips whatever limits it is in these.
    fn told_of_endless(&mut self, now: i64) {
        let is_endless = self.told_until <= self.round.start && self.burst > 0;
        self.busy_rounds = if is_endless { self.busy_rounds + 1 } else { 0 };
        if self.busy_rounds >= ENDLESS_ROUNDS && self.last_send > self.told_until {
            self.tell(self.last_send.min(now), Tag::Window);
            // Told in this round trip, and the next may go on without a stop.
            self.busy_rounds -= 1;
        }
    }

    fn settle_ceiling(&mut self, since: i64, tag: Tag) {
        // Without the receiver's window nobody can say that it was not the ceiling; and a queue before the capture point is
        // not seen there, but makes a ceiling as well.
        let can_tell = self.windows_known && self.lag_ns == 0;
        let tag = if can_tell || tag != Tag::Is(Label::SendBuffer) {
            tag
        } else {
            Tag::Is(Label::Unknown)
        };
        self.timeline.relabel(since, i64::MAX, Tag::Ceiling, tag);
    }

    fn set_flight(&mut self, flight: u64, now: i64) {
        let time = now - self.flight_at;
        // As a signed number: for others the processor has no instruction that makes a fraction of them.
        let flight_now = i64::try_from(self.flight).unwrap_or(i64::MAX);
        self.flight_sum += flight_now as f64 * time as f64;
        if self.flight > 0 {
            self.busy_ns = self.busy_ns.saturating_add(time);
        }
        self.flight_at = now;
        self.flight = flight;
        self.max_flight = self.max_flight.max(flight);
    }

    /// All time until then has this reason.
    fn tell(&mut self, until: i64, tag: Tag) {
        if until < self.told_until {
            return;
        }
        let bytes = self.acked - self.told_acked;
        self.told_acked = self.acked;
        self.timeline.push(self.told_until, until, bytes, tag);
        self.told_until = until;
    }

    /// The capture or the connection ended.
    pub(super) fn finish(&mut self, end: i64, told: &mut Told) {
        while let Some(held) = self.lag.hurry() {
            self.arrived(&held, told);
        }
        if self.next == 0 {
            return;
        }
        if self.busy_rounds > 0 && self.recovery_end.is_none() {
            // A stream up to its end; what ends it is told below.
            self.tell(self.last_send, Tag::Window);
        }
        let is_done = self.flight == 0;
        let end = if is_done { self.now } else { self.advance(end) };
        let waits = end - self.last_send > self.reaction_ns;
        let tag = match (
            self.recovery_end.is_some(),
            self.closed_until >= self.last_send || self.is_closed(),
        ) {
            (true, _) => Tag::Is(Label::LossRecovery),
            (_, true) if !is_done => Tag::Is(Label::ReceiverWindow),
            // All was acknowledged, or room was made, and nothing followed: it was all.
            _ if is_done || self.last_is_short || (self.room > 0 && waits) => Tag::Is(Label::Application),
            _ => Tag::Window,
        };
        self.tell(end, tag);
        self.end_round(end, told);
        if let Some((since, tag)) = self.path.end_ceiling(self.units) {
            self.settle_ceiling(since, tag);
        }
    }

    /// Mean of the bytes on the way over time.
    pub(super) fn mean_flight(&self) -> u64 {
        let time = self.now - self.first_ns;
        if time > 0 {
            (self.flight_sum / time as f64) as u64
        } else {
            self.flight
        }
    }
}
