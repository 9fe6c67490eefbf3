//! How connections leave a table: when they have ended and lingered, or when their memory is needed for others.

use super::Table;
use crate::flow::brief::Sink;
use crate::flow::ended::Lingering;

impl Table {
    /// Those that ended first leave early where one more would need memory that is not there.
    pub(super) fn make_room_to_linger(&mut self, keep: u32, sink: &mut dyn Sink) {
        loop {
            let growth = self.ended.growth_bytes(self.ending.len());
            self.count_aside(growth);
            if growth == 0 || self.memory_bytes() + growth <= self.limits.memory_bytes {
                return;
            }
            self.conclude_ending(sink);
            let Some(one) = self.ended.pop_but(Some(keep)) else {
                return;
            };
            self.let_go(&one, sink);
        }
    }

    /// Sums up those that have ended, before anything else is done with one of them.
    pub(super) fn conclude_ending(&mut self, sink: &mut dyn Sink) {
        for slot in self.ending.drain(..) {
            let Some(connection) = self.slab.get_mut(slot) else {
                continue;
            };
            let retired = connection.conclude(sink, &mut self.labelling, &mut self.spare);
            let (heap_bytes, before) = connection.count_heap();
            self.heap_bytes = (self.heap_bytes + heap_bytes).saturating_sub(before);
            if let Some(retired) = retired {
                self.ended.retire(connection.ended_as, connection.serial, retired);
                self.index.remove(connection.tag, slot);
                self.recency.remove(slot);
                self.slab.remove(slot);
                self.heap_bytes = self.heap_bytes.saturating_sub(heap_bytes);
            }
        }
    }

    /// Hands connections out until there is room for more: first those that have ended, then those that were silent longest.
    #[inline(never)]
    pub(super) fn make_room(&mut self, more_bytes: usize, keep: Option<u32>, sink: &mut dyn Sink) {
        self.count_aside(more_bytes);
        if self.memory_bytes() + more_bytes > self.limits.memory_bytes {
            self.conclude_ending(sink);
        }
        while self.memory_bytes() + more_bytes > self.limits.memory_bytes {
            if let Some(one) = self.ended.pop_but(keep) {
                self.let_go(&one, sink);
                self.ended.shrink();
            } else if let Some(slot) = self.recency.oldest().filter(|slot| Some(*slot) != keep) {
                self.counts.evicted += 1;
                self.hand_out(slot, true, sink);
            } else {
                return;
            }
            // An empty slot is room, too.
            if more_bytes > 0 && self.slab.has_room() {
                return;
            }
        }
    }

    fn is_still(&self, one: &Lingering) -> bool {
        self.slab.get(one.slot).is_some_and(|held| {
            held.serial == one.serial && held.has_ended() && held.ended_ns == one.ended_ns
        })
    }

    #[cold]
    pub(super) fn hand_out_ended(&mut self, now_ns: i64, sink: &mut dyn Sink) {
        self.conclude_ending(sink);
        while self.ended.is_over(now_ns, self.limits.linger_ns)
            && let Some(one) = self.ended.pop_but(None)
        {
            self.let_go(&one, sink);
        }
    }

    /// Hands out one that has lingered, unless it is gone or goes on.
    fn let_go(&mut self, one: &Lingering, sink: &mut dyn Sink) {
        if one.retired.is_some() {
            self.counts.live = self.counts.live.saturating_sub(1);
        } else if self.is_still(one) {
            self.hand_out(one.slot, false, sink);
        }
    }

    #[inline(never)]
    pub(super) fn hand_out(&mut self, slot: u32, is_evicted: bool, sink: &mut dyn Sink) {
        let Some(connection) = self.slab.get_mut(slot) else {
            return;
        };
        let (tag, counted_bytes) = (connection.tag, connection.counted_bytes);
        if connection.is_wanted(sink) {
            sink.whole(connection.report(is_evicted));
        } else {
            sink.brief(&connection.brief(&mut self.labelling));
        }
        self.slab.remove(slot);
        self.forget(slot, tag);
        self.heap_bytes = self.heap_bytes.saturating_sub(counted_bytes as usize);
    }

    /// A slot was given back.
    fn forget(&mut self, slot: u32, tag: u32) {
        self.index.remove(tag, slot);
        self.recency.remove(slot);
        self.counts.live = self.counts.live.saturating_sub(1);
        self.last = self.last.filter(|(_, last)| *last != slot);
    }
}
