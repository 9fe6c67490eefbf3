//! Which thread follows what, and when.

use super::plan::{Plan, Work};
use super::{SHARDS, Shard, Shared, locked};
use capture::Segments;
use capture::flow::Sink;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

/// So many segments wait for their shards at most, or decoding stops: one connection may be most of a capture.
const MOST_WAITING: usize = 1 << 16;

/// Where more segments wait for one shard, its thread is behind the others: then these look at the events of its largest
/// connection. Where fewer do, to hand events over costs more than it brings.
const MOST_FOR_ONE: usize = 5_000;

impl<C: Sink> Shared<'_, C> {
    /// Works on the shards that nobody else works on; while too much waits, on those too.
    pub(super) fn follow(&self, thread: usize) {
        self.follow_own(thread);
        if self.look_at_one() {
            while self.look_at_one() {}
            self.follow_own(thread);
        }
        self.follow_down_to(MOST_WAITING);
    }

    /// Works on the shards that nobody else works on, as far as it is worth it.
    fn follow_own(&self, thread: usize) {
        let waiting: Vec<usize> = locked(&self.plan)
            .queues
            .iter()
            .map(|queue| queue.segments)
            .collect();
        // First on those far from what others begin with, so that each mostly sees the same shards again, which its caches hold.
        let first = thread * SHARDS / self.job.threads.max(1);
        for place in (first..first + SHARDS).map(|place| place % SHARDS) {
            let waiting = waiting.get(place).copied().unwrap_or(0);
            if waiting > 0
                && let Some(mut shard) = self.shards.get(place).and_then(free)
                && shard.is_worth_it(waiting)
            {
                self.drain(place, &mut shard, Some(thread));
            }
        }
    }

    /// Works until no more than so many segments wait.
    pub(super) fn follow_down_to(&self, most: usize) {
        while locked(&self.plan).segments() > most {
            if self.look_at_one() {
                continue;
            }
            for (place, shard) in self.shards.iter().enumerate() {
                if let Some(mut shard) = free(shard) {
                    self.drain(place, &mut shard, None);
                }
            }
            self.rest(most);
        }
    }

    /// Looks at events that wait, if any do.
    pub(super) fn look_at_one(&self) -> bool {
        let backlog = locked(&self.plan).backlogs.pop_front();
        let is_there = backlog.is_some();
        if let Some(backlog) = backlog {
            backlog.work();
        }
        is_there
    }

    /// Waits while all that could be done is being done by others. Who puts segments into a queue, or lets a shard go, tries all
    /// shards before it rests: so there is somebody who goes on.
    fn rest(&self, most: usize) {
        let mut plan = locked(&self.plan);
        plan.idle += 1;
        let has_nothing =
            |plan: &mut Plan| !plan.has_fallen && plan.backlogs.is_empty() && plan.segments() > most;
        plan = self
            .changed
            .wait_while(plan, has_nothing)
            .unwrap_or_else(PoisonError::into_inner);
        plan.idle -= 1;
    }

    /// Works on what waits for a shard; for a thread, where one connection is most of it, on what that thread has made: its caches
    /// hold that, and the others come to theirs.
    fn drain(&self, place: usize, shard: &mut Shard<C>, thread: Option<usize>) {
        let mut done = None;
        while let Some((work, waiting)) = self.next(place, done.take(), shard, thread) {
            shard.table.share(self.job.threads > 1 && waiting > MOST_FOR_ONE);
            shard.take(&work);
            if let Work::Segments(mut segments, by) = work {
                segments.clear();
                done = Some((segments, by));
            }
        }
    }

    /// What is next for a shard, and what has come of what it did before.
    fn next(
        &self,
        place: usize,
        done: Option<(Segments, usize)>,
        shard: &Shard<C>,
        thread: Option<usize>,
    ) -> Option<(Work, usize)> {
        let mut plan = locked(&self.plan);
        let mut is_of_one = false;
        for backlog in shard.table.backlogs() {
            is_of_one = true;
            plan.put(backlog);
        }
        if plan.idle > 0 {
            self.changed.notify_all();
        }
        let queue = plan.queues.get_mut(place)?;
        if let Some((segments, by)) = done {
            queue.put_back(segments, by);
        }
        match thread {
            Some(thread) if is_of_one && queue.is_of_another(thread) => None,
            _ => queue.next().map(|work| (work, queue.segments)),
        }
    }
}

/// Wakes those that wait when its thread falls: nobody goes on then with what that thread did.
pub(super) struct Falls<'s, 'j, C>(pub(super) &'s Shared<'j, C>);

impl<C> Drop for Falls<'_, '_, C> {
    fn drop(&mut self) {
        if thread::panicking() {
            locked(&self.0.plan).has_fallen = true;
            self.0.changed.notify_all();
            drop(locked(&self.0.reader));
            self.0.turned.notify_all();
        }
    }
}

/// What nobody else works on. What a thread that fell left behind is worked on, or the others would wait for it for ever.
fn free<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(fell)) => Some(fell.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
