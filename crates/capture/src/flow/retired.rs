//! What is left of a connection that has ended and of which nobody wants more than sums: a tenth of its state.
//!
//! It lingers for copies of its last packets, which hardly ever come. Thousands of short connections end in that time, and their
//! whole state would take the caches of the processor from those that go on. What is kept here tells of each late packet what the
//! whole state would tell, as far as sums know it.

use super::followed::Followed;
use super::half::Half;
use crate::FlowKey;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retired {
    pub key: FlowKey,
    /// The time of its newest packet in the order of the capture.
    pub previous_ns: i64,
    /// Whether there was a SYN of each side: another one is a retransmission.
    pub had_syn: [bool; 2],
    pub halves: [RetiredHalf; 2],
}

/// A half without holes, of which all was acknowledged.
#[derive(Debug, Clone, Copy)]
pub(super) struct RetiredHalf {
    /// The end of what passed, which was acknowledged.
    end: u64,
    base: u32,
    raw_window: u16,
    has_beginning: bool,
}

impl Half {
    /// What must be kept for late packets once all was told of it; `None` where that is more than fits.
    pub(super) fn retired(&self) -> Option<RetiredHalf> {
        let is_plain = self.next == self.top
            && self.una == self.top
            && self.acks_pass
            && self.followed.has_begun()
            && self.rare.as_ref().is_none_or(|rare| rare.is_settled());
        is_plain.then_some(RetiredHalf {
            end: self.top,
            base: self.base(),
            raw_window: self.raw_window,
            has_beginning: self.has_beginning,
        })
    }
}

impl RetiredHalf {
    /// A half that takes late packets as the one that this is left of.
    pub(super) fn revived(&self) -> Half {
        let mut half = Half::default();
        half.set_base(self.base, self.has_beginning);
        (half.next, half.top, half.una) = (self.end, self.end, self.end);
        half.raw_window = self.raw_window;
        half.acks_pass = true;
        half.followed = Followed::told();
        half
    }
}
