//! What is kept of the events of a half: what its sender waited for, and what it carried over time.

use super::HalfEvent;
use super::slices::Slices;
use crate::causes::{Causes, Setting, Tracker};

/// From the first data on.
#[derive(Debug)]
pub(super) struct Followed {
    tracker: Tracker,
    slices: Slices,
}

impl Followed {
    pub(super) fn new(setting: Setting) -> Self {
        let mut tracker = Tracker::new();
        tracker.set(setting);
        Self {
            tracker,
            slices: Slices::default(),
        }
    }

    #[inline]
    pub(super) fn take(&mut self, event: &HalfEvent) {
        self.tracker.take(event);
        self.slices.take(event);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.slices.heap_bytes()
    }

    pub(super) fn finish(self, last_ns: i64) -> (Option<Causes>, Slices) {
        (Some(self.tracker.finish(last_ns)), self.slices)
    }
}
