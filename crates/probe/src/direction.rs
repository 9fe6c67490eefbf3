//! What came of packets in one direction.

use evidence::ProbeRow;

/// What came of packets in one direction, or of packets and their answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Direction {
    /// Packets sent.
    pub sent: u64,
    /// Distinct packets that arrived.
    pub received: u64,
    /// Packets that arrived again.
    pub duplicates: u64,
    /// Packets that arrived after a later one (RFC 4737).
    pub reordered: u64,
}

impl Direction {
    /// Packets that did not arrive.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.sent.saturating_sub(self.received)
    }

    /// The row, with these counts in it.
    pub(crate) fn counted(&self, row: ProbeRow) -> ProbeRow {
        ProbeRow {
            sent: Some(self.sent),
            received: Some(self.received),
            duplicates: Some(self.duplicates),
            reordered: Some(self.reordered),
            ..row
        }
    }
}
