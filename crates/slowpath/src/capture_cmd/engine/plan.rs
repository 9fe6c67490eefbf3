//! What waits for the threads, and who may take it.

use super::changes::Awaited;
use capture::{Segments, TooBig};
use std::collections::VecDeque;
use std::ops::Range;

/// What waits for one shard.
pub(super) enum Work {
    Segments(Made),
    TooBig(TooBig),
}

/// Segments, and the thread that made them.
pub(super) struct Made {
    pub(super) segments: Segments,
    pub(super) by: usize,
    /// Only that thread follows them. Where many of each connection stand one behind the other, they are more than what is known of
    /// their connections: to bring the latter to the caches of that thread costs less. And what one thread has read another writes
    /// slowly: five times so where they have no cache in common.
    is_own: bool,
}

/// What waits for one shard, and memory for what will.
struct Queue {
    work: VecDeque<Work>,
    /// So many segments of these.
    segments: usize,
    /// How much of it only one thread follows: that waits for what is before it.
    own: usize,
    /// With fewer it is not worth it to begin.
    least: usize,
    /// Some thread is at it.
    is_taken: bool,
    /// Of segments that another thread followed, by the thread that made them: its caches hold what it wrote there before.
    spare: Vec<Vec<Segments>>,
}

/// Who may go on with a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Only(usize),
    Anyone,
    Nobody,
}

/// What a thread does next.
pub(super) struct Task {
    pub(super) place: usize,
    pub(super) work: Work,
    /// Nobody else would do it.
    pub(super) is_own: bool,
}

/// What waits. One lock for all: a chunk of large packets has few for each shard.
pub(super) struct Plan {
    queues: Vec<Queue>,
    /// By thread, how much waits that only it follows.
    own: Vec<usize>,
    /// By thread, what it sleeps for.
    asleep: Vec<Option<Awaited>>,
    /// Chunks that wait for one before them.
    pub(super) early: usize,
}

impl Queue {
    fn new(threads: usize) -> Self {
        Self {
            work: VecDeque::new(),
            segments: 0,
            own: 0,
            least: 0,
            is_taken: false,
            spare: (0..threads).map(|_| Vec::new()).collect(),
        }
    }

    fn next(&self) -> Next {
        match self.work.front() {
            Some(Work::Segments(made)) if made.is_own && !self.is_taken => Next::Only(made.by),
            Some(_) if !self.is_taken => Next::Anyone,
            _ => Next::Nobody,
        }
    }

    /// Whether this thread may go on with it: where too much waits, whatever it is worth and whoever mostly does.
    fn is_open_to(&self, thread: usize, is_home: bool, is_pressed: bool) -> bool {
        match self.next() {
            Next::Only(by) => by == thread,
            Next::Anyone => is_pressed || self.own > 0 || (is_home && self.segments >= self.least),
            Next::Nobody => false,
        }
    }
}

impl Plan {
    pub(super) fn new(shards: usize, threads: usize) -> Self {
        Self {
            queues: (0..shards).map(|_| Queue::new(threads)).collect(),
            own: vec![0; threads],
            asleep: vec![None; threads],
            early: 0,
        }
    }

    /// The shards that a thread mostly works on: its caches hold what is known of their connections.
    pub(super) fn home(&self, thread: usize) -> Range<usize> {
        let first = |thread: usize| thread * self.queues.len() / self.own.len().max(1);
        first(thread)..first(thread + 1).max(first(thread) + 1)
    }

    /// Segments that wait, of all shards.
    pub(super) fn segments(&self) -> usize {
        self.queues.iter().map(|queue| queue.segments).sum()
    }

    /// How much waits that only this thread follows.
    pub(super) fn own(&self, thread: usize) -> usize {
        self.own.get(thread).copied().unwrap_or(0)
    }

    pub(super) fn asleep(&self, thread: usize) -> Option<Awaited> {
        self.asleep.get(thread).copied().flatten()
    }

    pub(super) fn fall_asleep(&mut self, thread: usize, awaited: Option<Awaited>) {
        if let Some(asleep) = self.asleep.get_mut(thread) {
            *asleep = awaited;
        }
    }

    /// Puts segments behind those that wait for a shard.
    pub(super) fn put(&mut self, place: usize, segments: Segments, by: usize) {
        if segments.is_empty() {
            return;
        }
        let is_own = self.own.len() > 1 && segments.is_of_few();
        if let Some(own) = self.own.get_mut(by) {
            *own += usize::from(is_own);
        }
        if let Some(queue) = self.queues.get_mut(place) {
            queue.segments += segments.len();
            queue.own += usize::from(is_own);
            queue
                .work
                .push_back(Work::Segments(Made { segments, by, is_own }));
        }
    }

    pub(super) fn put_too_big(&mut self, place: usize, told: TooBig) {
        if let Some(queue) = self.queues.get_mut(place) {
            queue.work.push_back(Work::TooBig(told));
        }
    }

    /// What a thread may do next, at that shard or one behind it. Nobody else is there until it lets go.
    pub(super) fn take(&mut self, thread: usize, from: usize, is_pressed: bool) -> Option<Task> {
        let count = self.queues.len();
        let home = self.home(thread);
        let is_open = |place: &usize| {
            let queue = self.queues.get(*place);
            queue.is_some_and(|queue| queue.is_open_to(thread, home.contains(place), is_pressed))
        };
        let mut places = (from..from + count).map(|place| place % count);
        let at_home = places.clone().filter(|place| home.contains(place)).find(is_open);
        let place = at_home.or_else(|| places.find(is_open))?;
        let queue = self.queues.get_mut(place)?;
        let work = queue.work.pop_front()?;
        queue.is_taken = true;
        let mut is_own = false;
        if let Work::Segments(made) = &work {
            queue.segments -= made.segments.len();
            is_own = made.is_own;
            queue.own -= usize::from(is_own);
        }
        if let Some(own) = self.own.get_mut(thread) {
            *own -= usize::from(is_own);
        }
        Some(Task { place, work, is_own })
    }

