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
#[derive(Debug)]
pub(super) struct Sender {
    pub(super) timeline: Timeline,
    pub(super) path: Path,
    round: Round,
    lag: Lag,
    /// The part of the round trip before the capture point, without queues, and how long the last segment waited in queues there.
    lag_ns: i64,
    waited_ms: u8,
    least_lag_ns: i64,
    pub(super) reaction_ns: i64,
    knows_lag: bool,
    pub(super) now: i64,
    /// When the last acknowledgement would have been answered, had nothing waited in a queue before the capture point.
    steady_now: i64,
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
        let before = setting.before_ns.unwrap_or(0).max(0);
        let lag_ns = if before < NO_LAG_NS { 0 } else { before };
        let mss = setting.mss_bytes.map_or(USUAL_MSS, u64::from).max(1);
        Self {
            timeline: Timeline::default(),
            path: Path::new(),
            round: Round::new(first, first, 0),
            lag: Lag::default(),
            lag_ns,
            waited_ms: 0,
            least_lag_ns: lag_ns / 2,
            reaction_ns: REACTION_NS.saturating_add(before / JITTER_PART),
            knows_lag: setting.before_ns.is_some(),
            now: first,
            steady_now: first,
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
            waits: Waits::default(),
            gap_acks: 0,
            covered_ns: 0,
            paced_ns: 0,
            gaps_ns: 0,
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
    #[inline(always)]
    pub(super) fn sent(&mut self, sent: &Sent, told: &mut Told) {
        if self.waited_ms != sent.waited_ms {
            self.waits(sent.waited_ms);
        }
        self.release(sent.time_ns, told);
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
        let is_short = sent.is_pushed && !bytes.is_multiple_of(self.full_segment(bytes, sent.is_pushed));
        let behind = now - self.last_send;
        if is_first {
            self.told_until = now;
            self.first_ns = now;
            self.round = Round::new(now, now, 0);
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
        // As a signed number: for others the processor has no instruction that makes a fraction of them.
        let flight_now = i64::try_from(self.flight).unwrap_or(i64::MAX);
        self.flight_sum += flight_now as f64 * time as f64;
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
            (self.flight_sum / time as f64) as u64
        } else {
            self.flight
        }
    }
}
