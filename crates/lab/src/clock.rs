//! The timed part of a timeline: a thread that sleeps from one change to the next.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use scenario::Change;

use crate::lab::Shared;

/// Dropping it stops the thread; changes that were still to come do not happen.
#[derive(Debug)]
pub(crate) struct Clock {
    _alive: Option<Sender<()>>,
}

impl Clock {
    /// Starts counting now. A change that the system refuses is reported on standard error: nobody waits for it.
    pub(crate) fn start(mut timed: Vec<(Duration, Change)>, shared: Arc<Shared>) -> Self {
        if timed.is_empty() {
            return Self { _alive: None };
        }
        timed.sort_by_key(|(at, _)| *at);
        let (alive, ended) = channel::<()>();
        let start = Instant::now();
        std::thread::spawn(move || {
            for (at, change) in timed {
                let remaining = at.saturating_sub(start.elapsed());
                if ended.recv_timeout(remaining) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                if let Err(error) = shared.apply(&change) {
                    eprintln!("lab: the change at {:.1} s failed: {error}", at.as_secs_f64());
                }
            }
        });
        Self { _alive: Some(alive) }
    }
}
