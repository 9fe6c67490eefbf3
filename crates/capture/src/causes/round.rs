//! One round trip: what its acknowledgements tell of the path, and which reason a full congestion window has.

use super::{Label, timeline::Tag};

/// What was seen since the round trip began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    /// Ends when this byte is acknowledged: it was the next to be sent when the round trip began.
    pub(super) end_seq: u64,
    pub(super) start: i64,
    pub(super) acked: u64,
    pub(super) acks: u32,
    pub(super) min_rtt: i64,
    pub(super) max_flight: u64,
    /// The program had nothing to send meanwhile, or the receiver's window was full: nothing is told of the congestion window.
    pub(super) is_other: bool,
    /// Losses were repaired meanwhile.
    pub(super) is_repair: bool,
    /// Sends that did not follow an acknowledgement, evenly spaced.
    pub(super) paced_ns: i64,
}

impl Round {
    pub(super) fn new(start: i64, end_seq: u64) -> Self {
        Self {
            end_seq,
            start,
            acked: 0,
            acks: 0,
            min_rtt: i64::MAX,
            max_flight: 0,
            is_other: false,
            is_repair: false,
            paced_ns: 0,
        }
    }

    /// Delivery rate, bytes per second.
    pub(super) fn rate(&self, now: i64) -> f64 {
        let time = now.saturating_sub(self.start).max(1);
        self.acked as f64 * 1e9 / time as f64
    }
}

/// What is known across round trips.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    /// Smallest round trip so far.
    pub(super) base_rtt: i64,
    /// Largest flight of the round trip before, 0 where it tells nothing.
    last_flight: u64,
    /// A loss was repaired before: the congestion window is what it left.
    pub(super) had_loss: bool,
    /// The present ceiling of the flight: since when, for how many round trips, from how much.
    ceiling_since: i64,
    ceiling_rounds: u32,
    ceiling_first: u64,
    ceiling_top: u64,
}

/// What a round trip was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Of a full congestion window.
    pub(super) window: Tag,
    /// More in flight than the path holds.
    pub(super) is_queued: bool,
    /// What a ceiling that ends here was.
    pub(super) ceiling: Option<(i64, Tag)>,
}

/// Sizes that bursts of the sender have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    pub(super) mss: u64,
    /// The largest segment seen: above segmentation offload a window moves in steps of it.
    pub(super) largest: u64,
}

/// A queue stands when not even the fastest acknowledgement of a round trip was as fast as the path is (the principle of
/// CoDel, RFC 8289: the minimum over an interval tells a standing queue from a burst). By more than a sixteenth, as clocks
/// and hosts are no better; by more than [`HOST_NS`]; and by more than it takes to send what one acknowledgement answers, as
/// its first byte waited that long for its last.
const STANDING_PART: i64 = 16;
/// Hosts delay by this much: interrupts are coalesced for 50 to 100 µs on common network cards.
const HOST_NS: i64 = 100_000;

impl Path {
    pub(super) fn new() -> Self {
        Self {
            base_rtt: i64::MAX,
            last_flight: 0,
            had_loss: false,
            ceiling_since: 0,
            ceiling_rounds: 0,
            ceiling_first: 0,
            ceiling_top: 0,
        }
    }

    /// How long its packets queue, at least, nanoseconds.
    pub(super) fn queue_ns(&self, round: &Round) -> Option<i64> {
        (round.min_rtt < i64::MAX && self.base_rtt < i64::MAX)
            .then(|| round.min_rtt.saturating_sub(self.base_rtt))
    }

    fn is_queued(&self, round: &Round, now: i64, units: Units) -> bool {
        let Some(queue) = self.queue_ns(round) else { return false };
        let rate = round.rate(now);
        let per_ack = round.acked / u64::from(round.acks.max(1));
        let chunk = per_ack.max(2 * units.mss);
        let own = if rate > 0.0 { (chunk as f64 * 1e9 / rate) as i64 } else { 0 };
        queue > (self.base_rtt / STANDING_PART).saturating_add(HOST_NS).max(own)
    }

    /// Judges a round trip that ended now.
    pub(super) fn judge(&mut self, round: &Round, now: i64, units: Units, at_capacity: bool) -> Verdict {
        let is_queued = self.is_queued(round, now, units);
        let flight = round.max_flight;
        let before = std::mem::replace(&mut self.last_flight, if round.is_other { 0 } else { flight });
        self.had_loss |= round.is_repair;
        let plain = |window: Tag| Verdict { window, is_queued, ceiling: None };
        if round.is_repair || is_queued || round.is_other {
            let window = match (round.is_repair, is_queued) {
                (true, _) => Tag::Is(Label::LossRecovery),
                (_, true) => Tag::Is(Label::Bottleneck),
                _ if at_capacity => Tag::Is(Label::Bottleneck),
                _ => self.opening(),
            };
            let ceiling = self.end_ceiling(units);
            return Verdict { ceiling, ..plain(window) };
        }
        if at_capacity {
            let ceiling = self.end_ceiling(units);
            return Verdict { ceiling, ..plain(Tag::Is(Label::Bottleneck)) };
        }
        if before == 0 {
            return plain(self.opening());
        }
        let play = units.largest.max(2 * units.mss).max(self.ceiling_first / 32);
        let grows = flight > before.saturating_add(before / 4).max(before.saturating_add(play));
        if !grows && self.ceiling_rounds > 0 && flight.abs_diff(self.ceiling_first) <= play {
            self.ceiling_rounds += 1;
            self.ceiling_top = self.ceiling_top.max(flight);
            return plain(Tag::Ceiling);
        }
        let ceiling = self.end_ceiling(units);
        if grows {
            return Verdict { ceiling, ..plain(self.opening()) };
        }
        self.ceiling_since = round.start;
        self.ceiling_rounds = 1;
        self.ceiling_first = flight;
        self.ceiling_top = flight;
        Verdict { ceiling, ..plain(Tag::Ceiling) }
    }

    /// A window that is neither full nor queueing: it is being opened, for the first time or again after a loss.
    fn opening(&self) -> Tag {
        Tag::Is(if self.had_loss { Label::LossRecovery } else { Label::SlowStart })
    }

    /// What a ceiling was that the flight had until now. Every loss-based congestion control adds at least about half a
    /// segment per round trip without a loss (Reno one, or half with delayed acknowledgements; CUBIC no less than its
    /// Reno-friendly 0.53, RFC 9438 section 4.3). A flight that would have grown by two bursts and did not is held by
    /// something else, and if the receiver's window is not it, it is the sending host.
    pub(super) fn end_ceiling(&mut self, units: Units) -> Option<(i64, Tag)> {
        let rounds = u64::from(std::mem::take(&mut self.ceiling_rounds));
        if rounds == 0 {
            return None;
        }
        let burst = units.largest.max(units.mss);
        let due = rounds.saturating_mul(units.mss) / 2;
        let grew = self.ceiling_top.saturating_sub(self.ceiling_first);
        let held = rounds >= 8 && due >= 2 * burst && grew <= due / 2;
        let tag = match held {
            true => Tag::Is(Label::SendBuffer),
            // Too short to tell a ceiling from slow growth.
            false if grew <= due / 2 && !self.had_loss => Tag::Is(Label::Unknown),
            false => self.opening(),
        };
        Some((self.ceiling_since, tag))
    }
}
