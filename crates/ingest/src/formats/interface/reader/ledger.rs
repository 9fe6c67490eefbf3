//! The counters that were taken of an interface, each once. There are some dozens: to look through their hashes takes less time than to keep
//! them in order.

use super::{Key, Taken};

#[derive(Default)]
pub(super) struct Ledger<'l> {
    entries: Vec<Entry<'l>>,
}

struct Entry<'l> {
    hash: usize,
    key: Key<'l>,
    taken: Taken,
}

impl<'l> Ledger<'l> {
    /// What is already there under this key, or `None`: then it is put there.
    pub(super) fn put(&mut self, key: Key<'l>, taken: Taken) -> Option<(&Key<'l>, &mut Taken, Taken)> {
        let hash = key.2.hash();
        let is_same = |entry: &Entry<'l>| entry.hash == hash && entry.key == key;
        match self.entries.iter().position(is_same) {
            Some(place) => {
                let known = self.entries.get_mut(place)?;
                Some((&known.key, &mut known.taken, taken))
            }
            None => {
                self.entries.push(Entry { hash, key, taken });
                None
            }
        }
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&Key<'l>, &mut Taken)> {
        let entries = self.entries.iter_mut();
        entries.map(|entry| (&entry.key, &mut entry.taken))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key<'l>, &Taken)> {
        self.entries.iter().map(|entry| (&entry.key, &entry.taken))
    }

    /// Gives up what was taken in a section.
    pub(super) fn forget(&mut self, section: usize) {
        self.entries.retain(|entry| entry.key.0 != section);
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    /// What was taken, in the order of the keys: of several that get one name the last one stands.
    pub(super) fn into_taken(mut self) -> impl Iterator<Item = Taken> {
        self.entries
            .sort_unstable_by(|one, other| one.key.cmp(&other.key));
        self.entries.into_iter().map(|entry| entry.taken)
    }
}