    /// Others may go on with a shard, where so many segments are worth it.
    pub(super) fn let_go(&mut self, place: usize, least: usize) {
        if let Some(queue) = self.queues.get_mut(place) {
            queue.is_taken = false;
            queue.least = least;
        }
    }

    /// Who may go on with a shard.
    pub(super) fn next(&self, place: usize) -> Next {
        self.queues.get(place).map_or(Next::Nobody, Queue::next)
    }

    /// Keeps memory for the thread that wrote it.
    pub(super) fn put_back(&mut self, place: usize, segments: Segments, by: usize) {
        let queue = self.queues.get_mut(place);
        if let Some(spare) = queue.and_then(|queue| queue.spare.get_mut(by)) {
            spare.push(segments);
        }
    }

    pub(super) fn spare(&mut self, place: usize, by: usize) -> Option<Segments> {
        self.queues.get_mut(place)?.spare.get_mut(by)?.pop()
    }

    /// What was never taken, by shard.
    pub(super) fn into_work(self) -> impl Iterator<Item = VecDeque<Work>> {
        self.queues.into_iter().map(|queue| queue.work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::Segment;

    /// Of one connection, or of as many as there are.
    fn segments(count: u32, is_of_one: bool) -> Segments {
        let segment = |number| {
            let mut segment = Segment::BLANK;
            segment.hash = if is_of_one { 7 } else { number };
            segment
        };
        (0..u64::from(count)).map(segment).collect()
    }

    fn taken(plan: &mut Plan, thread: usize, is_pressed: bool) -> Option<usize> {
        plan.take(thread, 0, is_pressed).map(|task| task.place)
    }

    #[test]
    fn segments_of_one_connection_wait_for_the_thread_that_made_them() {
        let mut plan = Plan::new(2, 2);
        plan.put(1, segments(100, true), 0);
        plan.put(1, segments(100, true), 1);
        assert_eq!((plan.own(0), plan.own(1), plan.segments()), (1, 1, 200));
        assert_eq!(plan.next(1), Next::Only(0));
        assert_eq!(taken(&mut plan, 1, true), None, "those before them come first");
        assert_eq!(taken(&mut plan, 0, false), Some(1));
        assert_eq!(taken(&mut plan, 1, true), None, "another is at the shard");
        assert_eq!((plan.own(0), plan.next(1)), (0, Next::Nobody));
        plan.let_go(1, 0);
        assert_eq!(taken(&mut plan, 0, true), None);
        assert_eq!(taken(&mut plan, 1, false), Some(1));
    }

    #[test]
    fn anyone_takes_segments_of_many_when_it_is_worth_it() {
        let mut plan = Plan::new(2, 2);
        plan.let_go(0, 150);
        plan.put(0, segments(100, false), 1);
        assert_eq!((plan.own(1), plan.next(0)), (0, Next::Anyone));
        assert_eq!(taken(&mut plan, 0, false), None);
        assert_eq!(taken(&mut plan, 0, true), Some(0), "too much waits");
        plan.let_go(0, 150);
        plan.put(0, segments(75, false), 0);
        plan.put(0, segments(75, false), 1);
        assert_eq!(taken(&mut plan, 1, false), None, "another has its connections");
        assert_eq!(taken(&mut plan, 0, false), Some(0));
        plan.let_go(0, 1_000);
        plan.put(0, segments(100, true), 1);
        assert_eq!(
            taken(&mut plan, 1, false),
            Some(0),
            "one waits for what is before it"
        );
    }

    #[test]
    fn each_shard_has_a_thread_that_mostly_works_on_it() {
        for threads in [1, 2, 3, 16, 40] {
            let plan = Plan::new(16, threads);
            let all: Vec<usize> = (0..threads).flat_map(|thread| plan.home(thread)).collect();
            assert!((0..16).all(|place| all.contains(&place)), "{threads}: {all:?}");
            assert!(all.iter().all(|place| *place < 16), "{threads}: {all:?}");
        }
        let mut plan = Plan::new(4, 2);
        for place in 0..4 {
            plan.put(place, segments(100, false), 0);
        }
        assert_eq!(taken(&mut plan, 1, true), Some(2), "its own come first");
        assert_eq!(taken(&mut plan, 1, true), Some(3));
        assert_eq!(taken(&mut plan, 1, false), None);
        assert_eq!(taken(&mut plan, 1, true), Some(0), "too much waits");
    }

    #[test]
    fn memory_goes_back_to_who_wrote_it() {
        let mut plan = Plan::new(1, 2);
        plan.put_back(0, Segments::default(), 1);
        assert!(plan.spare(0, 0).is_none());
        assert!(plan.spare(0, 1).is_some());
        assert!(plan.spare(0, 1).is_none());
    }

    #[test]
    fn one_thread_waits_for_nobody() {
        let mut plan = Plan::new(1, 1);
        plan.put(0, segments(100, true), 0);
        assert_eq!((plan.own(0), plan.next(0)), (0, Next::Anyone));
    }
}
