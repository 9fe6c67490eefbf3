//! Packets that wait for their like at other points.
//!
//! An entry is one transmission of a range of bytes (or one bare packet), with what each point saw of it. A segment that was
//! cut or joined on the way (segmentation offload) meets entries of other lengths: then entries are cut at the borders, so that
//! 64 kB at one point and 45 packets at the other are 45 entries that both points saw.

use super::Way;
use super::coverage::Coverage;
use super::entry::{Met, Score, Slot, Tie};
use super::observation::{Marks, Observation, Sighting};
use std::collections::{BTreeMap, VecDeque};

/// A point has passed an entry when it has matched a packet that was sent this many packets later. Packets that are overtaken
/// by more are taken for lost, and their arrival for a copy; paths of several links reorder by tens to hundreds.
const PASSED_PACKETS: u64 = 4096;

/// No more entries are looked at for one packet that fits none of them: a hostile capture could make each packet cost the
/// whole window.
const LOOKED_AT: usize = 64;

/// Longer segments do not exist (BIG TCP on Linux: 512 kB); a length that lies is cut.
const LONGEST_BYTES: u32 = 1 << 24;

/// Identifications are kept on the path when so many were equal for each that was not.
const IDS_KEPT: u64 = 32;

#[derive(Debug)]
pub(super) struct Table {
    points: usize,
    capacity: usize,
    slots: Vec<Slot>,
    observations: Vec<Observation>,
    free: Vec<u32>,
    data: [BTreeMap<(u64, u32), u32>; 2],
    bare: [BTreeMap<(u64, u32), u32>; 2],
    queue: VecDeque<(u32, u32)>,
    longest: [u64; 2],
    serial: u32,
    ties: Vec<Option<Tie>>,
    ids: (u64, u64),
    ended: u8,
    /// Seen by all points; the owner takes them.
    pub(super) complete: Vec<u32>,
    /// Found at neighbouring points; the owner takes them.
    pub(super) met: Vec<Met>,
    /// No entry reaches further.
    highest: [u64; 2],
    /// Judged before the other points had passed them, for want of room.
    pub(super) hurried: u64,
}

impl Table {
    pub(super) fn new(points: usize, capacity: usize) -> Self {
        Self {
            points,
            capacity: capacity.max(16),
            slots: Vec::new(),
            observations: Vec::new(),
            free: Vec::new(),
            data: Default::default(),
            bare: Default::default(),
            queue: VecDeque::new(),
            longest: [0; 2],
            serial: 0,
            ties: vec![None; points * points * 2],
            ids: (0, 0),
            ended: 0,
            complete: Vec::new(),
            met: Vec::new(),
            highest: [0; 2],
            hurried: 0,
        }
    }

    pub(super) fn end(&mut self, rank: usize) {
        self.ended |= 1 << rank;
    }

    pub(super) fn slot(&self, place: u32) -> Option<&Slot> {
        self.slots.get(place as usize)
    }

    /// What each point saw of an entry, by rank.
    pub(super) fn observations(&self, place: u32) -> &[Observation] {
        let from = place as usize * self.points;
        self.observations
            .get(from..from + self.points)
            .unwrap_or_default()
    }

    pub(super) fn tie(&self, way: Way, one: usize, other: usize) -> Option<&Tie> {
        self.ties
            .get((way.index() * self.points + one) * self.points + other)?
            .as_ref()
    }

    /// Takes a packet of a point: finds what others saw of it, or waits for them.
    pub(super) fn place(&mut self, rank: usize, sighting: &Sighting, start: u64) {
        if sighting.length == 0 {
            let found = self.best(rank, sighting, true, sighting.bare_print, 0);
            match found {
                Some(place) => self.meet(place, rank, sighting),
                None => self.add(rank, sighting, sighting.bare_print, 0),
            }
            return;
        }
        let end = start.saturating_add(u64::from(sighting.length.min(LONGEST_BYTES)));
        let highest = self.highest[sighting.way.index()];
        self.highest[sighting.way.index()] = highest.max(end);
        if start >= highest {
            return self.add(rank, sighting, start, (end - start) as u32);
        }
        let mut position = start;
        while position < end {
            // the identification is that of the first piece, and says nothing of an entry that is only part of the segment
            let length = if position == start { sighting.length } else { 0 };
            let found = self
                .best(rank, sighting, false, position, length)
                .or_else(|| self.covering(rank, sighting, position));
            position = match found {
                Some(place) => self.meet_range(place, rank, sighting, position, end),
                None => {
                    let next = self.next_start(rank, sighting, position, end);
                    self.add(rank, sighting, position, (next - position) as u32);
                    next
                }
            };
        }
    }

