//! What an acknowledgement says of the data that it answers.

use super::event::Acked;
use super::flight::{Delivered, Transmission};
use super::half::{Half, UNKNOWN_SCALE};
use super::islands::Hole;
use crate::{Flags, Segment};

/// What an acknowledgement of more tells.
pub(super) struct Advance {
    /// The round trip, where it tells one.
    pub(super) rtt_ns: Option<i64>,
    /// Bytes that never passed.
    pub(super) unseen_bytes: u64,
    /// See [`Acked::is_eifel`].
    pub(super) is_eifel: bool,
}

impl Half {
    /// Whether a packet is the same acknowledgement again, made by the network or the capture: to the sender it was one.
    #[inline]
    pub(super) fn is_copied_ack(&self, segment: &Segment) -> bool {
        segment.ip_id == Some(self.ack_ip_id)
            && self.ack_ip_id != 0
            && is_pure(segment)
            && self.acks_pass
            && segment.window == self.raw_window
            && segment.options.timestamps.map_or(0, |stamps| stamps.0) == self.ack_tsval
            && self.place(segment.ack) == self.una
    }

    /// Takes a segment that comes the other way and acknowledges. `None` where it says nothing of this half.
    #[inline]
    pub(super) fn answer(&mut self, segment: &Segment) -> Option<Acked> {
        if !self.is_based {
            self.set_base(segment.ack, false);
        }
        let ack = self.place(segment.ack);
        let says_nothing = ack == self.una
            && segment.sequence_length() > 0
            && segment.window == self.raw_window
            && segment.sack().is_empty();
        if (says_nothing && self.acks_pass) || !self.is_near(ack) {
            return None;
        }
        let is_first = !self.acks_pass;
        if is_first {
            self.begin_acks(ack);
        }
        self.acks += 1;
        let mut event = Acked {
            time_ns: segment.time_ns,
            ack: Self::counted(ack),
            newly_acked_bytes: ack.saturating_sub(self.una),
            newly_sacked_bytes: 0,
            newly_arrived_bytes: 0,
            is_duplicate: false,
            is_dsack: false,
            is_eifel: false,
            window_bytes: None,
            rtt_ns: None,
            unseen_bytes: 0,
        };
        let is_advance = ack > self.una;
        if is_advance {
            let sacked_before = self.sacked_bytes();
            let advance = self.advance(segment, ack);
            (event.rtt_ns, event.unseen_bytes) = (advance.rtt_ns, advance.unseen_bytes);
            event.is_eifel = advance.is_eifel;
            let told_before = sacked_before - self.sacked_bytes();
            event.newly_arrived_bytes = event.newly_acked_bytes.saturating_sub(told_before);
        }
        if !segment.sack().is_empty() {
            let unseen_before = self.unseen_bytes();
            (event.newly_sacked_bytes, event.is_dsack) = self.take_sack(segment, ack);
            event.newly_arrived_bytes += event.newly_sacked_bytes;
            event.unseen_bytes += self.unseen_bytes() - unseen_before;
        }
        if !is_first && !is_advance && self.is_duplicate(segment, ack, event.newly_sacked_bytes) {
            event.is_duplicate = true;
            self.count_duplicate(event.newly_sacked_bytes > 0 || !event.is_dsack);
        }
        if ack >= self.una {
            self.take_window(segment);
        }
        let is_known = self.scale != UNKNOWN_SCALE || self.raw_window == 0;
        event.window_bytes = is_known.then_some(u64::from(self.window));
        self.note_ack(segment);
        Some(event)
    }

    /// What holds of the newest acknowledgement.
    #[inline(always)]
    pub(super) fn note_ack(&mut self, segment: &Segment) {
        self.last_ack_ns = segment.time_ns;
        self.ack_ip_id = segment.ip_id.unwrap_or(0);
        self.ack_tsval = segment.options.timestamps.map_or(0, |stamps| stamps.0);
    }

    #[inline]
    pub(super) fn sacked_bytes(&self) -> u64 {
        self.rare.as_ref().map_or(0, |rare| rare.sacked.bytes())
    }

    fn unseen_bytes(&self) -> u64 {
        self.rare.as_ref().map_or(0, |rare| rare.tally.unseen_bytes)
    }

