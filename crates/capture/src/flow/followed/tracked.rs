//! Who looks at events.

use super::{BATCH, Known};
use crate::causes::{Setting, Tracker};
use crate::flow::event::{Acked, HalfEvent, Hears, Sent};
use crate::flow::kept::Kept;
use crate::flow::slices::Slices;

/// What was seen of the events so far.
#[derive(Debug, Default)]
pub(super) struct Tracked {
    pub(super) tracker: Tracker,
    pub(super) slices: Slices,
}

/// Who is told of events.
pub(super) trait Looks: Hears {
    /// Tells how near the sender is.
    fn hear(&mut self, before_ns: Option<i64>);

    /// Takes what was kept; says how many that was.
    #[inline(never)]
    fn take_all(&mut self, kept: &mut Vec<Kept>) -> u32 {
        let count = kept.len();
        for kept in kept.drain(..) {
            kept.tell(self);
        }
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// See [`Followed::note_at_once`].
    #[inline(always)]
    fn take_next<S: Fn() -> Setting>(
        &mut self,
        waiting: &mut Vec<Kept>,
        event: &HalfEvent,
        looked_at: &mut u32,
        known: impl FnOnce() -> Known<S>,
    ) -> bool
    where
        Self: Sized,
    {
        if !waiting.is_empty() {
            *looked_at += self.take_all(waiting);
        }
        event.tell(self);
        *looked_at += 1;
        if (*looked_at as usize) < BATCH {
            return false;
        }
        *looked_at = 0;
        self.hear(known().before_ns);
        true
    }
}

impl Hears for Tracked {
    #[inline(always)]
    fn sent(&mut self, sent: &Sent) {
        self.tracker.sent(sent);
        self.slices.sent(sent);
    }

    #[inline(always)]
    fn acked(&mut self, acked: &Acked) {
        self.tracker.acked(acked);
        self.slices.acked(acked);
    }
}

impl Looks for Tracked {
    #[cold]
    fn hear(&mut self, before_ns: Option<i64>) {
        if let Some(before_ns) = before_ns {
            self.tracker.shorten_before(before_ns);
        }
    }
}

impl Tracked {
    /// Bytes that hang on it, its own included.
    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.tracker.heap_bytes() + self.slices.heap_bytes()
    }
}
