//! What waits for whoever has time.

use capture::flow::Backlog;
use capture::{Segments, TooBig};
use std::collections::VecDeque;
use std::sync::Arc;

/// So many segments of one large connection wait at most for the thread that made them.
const MOST_WAITING_FOR_ONE: usize = 10_000;

/// What waits for one shard.
pub(super) enum Work {
    /// Segments, and the thread that made them.
    Segments(Segments, usize),
    TooBig(TooBig),
}

/// What waits for one shard, and memory for what will.
pub(super) struct Queue {
    pub(super) work: VecDeque<Work>,
    /// So many segments of these.
    pub(super) segments: usize,
    /// Of chunks that were followed, by thread: its caches hold what it wrote there before.
    spare: Vec<Vec<Segments>>,
}

impl Queue {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            work: VecDeque::new(),
            segments: 0,
            spare: (0..threads).map(|_| Vec::new()).collect(),
        }
    }

    pub(super) fn put(&mut self, segments: Segments, thread: usize) {
        let count = segments.len();
        if count > 0 {
            self.segments += count;
            self.work.push_back(Work::Segments(segments, thread));
        } else {
            self.put_back(segments, thread);
        }
    }

    pub(super) fn put_back(&mut self, segments: Segments, thread: usize) {
        if let Some(spare) = self.spare.get_mut(thread) {
            spare.push(segments);
        }
    }

    pub(super) fn spare(&mut self, thread: usize) -> Segments {
        let spare = self.spare.get_mut(thread).and_then(Vec::pop);
        spare.unwrap_or_default()
    }

    /// Whether what is next was made by another thread, which will come to it soon.
    pub(super) fn is_of_another(&self, thread: usize) -> bool {
        self.segments <= MOST_WAITING_FOR_ONE
            && matches!(self.work.front(), Some(Work::Segments(_, by)) if *by != thread)
    }

    pub(super) fn next(&mut self) -> Option<Work> {
        let next = self.work.pop_front();
        if let Some(Work::Segments(segments, _)) = &next {
            self.segments -= segments.len();
        }
        next
    }
}

/// What waits. One lock for all: a chunk of large packets has few for each shard.
pub(super) struct Plan {
    pub(super) queues: Vec<Queue>,
    /// Events of large connections.
    pub(super) backlogs: VecDeque<Arc<Backlog>>,
    /// Threads that wait until there is something for them to do.
    pub(super) idle: usize,
    /// A thread fell: the program ends as soon as the others are done.
    pub(super) has_fallen: bool,
}

impl Plan {
    pub(super) fn new(shards: usize, threads: usize) -> Self {
        Self {
            queues: (0..shards).map(|_| Queue::new(threads)).collect(),
            backlogs: VecDeque::new(),
            idle: 0,
            has_fallen: false,
        }
    }

    /// Puts events among those that wait, if they do.
    pub(super) fn put(&mut self, backlog: &Arc<Backlog>) {
        let is_there = self.backlogs.iter().any(|other| Arc::ptr_eq(other, backlog));
        if backlog.is_waiting() && !is_there {
            self.backlogs.push_back(Arc::clone(backlog));
        }
    }

    pub(super) fn segments(&self) -> usize {
        self.queues.iter().map(|queue| queue.segments).sum()
    }
}