    /// The entry that begins here and is most likely the same packet.
    fn best(
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
    fn covering(&self, rank: usize, sighting: &Sighting, position: u64) -> Option<u32> {
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
    fn next_start(&self, rank: usize, sighting: &Sighting, position: u64, end: u64) -> u64 {
        let within = self.data[sighting.way.index()]
            .range((position + 1, 0)..(end, 0))
            .take(LOOKED_AT);
        let mut fitting = within.filter(|&(_, &place)| self.score(place, rank, sighting, 0).is_some());
        fitting.next().map_or(end, |(&(start, _), _)| start)
    }

    /// Gives the part of an entry from `position` to `end` to a point as well; returns where that part ends.
    fn meet_range(&mut self, place: u32, rank: usize, sighting: &Sighting, position: u64, end: u64) -> u64 {
        let Some(slot) = self.slot(place).copied() else {
            return end;
        };
        let ours = if slot.start < position {
            self.cut(place, position)
        } else {
            place
        };
        let until = slot.end().min(end);
        if slot.end() > until {
            self.cut(ours, until);
        }
        let is_whole =
            slot.start == position && slot.end() == end && until - position == u64::from(sighting.length);
        if let Some(ours) = self.slots.get_mut(ours as usize) {
            ours.is_cut |= !is_whole;
        }
        self.meet(ours, rank, sighting);
        until
    }

    /// Cuts an entry in two; returns the one behind.
    fn cut(&mut self, place: u32, at: u64) -> u32 {
        let Some(slot) = self.slots.get_mut(place as usize) else {
            return place;
        };
        let behind = (slot.end() - at) as u32;
        slot.length -= behind;
        slot.is_cut = true;
        let template = *slot;
        let mut seen = [Observation::default(); super::MOST_POINTS];
        for (to, from) in seen.iter_mut().zip(self.observations(place)) {
            *to = *from;
        }
        let new = self.make(Slot {
            start: at,
            length: behind,
            ..template
        });
        let from = new as usize * self.points;
        if let (Some(to), Some(seen)) = (
            self.observations.get_mut(from..from + self.points),
            seen.get(..self.points),
        ) {
            to.copy_from_slice(seen);
        }
        new
    }

    fn add(&mut self, rank: usize, sighting: &Sighting, start: u64, length: u32) {
        let way = sighting.way;
        self.longest[way.index()] = self.longest[way.index()].max(u64::from(length));
        let is_bare = sighting.length == 0;
        let is_cut = length != sighting.length;
        let new = self.make(Slot {
            way,
            is_bare,
            is_cut,
            start,
            length,
            serial: 0,
            generation: 0,
            present: 1 << rank,
        });
        self.note(new, rank, &sighting.observation);
    }

    fn note(&mut self, place: u32, rank: usize, observation: &Observation) {
        if let Some(seen) = self.observations.get_mut(place as usize * self.points + rank) {
            *seen = *observation;
        }
    }

    fn make(&mut self, slot: Slot) -> u32 {
        self.serial = self.serial.wrapping_add(1);
        let slot = Slot {
            serial: self.serial,
            ..slot
        };
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.slots.push(Slot {
                    generation: 0,
                    ..slot
                });
                self.observations
                    .resize(self.slots.len() * self.points, Observation::default());
                (self.slots.len() - 1) as u32
            }
        };
        let from = place as usize * self.points;
        if let Some(seen) = self.observations.get_mut(from..from + self.points) {
            seen.fill(Observation::default());
        }
        let mut generation = 0;
        if let Some(old) = self.slots.get_mut(place as usize) {
            generation = old.generation;
            *old = Slot { generation, ..slot };
        }
        self.map(&slot).insert((slot.start, slot.serial), place);
        self.queue.push_back((place, generation));
        place
    }

