//! What the sender waited for before each segment.
//!
//! Time is cut at the segments with new data. The gap before one has the reason that ended it (`gap`); acknowledgements
//! move the windows (`answers`), and a round trip decides what stood behind a full one (`rounds`).
//!
//! Time within a burst goes with the gap that ends it. Gaps as short as a host's reaction to an acknowledgement
//! ([`REACTION_NS`]) are part of a burst.

mod answers;
mod gap;
mod rounds;
mod waits;

use super::lag::Lag;
use super::round::{Path, Round, Units};
use super::spacing::Spacing;
use super::timeline::{Tag, Timeline};
use super::told::Told;
use super::{Label, Setting};
use crate::flow::{RetransmissionCause, Sent, SentKind};
use waits::Waits;

/// From an acknowledgement that passes a point at the sender to the data that it releases: coalesced interrupts take up to
/// 100 µs, a busy processor a little more.
const REACTION_NS: i64 = 120_000;
/// The path between point and sender delays by more than it did in the handshake: an eighth of it is taken for jitter.
const JITTER_PART: i64 = 8;
/// Shorter than this before the point, and the order of events is the sender's (see [`Lag`]).
const NO_LAG_NS: i64 = 100_000;
/// So many segments that are not pushed tell the size of a full one.
const FULL_SEGMENTS: u32 = 4;
/// A segment's payload where nothing tells: 1500 bytes less headers and time stamps.
const USUAL_MSS: u64 = 1448;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Sender {
    pub(super) timeline: Timeline,
    pub(super) path: Path,
    round: Round,
    lag: Lag,
    /// The part of the round trip before the capture point, without queues; how long the last segment waited in queues there; and
    /// both together.
    lag_ns: i64,
    waited_ms: u8,
    lag_now_ns: i64,
    least_lag_ns: i64,
    pub(super) reaction_ns: i64,
    knows_lag: bool,
    pub(super) now: i64,
    /// When the last acknowledgement passed the capture point: intervals between such times are those of acknowledgements, whatever a
    /// queue before that point did meanwhile.
    heard: i64,
    pub(super) first_ns: i64,
    pub(super) units: Units,
    pub(super) una: u64,
    pub(super) next: u64,
    pub(super) flight: u64,
    flight_at: i64,
    /// Flight after the last segment.
    stopped_with: u64,
    /// Flight times nanoseconds.
    flight_sum: u128,
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
    waits: Waits,
    /// Acknowledgements since the last segment, and the time shortly behind them, but for the last.
    gap_acks: u32,
    covered_ns: i64,
    /// Time of gaps that only pacing explains, and of all that needed a reason.
    paced_ns: i64,
    gaps_ns: i64,
    pub(super) window_ns: i64,
    pub(super) busy_ns: i64,
    pub(super) spacing: Spacing,
    /// Round trips in a row that the sender never stopped.
    busy_rounds: u32,
}

impl Sender {
    pub(super) fn new(setting: &Setting, first: i64) -> Self {
        let mut new = Self::default();
        new.begin(setting, first);
        new
    }

