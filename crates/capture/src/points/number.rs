//! The numbers of every point as the first point would have them.

use super::Way;
use crate::Segment;

/// What turns a point's numbers into those of the first point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Numbering {
    /// The point's key has its ends the other way round (translated addresses sort differently).
    pub(super) flipped: bool,
    /// This point's sequence numbers less those of the first, by way (of the first point).
    pub(super) seq_shift: [u32; 2],
    /// The same of time stamps.
    pub(super) stamp_shift: [u32; 2],
    /// Time stamps are made anew on the way and cannot be compared.
    pub(super) stamps_differ: bool,
}

impl Numbering {
    /// The way of a segment by the first point's key.
    pub(super) fn way(&self, segment: &Segment) -> Way {
        if self.flipped {
            segment.way.reversed()
        } else {
            segment.way
        }
    }

    pub(super) fn seq(&self, way: Way, seq: u32) -> u32 {
        seq.wrapping_sub(self.seq_shift[way.index()])
    }

    /// An acknowledgement that travels `way` tells numbers of the other.
    pub(super) fn ack(&self, way: Way, ack: u32) -> u32 {
        self.seq(way.reversed(), ack)
    }

    /// Value of the time stamp, where it can be compared.
    pub(super) fn stamp(&self, way: Way, segment: &Segment) -> Option<u32> {
        if self.stamps_differ {
            return None;
        }
        let (value, _) = segment.options.timestamps?;
        Some(value.wrapping_sub(self.stamp_shift[way.index()]))
    }
}

/// Where counting begins: high enough that what came before the first packet has room below it.
const ORIGIN: u64 = 1 << 40;

/// A 32-bit number that runs on, over any wrap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unwrapped {
    high: u64,
}

impl Unwrapped {
    /// Counts near `first`. Those who begin with the same number count alike.
    pub(super) fn new(first: u32) -> Self {
        Self {
            high: ORIGIN | u64::from(first),
        }
    }

    /// The number nearest to the highest so far.
    pub(super) fn near(&self, value: u32) -> u64 {
        let ahead = value.wrapping_sub(self.high as u32) as i32;
        self.high.saturating_add_signed(i64::from(ahead))
    }

    pub(super) fn advance(&mut self, value: u32) -> u64 {
        let full = self.near(value);
        self.high = self.high.max(full);
        full
    }

    pub(super) fn high(&self) -> u64 {
        self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_run_on_over_the_wrap_and_back() {
        let mut number = Unwrapped::new(u32::MAX - 5);
        let before = number.advance(u32::MAX);
        assert_eq!(number.advance(10), before + 11);
        assert_eq!(number.near(u32::MAX), before);
        assert_eq!(number.high(), before + 11);
    }
}
