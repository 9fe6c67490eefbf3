//! Events of one direction of a large connection, looked at when others may already follow what comes behind.
//!
//! One transfer may be all of a capture. Its segments must be followed one after the other, and so must its events be looked at; but
//! the one need not wait for the other, and each is about as much work.

use super::tracked::{Looks, Tracked};
use crate::flow::event::HalfEvent;
use crate::flow::kept::Kept;
use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many are handed over at most at a time: to hand over costs nothing then, and they stay in the second cache of a processor.
/// Their memory is not used again: what another processor has read is slow to write.
const BATCH: usize = 1 << 11;

/// So many batches wait at most, or who hands over looks at them too.
const MOST_WAITING: usize = 4;

/// What a tracker is told.
#[derive(Debug)]
enum Step {
    Kept(Kept),
    /// One that is not kept in less.
    Whole(Box<HalfEvent>),
    /// The nearest round trip so far.
    Nearest(i64),
}

/// Events that wait, and the tracker that has seen those before them.
#[derive(Debug)]
pub struct Backlog {
    waiting: Mutex<VecDeque<Vec<Step>>>,
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
        while let Some(mut batch) = next() {
            take(tracked, &mut batch);
        }
    }
}

/// Looks at a batch.
fn take(tracked: &mut Tracked, batch: &mut Vec<Step>) {
    for step in batch.drain(..) {
        match step {
            Step::Kept(kept) => tracked.take(&kept.event()),
            Step::Whole(event) => tracked.take(&event),
            Step::Nearest(before_ns) => tracked.hear(Some(before_ns)),
        }
    }
}

/// The end that events are put in at.
#[derive(Debug)]
pub(super) struct Aside {
    batch: Vec<Step>,
    backlog: Arc<Backlog>,
    /// Of the tracker, when it was put aside: it may grow meanwhile.
    pub(super) heap_bytes: usize,
}

impl Aside {
    pub(super) fn new(tracked: Box<Tracked>) -> Self {
        Self {
            batch: Vec::with_capacity(BATCH),
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
        take(&mut tracked, &mut self.batch);
        tracked
    }

    #[inline(always)]
    fn put(&mut self, step: Step) {
        if self.batch.len() == self.batch.capacity() {
            self.hand_over();
        }
        // Not `push`: what is called for each event costs more than to write it.
        self.batch.extend([step]);
    }

    #[cold]
    fn put_whole(&mut self, event: &HalfEvent) {
        self.put(Step::Whole(Box::new(*event)));
    }

    /// Hands over what there is.
    #[cold]
    pub(super) fn hand_over(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let batch = mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        let mut waiting = locked(&self.backlog.waiting);
        waiting.push_back(batch);
        if waiting.len() > MOST_WAITING {
            drop(waiting);
            self.backlog.look(&mut locked(&self.backlog.tracked));
        }
    }
}

impl Looks for Aside {
    #[inline(always)]
    fn take(&mut self, event: &HalfEvent) {
        match Kept::of(event) {
            Some(kept) => self.put(Step::Kept(kept)),
            None => self.put_whole(event),
        }
    }

    fn hear(&mut self, before_ns: Option<i64>) {
        if let Some(before_ns) = before_ns {
            self.put(Step::Nearest(before_ns));
        }
    }
}

/// A thread that fell ends the program: what it left behind is not looked at.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
