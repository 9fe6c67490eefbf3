//! Which connection others may look at the events of: one, that of most packets.

use super::Table;
use crate::flow::Backlog;
use std::sync::Arc;

/// No tracker of a connection grows by so much. While one may, and is not counted, what others have room for must not depend on when
/// somebody looks.
const MOST_GROWTH_BYTES: usize = 1 << 20;

/// A connection of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    slot: u32,
    serial: u32,
}

/// What others may do.
#[derive(Debug, Default)]
pub(super) struct Aside {
    /// Nothing before anybody wants it.
    is_wanted: bool,
    held: Option<Held>,
    /// Whether another connection may still be put aside with the segments that are just taken.
    may_change: bool,
}

impl Table {
    /// Whether from now on the events of the connection with most packets wait in [`Table::backlogs`], as far as there is memory.
    /// Where they no longer are to, they still do while somebody looks at those before them. What is told of a connection does not
    /// depend on who looks at them, and when.
    pub fn share(&mut self, is_wanted: bool) {
        if !is_wanted && self.backlogs().all(|backlog| backlog.is_done()) {
            self.take_back();
        }
        self.aside.is_wanted = is_wanted;
    }

    /// Events that wait for somebody to look at them. Before they are needed the table does so itself.
    pub fn backlogs(&self) -> impl Iterator<Item = &Arc<Backlog>> {
        let connection = self.aside.held.and_then(|held| self.slab.get(held.slot));
        let halves = connection.into_iter().flat_map(|connection| &connection.halves);
        halves.filter_map(|half| half.followed.backlog())
    }

    /// More segments come.
    pub(super) fn let_aside_change(&mut self) {
        self.aside.may_change = self.aside.is_wanted;
    }

    /// Others may look at all events so far.
    pub(super) fn hand_over(&mut self) {
        let held = self.aside.held.and_then(|held| self.slab.get_mut(held.slot));
        for half in held.into_iter().flat_map(|connection| &mut connection.halves) {
            half.followed.hand_over();
        }
    }

    /// Whether this connection, of which many packets come, is put aside. If it may, it is now.
    pub(super) fn is_aside(&mut self, slot: u32) -> bool {
        if self.aside.may_change {
            self.aside.may_change = false;
            self.put_aside(slot);
        }
        self.aside.held.is_some_and(|held| held.slot == slot)
    }

    fn put_aside(&mut self, slot: u32) {
        let Some(serial) = self.slab.get(slot).map(|connection| connection.serial) else {
            return;
        };
        let held = Some(Held { slot, serial });
        if self.aside.held == held {
            return;
        }
        self.take_back();
        if self.memory_bytes() + 2 * MOST_GROWTH_BYTES > self.limits.memory_bytes {
            return;
        }
        if let Some(connection) = self.slab.get_mut(slot) {
            connection
                .halves
                .iter_mut()
                .for_each(|half| half.followed.put_aside());
            let is_aside = connection
                .halves
                .iter()
                .any(|half| half.followed.backlog().is_some());
            self.aside.held = held.filter(|_| is_aside);
        }
    }

    /// Counts what a connection that was put aside takes, where so much is needed that this may matter.
    pub(super) fn count_aside(&mut self, more_bytes: usize) {
        if self.aside.held.is_some()
            && self.memory_bytes() + more_bytes + 2 * MOST_GROWTH_BYTES > self.limits.memory_bytes
        {
            self.take_back();
        }
    }

    fn take_back(&mut self) {
        let Some(held) = self.aside.held.take() else {
            return;
        };
        let connection = self.slab.get_mut(held.slot);
        if let Some(connection) = connection.filter(|connection| connection.serial == held.serial) {
            for half in &mut connection.halves {
                half.followed.take_back();
                half.recount();
            }
            let (heap_bytes, before) = connection.count_heap();
            debug_assert!(heap_bytes <= before + 2 * MOST_GROWTH_BYTES);
            self.heap_bytes = (self.heap_bytes + heap_bytes).saturating_sub(before);
        }
    }
}
