//! What a direction of an emulated link has seen. Written by one thread, read by any.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Why a packet did not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
    /// The token bucket was empty.
    Policer,
    /// The queue was full.
    Queue,
    /// Lost on the wire.
    Loss,
    /// Larger than the far interface accepts.
    TooLarge,
    /// The emulator itself ran out of room for packets under way; the run is not valid.
    Emulator,
}

impl DropReason {
    /// All reasons.
    pub const ALL: [Self; 5] = [
        Self::Policer,
        Self::Queue,
        Self::Loss,
        Self::TooLarge,
        Self::Emulator,
    ];

    /// One word for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Policer => "policer",
            Self::Queue => "queue",
            Self::Loss => "loss",
            Self::TooLarge => "too-large",
            Self::Emulator => "emulator",
        }
    }
}

/// A reading of one direction's counters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DirectionCounters {
    /// Packets that entered.
    pub packets_in: u64,
    /// Bytes (IP packets) that entered.
    pub bytes_in: u64,
    /// Packets that left at the far end, copies included.
    pub packets_out: u64,
    /// Packets that arrived twice.
    pub duplicated: u64,
    /// Packets that arrived with a flipped bit.
    pub corrupted: u64,
    /// Packets that were held back to be overtaken.
    pub reordered: u64,
    /// Drops, indexed as [`DropReason::ALL`].
    pub drops: [u64; 5],
    /// Largest difference between when a packet was due at the far end and when it was written, in ns.
    pub worst_lateness_ns: u64,
    /// Packets written more than 1 ms late.
    pub over_1ms_late: u64,
}

impl DirectionCounters {
    /// Packets dropped for this reason.
    #[must_use]
    pub fn dropped(&self, reason: DropReason) -> u64 {
        DropReason::ALL
            .iter()
            .zip(self.drops)
            .find(|(r, _)| **r == reason)
            .map_or(0, |(_, count)| count)
    }
}

/// The live counters.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub(super) packets_in: AtomicU64,
    pub(super) bytes_in: AtomicU64,
    pub(super) packets_out: AtomicU64,
    pub(super) duplicated: AtomicU64,
    pub(super) corrupted: AtomicU64,
    pub(super) reordered: AtomicU64,
    pub(super) drops: [AtomicU64; 5],
    pub(super) worst_lateness_ns: AtomicU64,
    pub(super) over_1ms_late: AtomicU64,
}

/// With a single writer, a load and a store are enough and cheaper than a locked addition.
pub(super) fn add(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(amount), Relaxed);
}

impl Live {
    pub(super) fn drop(&self, reason: DropReason) {
        for (counter, _) in self
            .drops
            .iter()
            .zip(DropReason::ALL)
            .filter(|(_, r)| *r == reason)
        {
            add(counter, 1);
        }
    }

    pub(super) fn late(&self, by_ns: u64) {
        if by_ns > self.worst_lateness_ns.load(Relaxed) {
            self.worst_lateness_ns.store(by_ns, Relaxed);
        }
        if by_ns > 1_000_000 {
            add(&self.over_1ms_late, 1);
        }
    }

    pub(crate) fn read(&self) -> DirectionCounters {
        let mut drops = [0; 5];
        for (to, from) in drops.iter_mut().zip(&self.drops) {
            *to = from.load(Relaxed);
        }
        DirectionCounters {
            packets_in: self.packets_in.load(Relaxed),
            bytes_in: self.bytes_in.load(Relaxed),
            packets_out: self.packets_out.load(Relaxed),
            duplicated: self.duplicated.load(Relaxed),
            corrupted: self.corrupted.load(Relaxed),
            reordered: self.reordered.load(Relaxed),
            drops,
            worst_lateness_ns: self.worst_lateness_ns.load(Relaxed),
            over_1ms_late: self.over_1ms_late.load(Relaxed),
        }
    }
}
