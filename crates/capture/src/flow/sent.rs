//! What a segment with data is to those before it, where it is not simply the next.

use super::event::{RetransmissionCause, Sent, SentKind};
use super::flight::Transmission;
use super::half::{Half, ORIGIN, transmission};
use super::islands::Hole;
use crate::{Flags, Segment};

/// How a segment lies to what passed before.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: u64,
    end: u64,
    /// Bytes that never passed.
    new: u64,
    /// Bytes of those that were acknowledged before they passed.
    found_late: u64,
    /// Bytes of those that lie before where the capture began.
    before_capture: u64,
    /// Payload bytes that passed before.
    repeated_payload: u64,
}

impl Half {
    /// A segment that is not the next bytes of a half without holes.
    #[cold]
    pub(super) fn send_unusual(
        &mut self,
        segment: &Segment,
        start: u64,
        length: u32,
        other_min_ns: Option<i64>,
    ) -> Option<Sent> {
        if segment.flags.has(Flags::RST) {
            // What a reset carries is no data (RFC 9293 section 3.10.7.4).
            return None;
        }
        let event = if length == 0 {
            self.send_nothing(segment, start)
        } else {
            self.send_data(segment, start, length, other_min_ns)
        };
        self.recount();
        event
    }

    /// Probes without data repeat the byte before the acknowledgement, so that the receiver answers (RFC 9293 section
    /// 3.8.4). The same segment with the window closed is Linux's window probe.
    fn send_nothing(&mut self, segment: &Segment, start: u64) -> Option<Sent> {
        let is_probe =
            self.acks_pass && start.saturating_add(1) == self.una && !segment.flags.has(Flags::SYN);
        let kind = match (is_probe, self.is_closed(), self.top == self.una) {
            (true, true, _) => SentKind::WindowProbe,
            (true, false, true) => SentKind::KeepAlive,
            _ => return None,
        };
        self.count_probe(kind);
        Some(self.sent(segment, start, 0, kind))
    }

    fn count_probe(&mut self, kind: SentKind) {
        let tally = &mut self.rare().tally;
        match kind {
            SentKind::WindowProbe => tally.window_probes += 1,
            _ => tally.keep_alives += 1,
        }
    }

    fn send_data(
        &mut self,
        segment: &Segment,
        start: u64,
        length: u32,
        other_min_ns: Option<i64>,
    ) -> Option<Sent> {
        if !self.is_plausible(segment, start, length) {
            return None;
        }
        let is_single_byte = segment.payload_bytes == 1 && length == 1;
        if is_single_byte && self.is_closed() && start == self.una && start == self.top {
            return Some(self.probe_window(segment, start));
        }
        let place = self.locate(segment, start, length);
        let is_garbage = is_single_byte && self.acks_pass && place.end == self.una && self.top == self.una;
        let kind = if is_garbage && place.new == 0 {
            self.count_probe(SentKind::KeepAlive);
            SentKind::KeepAlive
        } else {
            self.kind_of(segment, &place, other_min_ns)
        };
        let mut event = self.sent(segment, start, length, kind);
        event.lost_ns = self.lost_ns(&place, kind);
        self.count_kind(segment, &place, kind);
        self.settle(segment, &place, kind);
        Some(event)
    }

    fn lost_ns(&mut self, place: &Place, kind: SentKind) -> Option<i64> {
        match kind {
            SentKind::Retransmitted(_) => self.flight.find(place.start).map(|copy| copy.time_ns),
            SentKind::RetransmittedUpstream(_) => {
                let hole = self.rare().islands.hole_at(place.start);
                hole.map(|hole| hole.arose_ns).filter(|ns| *ns != i64::MAX)
            }
            _ => None,
        }
    }

    /// A segment farther away than any window reaches is damaged or belongs to another connection, unless the next one
    /// continues it: then the capture has a gap.
    fn is_plausible(&mut self, segment: &Segment, start: u64, length: u32) -> bool {
        if self.is_near(start) {
            return true;
        }
        let rare = self.rare();
        let is_continued = rare.misplaced_next == Some(segment.seq);
        rare.misplaced_next = Some(segment.seq.wrapping_add(length));
        rare.tally.misplaced += u64::from(!is_continued);
        rare.tally.misplaced_bytes += if is_continued {
            0
        } else {
            u64::from(segment.payload_bytes)
        };
        is_continued
    }

