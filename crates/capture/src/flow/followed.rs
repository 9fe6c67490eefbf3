//! What is kept of the events of a half: what its sender waited for, and what it carried over time.

use super::HalfEvent;
use super::slices::Slices;
use crate::causes::{Causes, Setting, Tracker};

/// So many events wait before they are looked at. A tracker is larger than the processor's nearest cache has room for when
/// thousands of connections take turns; it is fetched once for all of these. Most connections have ended before, and then
/// their trackers live for the moment of their report.
const BATCH: usize = 16;

/// Events of a half from its first data on.
#[derive(Debug, Default)]
pub(super) struct Followed {
    waiting: Vec<HalfEvent>,
    counted_capacity: u32,
    tracked: Option<Box<Tracked>>,
}

#[derive(Debug, Default)]
struct Tracked {
    tracker: Tracker,
    slices: Slices,
}

impl Followed {
    /// Whether data passed: before that there is nothing to explain.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        !self.waiting.is_empty() || self.tracked.is_some()
    }

    /// Takes an event.
    #[inline]
    pub(super) fn note(&mut self, event: HalfEvent) {
        self.waiting.push(event);
    }

    /// The event that was noted last, before [`Followed::settle`].
    #[inline]
    pub(super) fn newest(&self) -> Option<&HalfEvent> {
        self.waiting.last()
    }

    /// Looks at the events when there are enough; says whether memory may have changed. `setting` is what the handshake told,
    /// `before_ns` the smallest round trip on the sender's side since.
    #[inline]
    pub(super) fn settle(&mut self, before_ns: Option<i64>, setting: impl FnOnce() -> Setting) -> bool {
        if self.waiting.len() < BATCH {
            let capacity = self.waiting.capacity() as u32;
            return std::mem::replace(&mut self.counted_capacity, capacity) != capacity;
        }
        let tracked = self
            .tracked
            .get_or_insert_with(|| Box::new(Tracked::new(setting())));
        tracked.take_all(&mut self.waiting, before_ns);
        true
    }

    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        let tracked = self.tracked.as_ref().map_or(0, |tracked| {
            size_of::<Tracked>() + tracked.tracker.heap_bytes() + tracked.slices.heap_bytes()
        });
        self.waiting.capacity() * size_of::<HalfEvent>() + tracked
    }

    /// What came of it; nothing where no data passed.
    pub(super) fn finish(
        &mut self,
        last_ns: i64,
        before_ns: Option<i64>,
        setting: impl FnOnce() -> Setting,
    ) -> (Option<Causes>, Slices) {
        if let Some(mut tracked) = self.tracked.take() {
            return tracked.finish(&mut self.waiting, before_ns, last_ns);
        }
        if self.waiting.is_empty() {
            return (None, Slices::default());
        }
        Tracked::new(setting()).finish(&mut self.waiting, before_ns, last_ns)
    }
}

impl Tracked {
    fn new(setting: Setting) -> Self {
        let mut tracked = Self::default();
        tracked.tracker.set(setting);
        tracked
    }

    fn finish(
        &mut self,
        rest: &mut Vec<HalfEvent>,
        before_ns: Option<i64>,
        last_ns: i64,
    ) -> (Option<Causes>, Slices) {
        self.take_all(rest, before_ns);
        (Some(self.tracker.end(last_ns)), std::mem::take(&mut self.slices))
    }

    fn take_all(&mut self, events: &mut Vec<HalfEvent>, before_ns: Option<i64>) {
        if let Some(before_ns) = before_ns {
            self.tracker.shorten_before(before_ns);
        }
        for event in events.drain(..) {
            self.tracker.take(&event);
            self.slices.take(&event);
        }
    }
}
