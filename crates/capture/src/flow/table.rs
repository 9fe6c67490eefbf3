//! All connections that are followed at once, within a bound of memory.

mod aside;
mod room;
mod together;

use super::brief::{Sink, Whole};
use super::connection::{Connection, Observer, Taken};
use super::ended::{Ended, Lingering};
use super::index::{Index, tag_of};
use super::recency::Recency;
use super::report::FlowReport;
use super::slab::{CHUNK_BYTES, Slab};
use super::spare::Spare;
use crate::causes::Labelling;
use crate::{Flags, FlowKey, Segment, TooBig};
use aside::Aside;
use std::collections::BTreeSet;

/// Bounds of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Memory for connections, bytes. At least one connection is followed, whatever the bound.
    pub memory_bytes: usize,
    /// How long a connection is still followed after it has ended, nanoseconds of capture time: a copy of its last packets
    /// that comes late belongs to it.
    pub linger_ns: i64,
}

impl Default for Limits {
    fn default() -> Self {
        // 15 s: a FIN whose acknowledgement was lost comes again after one timeout and, doubled, three more times within 15 s
        // where the first is at most 1 s (RFC 6298 section 2.1).
        Self {
            memory_bytes: 1 << 30,
            linger_ns: 15_000_000_000,
        }
    }
}

/// How many connections there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Seen so far.
    pub seen: u64,
    /// Followed now, those that linger included.
    pub live: u64,
    /// Of these, those that have ended, nearly: few of them have packets to come.
    pub lingering: u64,
    /// Handed out before their end, because their memory was needed.
    pub evicted: u64,
    /// "Too big" messages that belong to no connection that is followed.
    pub stray_messages: u64,
}

/// Which connections are watched.
#[derive(Debug, Default)]
enum Watched {
    #[default]
    None,
    These(BTreeSet<FlowKey>),
    All,
}

/// The connections of a capture, or of a shard of it.
#[derive(Default)]
pub struct Table {
    limits: Limits,
    index: Index,
    slab: Slab,
    recency: Recency,
    ended: Ended,
    /// Those that have ended with one of the segments that are just taken. They are concluded one after the other: what that
    /// needs of program and memory is then fetched once for all of them.
    ending: Vec<u32>,
    /// Bytes that hang on the connections.
    heap_bytes: usize,
    serial: u32,
    counts: Counts,
    watched: Watched,
    labelling: Labelling,
    spare: Spare,
    /// The connection of the last segment: most segments follow another of their connection.
    last: Option<(u64, u32)>,
    aside: Aside,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Another processor has followed the last segment: takes over what is written of its connection for each.
    pub fn claim(&mut self) {
        let connection = self.last.and_then(|(_, slot)| self.slab.get_mut(slot));
        let halves = connection
            .into_iter()
            .flat_map(|connection| &mut connection.halves);
        halves.for_each(|half| half.flight.claim());
    }

