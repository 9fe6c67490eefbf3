//! What became of a packet on its way: it passed, it was lost, a capture missed it, or nobody can tell.

use super::{Running, USUAL_SEGMENT_BYTES};
use crate::Way;
use crate::points::entry::Slot;
use crate::points::observation::{Marks, Observation};
use crate::points::stretch::{Carried, Stretch};

/// A packet that would have come by so shortly before a capture ended may have stood in a queue then.
const END_SLACK_NS: i64 = 500_000_000;

impl Running {
    pub(super) fn judge(&mut self, place: u32) {
        let Some(slot) = self.table.slot(place).copied() else {
            return;
        };
        let points = self.seats.len();
        let rank = |along: usize| {
            if slot.way == Way::Up {
                along
            } else {
                points - 1 - along
            }
        };
        let present = || (0..points).filter(|&along| slot.has(rank(along)));
        if let (Some(first), Some(last)) = (present().next(), present().next_back()) {
            for along in 0..points {
                match (along < first, along <= last, slot.has(rank(along))) {
                    (true, _, _) => self.absent_before(place, &slot, along, first),
                    (_, true, false) => self.absent_between(place, &slot, along),
                    (_, true, true) if along < last && slot.has(rank(along + 1)) => {
                        self.passed(place, &slot, along)
                    }
                    _ => {}
                }
            }
            if last + 1 < points {
                self.absent_behind(place, &slot, last);
            }
        }
        self.table.release(place);
    }

    fn rank(&self, way: Way, along: usize) -> usize {
        if way == Way::Up {
            along
        } else {
            self.seats.len().saturating_sub(1 + along)
        }
    }

    /// The stretch behind the point that a packet passes as the `along`-th.
    fn stretch(&mut self, way: Way, along: usize) -> Option<&mut Stretch> {
        let gap = if way == Way::Up {
            along
        } else {
            self.stretches.len().checked_sub(1 + along)?
        };
        self.stretches.get_mut(gap).map(|ways| &mut ways[way.index()])
    }

