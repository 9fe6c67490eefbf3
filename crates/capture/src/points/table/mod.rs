//! Packets that wait for their like at other points.
//!
//! An entry is one transmission of a range of bytes (or one bare packet), with what each point saw of it. A segment that was
//! cut or joined on the way (segmentation offload) meets entries of other lengths: then entries are cut at the borders, so that
//! 64 kB at one point and 45 packets at the other are 45 entries that both points saw.

mod like;
mod meet;

use super::Way;
use super::coverage::Coverage;
use super::entry::{Met, Slot, Tie};
use super::observation::{Observation, Sighting};
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
