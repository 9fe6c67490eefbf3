//! Why a segment was sent again: what its sender could know, and how long it had been silent.

use super::event::RetransmissionCause;
use super::half::Half;
use super::islands::Hole;
use super::rtt::MAX_SPAN_NS;
use crate::Segment;

/// Linux's smallest retransmission timeout (TCP_RTO_MIN); RFC 6298 asks for a second, nobody does it.
const RTO_FLOOR_NS: i64 = 200_000_000;

/// Duplicate acknowledgements that tell of a loss (RFC 5681 section 3.2).
const DUPLICATES: u16 = 3;

/// While no round trip is known, what arrives so soon after those that overtook it was not sent again: links over which a
/// sender learns of a loss within 3 ms are shorter than 300 km, and there the round trip is soon known.
const SOON_NS: i64 = 3_000_000;

impl Half {
    /// The smallest round trip between the ends, as far as this point knows both parts of it.
    pub(super) fn least_round_trip_ns(&self, other_min_ns: Option<i64>) -> Option<i64> {
        let behind = self
            .rtt
            .min_ns()
            .or((self.rtt.smoothed_ns() > 0).then(|| self.rtt.smoothed_ns()))?;
        Some(behind.saturating_add(self.before(other_min_ns)))
    }

    fn before(&self, other_min_ns: Option<i64>) -> i64 {
        self.before_ns().or(other_min_ns).unwrap_or(0)
    }

    /// Whether a segment that fills a hole was overtaken by those behind the hole, instead of being sent again after them.
    pub(super) fn is_overtaken(
        &self,
        segment: &Segment,
        hole: &Hole,
        start: u64,
        other_min_ns: Option<i64>,
    ) -> bool {
        // A time stamp is taken when a packet is sent, so an older one proves the order and a newer one disproves it. Within
        // one tick (1 ms mostly) it tells nothing.
        if let (Some((now, _)), Some(then)) = (segment.options.timestamps, hole.tsval) {
            match (now.wrapping_sub(then) as i32).signum() {
                1 => return false,
                -1 => return true,
                _ => {}
            }
        }
        if self.ids_count_up()
            && let (Some(now), Some(then)) = (segment.ip_id.filter(|id| *id != 0), hole.ip_id)
        {
            return (now.wrapping_sub(then) as i16) < 0;
        }
        let age_ns = segment.time_ns.saturating_sub(hole.arose_ns).max(0);
        let is_known_missing = self.duplicates > 0 || self.sacked_above(start);
        if self.acks_pass && !is_known_missing {
            // Nobody has told the sender: only its timer could have made it send this again.
            return age_ns < RTO_FLOOR_NS * 3 / 4;
        }
        // Half, because the smallest round trip seen may be above the smallest there is by a queue.
        self.least_round_trip_ns(other_min_ns)
            .map_or(age_ns < SOON_NS, |least| age_ns < least / 2)
    }

    fn sacked_above(&self, position: u64) -> bool {
        self.rare
            .as_ref()
            .and_then(|rare| rare.sacked.highest())
            .is_some_and(|highest| highest > position)
    }

    /// Why this stretch is sent again now.
    pub(super) fn cause(
        &self,
        start: u64,
        end: u64,
        now_ns: i64,
        other_min_ns: Option<i64>,
    ) -> RetransmissionCause {
        let recovery = self
            .rare
            .as_ref()
            .and_then(|rare| rare.recovery)
            .filter(|recovery| recovery.until > self.una);
        let silence_ns = self.silence_ns(now_ns);
        let rto_ns = self.timeout_ns(other_min_ns);
        // The estimate is that of the capture point: a quarter of slack for what it sees differently from the sender.
        let timer_ran = silence_ns >= rto_ns - rto_ns / 4;
        let is_tail = end >= self.top && start > self.una;
        if timer_ran {
            let is_probe = is_tail || (recovery.is_none() && self.is_probed_first(start, end));
            return if is_probe && self.acks_pass {
                RetransmissionCause::TailProbe
            } else {
                RetransmissionCause::Timeout
            };
        }
        if let Some(recovery) = recovery
            && recovery.cause == RetransmissionCause::Timeout
            && start < recovery.until
        {
            return RetransmissionCause::Timeout;
        }
        if !self.acks_pass {
            return RetransmissionCause::Unknown;
        }
        if self.is_told_lost(start, end) {
            return RetransmissionCause::Fast;
        }
        if let Some(recovery) = recovery
            && recovery.cause == RetransmissionCause::Fast
            && start < recovery.until
            && self.copies(start) <= 1
        {
            // A partial acknowledgement (RFC 6582).
            return RetransmissionCause::Fast;
        }
        self.timer_cause(start, end, silence_ns, now_ns, other_min_ns)
    }