    /// As new, in the memory that it has: to build another and move it here costs short connections more than what they are asked.
    pub(super) fn begin(&mut self, setting: &Setting, first: i64) {
        let before = setting.before_ns.unwrap_or(0).max(0);
        let near_or_far = if before < NO_LAG_NS { 0 } else { before };
        let Self {
            timeline,
            path,
            round,
            lag,
            lag_ns,
            waited_ms,
            lag_now_ns,
            least_lag_ns,
            reaction_ns,
            knows_lag,
            now,
            heard,
            first_ns,
            units,
            una,
            next,
            flight,
            flight_at,
            stopped_with,
            flight_sum,
            max_flight,
            edge,
            window,
            windows_known,
            last_send,
            last_is_short,
            unpushed,
            burst,
            last_ack,
            last_acked,
            room,
            empty_since,
            closed_until,
            told_until,
            acked,
            told_acked,
            recovery_end,
            block,
            waits,
            gap_acks,
            covered_ns,
            paced_ns,
            gaps_ns,
            window_ns,
            busy_ns,
            spacing,
            busy_rounds,
        } = self;
        timeline.clear();
        lag.clear();
        spacing.clear();
        *path = Path::new();
        *round = Round::new(first, first.saturating_sub(near_or_far), 0);
        *units = Units {
            mss: setting.mss_bytes.map_or(USUAL_MSS, u64::from).max(1),
            largest: 0,
        };
        *waits = Waits::default();
        (*lag_ns, *least_lag_ns, *lag_now_ns, *waited_ms) = (near_or_far, near_or_far / 2, near_or_far, 0);
        *knows_lag = setting.before_ns.is_some();
        *reaction_ns = REACTION_NS.saturating_add(before / JITTER_PART);
        for time in [now, heard, first_ns, flight_at, last_send, last_ack, told_until] {
            *time = first;
        }
        *closed_until = i64::MIN;
        for bytes in [
            una,
            next,
            flight,
            stopped_with,
            max_flight,
            window,
            burst,
            last_acked,
            room,
            acked,
            told_acked,
            block,
        ] {
            *bytes = 0;
        }
        *flight_sum = 0;
        for time in [covered_ns, paced_ns, gaps_ns, window_ns, busy_ns] {
            *time = 0;
        }
        (*gap_acks, *busy_rounds, *unpushed) = (0, 0, (0, 0));
        (*edge, *empty_since, *recovery_end) = (None, None, None);
        (*windows_known, *last_is_short) = (false, false);
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
    #[inline(always)]
    pub(super) fn sent(&mut self, sent: &Sent, told: &mut Told) {
        if self.lag_ns > 0 {
            if self.waited_ms != sent.waited_ms {
                self.waits(sent.waited_ms);
            }
            self.release(sent.time_ns, told);
        }
        let now = self.advance(sent.time_ns);
        match sent.kind {
            SentKind::New | SentKind::NewBehindGap => self.new_data(sent, now, told),
            SentKind::Retransmitted(cause) | SentKind::RetransmittedUpstream(cause) => {
                self.retransmitted(sent.end, cause, now);
            }
            SentKind::Overtaken | SentKind::Duplicated | SentKind::KeepAlive | SentKind::WindowProbe => {}
        }
    }

    #[inline(always)]
    fn new_data(&mut self, sent: &Sent, now: i64, told: &mut Told) {
        let bytes = sent.end.saturating_sub(sent.start);
        if self.edge.is_none() {
            self.edge = sent.window_edge;
            self.windows_known |= sent.window_edge.is_some();
        }
        if self.lag_ns > 0 && self.edge.is_some_and(|edge| sent.end > edge) {
            self.learn_lag(sent.end, now, told);
        }
        // Segments without a byte may come before: time that has a reason already keeps it.
        let is_first = self.next == 0 && self.told_until == self.first_ns;
        if !sent.is_pushed {
            self.learn_full_segment(bytes);
        }
        let is_short = sent.is_pushed && !bytes.is_multiple_of(self.full_segment());
        let behind = now - self.last_send;
        if is_first {
            self.told_until = now;
            self.first_ns = now;
            self.round = Round::new(now, now.saturating_sub(self.lag_now_ns), 0);
        } else {
            self.gap(now, behind, is_short, told);
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
        self.last_is_short = is_short;
        // No capture has as many packets as it takes for a sum of their bytes to overflow.
        self.burst = self.burst.wrapping_add(bytes);
        self.block = self.block.wrapping_add(bytes);
        self.room = 0;
        self.last_acked = 0;
        self.gap_acks = 0;
        self.covered_ns = 0;
        self.empty_since = None;
    }

    /// What is not pushed is full, however much less than a segment may have the path takes.
    #[inline(always)]
    fn learn_full_segment(&mut self, bytes: u64) {
        let (largest, count) = self.unpushed;
        if (bytes > largest || count < FULL_SEGMENTS) && bytes <= self.units.mss {
            self.unpushed = (largest.max(bytes), count.saturating_add(1));
        }
    }

    /// Payload of a full segment: that of the handshake, or less where the path takes less.
    fn full_segment(&self) -> u64 {
        match self.unpushed {
            (largest, FULL_SEGMENTS..) => largest.max(1),
            _ => self.units.mss,
        }
    }

    #[inline(never)]
    fn retransmitted(&mut self, end: u64, cause: RetransmissionCause, now: i64) {
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
        self.recovery_end = Some(self.next.max(end));
        self.last_send = now;
        self.burst = 0;
        self.room = 0;
        self.last_is_short = false;
    }

    #[inline(always)]
    fn set_flight(&mut self, flight: u64, now: i64) {
        let time = now - self.flight_at;
        self.flight_sum += u128::from(self.flight) * u128::from(time.unsigned_abs());
        if self.flight > 0 {
            // To saturate takes four times as many instructions.
            self.busy_ns = self.busy_ns.checked_add(time).unwrap_or(i64::MAX);
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

    /// Mean of the bytes on the way over time.
    pub(super) fn mean_flight(&self) -> u64 {
        let time = self.now - self.first_ns;
        if time > 0 {
            (self.flight_sum as f64 / time as f64) as u64
        } else {
            self.flight
        }
    }
}