    /// A byte beyond a closed window: it counts as sent only if the receiver takes it.
    fn probe_window(&mut self, segment: &Segment, start: u64) -> Sent {
        let event = self.sent(segment, start, 1, SentKind::WindowProbe);
        self.count_probe(SentKind::WindowProbe);
        let rare = self.rare();
        rare.probed_at = Some(start);
        rare.tally.probe_bytes += 1;
        event
    }

    fn locate(&mut self, segment: &Segment, start: u64, length: u32) -> Place {
        let end = start.saturating_add(u64::from(length));
        let next = self.next;
        let has_beginning = self.has_beginning;
        let rare = self.rare();
        let floor = ORIGIN - rare.before_origin.min(ORIGIN);
        let before_capture = if has_beginning {
            0
        } else {
            floor.min(end).saturating_sub(start)
        };
        rare.before_origin += if before_capture > 0 { floor - start } else { 0 };
        let found_late = if start < next {
            rare.found_late(start, end.min(next))
        } else {
            0
        };
        let above = end.saturating_sub(start.max(next));
        let islands = if above > 0 {
            rare.islands.covered(start.max(next), end)
        } else {
            0
        };
        let new = before_capture + found_late + (above - islands);
        let last_is_old = end <= next || rare.islands.covered(end - 1, end) > 0;
        let is_fin_old =
            segment.flags.has(Flags::FIN) && last_is_old && found_late == 0 && before_capture == 0;
        let repeated = u64::from(length).saturating_sub(new);
        let repeated_payload = repeated.saturating_sub(u64::from(is_fin_old));
        Place {
            start,
            end,
            new,
            found_late,
            before_capture,
            repeated_payload,
        }
    }

    fn kind_of(&mut self, segment: &Segment, place: &Place, other_min_ns: Option<i64>) -> SentKind {
        let length = place.end - place.start;
        if place.new < length {
            if place.new == 0 && self.is_copy(segment, place, other_min_ns) {
                return SentKind::Duplicated;
            }
            return SentKind::Retransmitted(self.cause(
                place.start,
                place.end,
                segment.time_ns,
                other_min_ns,
            ));
        }
        if place.start == self.top {
            return SentKind::New;
        }
        if place.start > self.top {
            return SentKind::NewBehindGap;
        }
        if place.found_late > 0 {
            return SentKind::Overtaken;
        }
        let began = Hole {
            arose_ns: self.first_data_ns,
            ..Hole::default()
        };
        let hole = self.rare().islands.hole_at(place.start).unwrap_or(began);
        if self.is_overtaken(segment, &hole, place.start, other_min_ns) {
            SentKind::Overtaken
        } else {
            let cause = self.cause(place.start, place.end, segment.time_ns, other_min_ns);
            SentKind::RetransmittedUpstream(cause)
        }
    }

    /// The same packet again, made by the network or by the capture (a mirror port that copies both directions, a bridge
    /// captured on all its interfaces).
    fn is_copy(&self, segment: &Segment, place: &Place, other_min_ns: Option<i64>) -> bool {
        let now = transmission(segment, place.start, (place.end - place.start) as u32);
        // Sent before the newest: a retransmission would carry the clock and the count of its own time.
        if now.has(Transmission::HAS_TIMESTAMP) && (now.tsval.wrapping_sub(self.tsval) as i32) < 0 {
            return true;
        }
        if now.has(Transmission::HAS_IP_ID)
            && self.ids_count_up()
            && (now.ip_id.wrapping_sub(self.ip_id) as i16) < 0
        {
            return true;
        }
        let newest = Transmission {
            time_ns: self.last_data_ns,
            tsval: self.tsval,
            ip_id: self.ip_id,
            marks: if self.ip_id != 0 {
                Transmission::HAS_IP_ID
            } else {
                0
            } | now.marks & Transmission::HAS_TIMESTAMP,
            ..now
        };
        // What was acknowledged is no longer in flight: the newest packet is remembered, whatever its place.
        let then = match self.flight.find(place.start) {
            Some(found) if found.start() == now.start() && found.end == now.end => *found,
            Some(_) => return false,
            None if place.end == self.top => newest,
            None => return false,
        };
        let same_stamp = now.marks & Transmission::HAS_TIMESTAMP == then.marks & Transmission::HAS_TIMESTAMP
            && now.tsval == then.tsval;
        let age_ns = segment.time_ns.saturating_sub(then.time_ns).max(0);
        if now.has(Transmission::HAS_IP_ID) && then.has(Transmission::HAS_IP_ID) {
            // A second: the slowest clock of time stamps (RFC 7323 section 5.4); later ones differ there, too.
            return same_stamp && now.ip_id == then.ip_id && age_ns < 1_000_000_000;
        }
        // No sender can know of a loss before a round trip is over.
        let least = self.least_round_trip_ns(other_min_ns).unwrap_or(2_000_000);
        same_stamp && age_ns < least / 2 && age_ns < 50_000_000
    }