    fn map(&mut self, slot: &Slot) -> &mut BTreeMap<(u64, u32), u32> {
        let maps = if slot.is_bare {
            &mut self.bare
        } else {
            &mut self.data
        };
        &mut maps[slot.way.index()]
    }

    fn meet(&mut self, place: u32, rank: usize, sighting: &Sighting) {
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

    /// The oldest entry, when no point that lacks it can still bring it, or when there is no more room. It is out of the maps
    /// then; [`Self::release`] it.
    pub(super) fn due(&mut self, coverage: &[[Coverage; 2]], at_end: bool) -> Option<u32> {
        while let Some(&(place, generation)) = self.queue.front() {
            let waiting = self.slot(place).copied().filter(|slot| {
                slot.generation == generation && (slot.present.count_ones() as usize) < self.points
            });
            let Some(slot) = waiting else {
                self.queue.pop_front();
                continue;
            };
            let is_passed = at_end || self.is_passed(place, &slot, coverage);
            let live = self.slots.len() - self.free.len();
            if !is_passed && live <= self.capacity && self.queue.len() <= self.capacity.saturating_mul(2) {
                return None;
            }
            self.hurried += u64::from(!is_passed);
            self.queue.pop_front();
            self.map(&slot).remove(&(slot.start, slot.serial));
            return Some(place);
        }
        None
    }

    fn is_passed(&self, place: u32, slot: &Slot, coverage: &[[Coverage; 2]]) -> bool {
        let seen = self.observations(place);
        (0..self.points).filter(|&rank| !slot.has(rank)).all(|rank| {
            let is_over = self.ended >> rank & 1 != 0;
            let is_behind = (0..self.points).filter(|&other| slot.has(other)).any(|other| {
                let last = self.tie(slot.way, rank, other).map_or(0, |tie| tie.last);
                seen.get(other)
                    .is_some_and(|seen| last >= seen.ordinal.saturating_add(PASSED_PACKETS))
            });
            let acked = coverage.get(rank).and_then(|ways| ways[slot.way.index()].acked());
            let is_answered = slot.is_bare || acked.is_none_or(|acked| acked >= slot.end());
            is_over || is_behind && is_answered
        })
    }

    /// Whether a later copy of the same bytes would have come to a point by then, and was not seen there either.
    pub(super) fn has_later_copy(&self, place: u32, rank: usize, by_ns: i64) -> bool {
        let Some(slot) = self.slot(place) else {
            return false;
        };
        let later = (slot.start, slot.serial.saturating_add(1))..=(slot.start, u32::MAX);
        self.data[slot.way.index()]
            .range(later)
            .take(LOOKED_AT)
            .any(|(_, &copy)| {
                self.slot(copy).is_some_and(|slot| !slot.has(rank))
                    && self
                        .expected_ns(copy, rank)
                        .is_some_and(|expected| expected <= by_ns)
            })
    }

    /// When a point would have seen an entry, by its clock, as its last packets tell.
    pub(super) fn expected_ns(&self, place: u32, rank: usize) -> Option<i64> {
        let slot = self.slot(place)?;
        let seen = self.observations(place);
        (0..self.points)
            .filter(|&other| slot.has(other))
            .find_map(|other| {
                let time_ns = seen.get(other)?.time_ns;
                let tie = self
                    .tie(slot.way, rank, other)
                    .or_else(|| self.tie(slot.way.reversed(), rank, other))?;
                Some(time_ns.saturating_add(tie.delta_ns))
            })
    }

    pub(super) fn release(&mut self, place: u32) {
        if let Some(slot) = self.slots.get_mut(place as usize) {
            slot.generation = slot.generation.wrapping_add(1);
            self.free.push(place);
        }
    }
}
