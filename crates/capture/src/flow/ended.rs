//! Connections that have ended and linger, in the order of their end.
//!
//! Most are told at once, as nothing but sums. Of these the connection itself is gone, and what late packets need of it lies here,
//! one behind the other ([`Retired`]). They are found by an index of their own: those that go on are looked for with each packet,
//! and their index stays small.

use super::index::Index;
use super::retired::Retired;
use crate::FlowKey;
use std::collections::VecDeque;

/// No connection has this slot.
const GONE: u32 = u32::MAX;

/// So many are no burden.
const FEW: usize = 64;

/// The index can tell so many numbers apart.
const NUMBERS: u32 = u32::MAX >> 1;

/// So many that go soon are fetched at a time.
const TOGETHER: u32 = 8;

/// One that has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lingering {
    pub slot: u32,
    /// Of the connection: its slot may hold another by now.
    pub serial: u32,
    pub tag: u32,
    pub ended_ns: i64,
    /// What is left of it, where nobody wants more of it than was told: then it has no slot.
    pub retired: Option<Retired>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Ended {
    queue: VecDeque<Lingering>,
    /// The number of the first.
    first: u32,
    /// Numbers of those without a slot.
    index: Index,
}

impl Ended {
    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.queue.capacity() * size_of::<Lingering>() + self.index.bytes()
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    /// How many bytes one more would take beside those that it holds, when so many others are yet to be retired.
    pub(super) fn growth_bytes(&self, to_come: usize) -> usize {
        let held = self.queue.capacity();
        let queue = if self.queue.len() < held { 0 } else { held.max(FEW) };
        queue * size_of::<Lingering>() + self.index.growth_bytes(to_come + 1)
    }

    /// Gives memory back of which little is used.
    pub(super) fn shrink(&mut self) {
        let count = self.queue.len();
        if self.queue.capacity() > FEW && count * 4 < self.queue.capacity() {
            self.queue.shrink_to(count * 2);
        }
        self.index.shrink();
    }

    /// Whether the first has lingered long enough. A clock that goes far back must not keep it for ever.
    #[inline]
    pub(super) fn is_over(&self, now_ns: i64, linger_ns: i64) -> bool {
        self.queue
            .front()
            .is_some_and(|one| now_ns.saturating_sub(one.ended_ns).saturating_abs() >= linger_ns)
    }

    /// Adds one; says by which number it is found again.
    pub(super) fn push(&mut self, one: Lingering) -> u32 {
        self.queue.push_back(one);
        self.first.wrapping_add(self.queue.len() as u32 - 1)
    }

    /// Takes the first, unless it has this slot.
    pub(super) fn pop_but(&mut self, keep: Option<u32>) -> Option<Lingering> {
        let first = self.queue.front()?;
        if Some(first.slot) == keep {
            return None;
        }
        if first.retired.is_some() {
            self.index.remove(first.tag, self.first & NUMBERS);
        }
        self.first = self.first.wrapping_add(1);
        let first = self.queue.pop_front();
        // Nothing has looked for the next for long. What is fetched for several is waited for once.
        if self.first.is_multiple_of(TOGETHER) {
            for next in self.queue.iter().take(TOGETHER as usize) {
                self.index.fetch(next.tag);
            }
        }
        first
    }

    /// That of a connection.
    fn at(&mut self, number: u32, serial: u32) -> Option<&mut Lingering> {
        let place = number.wrapping_sub(self.first) as usize;
        self.queue.get_mut(place).filter(|one| one.serial == serial)
    }

    /// All was told of a connection: from now on what is left of it lies here, and it has no slot.
    pub(super) fn retire(&mut self, number: u32, serial: u32, retired: Retired) {
        if let Some(one) = self.at(number, serial) {
            (one.slot, one.retired) = (GONE, Some(retired));
            let tag = one.tag;
            self.index.insert(tag, number & NUMBERS);
        }
    }

    /// Has the place fetched into the caches where one with this tag is looked for.
    pub(super) fn fetch(&self, tag: u32) {
        self.index.fetch(tag);
    }

    /// The number of a connection without a slot, if it is here.
    pub(super) fn find(&self, key: &FlowKey, tag: u32) -> Option<u32> {
        let place = |number: u32| (number.wrapping_sub(self.first) & NUMBERS) as usize;
        let is_it = |number| {
            let one = self.queue.get(place(number));
            one.and_then(|one| one.retired.as_ref())
                .is_some_and(|retired| retired.key == *key)
        };
        let found = self.index.find(tag, is_it)?;
        Some(self.first.wrapping_add(place(found) as u32))
    }

    pub(super) fn get(&self, number: u32) -> Option<&Lingering> {
        self.queue.get(number.wrapping_sub(self.first) as usize)
    }

    /// One without a slot has one again.
    pub(super) fn give_slot(&mut self, number: u32, slot: u32, serial: u32) {
        let place = number.wrapping_sub(self.first) as usize;
        if let Some(one) = self.queue.get_mut(place) {
            (one.slot, one.serial, one.retired) = (slot, serial, None);
            self.index.remove(one.tag, number & NUMBERS);
        }
    }
}
