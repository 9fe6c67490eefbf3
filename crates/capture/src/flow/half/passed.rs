//! What a segment does to the half that it goes the way of: it is counted, and its data are noted as on the way.

use super::{Half, ORIGIN};
use crate::flow::event::{Sent, SentKind};
use crate::flow::flight::Transmission;
use crate::{Flags, Segment};
use std::ops::Range;

/// What a segment is to a half, as far as one look tells: its first byte and its length.
#[derive(Debug, Clone, Copy)]
pub(in crate::flow) enum Step {
    /// No event, as an acknowledgement alone.
    Nothing,
    /// The next bytes.
    Next(u64, u32),
    /// Something else.
    Unusual(u64, u32),
}

/// Queues before the capture point are looked for from so many packets with data on.
const LONG_PACKETS: u64 = 64;

impl Half {
    /// Counts a segment that goes this half's way, and says what is to be done with it.
    #[inline(always)]
    pub(in crate::flow) fn receive(&mut self, segment: &Segment) -> Step {
        self.count(segment);
        self.echo.hear(segment);
        let is_syn = segment.flags.has(Flags::SYN);
        let is_fin = segment.flags.has(Flags::FIN);
        let first_seq = segment.seq.wrapping_add(u32::from(is_syn));
        if !self.is_based {
            self.set_base(first_seq, is_syn);
        }
        let start = self.place(first_seq);
        let length = segment.payload_bytes.saturating_add(u32::from(is_fin));
        if length == 0 && (start.wrapping_add(1) != self.una || !self.acks_pass) {
            return Step::Nothing;
        }
        let is_next = start == self.next
            && self.next == self.top
            && length > 0
            && !self.is_closed()
            && !segment.flags.has(Flags::RST);
        if is_next {
            Step::Next(start, length)
        } else {
            Step::Unusual(start, length)
        }
    }

    /// The next bytes, of a half without holes.
    #[inline(always)]
    pub(in crate::flow) fn send_next(&mut self, segment: &Segment, start: u64, length: u32) -> Sent {
        if segment.flags.has(Flags::FIN) {
            self.fin_end = start.saturating_add(u64::from(length));
        }
        let sent = self.sent_next(segment, length);
        self.follow_ip_id(segment);
        self.append(segment, start, length, sent.flight_bytes);
        sent
    }

    #[inline]
    fn count(&mut self, segment: &Segment) {
        self.packets += 1;
        let payload = segment.payload_bytes;
        if payload > 0 {
            if self.data_packets == 0 {
                self.first_data_ns = segment.time_ns;
                self.echo.begin(segment);
            }
            self.count_data(segment);
            self.payload_bytes += u64::from(payload);
            self.largest_payload = self.largest_payload.max(payload);
            if payload > self.segment_limit() {
                let packets = u64::from(self.packets_in(payload));
                let tally = &mut self.rare().tally;
                tally.offloaded_packets += 1;
                tally.offloaded_beyond_one += packets - 1;
            }
        }
        if segment.traffic_class & 3 == 3 || segment.fragments > 1 {
            self.count_marks(segment);
        }
    }

    /// Counts a packet with data.
    #[inline(always)]
    pub(in crate::flow) fn count_data(&mut self, segment: &Segment) {
        self.data_packets += 1;
        if self.data_packets == LONG_PACKETS {
            self.echo.look_for_queues(self.first_data_ns, segment);
            self.recount();
        }
    }

    #[cold]
    fn count_marks(&mut self, segment: &Segment) {
        let tally = &mut self.rare().tally;
        tally.ce_marks += u64::from(segment.traffic_class & 3 == 3);
        if segment.fragments > 1 {
            tally.fragmented_packets += u64::from(segment.fragments);
        }
        self.recount();
    }

    /// The event of the next bytes, before they count as sent. They never lie below [`ORIGIN`], and are counted without a look.
    #[inline(always)]
    pub(in crate::flow) fn sent_next(&self, segment: &Segment, length: u32) -> Sent {
        let start = self.next.wrapping_sub(ORIGIN);
        self.event(segment, start..start + u64::from(length), SentKind::New)
    }

    /// The event of a segment, before it counts as sent.
    #[inline(always)]
    pub(in crate::flow) fn sent(&self, segment: &Segment, start: u64, length: u32, kind: SentKind) -> Sent {
        let end = Self::counted(start + u64::from(length));
        self.event(segment, Self::counted(start)..end, kind)
    }

    #[inline(always)]
    fn event(&self, segment: &Segment, bytes: Range<u64>, kind: SentKind) -> Sent {
        Sent {
            time_ns: segment.time_ns,
            start: bytes.start,
            end: bytes.end,
            kind,
            is_pushed: segment.flags.has(Flags::PSH),
            waited_ms: self.echo.waited_ms(),
            flight_bytes: self.flight_bytes(),
            window_edge: self.window_edge().map(Self::counted),
            lost_ns: None,
        }
    }

    /// The next bytes, with nothing above them.
    #[inline(always)]
    pub(in crate::flow) fn append(&mut self, segment: &Segment, start: u64, length: u32, flight_bytes: u64) {
        let grows = self.flight.is_full();
        self.flight
            .push(transmission(segment, start, length), self.acks_pass);
        self.next = start + u64::from(length);
        self.top = self.next;
        self.last_data_ns = segment.time_ns;
        self.ip_id = segment.ip_id.unwrap_or(0);
        self.tsval = segment.options.timestamps.map_or(0, |stamps| stamps.0);
        let flight_bytes = flight_bytes + u64::from(length);
        self.largest_flight = self
            .largest_flight
            .max(u32::try_from(flight_bytes).unwrap_or(u32::MAX));
        if grows {
            self.recount();
        }
    }

    /// What holds of the newest segment with data.
    #[inline]
    pub(in crate::flow) fn note_sent(&mut self, segment: &Segment) {
        self.last_data_ns = segment.time_ns;
        self.ip_id = segment.ip_id.unwrap_or(0);
        self.tsval = segment.options.timestamps.map_or(0, |stamps| stamps.0);
        self.note_flight();
    }

    #[inline]
    pub(in crate::flow) fn note_flight(&mut self) {
        let flight = u32::try_from(self.flight_bytes()).unwrap_or(u32::MAX);
        self.largest_flight = self.largest_flight.max(flight);
    }

    #[inline(always)]
    pub(in crate::flow) fn follow_ip_id(&mut self, segment: &Segment) {
        // Up to 64: the host may count other connections' packets in between.
        let step = segment.ip_id.unwrap_or(0).wrapping_sub(self.ip_id);
        self.ids_in_order = if matches!(step, 1..=64) {
            self.ids_in_order.saturating_add(1)
        } else {
            0
        };
    }
}

/// A segment as the flight keeps it.
#[inline(always)]
pub(in crate::flow) fn transmission(segment: &Segment, start: u64, length: u32) -> Transmission {
    let stamp = segment.options.timestamps;
    // Zero is what hosts send that do not count (RFC 6864 lets them): it tells nothing.
    let ip_id = segment.ip_id.filter(|id| *id != 0);
    let marks = if stamp.is_some() {
        Transmission::HAS_TIMESTAMP
    } else {
        0
    } | if ip_id.is_some() {
        Transmission::HAS_IP_ID
    } else {
        0
    };
    Transmission {
        end: start + u64::from(length),
        time_ns: segment.time_ns,
        length,
        tsval: stamp.map_or(0, |stamps| stamps.0),
        ip_id: ip_id.unwrap_or(0),
        copies: 1,
        marks,
    }
}
