//! Threads that wait until what is planned changes.

use super::locked;
use super::plan::{Next, Plan};
use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So long a thread looks again and again before it sleeps: longer than a chunk takes. To wake takes about as long on a virtual
/// machine, and would be waited for with each chunk.
const WAKEFUL: Duration = Duration::from_micros(200);

/// What a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// Its turn at a shard.
    Turn,
    /// That less waits.
    Room,
}

/// Tells those that wait.
pub(super) struct Changes {
    /// So many were told. It only grows while somebody holds the plan.
    told: AtomicU64,
    /// By thread; that of the plan is the lock.
    sleepers: Vec<Condvar>,
    /// There is a processor for each thread.
    is_wakeful: bool,
    fell: AtomicBool,
}

impl Changes {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            told: AtomicU64::new(0),
            sleepers: (0..threads).map(|_| Condvar::new()).collect(),
            is_wakeful: thread::available_parallelism().is_ok_and(|count| count.get() >= threads),
            fell: AtomicBool::new(false),
        }
    }

    /// Somebody may go on with a shard, or less waits. Where one transfer is all of a capture, all threads but a few sleep: only
    /// that is woken which it concerns.
    pub(super) fn tell(&self, plan: &Plan, next: Next) {
        self.told.fetch_add(1, Ordering::Release);
        for (thread, sleeper) in self.sleepers.iter().enumerate() {
            let is_concerned = match plan.asleep(thread) {
                None => false,
                Some(Awaited::Room) => true,
                Some(Awaited::Turn) => next == Next::Anyone || next == Next::Only(thread),
            };
            if is_concerned {
                sleeper.notify_one();
            }
        }
    }

    /// Waits until somebody tells.
    pub(super) fn wait(
        &self,
        lock: &Mutex<Plan>,
        plan: MutexGuard<'_, Plan>,
        thread: usize,
        awaited: Awaited,
    ) {
        let before = self.told.load(Ordering::Acquire);
        drop(plan);
        let is_news = || self.told.load(Ordering::Acquire) != before;
        if self.look_for(|| is_news().then_some(())).is_some() {
            return;
        }
        let Some(sleeper) = self.sleepers.get(thread) else {
            return;
        };
        let mut plan = locked(lock);
        if !is_news() {
            plan.fall_asleep(thread, Some(awaited));
            plan = sleeper.wait(plan).unwrap_or_else(PoisonError::into_inner);
            plan.fall_asleep(thread, None);
        }
    }

    /// Looks again and again for something, for a while, where there is a processor for each thread.
    pub(super) fn look_for<T>(&self, what: impl Fn() -> Option<T>) -> Option<T> {
        /// The clock is looked at less often: that takes longer.
        const LOOKS: usize = 20;
        let begun = Instant::now();
        while self.is_wakeful && begun.elapsed() < WAKEFUL {
            for _ in 0..LOOKS {
                if let Some(found) = what() {
                    return Some(found);
                }
                hint::spin_loop();
            }
        }
        None
    }

    /// A thread fell: nobody goes on then with what it did, and the program ends as soon as the others have noticed.
    pub(super) fn fall(&self, lock: &Mutex<Plan>) {
        let _plan = locked(lock);
        self.fell.store(true, Ordering::Release);
        self.told.fetch_add(1, Ordering::Release);
        self.sleepers.iter().for_each(Condvar::notify_one);
    }

    pub(super) fn has_fallen(&self) -> bool {
        self.fell.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads sleep, and wake when they are told: all do, or this does not end.
    fn wake(awaited: Awaited, tell: impl Fn(&Changes, &Mutex<Plan>)) {
        let (plan, changes) = (Mutex::new(Plan::new(1, 2)), Changes::new(2));
        thread::scope(|scope| {
            for number in 0..2 {
                let (plan, changes) = (&plan, &changes);
                scope.spawn(move || changes.wait(plan, locked(plan), number, awaited));
            }
            while (0..2).any(|number| locked(&plan).asleep(number).is_none()) {
                thread::yield_now();
            }
            tell(&changes, &plan);
        });
        assert!((0..2).all(|number| locked(&plan).asleep(number).is_none()));
    }

    #[test]
    fn who_waits_for_a_turn_hears_of_it() {
        wake(Awaited::Turn, |changes, plan| {
            changes.tell(&locked(plan), Next::Only(1));
            changes.tell(&locked(plan), Next::Only(0));
        });
        wake(Awaited::Turn, |changes, plan| {
            changes.tell(&locked(plan), Next::Anyone);
        });
    }

    #[test]
    fn who_waits_for_room_hears_of_all() {
        wake(Awaited::Room, |changes, plan| {
            changes.tell(&locked(plan), Next::Nobody);
        });
    }

    #[test]
    fn all_hear_of_a_thread_that_fell() {
        for awaited in [Awaited::Turn, Awaited::Room] {
            wake(awaited, |changes, plan| {
                changes.fall(plan);
                assert!(changes.has_fallen());
            });
        }
    }
}
