//! Segments taken together: many follow another of their connection, and for those it is not looked up.

use super::Table;
use crate::flow::brief::Sink;
use crate::flow::connection::{Connection, Taken};
use crate::flow::followed::when;
use crate::flow::index::tag_of;
use crate::{Flags, Segment, Segments};
use std::slice::Iter;

/// Where one as far behind is of the same connection, so are nearly all between them.
const RUN: usize = 32;
/// Where one as near is of another, nobody needs to look as far.
const SOON: usize = 2;

/// What begins is looked for among those that have ended, which no cache holds: its place there is fetched so many segments before.
const AHEAD: usize = 16;

/// Whether the segment in that place is of the connection with this hash, most likely. Whose it is stands in the first of those that
/// it follows; where that is too far away to tell, it is before all that are looked at.
#[inline]
fn is_of(segments: &[Segment], place: usize, hash: u64) -> bool {
    let Some(segment) = segments.get(place) else {
        return false;
    };
    let first = place.checked_sub(usize::from(segment.follows));
    segment.follows == u8::MAX
        || first
            .and_then(|first| segments.get(first))
            .is_some_and(|first| first.hash == hash)
}

impl Table {
    /// Takes segments one after the other, for a sink that need not want each connection whole.
    pub fn take_all(&mut self, segments: &Segments, sink: &mut dyn Sink) {
        self.let_aside_change();
        let segments = segments.stored();
        let mut rest = segments.iter();
        let mut head = &Segment::BLANK;
        while let Some(segment) = rest.next() {
            if segment.follows == 0 {
                head = segment;
            }
            let ahead = segments.len() - rest.len() + AHEAD;
            if let Some(soon) = segments.get(ahead)
                && soon.flags.has(Flags::SYN)
            {
                self.ended.fetch(tag_of(soon.hash));
            }
            if let Some(slot) = self.follow(head, segment, sink, &mut |_, _, _, _| {}) {
                let next = segments.len() - rest.len();
                let is_here = |later: usize| is_of(segments, next + later, head.hash);
                if is_here(SOON) && is_here(RUN) {
                    if self.is_aside(slot) {
                        self.follow_run::<{ when::ASIDE }>(slot, &mut rest, sink);
                    } else {
                        self.follow_run::<{ when::AT_ONCE }>(slot, &mut rest, sink);
                    }
                } else {
                    let take = |one: &mut Connection, segment: &_| one.take(segment, &mut |_, _, _, _| {});
                    self.follow_on(slot, take, &mut rest, sink);
                }
            }
        }
        self.hand_over();
        self.conclude_ending(sink);
        self.make_room(0, None, sink);
    }

    /// Takes those that come next of the connection in a slot, as long as nothing ends and no memory is needed.
    #[inline(always)]
    fn follow_on(
        &mut self,
        slot: u32,
        take: impl Fn(&mut Connection, &Segment) -> Taken,
        rest: &mut Iter<'_, Segment>,
        sink: &mut dyn Sink,
    ) {
        let Some(connection) = self.slab.get_mut(slot).filter(|one| !one.is_ending) else {
            return;
        };
        while let Some(segment) = rest.as_slice().first() {
            let is_more = segment.follows > 0 || segment.key == connection.key;
            if !is_more
                || segment.flags.has(Flags::SYN)
                || self.ended.is_over(segment.time_ns, self.limits.linger_ns)
            {
                return;
            }
            rest.next();
            let taken = take(connection, segment);
            if taken != Taken::GoesOn || connection.heap_bytes() != connection.counted_bytes {
                return self.settle(slot, taken, sink);
            }
        }
    }

    /// As [`Table::follow_on`] does, many of them.
    #[inline(never)]
    fn follow_run<const WHEN: u8>(&mut self, slot: u32, rest: &mut Iter<'_, Segment>, sink: &mut dyn Sink) {
        self.follow_on(slot, Connection::take_of_run::<WHEN>, rest, sink);
    }
}
