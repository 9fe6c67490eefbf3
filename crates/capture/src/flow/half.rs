//! One half of a connection: its data one way, and the acknowledgements that answer them.

mod clock;
mod echo;
mod passed;

use super::event::HalfEvent;
use super::flight::Flight;
use super::followed::{Followed, Known, when};
use super::rtt::Rtt;
use super::tally::Rare;
use crate::Segment;
use crate::causes::{LabelBytes, Setting};
use echo::Echo;
pub(super) use passed::{Step, transmission};

/// Where counting starts: far enough above zero that a sequence number before the first one seen has a place, too.
pub(super) const ORIGIN: u64 = 1 << 32;

/// No window reaches farther (RFC 7323: 65,535 << 14), so neither does any honest segment.
const MAX_WINDOW: u64 = 1 << 30;

/// The scale of the window is not known.
pub(super) const UNKNOWN_SCALE: u8 = u8::MAX;

/// State of a half. Sequence numbers are unwrapped and lie around [`ORIGIN`]: each packet moves them by 2^31 at most, so no capture
/// has as many packets as it takes for a sum of them to overflow.
#[derive(Debug)]
pub(super) struct Half {
    /// The end of the contiguous part.
    pub next: u64,
    /// The byte behind the highest that passed.
    pub top: u64,
    /// The highest acknowledgement; [`ORIGIN`] before the first.
    pub una: u64,
    pub packets: u64,
    pub data_packets: u64,
    pub payload_bytes: u64,
    pub acks: u64,
    /// Newest packet with data, nanoseconds.
    pub last_data_ns: i64,
    /// Newest acknowledgement.
    pub last_ack_ns: i64,
    pub first_data_ns: i64,
    pub flight: Flight,
    pub rtt: Rtt,
    /// The round trip on the near side.
    pub echo: Echo,
    pub rare: Option<Box<Rare>>,
    pub followed: Followed,
    /// The byte behind the FIN; 0 without.
    pub fin_end: u64,
    /// The sequence number at [`ORIGIN`].
    base: u32,
    /// The receiver's window, bytes; unscaled while the scale is unknown.
    pub window: u32,
    pub window_range: (u32, u32),
    pub largest_payload: u32,
    pub largest_flight: u32,
    /// Bytes that hang on this half.
    pub heap_bytes: u32,
    /// Time stamp of the newest data, and of the newest acknowledgement.
    pub tsval: u32,
    pub ack_tsval: u32,
    pub ip_id: u16,
    pub ack_ip_id: u16,
    /// Duplicate acknowledgements at `una`.
    pub duplicates: u16,
    /// The receiver's segment size; 0 while unknown.
    pub mss_bytes: u16,
    pub raw_window: u16,
    pub scale: u8,
    /// How many segments in a row had IP identifications that count up; see [`Half::ids_count_up`].
    pub ids_in_order: u8,
    pub is_based: bool,
    /// The SYN was captured: nothing lies below [`ORIGIN`].
    pub has_beginning: bool,
    /// Acknowledgements pass here.
    pub acks_pass: bool,
    /// A SYN without SACK: neither side uses it.
    pub lacks_sack: bool,
}

impl Default for Half {
    fn default() -> Self {
        Self {
            next: ORIGIN,
            top: ORIGIN,
            una: ORIGIN,
            packets: 0,
            data_packets: 0,
            payload_bytes: 0,
            acks: 0,
            last_data_ns: 0,
            last_ack_ns: 0,
            first_data_ns: 0,
            flight: Flight::default(),
            rtt: Rtt::default(),
            echo: Echo::default(),
            rare: None,
            followed: Followed::default(),
            fin_end: 0,
            base: 0,
            window: 0,
            window_range: (u32::MAX, 0),
            largest_payload: 0,
            largest_flight: 0,
            heap_bytes: 0,
            tsval: 0,
            ack_tsval: 0,
            ip_id: 0,
            ack_ip_id: 0,
            duplicates: 0,
            mss_bytes: 0,
            raw_window: 0,
            scale: UNKNOWN_SCALE,
            ids_in_order: 0,
            is_based: false,
            has_beginning: false,
            acks_pass: false,
            lacks_sack: false,
        }
    }
}

impl Half {
    /// The first byte has this sequence number.
    pub(super) fn set_base(&mut self, seq: u32, has_beginning: bool) {
        self.base = seq;
        self.is_based = true;
        self.has_beginning = has_beginning;
    }

    /// The sequence number of the first byte.
    pub(super) fn base(&self) -> u32 {
        self.base
    }

    /// The initial sequence number, where it was captured.
    pub(super) fn initial(&self) -> Option<u32> {
        self.has_beginning.then(|| self.base.wrapping_sub(1))
    }

    /// The place of a sequence number: the one next to the highest byte that passed.
    #[inline(always)]
    pub(super) fn place(&self, seq: u32) -> u64 {
        let distance = seq.wrapping_sub(self.top_seq()) as i32;
        // Never below zero: `top` is at least ORIGIN - 2^31.
        self.top.wrapping_add_signed(i64::from(distance))
    }

    /// The sequence number behind the highest byte that passed.
    #[inline(always)]
    pub(super) fn top_seq(&self) -> u32 {
        self.base.wrapping_add(self.top.wrapping_sub(ORIGIN) as u32)
    }

