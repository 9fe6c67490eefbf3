//! The reason of a gap between two segments with new data.
//!
//! - The receiver's window was full until an acknowledgement moved its edge: the window. Segmentation offload makes senders wait
//!   for more than one segment (Linux: up to a third of the window, at most one burst), so "full" is by that much less.
//! - A retransmission ended it: the timer, or duplicates. That is recovery, until all is acknowledged that was on the way.
//! - An acknowledgement ended it, and those before it left no room that went unused: the congestion window, or a limit of the
//!   host that looks the same. The round trip decides which (`round.rs`).
//! - The last segment before it was pushed and not full: the send queue was empty then (a sender cuts a segment short only when
//!   it has no more, RFC 9293 section 3.8.6.2.1), so the program had written nothing more. The mark alone tells nothing: Linux
//!   pushes every burst. Unless acknowledgements as a rule end such gaps: then a write waited for room in the send buffer.
//!   Likewise the program, if all was acknowledged before, or acknowledgements had made room and the segment followed none.
//! - A segment that ends the gap alone and is not full, behind a full one: it was held back until an answer came (Nagle), and is the
//!   program's as well.
//! - Short gaps and small bursts that follow no acknowledgement are pacing, and stand for the congestion window.

use super::{REACTION_NS, Sender};
use crate::causes::Label;
use crate::causes::timeline::Tag;
use crate::causes::told::{Pause, Told};

/// RFC 6298 section 2.4: no timer runs out, and after RFC 5681 section 4.1 no window is kept, for longer idle times than this.
const IDLE_NS: i64 = 1_000_000_000;
/// Pacing waits no longer between bursts of more than two segments: Linux and FreeBSD send a millisecond's worth at once, and
/// their timers are late by a few milliseconds at most.
const PACING_NS: i64 = 4_000_000;
/// A program that waits for room runs again this part of a round trip later at most, where its host is busy.
const WAKING_PART: i64 = 16;

impl Sender {
    /// Gives a reason to the time before a segment with new data, short or full.
    #[inline(always)]
    pub(super) fn gap(&mut self, now: i64, gap: i64, is_short: bool, told: &mut Told) {
        // Within a burst there is nothing to explain.
        if self.recovery_end.is_some() || self.closed_until >= self.last_send || self.is_short_queue(gap) {
            self.explain(now, gap, is_short, told);
        }
    }

    #[inline(never)]
    fn explain(&mut self, now: i64, gap: i64, is_short: bool, told: &mut Told) {
        if self.recovery_end.is_some() {
            self.tell(now, Tag::Is(Label::LossRecovery));
            self.round.is_repair = true;
            self.burst = 0;
            return;
        }
        let closed = self.closed_until >= self.last_send;
        if closed {
            let until = self.closed_until.min(now);
            self.window_ns = self.window_ns.saturating_add(until - self.told_until.min(until));
            // What is to be sent keeps a connection busy, on the way or not.
            let idle = self.empty_since.map_or(0, |since| until - since.min(until));
            self.busy_ns = self.busy_ns.saturating_add(idle);
            self.tell(until, Tag::Is(Label::ReceiverWindow));
            self.round.is_window = true;
            // What comes from afar is late by more than its usual jitter at times, and a sender that had room for nothing
            // else has room now.
            if now - until <= self.reaction_ns.max(self.lag_ns / 2) {
                self.tell(now, Tag::Is(Label::ReceiverWindow));
                self.burst = 0;
                return;
            }
        }
        if !self.is_short_queue(gap) {
            return;
        }
        self.gaps_ns = self.gaps_ns.saturating_add(gap);
        match self.reason(now, gap, is_short) {
            Tag::Is(Label::Application) => self.paused(now, told),
            tag => self.tell(now, tag),
        }
        self.burst = 0;
    }

    /// Whether a gap needs a reason of its own.
    fn is_short_queue(&self, gap: i64) -> bool {
        gap > self.reaction_ns || self.last_is_short
    }

