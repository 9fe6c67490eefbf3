//! Round trips of a sender: what each tells, and how the last one ends.

use super::Sender;
use crate::causes::Label;
use crate::causes::round::Round;
use crate::causes::timeline::Tag;
use crate::causes::told::{RoundTold, Told};

/// A burst that lasts for so many round trips is a stream: a program's block may take one or two by itself.
const ENDLESS_ROUNDS: u32 = 4;

impl Sender {
    #[inline(never)]
    pub(super) fn end_round(&mut self, now: i64, told: &mut Told) {
        self.told_of_endless(now);
        let rate = self.round.end(self.heard);
        self.spacing.round(rate);
        self.path.is_paced = self.is_paced();
        let verdict = self
            .path
            .judge(&self.round, rate, self.units, self.spacing.rate());
        told.round(|| RoundTold {
            start_ns: self.round.start,
            end_ns: now,
            queue_ns: self.path.queue_ns(&self.round),
            is_queued: verdict.is_queued,
            window: verdict.window,
            is_repair: self.round.is_repair,
            is_timeout: self.round.is_timeout,
            is_window: self.round.is_window,
            is_other: self.round.is_other(self.path.base_rtt),
            max_flight: self.round.max_flight,
            rate,
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
        self.round = Round::new(now, self.heard, self.next.max(self.una).saturating_add(1));
        self.round.is_repair = self.recovery_end.is_some();
        self.round.max_flight = self.flight;
    }

    /// Most of the time that needs a reason is between segments that follow no acknowledgement, a few at a time.
    pub(in crate::causes) fn is_paced(&self) -> bool {
        self.gaps_ns > 0 && self.paced_ns > self.gaps_ns / 2
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

    /// The capture or the connection ended.
    pub(in crate::causes) fn finish(&mut self, end: i64, told: &mut Told) {
        while let Some(held) = self.lag.hurry() {
            self.arrived_late(&held, told);
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
        self.heard = self.heard.max(end.saturating_sub(self.lag_now_ns));
        self.end_round(end, told);
        if let Some((since, tag)) = self.path.end_ceiling(self.units) {
            self.settle_ceiling(since, tag);
        }
    }
}