    fn carried<'a>(&self, slot: &'a Slot, seen: &Observation) -> Carried<'a> {
        let least = self
            .seats
            .iter()
            .map(|seat| seat.largest_payload[slot.way.index()])
            .filter(|&largest| largest > 0)
            .min();
        let full = self.mss_bytes.or(least).unwrap_or(USUAL_SEGMENT_BYTES);
        let full = if self.mss_bytes.is_none() && full > 9216 {
            USUAL_SEGMENT_BYTES
        } else {
            full
        };
        let is_one = slot.is_bare || slot.length <= full.max(USUAL_SEGMENT_BYTES);
        let packets = if is_one {
            1
        } else {
            slot.length.div_ceil(full.max(64))
        };
        let payload = seen
            .payload_bytes
            .min(slot.length)
            .min(if is_one { u32::MAX } else { full });
        Carried {
            slot,
            packets: u64::from(packets),
            wire_bytes: seen.header_bytes().saturating_add(payload),
        }
    }

    fn seen(&self, place: u32, rank: usize) -> Observation {
        self.table
            .observations(place)
            .get(rank)
            .copied()
            .unwrap_or_default()
    }

    fn passed(&mut self, place: u32, slot: &Slot, along: usize) {
        let (before, behind) = (
            self.seen(place, self.rank(slot.way, along)),
            self.seen(place, self.rank(slot.way, along + 1)),
        );
        let carried = self.carried(slot, &before);
        let is_up = slot.way == Way::Up;
        let gap = if is_up {
            Some(along)
        } else {
            self.clocks.len().checked_sub(1 + along)
        };
        let is_sure = !before.marks.has(Marks::REPEATED) && !behind.marks.has(Marks::REPEATED);
        if is_sure && let Some(clock) = gap.and_then(|gap| self.clocks.get_mut(gap)) {
            let (near_ns, far_ns) = if is_up {
                (before.time_ns, behind.time_ns)
            } else {
                (behind.time_ns, before.time_ns)
            };
            clock.add(is_up, near_ns, far_ns);
        }
        if let Some(stretch) = self.stretch(slot.way, along) {
            stretch.passed(&carried, &before, &behind, is_sure);
        }
    }

    /// Not seen here, and first seen behind: a copy that a stretch made, or a packet that the capture missed.
    fn absent_before(&mut self, place: u32, slot: &Slot, along: usize, first: usize) {
        let seen = self.seen(place, self.rank(slot.way, first));
        let carried = self.carried(slot, &seen);
        if seen.marks.has(Marks::COPY) {
            if along + 1 == first {
                let rank = self.rank(slot.way, first);
                if let Some(seat) = self.seats.get_mut(rank) {
                    seat.repeated_records += 1;
                }
                if let Some(stretch) = self.stretch(slot.way, along) {
                    stretch.counts(&carried).duplicated += carried.packets;
                }
            }
            return;
        }
        let rank = self.rank(slot.way, along);
        let is_outside = self.is_outside(place, slot, rank);
        if !is_outside && let Some(seat) = self.seats.get_mut(rank) {
            seat.missed_packets += carried.packets;
        }
        if let Some(stretch) = self.stretch(slot.way, along) {
            let counts = stretch.counts(&carried);
            if is_outside {
                counts.outside += carried.packets;
            } else {
                counts.missed_by_from += carried.packets;
                stretch.bare_from_nowhere += u64::from(slot.is_bare);
            }
        }
    }

    /// Seen before and behind: this point's capture missed it.
    fn absent_between(&mut self, place: u32, slot: &Slot, along: usize) {
        let Some(before) = (0..along)
            .rev()
            .map(|along| self.rank(slot.way, along))
            .find(|&rank| slot.has(rank))
        else {
            return;
        };
        let carried = self.carried(slot, &self.seen(place, before));
        let rank = self.rank(slot.way, along);
        let is_outside = self.is_outside(place, slot, rank);
        if !is_outside && let Some(seat) = self.seats.get_mut(rank) {
            seat.missed_packets += carried.packets;
        }
        let came_from = along.checked_sub(1);
        if let Some(stretch) = came_from.and_then(|along| self.stretch(slot.way, along)) {
            note_missed_by_to(stretch, &carried, is_outside);
        }
        if let Some(stretch) = self.stretch(slot.way, along) {
            let counts = stretch.counts(&carried);
            let count = if is_outside {
                &mut counts.outside
            } else {
                &mut counts.missed_by_from
            };
            *count += carried.packets;
        }
    }

    /// Seen no further than here: lost behind, missed by the captures behind, or outside of them.
    fn absent_behind(&mut self, place: u32, slot: &Slot, last: usize) {
        let (rank, next) = (self.rank(slot.way, last), self.rank(slot.way, last + 1));
        let seen = self.seen(place, rank);
        let carried = self.carried(slot, &seen);
        let is_outside = self.is_outside(place, slot, next);
        let is_missed = !is_outside && !seen.marks.has(Marks::COPY) && self.arrived_unseen(place, slot, last);
        if is_missed && let Some(seat) = self.seats.get_mut(next) {
            seat.missed_packets += carried.packets;
        }
        if seen.marks.has(Marks::COPY)
            && let Some(seat) = self.seats.get_mut(rank)
        {
            seat.repeated_records += 1;
        }
        let shift = self
            .seats
            .get(rank)
            .map_or(0, |seat| seat.numbering.seq_shift[slot.way.index()]);
        let seq = if slot.is_bare {
            seen.seq
        } else {
            (slot.start as u32).wrapping_add(shift)
        };
        let Some(stretch) = self.stretch(slot.way, last) else {
            return;
        };
        if is_outside || is_missed {
            note_missed_by_to(stretch, &carried, is_outside);
        } else {
            stretch.lost(&carried, &seen, seq);
        }
    }

    /// Whether the bytes were acknowledged where a point behind never saw them, and no later copy was there to bring them.
    fn arrived_unseen(&self, place: u32, slot: &Slot, last: usize) -> bool {
        !slot.is_bare
            && (last + 1..self.seats.len())
                .map(|along| self.rank(slot.way, along))
                .any(|rank| {
                    let coverage = self.coverage.get(rank).map(|ways| &ways[slot.way.index()]);
                    let acked_ns =
                        coverage.and_then(|coverage| coverage.acked_unseen_ns(slot.start, slot.end()));
                    acked_ns.is_some_and(|acked_ns| !self.table.has_later_copy(place, rank, acked_ns))
                })
    }

    /// Whether a point's capture had not begun when the packet would have come by, or was over.
    ///
    /// Between two packets that the point has, its capture ran. Outside of them, only what the whole capture spans tells.
    fn is_outside(&self, place: u32, slot: &Slot, rank: usize) -> bool {
        let seen = self.table.observations(place);
        let is_within = (0..self.seats.len())
            .filter(|&other| slot.has(other))
            .any(|other| {
                let tie = self.table.tie(slot.way, rank, other);
                tie.zip(seen.get(other))
                    .is_some_and(|(tie, seen)| tie.first <= seen.ordinal && seen.ordinal <= tie.last)
            });
        if is_within {
            return false;
        }
        let Some(expected_ns) = self.table.expected_ns(place, rank) else {
            return true;
        };
        let Some(seat) = self.seats.get(rank) else {
            return true;
        };
        let is_after_begin = seat.began_ns.is_some_and(|began_ns| expected_ns > began_ns);
        let is_before_end = seat
            .ended_ns
            .is_some_and(|ended_ns| expected_ns < ended_ns.saturating_sub(END_SLACK_NS));
        let is_early = (0..self.seats.len())
            .filter(|&other| slot.has(other))
            .any(|other| {
                let tie = self.table.tie(slot.way, rank, other);
                tie.zip(seen.get(other))
                    .is_some_and(|(tie, seen)| seen.ordinal < tie.first)
            });
        !(if is_early {
            is_after_begin
        } else {
            is_after_begin && is_before_end
        })
    }
}

fn note_missed_by_to(stretch: &mut Stretch, carried: &Carried<'_>, is_outside: bool) {
    let counts = stretch.counts(carried);
    if is_outside {
        counts.outside += carried.packets;
    } else {
        counts.sent += carried.packets;
        counts.missed_by_to += carried.packets;
    }
}