    /// The first acknowledgement of a half that began before the capture tells where it stands, not what is new.
    #[cold]
    fn begin_acks(&mut self, ack: u64) {
        self.acks_pass = true;
        if !self.has_beginning && ack <= self.top {
            self.una = ack;
        }
    }

    /// RFC 5681 section 2: data on the way, no data, no SYN or FIN, the same acknowledgement, the same window. With SACK the
    /// window does not matter if something new is told (RFC 6675 section 2).
    fn is_duplicate(&self, segment: &Segment, ack: u64, newly_sacked_bytes: u64) -> bool {
        ack == self.una
            && self.top > self.una
            && is_pure(segment)
            && (segment.window == self.raw_window || newly_sacked_bytes > 0)
    }

    fn count_duplicate(&mut self, tells_of_arrival: bool) {
        self.rare().tally.duplicate_acks += 1;
        self.duplicates = self.duplicates.saturating_add(u16::from(tells_of_arrival));
        self.recount();
    }

    #[inline(always)]
    pub(super) fn take_window(&mut self, segment: &Segment) {
        let is_syn = segment.flags.has(Flags::SYN);
        self.raw_window = segment.window;
        // RFC 7323 section 2.2: the window of a SYN is never scaled.
        let shift = if is_syn || self.scale == UNKNOWN_SCALE {
            0
        } else {
            self.scale.min(14)
        };
        self.window = u32::from(segment.window) << shift;
        if is_syn {
            return;
        }
        if segment.window == 0 {
            self.rare().tally.zero_windows += 1;
        }
        if self.scale != UNKNOWN_SCALE {
            self.window_range = (
                self.window_range.0.min(self.window),
                self.window_range.1.max(self.window),
            );
        }
    }

    /// Everything below `ack` has arrived.
    #[inline(always)]
    pub(super) fn advance(&mut self, segment: &Segment, ack: u64) -> Advance {
        let unseen_bytes = if ack > self.next { self.miss_below(ack) } else { 0 };
        let delivered = self.flight.acknowledge(ack);
        let echoed = segment.options.timestamps.map(|stamps| stamps.1);
        let rtt_ns = self.round_trip(&delivered, echoed, unseen_bytes, segment.time_ns);
        if let Some(rtt_ns) = rtt_ns
            && self.rtt.take(rtt_ns)
        {
            self.recount();
        }
        let is_eifel = self.rare.is_some() && self.settle_delivered(&delivered, echoed, ack);
        self.una = ack;
        self.duplicates = 0;
        Advance {
            rtt_ns,
            unseen_bytes,
            is_eifel,
        }
    }

    /// The time since the segment that the acknowledgement answers was sent.
    #[inline(always)]
    fn round_trip(
        &self,
        delivered: &Delivered,
        echoed: Option<u32>,
        unseen_bytes: u64,
        now_ns: i64,
    ) -> Option<i64> {
        if unseen_bytes > 0 || delivered.count == 0 {
            return None;
        }
        let was_waiting =
            self.duplicates > 0 || self.rare.as_ref().is_some_and(|rare| rare.sacked.bytes() > 0);
        let answered = if !delivered.has_copies && !was_waiting {
            &delivered.last
        } else {
            // Karn: which copy was answered is not known, unless time stamps tell. What fills a hole is echoed (RFC 7323
            // section 4.3), not what had arrived before it.
            let is_told = |segment: &&Transmission| {
                segment.has(Transmission::HAS_TIMESTAMP)
                    && echoed == Some(segment.tsval)
                    && (segment.copies == 1 || segment.has(Transmission::IS_DISTINCT))
            };
            [&delivered.first, &delivered.last].into_iter().find(is_told)?
        };
        let rtt_ns = now_ns.saturating_sub(answered.time_ns);
        (rtt_ns >= 0).then_some(rtt_ns)
    }

    #[cold]
    fn miss_below(&mut self, ack: u64) -> u64 {
        let mut next = self.next;
        let mut missed = Vec::new();
        let rare = self.rare();
        rare.islands
            .fill(ack, &mut next, |start, end| missed.push((start, end)));
        let mut unseen_bytes = 0;
        for (start, end) in missed {
            if rare.probed_at == Some(start) && end == start + 1 {
                // The probe of a closed window was taken after all.
                rare.tally.probe_bytes = rare.tally.probe_bytes.saturating_sub(1);
                rare.probed_at = None;
                continue;
            }
            rare.miss(start, end);
            unseen_bytes += end - start;
        }
        self.next = next;
        self.top = self.top.max(next);
        self.recount();
        unseen_bytes
    }