    /// Whether a place is nearer to the others than any window reaches.
    pub(super) fn is_near(&self, place: u64) -> bool {
        place <= self.top.saturating_add(MAX_WINDOW)
            && place.saturating_add(MAX_WINDOW) >= self.next.min(self.una)
    }

    /// Whether this sequence number is that of the first byte, as far as can be told of a half whose first segments may have
    /// been captured in another order.
    pub(super) fn is_start(&self, first_seq: u32) -> bool {
        self.is_based && self.base == first_seq
    }

    /// A SYN passed again.
    #[cold]
    pub(super) fn count_repeated_syn(&mut self) {
        self.rare().tally.retransmitted_packets += 1;
        self.recount();
    }

    /// As events count: from the first byte.
    #[inline]
    pub(super) fn counted(place: u64) -> u64 {
        place.saturating_sub(ORIGIN)
    }

    /// Bytes on the way, as this point knows.
    #[inline(always)]
    pub(super) fn flight_bytes(&self) -> u64 {
        let outstanding = self.top.saturating_sub(self.una);
        match &self.rare {
            None => outstanding,
            Some(rare) => {
                let holes = (self.top - self.next).saturating_sub(rare.islands.bytes());
                outstanding
                    .saturating_sub(rare.sacked.bytes())
                    .saturating_sub(holes)
            }
        }
    }

    /// The byte behind the last that the window allows.
    #[inline(always)]
    pub(super) fn window_edge(&self) -> Option<u64> {
        // Without a branch: it is seldom asked for, and is then reckoned only where it is.
        let is_known = self.acks_pass & ((self.scale != UNKNOWN_SCALE) | (self.raw_window == 0));
        is_known.then_some(self.una + u64::from(self.window))
    }

    /// The receiver's window is closed.
    #[inline]
    pub(super) fn is_closed(&self) -> bool {
        self.acks_pass && self.raw_window == 0
    }

    /// The unusual part, made when first needed.
    pub(super) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Whether the IP identifications of this sender count up, as a counter of each connection or of the host does: then they
    /// tell what was sent first. Eight in a row do so by chance (steps of 1 to 64 of 65,536) once in 10^24.
    pub(super) fn ids_count_up(&self) -> bool {
        self.ids_in_order >= 8
    }

    /// So many packets of the segment size: what was captured above segmentation offload was cut later. Where the segment
    /// size is unknown, nothing larger than a jumbo frame passes a network.
    pub(super) fn packets_in(&self, payload_bytes: u32) -> u32 {
        if payload_bytes <= self.segment_limit() {
            return 1;
        }
        let usual = if self.mss_bytes > 0 {
            u32::from(self.mss_bytes)
        } else {
            1460
        };
        payload_bytes.div_ceil(usual.max(1))
    }

    /// The largest payload that one packet can have.
    #[inline]
    pub(super) fn segment_limit(&self) -> u32 {
        const JUMBO: u32 = 9216;
        if self.mss_bytes > 0 {
            u32::from(self.mss_bytes)
        } else {
            JUMBO
        }
    }

    /// The connection has ended, and nobody wants it whole: of what comes late only packets and losses count.
    pub(super) fn dismiss(&mut self, label_bytes: Option<LabelBytes>) {
        self.followed.dismiss(label_bytes);
        self.rtt.dismiss();
    }

    /// Recounts what hangs on this half, after something may have grown.
    pub(super) fn recount(&mut self) {
        let rare = self.rare.as_ref().map_or(0, |rare| rare.heap_bytes());
        let sum = self.flight.heap_bytes()
            + self.rtt.heap_bytes()
            + rare
            + self.followed.heap_bytes()
            + self.echo.heap_bytes();
        self.heap_bytes = u32::try_from(sum).unwrap_or(u32::MAX);
    }

    /// Has an event followed, at once or when there are more of them. `setting` is what the handshake told.
    #[inline(always)]
    pub(super) fn follow<const WHEN: u8>(&mut self, event: HalfEvent, setting: impl Fn() -> Setting) {
        let echo = &self.echo;
        let known = || Known {
            setting,
            before_ns: echo.before_ns(),
        };
        let grows = match WHEN {
            when::AT_ONCE => self.followed.note_at_once(event, known),
            when::ASIDE => self.followed.note_aside(event, known),
            _ => self.followed.note(event, known),
        };
        if grows {
            self.recount();
        }
    }

    /// What is known beside the events.
    #[inline]
    pub(super) fn known<S: Fn() -> Setting>(&self, setting: S) -> Known<S> {
        Known {
            setting,
            before_ns: self.echo.before_ns(),
        }
    }

    /// The smallest round trip on the sender's side.
    pub(super) fn before_ns(&self) -> Option<i64> {
        self.echo.before_ns()
    }

    /// A sample of the round trip on the sender's side.
    pub(super) fn shorten_before(&mut self, sample_ns: u32) {
        self.echo.shorten(sample_ns);
    }

    /// Notes a packet of the receiver, of which the sender's answer will be timed.
    #[inline(always)]
    pub(super) fn await_echo(&mut self, segment: &Segment) {
        self.echo.wait_for(segment);
    }
}
