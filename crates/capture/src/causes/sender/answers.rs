//! What acknowledgements tell the sender, when they reach it.

use super::Sender;
use crate::causes::Label;
use crate::causes::lag::Held;
use crate::causes::round::Units;
use crate::causes::timeline::Tag;
use crate::causes::told::Told;
use crate::flow::Acked;

/// A burst of segmentation offload, as large as IP allows without jumbograms.
const OFFLOAD_BYTES: u64 = 65_536;
const MILLISECOND: i64 = 1_000_000;

impl Sender {
    /// The part of the round trip before the capture point is no longer than this.
    pub(in crate::causes) fn shorten_lag(&mut self, before_ns: i64) {
        self.set_lag(self.lag_ns.min(before_ns.max(self.least_lag_ns)));
    }

    fn set_lag(&mut self, lag_ns: i64) {
        self.lag_ns = lag_ns;
        self.lag_now_ns = lag_ns.saturating_add(i64::from(self.waited_ms) * MILLISECOND);
    }

    /// Packets wait for so long before the capture point. Time stamps tell it to within two ticks, and by so much a sender seems
    /// to react later.
    #[inline(never)]
    pub(super) fn waits(&mut self, waited_ms: u8) {
        match (self.waited_ms, waited_ms) {
            (0, _) => self.reaction_ns = self.reaction_ns.saturating_add(2 * MILLISECOND),
            (_, 0) => self.reaction_ns -= 2 * MILLISECOND,
            _ => {}
        }
        self.waited_ms = waited_ms;
        self.set_lag(self.lag_ns);
    }

    /// Nobody sends beyond the window: the acknowledgement that allows this has reached the sender, and is nearer than the
    /// handshake said.
    #[inline(never)]
    pub(super) fn learn_lag(&mut self, end: u64, now: i64, told: &mut Told) {
        while self.edge.is_some_and(|edge| end > edge) {
            let Some(held) = self.lag.hurry() else { return };
            // Acknowledgements that the capture dropped would have it shorter than it can be.
            let waited = self.lag_now_ns - self.lag_ns;
            let took = now
                .saturating_sub(held.time.saturating_add(waited))
                .max(self.least_lag_ns);
            self.set_lag(self.lag_ns.min(took));
            self.arrived_late(&held, told);
        }
    }

    /// An acknowledgement passed the capture point.
    #[inline(always)]
    pub(in crate::causes) fn acked(&mut self, acked: &Acked, told: &mut Told) {
        if self.lag_ns == 0 {
            self.arrived(&Held::of(acked, 0), 0, told);
        } else {
            self.acked_afar(acked, told);
        }
    }

    /// The same, where the sender has it later.
    #[inline(never)]
    fn acked_afar(&mut self, acked: &Acked, told: &mut Told) {
        self.release(acked.time_ns, told);
        self.lag.hold(Held::of(acked, self.lag_now_ns));
    }

    #[inline(always)]
    pub(super) fn release(&mut self, time: i64, told: &mut Told) {
        if self
            .lag
            .next_ns()
            .is_some_and(|next| next <= time.saturating_sub(self.lag_now_ns))
        {
            self.release_due(time, told);
        }
    }

    #[inline(never)]
    fn release_due(&mut self, time: i64, told: &mut Told) {
        while let Some(held) = self.lag.passed(time.saturating_sub(self.lag_now_ns)) {
            self.arrived_late(&held, told);
        }
    }

    /// An acknowledgement that was held back reached the sender.
    #[inline(never)]
    pub(super) fn arrived_late(&mut self, held: &Held, told: &mut Told) {
        self.arrived(held, self.lag_now_ns, told);
    }

    /// An acknowledgement reached the sender, so long after it had passed the capture point.
    #[inline(always)]
    fn arrived(&mut self, held: &Held, lag_ns: i64, told: &mut Told) {
        let now = self.advance(held.time.saturating_add(lag_ns));
        self.heard = self.heard.max(held.time);
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
            if self.gap_acks > 0 {
                self.covered_ns += (now - self.last_ack).min(self.near_ns());
            }
            self.room = self.room.saturating_add(self.last_acked);
            self.last_acked = fresh;
            self.last_ack = now;
            self.gap_acks = self.gap_acks.saturating_add(1);
            self.acked = self.acked.saturating_add(held.acked);
            self.round.acked = self.round.acked.saturating_add(fresh);
            self.round.acks = self.round.acks.saturating_add(1);
            self.spacing.acked(self.heard, fresh, self.path.base_rtt);
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
    #[inline(always)]
    pub(super) fn is_closed(&self) -> bool {
        let Some(edge) = self.edge else { return false };
        let room = edge.saturating_sub(self.next);
        let Units { mss, largest } = self.units;
        // What ends short was all that there was.
        let is_offloaded = (largest > mss || self.lag_ns > 0) && !self.last_is_short;
        room < mss || (is_offloaded && room < largest.max(OFFLOAD_BYTES).min(self.window / 3))
    }
}
