//! What the table of waiting packets holds.

use super::Way;

/// One transmission.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) way: Way,
    pub(super) is_bare: bool,
    /// Cut because points saw it in different pieces: headers of the pieces cannot be compared.
    pub(super) is_cut: bool,
    /// First byte, or the print of a bare packet.
    pub(super) start: u64,
    pub(super) length: u32,
    /// Of the same bytes the older has the lower.
    pub(super) serial: u32,
    /// How often its place was used before.
    pub(super) generation: u32,
    /// Points that saw it, a bit each.
    pub(super) present: u8,
}

impl Slot {
    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(u64::from(self.length))
    }

    pub(super) fn has(&self, rank: usize) -> bool {
        self.present >> rank & 1 != 0
    }
}

/// What packets that two points share tell of one of them and the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tie {
    /// Time at the one less time at the other, of the last packet.
    pub(super) delta_ns: i64,
    /// Ordinals at the other: the first that the one has too, and the last.
    pub(super) first: u64,
    pub(super) last: u64,
}

/// A packet was found at both ends of a stretch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    /// The rank of the near end.
    pub(super) gap: usize,
    pub(super) way: Way,
    /// Its place among the packets where it left, and its first byte, which orders the pieces of a segment.
    pub(super) left: (u64, u64),
    /// The same where it entered.
    pub(super) entered: (u64, u64),
}

/// How unlikely two are the same packet: compared field by field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Score {
    pub(super) is_copy: bool,
    pub(super) other_id: bool,
    pub(super) other_sack: bool,
    pub(super) distance_ns: u64,
    pub(super) is_comparable: bool,
}
