//! The counters of an interface that were taken, by section, direction and name.

use super::Target;
use crate::formats::interface::names::Name;

/// A counter's place: section, direction and the maker's name.
pub(super) type Key<'l> = (usize, u8, Name<'l>);

/// A counter that was taken.
pub(super) struct Taken<'l> {
    pub(super) key: Key<'l>,
    pub(super) value: u64,
    pub(super) target: Target,
}

/// Counters in the order in which they came. There are dozens of them, seldom hundreds: among the hashes of their names, side by side,
/// one is found faster than in a tree.
#[derive(Default)]
pub(super) struct Tally<'l> {
    hashes: Vec<u32>,
    all: Vec<Taken<'l>>,
}

impl<'l> Tally<'l> {
    /// Adds a counter, or gives it another target; the name of one that is there with another value.
    pub(super) fn put(&mut self, taken: Taken<'l>) -> Result<(), String> {
        let hash = taken.key.2.hash();
        let mut alike = self
            .hashes
            .iter()
            .zip(&mut self.all)
            .filter(|(other, _)| **other == hash);
        match alike.find(|(_, known)| known.key == taken.key) {
            Some((_, known)) if known.value == taken.value => known.target = taken.target,
            Some((_, known)) => return Err(known.key.2.shown()),
            None => {
                self.hashes.push(hash);
                self.all.push(taken);
            }
        }
        Ok(())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Taken<'l>> {
        self.all.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Taken<'l>> {
        self.all.iter_mut()
    }

    pub(super) fn into_all(self) -> Vec<Taken<'l>> {
        self.all
    }

    /// Gives up what was taken in a section.
    pub(super) fn forget_section(&mut self, section: usize) {
        self.all.retain(|taken| taken.key.0 != section);
        self.hashes = self.all.iter().map(|taken| taken.key.2.hash()).collect();
    }
}
