//! Which connections were silent longest: a linked list of slots, apart from the connections.
//!
//! Apart, because moving a connection to the front touches its two neighbours: eight bytes each here, a cache miss each in
//! the connections themselves.

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Links {
    newer: u32,
    older: u32,
}

/// Slots in the order of their last packet.
#[derive(Debug)]
pub(super) struct Recency {
    links: Vec<Links>,
    newest: u32,
    oldest: u32,
}

impl Default for Recency {
    fn default() -> Self {
        Self {
            links: Vec::new(),
            newest: NONE,
            oldest: NONE,
        }
    }
}

impl Recency {
    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.links.capacity() * size_of::<Links>()
    }

    /// The one that was silent longest.
    pub(super) fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// A new slot, which is the newest.
    pub(super) fn insert(&mut self, slot: u32) {
        let needed = slot as usize + 1;
        if self.links.len() < needed {
            self.links.resize(
                needed,
                Links {
                    newer: NONE,
                    older: NONE,
                },
            );
        }
        self.put_first(slot);
    }

    /// A slot had a packet.
    pub(super) fn touch(&mut self, slot: u32) {
        if slot != self.newest {
            self.remove(slot);
            self.put_first(slot);
        }
    }

    /// A slot is empty now.
    pub(super) fn remove(&mut self, slot: u32) {
        let Some(Links { newer, older }) = self.links.get(slot as usize).copied() else {
            return;
        };
        match self.links.get_mut(newer as usize) {
            Some(neighbour) => neighbour.older = older,
            None => self.newest = older,
        }
        match self.links.get_mut(older as usize) {
            Some(neighbour) => neighbour.newer = newer,
            None => self.oldest = newer,
        }
    }

    fn put_first(&mut self, slot: u32) {
        let older = self.newest;
        if let Some(links) = self.links.get_mut(slot as usize) {
            *links = Links { newer: NONE, older };
        }
        match self.links.get_mut(older as usize) {
            Some(neighbour) => neighbour.newer = slot,
            None => self.oldest = slot,
        }
        self.newest = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_the_one_that_was_not_touched() {
        let mut recency = Recency::default();
        assert_eq!(recency.oldest(), None);
        for slot in 0..4 {
            recency.insert(slot);
        }
        recency.touch(0);
        recency.touch(2);
        let mut order = Vec::new();
        while let Some(slot) = recency.oldest() {
            order.push(slot);
            recency.remove(slot);
        }
        assert_eq!(order, [1, 3, 0, 2]);
        recency.insert(3);
        assert_eq!(recency.oldest(), Some(3));
    }
}
