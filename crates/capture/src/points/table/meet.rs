//! Two points saw the same packet: what follows for it, and for how their packets lie to each other.

use super::Table;
use crate::points::Way;
use crate::points::entry::{Met, Slot, Tie};
use crate::points::observation::{Marks, Sighting};

impl Table {
    pub(super) fn meet(&mut self, place: u32, rank: usize, sighting: &Sighting) {
        self.note(place, rank, &sighting.observation);
        let Some(slot) = self.slots.get_mut(place as usize) else {
            return;
        };
        let others = slot.present;
        slot.present |= 1 << rank;
        let slot = *slot;
        for other in (0..self.points).filter(|other| others >> other & 1 != 0) {
            self.tie_up(place, slot.way, rank, other);
            if rank.abs_diff(other) == 1 {
                self.meet_neighbour(place, &slot, rank.min(other));
            }
        }
        if slot.present.count_ones() as usize == self.points {
            self.map(&slot).remove(&(slot.start, slot.serial));
            self.complete.push(place);
        }
    }

    fn meet_neighbour(&mut self, place: u32, slot: &Slot, gap: usize) {
        let seen = self.observations(place);
        let (Some(near), Some(far)) = (seen.get(gap), seen.get(gap + 1)) else {
            return;
        };
        if near.marks.has(Marks::REPEATED) || far.marks.has(Marks::REPEATED) {
            return;
        }
        let within = if slot.is_bare { 0 } else { slot.start };
        let (near, far) = ((near.ordinal, within), (far.ordinal, within));
        let (left, entered) = if slot.way == Way::Up {
            (far, near)
        } else {
            (near, far)
        };
        self.met.push(Met {
            gap,
            way: slot.way,
            left,
            entered,
        });
    }

    fn tie_up(&mut self, place: u32, way: Way, one: usize, other: usize) {
        let seen = self.observations(place);
        let (Some(&first), Some(&second)) = (seen.get(one), seen.get(other)) else {
            return;
        };
        let delta_ns = first.time_ns.saturating_sub(second.time_ns);
        let both = [
            (one, other, delta_ns, second.ordinal),
            (other, one, delta_ns.saturating_neg(), first.ordinal),
        ];
        for (one, other, delta_ns, ordinal) in both {
            let Some(tie) = self
                .ties
                .get_mut((way.index() * self.points + one) * self.points + other)
            else {
                continue;
            };
            let (first, last) = tie.map_or((ordinal, ordinal), |tie| {
                (tie.first.min(ordinal), tie.last.max(ordinal))
            });
            *tie = Some(Tie {
                delta_ns,
                first,
                last,
            });
        }
    }
}