    /// What an acknowledgement tells of retransmissions, and the end of a recovery; whether it tells of one in vain by its time
    /// stamp.
    fn settle_delivered(&mut self, delivered: &Delivered, echoed: Option<u32>, ack: u64) -> bool {
        let una = self.una;
        let rare = self.rare();
        let (first, last) = (&delivered.first, &delivered.last);
        if delivered.count > 0 && (last.copies == 1 || last.has(Transmission::IS_DISTINCT)) {
            rare.delivered_sent_ns = rare.delivered_sent_ns.max(last.time_ns);
        }
        let is_eifel = delivered.count > 0
            && first.copies > 1
            && first.has(Transmission::HAS_TIMESTAMP)
            && first.start() <= una
            && echoed.is_some_and(|echoed| echoed != 0 && (echoed.wrapping_sub(first.tsval) as i32) < 0);
        if is_eifel {
            // RFC 3522: the answer is to something sent before the copy, so the copy was not needed. Only of the lowest
            // segment: with several filled at once the echo is that of the first.
            let (count, packets) = rare.resent.mark_spurious(first.start(), ack);
            rare.tally.spurious += count;
            rare.tally.resent_spurious += packets;
        }
        rare.sacked.acknowledge(ack);
        if rare.recovery.is_some_and(|recovery| recovery.until <= ack) {
            rare.recovery = None;
        }
        is_eifel
    }

    /// Returns the bytes that are newly SACKed, and whether there was a DSACK.
    #[cold]
    fn take_sack(&mut self, segment: &Segment, ack: u64) -> (u64, bool) {
        let blocks = segment.sack();
        let second = blocks
            .get(1)
            .map(|block| (self.place(block.0), self.place(block.1)));
        let (mut newly_sacked_bytes, mut is_dsack) = (0, false);
        for (number, block) in blocks.iter().enumerate() {
            let (start, end) = (self.place(block.0), self.place(block.1));
            if start >= end || !self.is_near(end) {
                continue;
            }
            // RFC 2883 section 4: below the acknowledgement, or within the second block.
            let is_within = second.is_some_and(|second| start >= second.0 && end <= second.1);
            if number == 0 && (end <= ack || is_within) {
                is_dsack = true;
                self.take_dsack(start, end);
            } else if end > ack {
                newly_sacked_bytes += self.take_block(start.max(ack), end);
            }
        }
        self.recount();
        (newly_sacked_bytes, is_dsack)
    }

    fn take_dsack(&mut self, start: u64, end: u64) {
        let rare = self.rare();
        let (count, packets) = rare.resent.mark_spurious(start, end);
        rare.tally.spurious += count;
        rare.tally.resent_spurious += packets;
    }

    fn take_block(&mut self, start: u64, end: u64) -> u64 {
        if end.saturating_sub(self.una) == 0 || start < self.una {
            return 0;
        }
        let sent = self.flight.find(end - 1).copied();
        let mut next = self.next;
        let rare = self.rare();
        let new = rare.sacked.insert(start, end);
        if new == 0 {
            return 0;
        }
        if let Some(sent) = sent
            && (sent.copies == 1 || sent.has(Transmission::IS_DISTINCT))
        {
            rare.delivered_sent_ns = rare.delivered_sent_ns.max(sent.time_ns);
        }
        // Held by the receiver, never seen here: dropped by the capture.
        let mut missed = Vec::new();
        rare.islands
            .gaps(start.max(next), end, |from, to| missed.push((from, to)));
        for (from, to) in missed {
            rare.miss(from, to);
            rare.islands.insert(
                from,
                to,
                &mut next,
                Hole {
                    arose_ns: i64::MAX,
                    ..Hole::default()
                },
            );
        }
        self.next = next;
        self.top = self.top.max(end);
        new
    }
}

/// An acknowledgement alone.
fn is_pure(segment: &Segment) -> bool {
    let flags = segment.flags;
    segment.payload_bytes == 0 && !flags.has(Flags::SYN) && !flags.has(Flags::FIN) && !flags.has(Flags::RST)
}