    /// The program gave nothing until now.
    fn paused(&mut self, now: i64, told: &mut Told) {
        let pause_ns = now - self.last_send;
        self.round.paused_ns = self.round.paused_ns.saturating_add(pause_ns);
        told.pause(Pause {
            pause_ns,
            block_bytes: std::mem::take(&mut self.block),
        });
        let empty = self.empty_since.unwrap_or(now);
        let idle = IDLE_NS.max(if self.path.base_rtt < i64::MAX / 4 {
            self.path.base_rtt.saturating_mul(3)
        } else {
            0
        });
        if now - empty > idle {
            self.tell(empty, Tag::Is(Label::Application));
            self.tell(now, Tag::Is(Label::Idle));
        } else {
            self.tell(now, Tag::Is(Label::Application));
        }
    }

    fn reason(&mut self, now: i64, gap: i64, is_short: bool) -> Tag {
        let application = Tag::Is(Label::Application);
        let is_remote = self.lag_ns > 0 || !self.knows_lag;
        // From afar the flight looks empty too early when the way to the sender is longer for once.
        let play = if is_remote { self.lag_ns / 2 } else { 0 };
        let is_empty = self.empty_since.is_some_and(|since| now - since > play);
        if is_empty && self.last_is_short {
            return application;
        }
        // Less than a full segment was there to be sent: it waited for an answer to the last one (Nagle, RFC 9293 section 3.7.4).
        if is_short && !self.last_is_short {
            return application;
        }
        // One that is about to arrive has arrived: the smallest delay is not each delay.
        let is_due =
            |passed_ns: i64| passed_ns.saturating_add(self.lag_now_ns) <= now.saturating_add(REACTION_NS);
        let follows = (self.last_acked > 0 && now - self.last_ack <= self.reaction_ns)
            || self.lag.next_ns().is_some_and(is_due);
        if follows && !self.last_is_short && self.answers(gap) {
            return Tag::Window;
        }
        if self.wakes(now, gap) {
            return Tag::Window;
        }
        if self.last_is_short {
            return application;
        }
        let is_small = gap <= PACING_NS || self.burst <= 2 * self.units.mss;
        if is_small {
            self.paced_ns = self.paced_ns.saturating_add(gap);
            return Tag::Window;
        }
        match is_remote {
            _ if is_empty && self.knows_lag => application,
            false => application,
            // Late by what the way may take longer; beyond that nobody knows.
            true if self.last_acked > 0 && self.knows_lag && now - self.last_ack <= play => Tag::Window,
            true => Tag::Is(Label::Unknown),
        }
    }

    /// Whether gaps end as a rule when acknowledgements come, this one among them: then it is not the program that waited. A write
    /// that is larger than the room in the send buffer waits for acknowledgements, and Linux lets it go on when a third of the
    /// buffer is free: what acknowledgements made of room until then stays unused (`waits.rs`).
    fn wakes(&mut self, now: i64, gap: i64) -> bool {
        let near = self.near_ns();
        let is_near = self.last_acked > 0 && now - self.last_ack <= near;
        if gap > 4 * near {
            let covered = self.covered_ns.saturating_add((now - self.last_ack).min(near));
            self.waits.take(is_near, covered as f32 / gap as f32);
            if self.flight > 0 {
                let acked = self.room.saturating_add(self.last_acked);
                self.waits
                    .take_extent(gap as f32, acked as f32, self.flight as f32);
            }
        }
        is_near && self.stopped_with > 4 * self.units.mss && self.waits.are_answered()
    }

    /// So soon behind an acknowledgement a program goes on that waited for it.
    #[inline]
    pub(super) fn near_ns(&self) -> i64 {
        self.reaction_ns.max(self.path.base_rtt / WAKING_PART)
    }

    /// Whether the acknowledgements before the one that ended the gap left no room unused. A third of the window may go
    /// unused by segmentation offload, and a third of a send buffer until Linux wakes the program. Where acknowledgements are
    /// so dense that any segment follows one, only what the delaying of acknowledgements explains may.
    fn answers(&self, gap: i64) -> bool {
        let ceiling = self.round.max_flight.max(self.flight);
        // A sender that stopped with as much on the way as ever was at a limit.
        let was_full = self.stopped_with >= self.path.proven - self.path.proven / 8;
        let is_sparse = was_full || self.reaction_ns.saturating_mul(i64::from(self.gap_acks)) < gap / 2;
        let unused = ceiling / if is_sparse { 2 } else { 3 };
        self.room <= unused.max(2 * self.units.mss)
    }
}