    /// How many connections there were.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            lingering: self.ended.len() as u64,
            ..self.counts
        }
    }

    /// Bytes that are held now.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.heap_bytes
            + self.index.bytes()
            + self.slab.bytes()
            + self.recency.bytes()
            + self.ended.bytes()
            + self.spare.bytes()
    }

    /// From now on [`Table::take_observed`] tells the events of this connection.
    pub fn watch(&mut self, key: FlowKey, hash: u64) {
        match &mut self.watched {
            Watched::All => {}
            Watched::These(keys) => _ = keys.insert(key),
            none => *none = Watched::These(BTreeSet::from([key])),
        }
        if let Some(connection) = self
            .find(&key, tag_of(hash))
            .and_then(|slot| self.slab.get_mut(slot))
        {
            connection.watch();
        }
    }

    /// From now on the events of all connections that begin are told.
    pub fn watch_all(&mut self) {
        self.watched = Watched::All;
    }

    /// Takes a segment. Connections that have ended, or had to go, are handed to `sink`.
    #[inline]
    pub fn take(&mut self, segment: &Segment, sink: &mut dyn FnMut(FlowReport)) {
        self.take_observed(segment, sink, &mut |_, _, _, _| {});
    }

    /// As [`Table::take`], and tells `observer` what happens to watched connections: the connection, the direction of the data
    /// that the event is about, the event, and the segment that it comes from.
    pub fn take_observed(
        &mut self,
        segment: &Segment,
        sink: &mut dyn FnMut(FlowReport),
        observer: &mut Observer<'_>,
    ) {
        let sink = &mut Whole(sink);
        let slot = self.follow(segment, segment, sink, observer);
        self.conclude_ending(sink);
        self.make_room(0, slot, sink);
    }

    /// Where the segment belongs to, if there was room for its connection. Whose it is stands in `head`, which it follows or is.
    fn follow(
        &mut self,
        head: &Segment,
        segment: &Segment,
        sink: &mut dyn Sink,
        observer: &mut Observer<'_>,
    ) -> Option<u32> {
        if self.ended.is_over(segment.time_ns, self.limits.linger_ns) {
            self.hand_out_ended(segment.time_ns, sink);
        }
        let tag = tag_of(head.hash);
        let slot = match self.find_followed(head, tag, sink) {
            Some(slot) if segment.flags.has(Flags::SYN) && self.is_reused(slot, segment) => {
                self.conclude_ending(sink);
                self.hand_out(slot, false, sink);
                self.begin(head, segment, tag, sink)
            }
            Some(slot) => {
                self.recency.touch(slot);
                Some(slot)
            }
            None => self.begin(head, segment, tag, sink),
        }?;
        self.last = Some((head.hash, slot));
        let connection = self.slab.get_mut(slot)?;
        let taken = connection.take(segment, observer);
        if taken != Taken::GoesOn || connection.heap_bytes() != connection.counted_bytes {
            self.settle(slot, taken, sink);
        }
        Some(slot)
    }

    /// The slot of a segment's connection, if that is known. One that is ending is concluded before it takes more, and one without
    /// a slot has one again.
    #[inline(always)]
    fn find_followed(&mut self, head: &Segment, tag: u32, sink: &mut dyn Sink) -> Option<u32> {
        let found = match self.last {
            Some((hash, slot)) if hash == head.hash && self.holds(slot, &head.key) => Some(slot),
            _ => self.find(&head.key, tag),
        };
        match found.and_then(|slot| self.slab.get(slot)) {
            Some(connection) if !connection.is_ending => found,
            _ => self.find_ended(&head.key, tag, sink),
        }
    }

    #[inline(never)]
    fn find_ended(&mut self, key: &FlowKey, tag: u32, sink: &mut dyn Sink) -> Option<u32> {
        if let Some(slot) = self.find(key, tag) {
            self.conclude_ending(sink);
            if self.holds(slot, key) {
                return Some(slot);
            }
        }
        self.ended.find(key, tag)?;
        if !self.slab.has_room() {
            self.make_room(CHUNK_BYTES, None, sink);
        }
        // Where there was no room it may have been handed out.
        let number = self.ended.find(key, tag)?;
        self.serial = self.serial.wrapping_add(1);
        let connection = Connection::revived(self.ended.get(number)?, number, self.serial)?;
        let slot = self.put(connection)?;
        self.ended.give_slot(number, slot, self.serial);
        Some(slot)
    }

    /// What is to be done after a segment that ended its connection, or for which this needed more memory or less.
    fn settle(&mut self, slot: u32, taken: Taken, sink: &mut dyn Sink) {
        if taken == Taken::Ends {
            self.make_room_to_linger(slot, sink);
        }
        let Some(connection) = self.slab.get_mut(slot) else {
            return;
        };
        if taken == Taken::Ends {
            connection.ended_as = self.ended.push(Lingering {
                slot,
                serial: connection.serial,
                tag: connection.tag,
                ended_ns: connection.ended_ns,
                retired: None,
            });
            connection.is_ending = true;
            self.ending.push(slot);
        }
        let (heap_bytes, before) = connection.count_heap();
        if heap_bytes != before {
            self.heap_bytes = (self.heap_bytes + heap_bytes).saturating_sub(before);
            self.make_room(0, Some(slot), sink);
        }
    }

    /// A router said that a packet of a connection is too large.
    pub fn too_big(&mut self, message: &TooBig) {
        let tag = tag_of(message.hash);
        let slot = self.find(&message.key, tag);
        match slot.and_then(|slot| self.slab.get_mut(slot)) {
            Some(connection) => connection.too_big(message),
            None if self.ended.find(&message.key, tag).is_some() => {}
            None => self.counts.stray_messages += 1,
        }
    }

    /// The capture has ended: all connections are handed out, those that were silent longest first.
    pub fn finish(&mut self, sink: &mut dyn FnMut(FlowReport)) {
        self.finish_into(&mut Whole(sink));
    }

    /// As [`Table::finish`], for a sink that does not want each connection whole.
    pub fn finish_into(&mut self, sink: &mut dyn Sink) {
        self.conclude_ending(sink);
        while let Some(slot) = self.recency.oldest() {
            self.hand_out(slot, false, sink);
        }
        self.ended = Ended::default();
        self.counts.live = 0;
    }

    #[inline]
    fn find(&self, key: &FlowKey, tag: u32) -> Option<u32> {
        self.index.find(tag, |slot| self.holds(slot, key))
    }

    #[inline]
    fn holds(&self, slot: u32, key: &FlowKey) -> bool {
        self.slab
            .get(slot)
            .is_some_and(|connection| connection.key == *key)
    }

    #[inline(never)]
    fn is_reused(&self, slot: u32, segment: &Segment) -> bool {
        self.slab
            .get(slot)
            .is_some_and(|connection| connection.is_reused_by(segment))
    }

    #[inline(never)]
    fn begin(&mut self, head: &Segment, segment: &Segment, tag: u32, sink: &mut dyn Sink) -> Option<u32> {
        if !self.slab.has_room() {
            self.make_room(CHUNK_BYTES, None, sink);
        }
        let is_watched = match &self.watched {
            Watched::None => false,
            Watched::These(keys) => keys.contains(&head.key),
            Watched::All => true,
        };
        self.serial = self.serial.wrapping_add(1);
        let mut connection = Connection::new(head.key, segment, tag, self.serial, is_watched);
        connection.borrow(&mut self.spare);
        let slot = self.put(connection)?;
        self.counts.seen += 1;
        self.counts.live += 1;
        Some(slot)
    }

    /// Gives a connection a slot, where there are any left.
    #[inline(always)]
    fn put(&mut self, connection: Connection) -> Option<u32> {
        let tag = connection.tag;
        let slot = self.slab.insert(connection)?;
        self.index.insert(tag, slot);
        self.recency.insert(slot);
        Some(slot)
    }
}
