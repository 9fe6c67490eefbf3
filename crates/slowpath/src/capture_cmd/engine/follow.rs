//! Which thread follows what, and when.

use super::changes::Awaited;
use super::plan::{Task, Work};
use super::{SHARDS, Shared, locked};
use capture::Segments;
use capture::flow::Sink;
use std::mem;
use std::thread;

/// How much may wait before a thread waits, too.
#[derive(Clone, Copy)]
pub(super) struct Most {
    /// Segments, of all shards. One connection may be most of a capture.
    pub(super) segments: usize,
    /// Chunks that were made before their turn.
    pub(super) early: usize,
}

/// While there is more to read.
pub(super) const READING: Most = Most {
    segments: 1 << 16,
    early: 8,
};

pub(super) const NOTHING: Most = Most {
    segments: 0,
    early: 0,
};

/// A thread, and memory that it made segments in and followed them: its caches hold that.
pub(super) struct Hand {
    pub(super) thread: usize,
    /// By shard.
    pub(super) spare: Vec<Vec<Segments>>,
    /// Whether it had to wait since it followed any: then the shards are behind those that read.
    has_waited: bool,
}

impl Hand {
    pub(super) fn new(thread: usize) -> Self {
        Self {
            thread,
            spare: (0..SHARDS).map(|_| Vec::new()).collect(),
            has_waited: false,
        }
    }

    /// Keeps the memory of shards of which a chunk has nothing.
    pub(super) fn keep_unused(&mut self, shards: &mut [Segments]) {
        for (place, segments) in shards.iter_mut().enumerate() {
            if segments.is_empty() {
                self.keep(place, mem::take(segments));
            }
        }
    }

    pub(super) fn keep(&mut self, place: usize, segments: Segments) {
        if let Some(spare) = self.spare.get_mut(place) {
            spare.push(segments);
        }
    }
}

impl<C: Sink> Shared<'_, C> {
    /// Works on the shards as far as it is worth it, on what nobody else does in any case; and waits until no more waits than this.
    pub(super) fn follow(&self, hand: &mut Hand, most: Most) {
        let mut place = 0;
        while !self.changes.has_fallen() {
            let mut plan = locked(&self.plan);
            let is_pressed = plan.segments() > most.segments || plan.early > most.early;
            if let Some(task) = plan.take(hand.thread, place, is_pressed) {
                drop(plan);
                place = task.place;
                self.carry_out(task, hand);
                continue;
            }
            let awaited = match is_pressed {
                true => Awaited::Room,
                false if plan.own(hand.thread) > 0 => Awaited::Turn,
                false => return,
            };
            hand.has_waited = true;
            self.changes.wait(&self.plan, plan, hand.thread, awaited);
        }
    }

    /// Follows segments. Where threads wait for each other, events are looked at when another may already follow those behind.
    fn carry_out(&self, task: Task, hand: &mut Hand) {
        let Some(shard) = self.shards.get(task.place) else {
            return;
        };
        let mut shard = locked(shard);
        if let Work::Segments(made) = &task.work
            && made.by != hand.thread
        {
            made.segments.fetch();
        }
        if mem::replace(&mut shard.by, hand.thread) != hand.thread {
            shard.table.claim();
        }
        if task.is_own {
            shard.table.share(mem::take(&mut hand.has_waited));
        }
        shard.take(&task.work);
        let least = shard.worth_it();
        let backlogs: Vec<_> = shard.table.backlogs().cloned().collect();
        drop(shard);
        let mut plan = locked(&self.plan);
        if let Work::Segments(mut made) = task.work {
            if made.by == hand.thread {
                made.segments.clear();
                hand.keep(task.place, made.segments);
            } else {
                plan.put_back(task.place, made.segments, made.by);
            }
        }
        plan.let_go(task.place, least);
        self.changes.tell(&plan, plan.next(task.place));
        drop(plan);
        backlogs.iter().for_each(|backlog| backlog.work());
    }
}

/// Wakes those that wait when its thread falls.
pub(super) struct Falls<'s, 'j, C>(pub(super) &'s Shared<'j, C>);

impl<C> Drop for Falls<'_, '_, C> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.changes.fall(&self.0.plan);
            drop(locked(&self.0.reader));
            self.0.turned.notify_all();
        }
    }
}
