//! Connections that have ended and linger, in the order of their end.
//!
//! They lie here with their sums, one behind the other: most are handed out as nothing but sums, seconds after their end, when
//! the connection itself has left all caches. Of those it is not looked at again.

use super::brief::Brief;
use std::collections::VecDeque;

/// No connection has this slot.
const GONE: u32 = u32::MAX;

/// One that has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lingering {
    pub slot: u32,
    /// Of the connection: its slot may hold another by now.
    pub serial: u32,
    pub tag: u32,
    pub ended_ns: i64,
    /// As far as it was summed up at its end.
    pub brief: Brief,
    /// That is all: nobody wants more of it, nothing hangs on it, and no packet of it came since.
    pub is_all: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Ended {
    queue: VecDeque<Lingering>,
    /// The number of the first.
    first: u32,
}

impl Ended {
    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.queue.capacity() * size_of::<Lingering>()
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
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
        if Some(self.queue.front()?.slot) == keep {
            return None;
        }
        self.first = self.first.wrapping_add(1);
        self.queue.pop_front()
    }

    /// That of a connection.
    fn at(&mut self, number: u32, serial: u32) -> Option<&mut Lingering> {
        let place = number.wrapping_sub(self.first) as usize;
        self.queue.get_mut(place).filter(|one| one.serial == serial)
    }

    /// It was summed up: this is its sum, if nobody wants more of it, and whether nothing hangs on it.
    pub(super) fn conclude(&mut self, number: u32, serial: u32, brief: Option<Brief>, is_bare: bool) {
        if let Some(one) = self.at(number, serial) {
            one.is_all = brief.is_some() && is_bare;
            one.brief = brief.unwrap_or_default();
        }
    }

    /// A packet came late.
    #[cold]
    pub(super) fn change(&mut self, number: u32, serial: u32) {
        if let Some(one) = self.at(number, serial) {
            one.is_all = false;
        }
    }

    /// The connection is handed out: tells what was summed up of it at its end.
    pub(super) fn forget(&mut self, number: u32, serial: u32) -> Option<Brief> {
        let one = self.at(number, serial)?;
        (one.slot, one.is_all) = (GONE, false);
        Some(std::mem::take(&mut one.brief))
    }
}