    /// A lone segment is its own tail: the probe for it waits for a delayed acknowledgement, too, and so comes when the timer
    /// would (RFC 8985 section 7.2; Linux: the smaller of 2 SRTT + 200 ms and the RTO). Who has SACK sends the probe first, and
    /// only the copies after it are the timer's.
    fn is_probed_first(&self, start: u64, end: u64) -> bool {
        !self.lacks_sack && start <= self.una && end >= self.top && self.copies(start) <= 1
    }

    /// The receiver has told that this stretch is missing and later data are not.
    fn is_told_lost(&self, start: u64, end: u64) -> bool {
        let copies = self.copies(start);
        let last_sent_ns = self
            .flight
            .find(start)
            .map_or(i64::MIN, |segment| segment.time_ns);
        let delivered_ns = self.rare.as_ref().map_or(i64::MIN, |rare| rare.delivered_sent_ns);
        if self.sacked_above(end.saturating_sub(1)) {
            // RFC 6675 the first time; again only if data arrived that were sent after the last copy (RFC 8985).
            return copies <= 1 || delivered_ns > last_sent_ns;
        }
        let few_on_the_way = self.flight_bytes() < 4 * u64::from(self.mss_bytes.max(536));
        // RFC 5827: with fewer than four segments on the way three duplicates cannot come.
        let enough = if few_on_the_way { 1 } else { DUPLICATES };
        start <= self.una && self.duplicates >= enough && copies <= 1
    }

    /// How often this passed; what is not in flight passed once.
    fn copies(&self, start: u64) -> u8 {
        self.flight.find(start).map_or(1, |segment| segment.copies)
    }

    /// Without evidence of a loss only a timer makes a sender repeat itself.
    fn timer_cause(
        &self,
        start: u64,
        end: u64,
        silence_ns: i64,
        now_ns: i64,
        other_min_ns: Option<i64>,
    ) -> RetransmissionCause {
        let smoothed_ns = self.rtt.smoothed_ns().saturating_add(self.before(other_min_ns));
        if smoothed_ns == 0 || end <= self.una {
            return RetransmissionCause::Unknown;
        }
        // The probe comes after two round trips (RFC 8985 section 7.2); at the receiver its acknowledgement left half earlier.
        if end >= self.top && silence_ns >= smoothed_ns + smoothed_ns / 2 {
            return RetransmissionCause::TailProbe;
        }
        // Systems with a lower floor than Linux (30 ms: FreeBSD; `rto_min` of a route).
        let without_floor = smoothed_ns.saturating_add(self.rtt.variation_ns().saturating_mul(4));
        let age_ns = self
            .flight
            .find(start)
            .map_or(silence_ns, |segment| now_ns.saturating_sub(segment.time_ns));
        if start <= self.una && silence_ns >= without_floor.max(2 * smoothed_ns) && age_ns >= without_floor {
            return RetransmissionCause::Timeout;
        }
        RetransmissionCause::Unknown
    }

    /// How long the sender had neither sent data nor been answered.
    fn silence_ns(&self, now_ns: i64) -> i64 {
        let last_ns = if self.acks_pass {
            self.last_data_ns.max(self.last_ack_ns)
        } else {
            self.last_data_ns
        };
        now_ns.saturating_sub(last_ns).clamp(0, MAX_SPAN_NS)
    }

    /// RFC 6298 with Linux's floor, which holds for the variation: RTO = SRTT + max(200 ms, 4 RTTVAR).
    fn timeout_ns(&self, other_min_ns: Option<i64>) -> i64 {
        let smoothed_ns = self.rtt.smoothed_ns().saturating_add(self.before(other_min_ns));
        smoothed_ns.saturating_add(self.rtt.variation_ns().saturating_mul(4).max(RTO_FLOOR_NS))
    }
}
