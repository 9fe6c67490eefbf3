//! What passed above the contiguous part of a half, and the holes below it.

/// So many islands are held. An honest flight of 10 Gbit/s over 100 ms has 83,000 segments: one in a hundred of them lost
/// before the capture point makes 830 holes at once.
pub(super) const MAX_ISLANDS: usize = 1024;

/// A hole: data that others have passed by.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Hole {
    /// When the first packet behind it passed.
    pub arose_ns: i64,
    /// The count of data packets then.
    pub arose_packet: u64,
    /// Time stamp value of that packet.
    pub tsval: Option<u32>,
    /// IP identification of that packet.
    pub ip_id: Option<u16>,
}

/// A stretch that passed, with the hole below it.
#[derive(Debug, Clone, Copy)]
struct Island {
    start: u64,
    end: u64,
    hole: Hole,
}

/// Disjoint stretches above the contiguous part, in order, none touching another.
#[derive(Debug, Default)]
pub(super) struct Islands {
    list: Vec<Island>,
    /// Bytes in them.
    bytes: u64,
    /// Holes that were closed for want of room.
    pub closed_for_room: u64,
}

impl Islands {
    /// Bytes in them.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        self.list.capacity() * size_of::<Island>()
    }

    /// Bytes of this stretch that are in islands.
    pub(super) fn covered(&self, start: u64, end: u64) -> u64 {
        let from = self.list.partition_point(|island| island.end <= start);
        let touched = self
            .list
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|island| island.start < end);
        touched
            .map(|island| island.end.min(end) - island.start.max(start))
            .sum()
    }

    /// The parts of this stretch that are in no island.
    pub(super) fn gaps(&self, start: u64, end: u64, mut gap: impl FnMut(u64, u64)) {
        let mut from = start;
        let first = self.list.partition_point(|island| island.end <= start);
        for island in self
            .list
            .get(first..)
            .unwrap_or_default()
            .iter()
            .take_while(|island| island.start < end)
        {
            if from < island.start {
                gap(from, island.start);
            }
            from = island.end;
        }
        if from < end {
            gap(from, end);
        }
    }

    /// The hole that a byte lies in; `None` of one in or above all islands.
    pub(super) fn hole_at(&self, position: u64) -> Option<Hole> {
        let above = self.list.partition_point(|island| island.end <= position);
        self.list
            .get(above)
            .filter(|island| island.start > position)
            .map(|island| island.hole)
    }

    /// Adds a stretch above the contiguous part, whose end `next` moves up when the stretch touches it. `hole` is what lies
    /// below the stretch if it is the highest; a stretch within a hole inherits that hole.
    pub(super) fn insert(&mut self, start: u64, end: u64, next: &mut u64, hole: Hole) {
        let from = self.list.partition_point(|island| island.end < start);
        let to = self.list.partition_point(|island| island.start <= end);
        let touched = self.list.get(from..to).unwrap_or_default();
        let inherited = self.list.get(from).map_or(hole, |island| island.hole);
        let merged = Island {
            start: touched.first().map_or(start, |island| island.start.min(start)),
            end: touched.last().map_or(end, |island| island.end.max(end)),
            hole: inherited,
        };
        let before: u64 = touched.iter().map(|island| island.end - island.start).sum();
        if merged.start <= *next {
            // Contiguous with what lies below: all islands up to here are done with.
            *next = (*next).max(merged.end);
            self.list.drain(..to);
            self.bytes = self.list.iter().map(|island| island.end - island.start).sum();
            return;
        }
        self.bytes = self.bytes + (merged.end - merged.start) - before;
        self.list.splice(from..to, [merged]);
        if self.list.len() > MAX_ISLANDS {
            self.close_smallest_hole();
        }
    }

    /// Everything below `end` counts as passed from now on. Returns the bytes of it that lay in holes, up to the highest
    /// island; each stretch of them goes to `unseen`.
    pub(super) fn fill(&mut self, end: u64, next: &mut u64, mut unseen: impl FnMut(u64, u64)) {
        let mut done = 0;
        for island in &self.list {
            if island.start > end {
                break;
            }
            if *next < island.start {
                unseen(*next, island.start);
            }
            *next = (*next).max(island.end);
            done += 1;
        }
        if *next < end {
            unseen(*next, end);
            *next = end;
        }
        if done > 0 {
            self.list.drain(..done);
            self.bytes = self.list.iter().map(|island| island.end - island.start).sum();
        }
    }

    /// The smallest hole costs least when what fills it is later taken for a retransmission.
    fn close_smallest_hole(&mut self) {
        let sizes = self.list.windows(2).map(|pair| match pair {
            [lower, upper] => upper.start - lower.end,
            _ => u64::MAX,
        });
        let Some((place, size)) = sizes.enumerate().min_by_key(|(_, size)| *size) else {
            return;
        };
        if let (Some(lower), Some(upper)) = (self.list.get(place).copied(), self.list.get(place + 1).copied())
        {
            self.list.splice(
                place..place + 2,
                [Island {
                    end: upper.end,
                    ..lower
                }],
            );
            self.bytes += size;
            self.closed_for_room += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hole(arose_ns: i64) -> Hole {
        Hole {
            arose_ns,
            ..Hole::default()
        }
    }

    #[test]
    fn a_stretch_in_a_hole_leaves_two_holes_of_the_same_age() {
        let (mut islands, mut next) = (Islands::default(), 10);
        islands.insert(100, 110, &mut next, hole(1));
        islands.insert(50, 60, &mut next, hole(2));
        assert_eq!(islands.hole_at(20), Some(hole(1)));
        assert_eq!(islands.hole_at(70), Some(hole(1)));
        assert_eq!(islands.hole_at(55), None);
        assert_eq!(islands.hole_at(110), None);
        islands.insert(10, 50, &mut next, hole(3));
        assert_eq!((next, islands.bytes()), (60, 10));
    }

    #[test]
    fn more_than_fits_closes_the_smallest_hole_and_says_so() {
        let (mut islands, mut next) = (Islands::default(), 0);
        for n in 1..=MAX_ISLANDS as u64 + 1 {
            let start = n * 100 + if n == 500 { 40 } else { 0 };
            islands.insert(start, n * 100 + 50, &mut next, hole(0));
        }
        assert_eq!(islands.closed_for_room, 1);
        assert_eq!(islands.covered(0, u64::MAX), islands.bytes());
        // The hole above island 500's short neighbour stays: all are 50 bytes but the one before 500, which is 90.
        assert_eq!(islands.covered(49_950, 50_040), 0);
    }

    proptest! {
        /// A plain array of bytes is the judge.
        #[test]
        fn islands_are_what_a_bitmap_says(steps in proptest::collection::vec((0usize..300, 1usize..40, any::<bool>()), 1..60)) {
            let (mut islands, mut next) = (Islands::default(), 0u64);
            let mut seen = vec![false; 400];
            for (start, length, is_fill) in steps {
                let end = start + length;
                if is_fill && length < 5 {
                    let mut unseen = 0;
                    islands.fill(end as u64, &mut next, |from, to| unseen += to - from);
                    prop_assert_eq!(unseen as usize, seen[..end].iter().filter(|seen| !**seen).count());
                    seen[..end].fill(true);
                } else {
                    let covered = seen[start..end].iter().filter(|seen| **seen).count() as u64;
                    let below = next.clamp(start as u64, end as u64) - start as u64;
                    prop_assert_eq!(below + islands.covered((start as u64).max(next), (end as u64).max(next)), covered);
                    islands.insert(start as u64, end as u64, &mut next, hole(0));
                    seen[start..end].fill(true);
                }
                prop_assert_eq!(next as usize, seen.iter().position(|seen| !seen).unwrap());
                prop_assert_eq!(next + islands.bytes(), seen.iter().filter(|seen| **seen).count() as u64);
            }
        }
    }
}
