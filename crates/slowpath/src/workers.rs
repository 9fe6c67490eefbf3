//! Threads that work side by side for one that takes what they made in the order in which it gave the work.

use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};

/// The processors of this host.
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
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
