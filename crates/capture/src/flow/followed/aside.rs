//! Events of one direction of a large connection, looked at when others may already follow what comes behind.
//!
//! One transfer may be all of a capture. Its segments must be followed one after the other, and so must its events be looked at; but
//! the one need not wait for the other, and each is about as much work.

use super::tracked::{Looks, Tracked};
use crate::flow::event::{Acked, HalfEvent, Hears, Sent};
use crate::flow::kept::Kept;
use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many are handed over at most at a time: to hand over costs nothing then, and they stay in the second cache of a processor.
/// Their memory is not used again: what another processor has read is slow to write.
const BATCH: usize = 1 << 11;

/// So many batches wait at most, or who hands over looks at them too.
const MOST_WAITING: usize = 4;

/// What a tracker is told beside what is kept of events.
#[derive(Debug)]
enum Seldom {
    /// An event that is not kept in less.
    Whole(HalfEvent),
    /// The nearest round trip so far.
    Nearest(i64),
}

#[derive(Debug, Default)]
struct Batch {
    kept: Vec<Kept>,
    /// Each with how many of those that are kept come before it.
    seldom: Vec<(usize, Seldom)>,
}

impl Batch {
    fn new() -> Self {
        Self {
            kept: Vec::with_capacity(BATCH),
            seldom: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.seldom.is_empty()
    }

    /// Tells all of it.
    fn tell(self, tracked: &mut Tracked) {
        let mut kept = self.kept.iter();
        let mut told = 0;
        for (before, seldom) in self.seldom {
            kept.by_ref()
                .take(before - told)
                .for_each(|kept| kept.tell(tracked));
            told = before;
            match seldom {
                Seldom::Whole(event) => event.tell(tracked),
                Seldom::Nearest(before_ns) => tracked.hear(Some(before_ns)),
            }
        }
        kept.for_each(|kept| kept.tell(tracked));
    }
}

/// Events that wait, and the tracker that has seen those before them.
#[derive(Debug)]
pub struct Backlog {
    waiting: Mutex<VecDeque<Batch>>,
    /// Only who holds it takes of what waits, so that all comes in its order. `None` when it was taken back.
    tracked: Mutex<Option<Box<Tracked>>>,
}

impl Backlog {
    /// Looks at what waits, unless somebody else does.
    pub fn work(&self) {
        if let Ok(mut tracked) = self.tracked.try_lock() {
            self.look(&mut tracked);
        }
    }

    /// Whether there is anything to look at.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !locked(&self.waiting).is_empty()
    }

    /// Whether all was looked at, and nobody does.
    pub(in crate::flow) fn is_done(&self) -> bool {
        self.tracked.try_lock().is_ok() && !self.is_waiting()
    }

    fn look(&self, tracked: &mut Option<Box<Tracked>>) {
        let Some(tracked) = tracked else { return };
        let next = || locked(&self.waiting).pop_front();
        while let Some(batch) = next() {
            batch.tell(tracked);
        }
    }
}

/// The end that events are put in at.
#[derive(Debug)]
pub(super) struct Aside {
    batch: Batch,
    backlog: Arc<Backlog>,
    /// Of the tracker, when it was put aside: it may grow meanwhile.
    pub(super) heap_bytes: usize,
}

impl Aside {
    pub(super) fn new(tracked: Box<Tracked>) -> Self {
        Self {
            batch: Batch::new(),
            heap_bytes: tracked.heap_bytes(),
            backlog: Arc::new(Backlog {
                waiting: Mutex::default(),
                tracked: Mutex::new(Some(tracked)),
            }),
        }
    }

    pub(super) fn backlog(&self) -> &Arc<Backlog> {
        &self.backlog
    }

    /// The tracker, when it has seen all.
    pub(super) fn taken_back(&mut self) -> Box<Tracked> {
        let mut tracked = locked(&self.backlog.tracked);
        self.backlog.look(&mut tracked);
        let mut tracked = tracked.take().unwrap_or_default();
        mem::take(&mut self.batch).tell(&mut tracked);
        tracked
    }

    #[inline(always)]
    fn put(&mut self, kept: Kept) {
        if self.batch.kept.len() == BATCH {
            self.hand_over();
        }
        self.batch.kept.push(kept);
    }

    #[cold]
    fn put_seldom(&mut self, seldom: Seldom) {
        if self.batch.seldom.len() == BATCH {
            self.hand_over();
        }
        self.batch.seldom.push((self.batch.kept.len(), seldom));
    }

    /// Hands over what there is.
    #[cold]
    pub(super) fn hand_over(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let batch = mem::replace(&mut self.batch, Batch::new());
        let mut waiting = locked(&self.backlog.waiting);
        waiting.push_back(batch);
        if waiting.len() > MOST_WAITING {
            drop(waiting);
            self.backlog.look(&mut locked(&self.backlog.tracked));
        }
    }
}

impl Hears for Aside {
    #[inline(always)]
    fn sent(&mut self, sent: &Sent) {
        match Kept::of_sent(sent) {
            Some(kept) => self.put(kept),
            None => self.put_seldom(Seldom::Whole(HalfEvent::Sent(*sent))),
        }
    }

    #[inline(always)]
    fn acked(&mut self, acked: &Acked) {
        match Kept::of_acked(acked) {
            Some(kept) => self.put(kept),
            None => self.put_seldom(Seldom::Whole(HalfEvent::Acked(*acked))),
        }
    }
}

impl Looks for Aside {
    fn hear(&mut self, before_ns: Option<i64>) {
        if let Some(before_ns) = before_ns {
            self.put_seldom(Seldom::Nearest(before_ns));
        }
    }
}

/// A thread that fell ends the program: what it left behind is not looked at.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
