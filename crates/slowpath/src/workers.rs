//! Threads that work side by side for one that takes what they made in the order in which it gave the work.

use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};

/// The processors of this host.
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Moves this thread to another processor where it begins on one of these, which others are on; where it is then. Linux puts a new
/// thread on the processor of the one that made it, and may look only after ten milliseconds whether another is idle: a transfer
/// of a gigabyte is read in as long as ten of that. It is not bound to it: the kernel knows better who else wants a processor.
pub(crate) fn keep_apart(taken: &[usize]) -> Option<usize> {
    let here = sched_getcpu().ok()?;
    if !taken.contains(&here) {
        return Some(here);
    }
    let this = Pid::from_raw(0);
    let allowed = sched_getaffinity(this).ok()?;
    let is_free = |cpu: &usize| allowed.is_set(*cpu) == Ok(true) && !taken.contains(cpu);
    let free = (0..CpuSet::count()).find(is_free)?;
    let mut only = CpuSet::new();
    only.set(free).ok()?;
    sched_setaffinity(this, &only).ok()?;
    sched_setaffinity(this, &allowed).ok()?;
    Some(free)
}

/// Threads with the same kind of work. They end when this goes away.
pub(crate) struct Workers<W, M> {
    jobs: SyncSender<(W, SyncSender<M>)>,
}

impl<W: Send, M: Send> Workers<W, M> {
    /// So many threads.
    pub(crate) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        threads: usize,
        make: impl Fn(W) -> M + Clone + Send + 'scope,
    ) -> Self
    where
        W: 'scope,
        M: 'scope,
    {
        let (jobs, waiting) = sync_channel::<(W, SyncSender<M>)>(threads);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..threads {
            let (waiting, make) = (Arc::clone(&waiting), make.clone());
            scope.spawn(move || {
                let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok((work, made)) = next() {
                    // Nobody waits for it any more where what gave the work failed.
                    let _ = made.send(make(work));
                }
            });
        }
        Self { jobs }
    }

    /// Gives work, and waits for a thread while there is more than enough of it. Of work on which its thread fell nothing is
    /// received; the scope then ends the program.
    pub(crate) fn give(&self, work: W) -> Receiver<M> {
        let (made, awaited) = sync_channel(1);
        // Where all threads fell, nothing is received of it either.
        let _ = self.jobs.send((work, made));
        awaited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_leaves_a_processor_that_is_taken_and_is_bound_to_none() {
        let allowed = || sched_getaffinity(Pid::from_raw(0)).unwrap();
        thread::spawn(move || {
            let before = allowed();
            let here = keep_apart(&[]).unwrap();
            assert_ne!(keep_apart(&[here]), Some(here));
            let all: Vec<usize> = (0..CpuSet::count()).collect();
            assert_eq!(keep_apart(&all), None, "there is no other");
            assert_eq!(allowed(), before);
        })
        .join()
        .unwrap();
    }
}