    fn count_kind(&mut self, segment: &Segment, place: &Place, kind: SentKind) {
        let is_repeated = place.new < place.end - place.start;
        let packets = self.packets_in(u32::try_from(place.repeated_payload).unwrap_or(u32::MAX));
        let whole = self.packets_in(segment.payload_bytes);
        let data_packets = self.data_packets;
        let rare = self.rare();
        if is_repeated {
            rare.tally.retransmitted_packets += 1;
            rare.tally.retransmitted_bytes += place.repeated_payload;
        }
        match kind {
            SentKind::Retransmitted(cause) => {
                rare.count_cause(cause);
                rare.tally.resent += u64::from(packets);
                rare.resent.push(place.start, place.end, packets);
            }
            SentKind::RetransmittedUpstream(cause) => {
                rare.count_cause(cause);
                // Where the capture began in the middle, what lies before it may have passed.
                rare.tally.lost_before += if place.before_capture == 0 {
                    u64::from(whole)
                } else {
                    0
                };
            }
            SentKind::Overtaken => {
                let arose = rare
                    .islands
                    .hole_at(place.start)
                    .map_or(data_packets, |hole| hole.arose_packet);
                let extent = data_packets.saturating_sub(arose).max(1);
                rare.tally.reordered += 1;
                rare.tally.reordering_extent = rare.tally.reordering_extent.max(extent);
            }
            SentKind::Duplicated => rare.tally.duplicated += 1,
            _ => {}
        }
    }

    /// Puts a segment into the sequence space, and the recovery that it tells of into force.
    fn settle(&mut self, segment: &Segment, place: &Place, kind: SentKind) {
        let (acks_pass, top) = (self.acks_pass, self.top);
        let copy = transmission(
            segment,
            place.start,
            u32::try_from(place.end - place.start).unwrap_or(u32::MAX),
        );
        if place.new < place.end - place.start && !matches!(kind, SentKind::Duplicated | SentKind::KeepAlive)
        {
            self.flight.resend(place.start, &copy);
        }
        match kind {
            SentKind::New | SentKind::NewBehindGap => self.follow_ip_id(segment),
            SentKind::Retransmitted(cause) | SentKind::RetransmittedUpstream(cause) => self.recover(cause),
            _ => {}
        }
        if place.end > top {
            let start = place.start.max(top);
            let length = u32::try_from(place.end - start).unwrap_or(u32::MAX);
            self.flight.push(transmission(segment, start, length), acks_pass);
            self.top = place.end;
        } else if place.new == place.end - place.start && place.start >= self.una {
            // It was sent before, unseen: Karn's rule holds for it.
            let copies = if kind == SentKind::Overtaken { 1 } else { 2 };
            self.flight.insert(Transmission { copies, ..copy }, acks_pass);
        }
        if place.end > self.next {
            let hole = Hole {
                arose_ns: segment.time_ns,
                arose_packet: self.data_packets,
                tsval: segment.options.timestamps.map(|stamps| stamps.0),
                ip_id: segment.ip_id.filter(|id| *id != 0),
            };
            let mut next = self.next;
            self.rare()
                .islands
                .insert(place.start.max(next), place.end, &mut next, hole);
            self.next = next;
        }
        if segment.flags.has(Flags::FIN) {
            self.fin_end = place.end;
        }
        if matches!(
            kind,
            SentKind::Duplicated | SentKind::Overtaken | SentKind::KeepAlive
        ) {
            // Others were sent later: theirs are the newest time stamp and identification.
            self.note_flight();
        } else {
            self.note_sent(segment);
        }
    }

    fn recover(&mut self, cause: RetransmissionCause) {
        let until = self.top;
        let una = self.una;
        let rare = self.rare();
        let is_over = rare.recovery.is_none_or(|recovery| recovery.until <= una);
        match cause {
            RetransmissionCause::Fast if is_over => {
                rare.recovery = Some(super::tally::Recovery { cause, until })
            }
            // The timer ends a fast recovery: all that was sent is taken for lost (RFC 5681 section 3.1).
            RetransmissionCause::Timeout => {
                let began = rare
                    .recovery
                    .filter(|recovery| !is_over && recovery.cause == cause);
                rare.recovery = Some(began.unwrap_or(super::tally::Recovery { cause, until }));
            }
            _ => {}
        }
    }
}
