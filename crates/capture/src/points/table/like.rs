//! Which entry is the same packet.

use super::{IDS_KEPT, LOOKED_AT, Table};
use crate::points::entry::Score;
use crate::points::observation::{Marks, Sighting};

impl Table {
    /// The entry that begins here and is most likely the same packet.
    pub(super) fn best(
        &mut self,
        rank: usize,
        sighting: &Sighting,
        is_bare: bool,
        key: u64,
        length: u32,
    ) -> Option<u32> {
        let map = if is_bare { &self.bare } else { &self.data };
        let mut best: Option<(Score, u32)> = None;
        let mut rivals = 0;
        // without an upper bound: that would cost a second search
        let from = map[sighting.way.index()].range((key, 0)..);
        for (_, &place) in from.take_while(|&(&(start, _), _)| start == key).take(LOOKED_AT) {
            let Some(score) = self.score(place, rank, sighting, length) else {
                continue;
            };
            rivals += 1;
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, place));
            }
        }
        let (score, place) = best?;
        // only where nothing else decided does it tell whether identifications are kept
        if rivals == 1 && score.is_comparable {
            if score.other_id {
                self.ids.1 += 1
            } else {
                self.ids.0 += 1
            }
        }
        Some(place)
    }

    /// How unlikely an entry is the same packet; `None`: it is not.
    fn score(&self, place: u32, rank: usize, sighting: &Sighting, length: u32) -> Option<Score> {
        let slot = self.slot(place).filter(|slot| !slot.has(rank))?;
        let other = slot.present.trailing_zeros() as usize;
        let seen = self.observations(place).get(other)?;
        let ours = &sighting.observation;
        let are_stamped = seen.marks.has(Marks::STAMPED) && ours.marks.has(Marks::STAMPED);
        if are_stamped && seen.stamp != ours.stamp {
            return None;
        }
        let are_named = seen.marks.has(Marks::NAMED) && ours.marks.has(Marks::NAMED);
        let is_comparable = are_named && !slot.is_cut && slot.length == length;
        let other_id = is_comparable && seen.ip_id != ours.ip_id;
        let ids_kept = self.ids.0 >= IDS_KEPT && self.ids.0 >= IDS_KEPT.saturating_mul(self.ids.1);
        if other_id && ids_kept {
            return None;
        }
        let expected_ns = self
            .tie(slot.way, rank, other)
            .map(|tie| seen.time_ns.saturating_add(tie.delta_ns));
        Some(Score {
            is_copy: seen.marks.has(Marks::COPY),
            other_id,
            other_sack: slot.is_bare && (seen.sack_print, seen.window) != (ours.sack_print, ours.window),
            distance_ns: expected_ns.map_or(0, |expected| expected.abs_diff(ours.time_ns)),
            is_comparable,
        })
    }

    /// An entry that begins before this byte and holds it.
    pub(super) fn covering(&self, rank: usize, sighting: &Sighting, position: u64) -> Option<u32> {
        let way = sighting.way.index();
        let before = self.data[way].range(..(position, 0)).rev().take(LOOKED_AT);
        for (&(start, _), &place) in before {
            if start.saturating_add(self.longest[way]) <= position {
                return None;
            }
            let holds = self.slot(place).is_some_and(|slot| slot.end() > position);
            if holds && self.score(place, rank, sighting, 0).is_some() {
                return Some(place);
            }
        }
        None
    }

    /// Where the next entry begins that may be part of this segment, or its end.
    pub(super) fn next_start(&self, rank: usize, sighting: &Sighting, position: u64, end: u64) -> u64 {
        let within = self.data[sighting.way.index()]
            .range((position + 1, 0)..(end, 0))
            .take(LOOKED_AT);
        let mut fitting = within.filter(|&(_, &place)| self.score(place, rank, sighting, 0).is_some());
        fitting.next().map_or(end, |(&(start, _), _)| start)
    }
}
