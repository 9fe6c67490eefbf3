//! Full-size segments that vanish again and again, and what goes on after them.

use crate::flow::{Acked, RetransmissionCause, Sent, SentKind};
use serde::Serialize;

/// Segments that nobody answered however often, until smaller ones were sent (RFC 2923 section 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PathMtuStalls {
    /// From the first stall's first segment, nanoseconds since 1970.
    pub from_ns: i64,
    /// To when it moved on, or the end.
    pub to_ns: i64,
    /// Payload of the segments that vanished, bytes.
    pub stalled_bytes: u64,
    /// Payload of those that went through in their place; `None` where it never moved on.
    pub moved_on_bytes: Option<u64>,
    /// Timeouts meanwhile.
    pub timeouts: u32,
    /// Whether a segment of that size was ever answered before: then it is rather a path that changed, or that failed.
    pub passed_before: bool,
}

/// The first copy and two more of the same segment and only it, and then smaller ones that pass: no accident at any loss that
/// lets a transfer begin.
const LEAST: u32 = 2;
/// Without any that passed, once more.
const LEAST_ALONE: u32 = 3;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct PathMtu {
    start: u64,
    since: i64,
    size: u64,
    timeouts: u32,
    smaller: Option<u64>,
    largest_answered: u64,
    largest_once: u64,
    found: Option<PathMtuStalls>,
}

impl PathMtu {
    /// A segment.
    #[inline(always)]
    pub(super) fn sent(&mut self, sent: &Sent, una: u64) {
        let bytes = sent.end.saturating_sub(sent.start);
        match sent.kind {
            SentKind::New => self.largest_once = self.largest_once.max(bytes),
            SentKind::Retransmitted(cause) | SentKind::RetransmittedUpstream(cause) if sent.start == una => {
                let is_timer = cause != RetransmissionCause::Fast;
                self.again((sent.start, sent.time_ns), bytes, is_timer);
            }
            _ => {}
        }
    }

    #[inline(never)]
    fn again(&mut self, (start, since): (u64, i64), bytes: u64, is_timer: bool) {
        if self.start != start || self.timeouts == 0 {
            *self = Self {
                start,
                since,
                size: bytes,
                largest_answered: self.largest_answered,
                largest_once: self.largest_once,
                found: self.found,
                ..Self::default()
            };
        }
        if bytes < self.size {
            self.smaller = Some(bytes);
        } else {
            self.timeouts += u32::from(is_timer);
            self.smaller = None;
        }
    }

    /// An acknowledgement.
    #[inline(always)]
    pub(super) fn acked(&mut self, acked: &Acked) {
        if acked.newly_acked_bytes == 0 {
            return;
        }
        if acked.rtt_ns.is_some() && self.timeouts == 0 {
            self.largest_answered = self
                .largest_answered
                .max(acked.newly_acked_bytes.min(self.largest_once));
        }
        if acked.ack > self.start {
            // The same size went through at last: an outage, and no matter of size.
            if self.smaller.is_some() {
                self.note(acked.time_ns);
            }
            self.timeouts = 0;
            self.smaller = None;
        }
    }

    fn note(&mut self, now: i64) {
        if self.timeouts < LEAST {
            return;
        }
        let old = self.found;
        self.found = Some(PathMtuStalls {
            from_ns: old.map_or(self.since, |old| old.from_ns),
            to_ns: now,
            stalled_bytes: self.size,
            moved_on_bytes: self.smaller,
            timeouts: self.timeouts + old.map_or(0, |old| old.timeouts),
            passed_before: self.largest_answered >= self.size,
        });
    }

    pub(super) fn finish(&mut self, end: i64, mss: u64) -> Option<PathMtuStalls> {
        // Never moved on: only full segments speak for the size, and only where none ever passed.
        if self.timeouts >= LEAST_ALONE && self.size >= mss && self.largest_answered < self.size {
            self.note(end);
        }
        self.found.take()
    }
}
