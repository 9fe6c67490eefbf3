//! Complaints about what came in, on standard error: the first few, and how many more there were. What is complained about may be
//! made to fill screens and logs.

use crate::terminal;

/// So many are told one by one: more nobody reads.
pub(crate) const MOST_TOLD: u64 = 20;
/// So many where a program asked for all that is known (`--json`).
pub(crate) const MOST_FOR_PROGRAMS: u64 = 1_000;

/// Tells complaints as they come up to a bound, and the number of the rest when it goes away.
pub(crate) struct Complaints {
    room: u64,
    more: u64,
}

impl Complaints {
    /// Nothing was told yet, and so many will be.
    pub(crate) fn at_most(most: u64) -> Self {
        Self { room: most, more: 0 }
    }

    /// Another one; its text is made only if it is told.
    pub(crate) fn say(&mut self, text: impl FnOnce() -> String) {
        match self.room.checked_sub(1) {
            Some(room) => {
                self.room = room;
                terminal::complain(&text());
            }
            None => self.count(1),
        }
    }

    /// So many more, of which only the number is known.
    pub(crate) fn count(&mut self, more: u64) {
        self.more = self.more.saturating_add(more);
    }
}

impl Drop for Complaints {
    fn drop(&mut self) {
        if self.more > 0 {
            terminal::complain(&format!("... and {} more", words::count(self.more)));
        }
    }
}
