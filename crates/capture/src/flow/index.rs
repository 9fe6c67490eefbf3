//! Where a connection lies: a hash table of slots.
//!
//! Linear probing over cells of eight bytes: the upper half of a cell is the tag, the lower half the slot plus one. What is
//! removed leaves no mark behind (its followers move back), so a long capture does not slow it down. The tag is kept, so
//! growing touches no connection: with ten millions of them that would read gigabytes.

use std::hint::black_box;

/// Tags to slots.
#[derive(Debug, Default)]
pub(super) struct Index {
    cells: Vec<u64>,
    count: usize,
}

const FIRST_CELLS: usize = 64;

/// The tag of a hash, of which all bits are as good.
pub(super) fn tag_of(hash: u64) -> u32 {
    hash as u32
}

impl Index {
    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.cells.len() * size_of::<u64>()
    }

    /// The slot with this tag of which `is_it` says yes.
    pub(super) fn find(&self, tag: u32, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.cells.len().checked_sub(1)?;
        let mut place = tag as usize & mask;
        loop {
            let cell = *self.cells.get(place)?;
            if cell == 0 {
                return None;
            }
            if (cell >> 32) as u32 == tag && is_it(cell as u32 - 1) {
                return Some(cell as u32 - 1);
            }
            place = (place + 1) & mask;
        }
    }

    /// Has what is looked at for this tag fetched into the caches, while other things are done.
    pub(super) fn fetch(&self, tag: u32) {
        let mask = self.cells.len().wrapping_sub(1);
        black_box(self.cells.get(tag as usize & mask).copied());
    }

    /// How many bytes it would take beside those that it holds, if so many were added.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        if self.has_room(more) {
            0
        } else {
            self.larger() * size_of::<u64>()
        }
    }

    /// Three quarters full at most: a search that fails looks at 8.5 cells, one cache line (Knuth volume 3, 6.4, theorem K).
    fn has_room(&self, more: usize) -> bool {
        (self.count + more) * 4 <= self.cells.len() * 3
    }

    fn larger(&self) -> usize {
        (self.cells.len() * 2).max(FIRST_CELLS)
    }

    /// Gives memory back of which little is used.
    pub(super) fn shrink(&mut self) {
        if self.cells.len() > FIRST_CELLS && self.count * 8 < self.cells.len() {
            self.resize(self.cells.len() / 2);
        }
    }

    /// Adds a slot. A slot must not be `u32::MAX`.
    pub(super) fn insert(&mut self, tag: u32, slot: u32) {
        if !self.has_room(1) {
            self.resize(self.larger());
        }
        self.count += 1;
        self.put(u64::from(tag) << 32 | u64::from(slot.wrapping_add(1)));
    }

    fn put(&mut self, cell: u64) {
        let mask = self.cells.len().wrapping_sub(1);
        let mut place = (cell >> 32) as usize & mask;
        while let Some(found) = self.cells.get_mut(place) {
            if *found == 0 {
                *found = cell;
                return;
            }
            place = (place + 1) & mask;
        }
    }

    fn resize(&mut self, cells: usize) {
        let old = std::mem::replace(&mut self.cells, vec![0; cells]);
        for cell in old.into_iter().filter(|cell| *cell != 0) {
            self.put(cell);
        }
    }

    /// Takes a slot out.
    pub(super) fn remove(&mut self, tag: u32, slot: u32) {
        let Some(mask) = self.cells.len().checked_sub(1) else {
            return;
        };
        let wanted = u64::from(tag) << 32 | u64::from(slot.wrapping_add(1));
        let mut hole = tag as usize & mask;
        loop {
            match self.cells.get(hole) {
                Some(0) | None => return,
                Some(cell) if *cell == wanted => break,
                Some(_) => hole = (hole + 1) & mask,
            }
        }
        self.count -= 1;
        let mut place = hole;
        loop {
            place = (place + 1) & mask;
            let cell = self.cells.get(place).copied().unwrap_or(0);
            if cell == 0 {
                break;
            }
            let home = (cell >> 32) as usize & mask;
            // It may move back into the hole only if that does not put it before its home.
            if (place.wrapping_sub(home) & mask) >= (place.wrapping_sub(hole) & mask) {
                if let Some(target) = self.cells.get_mut(hole) {
                    *target = cell;
                }
                hole = place;
            }
        }
        if let Some(target) = self.cells.get_mut(hole) {
            *target = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Few tags, so that they collide all the time; a map that cannot be wrong is the judge.
        #[test]
        fn what_was_inserted_is_found_until_it_is_removed(steps in proptest::collection::vec((0u32..40, any::<bool>()), 0..600)) {
            let mut index = Index::default();
            let mut truth = BTreeMap::new();
            for (slot, is_insertion) in steps {
                let tag = (slot % 7) << 6 | 61;
                if is_insertion && !truth.contains_key(&slot) {
                    index.insert(tag, slot);
                    truth.insert(slot, tag);
                } else if !is_insertion {
                    index.remove(tag, slot);
                    truth.remove(&slot);
                }
                for slot in 0..40 {
                    let found = index.find((slot % 7) << 6 | 61, |other| other == slot);
                    prop_assert_eq!(found.is_some(), truth.contains_key(&slot));
                }
            }
        }
    }
}
