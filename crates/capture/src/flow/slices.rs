//! What a half carried, slice by slice of its life.
//!
//! However long a connection lives, it has at most [`MOST`] slices: when there would be more, two neighbours become one.

use super::{Acked, Hears, Sent, SentKind};
use serde::Serialize;
use std::ops::Range;

/// A tenth of a second: several round trips of most paths, and short beside the silence of a retransmission timeout
/// (RFC 6298: at least a second, Linux 0.2 s).
const FIRST_WIDTH_NS: i64 = 100_000_000;
/// A minute in slices of the first width.
const MOST: usize = 600;

/// Slices of one direction of a connection, in the order of time.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Slices {
    /// Where the first begins, nanoseconds since 1970.
    pub start_ns: i64,
    /// How long each is, nanoseconds.
    pub width_ns: i64,
    /// One after the other, without gaps.
    pub slices: Vec<Slice>,
    /// The time of the newest: most of what happens falls into it.
    #[serde(skip)]
    newest: Range<i64>,
}

/// One slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Slice {
    /// Bytes that were acknowledged.
    pub acked_bytes: u64,
    /// Payload that passed, retransmitted payload included.
    pub sent_bytes: u64,
    /// Packets that were retransmitted.
    pub retransmitted: u32,
    /// Round trips measured, and their sum, nanoseconds.
    pub rtts: (u32, i64),
}

impl Slice {
    /// Mean round trip behind the capture point, nanoseconds.
    #[must_use]
    pub fn rtt_ns(&self) -> Option<i64> {
        let (count, sum_ns) = self.rtts;
        (count > 0).then(|| sum_ns / i64::from(count))
    }

    fn with(self, other: Self) -> Self {
        Self {
            acked_bytes: self.acked_bytes.saturating_add(other.acked_bytes),
            sent_bytes: self.sent_bytes.saturating_add(other.sent_bytes),
            retransmitted: self.retransmitted.saturating_add(other.retransmitted),
            rtts: (
                self.rtts.0.saturating_add(other.rtts.0),
                self.rtts.1.saturating_add(other.rtts.1),
            ),
        }
    }
}

impl Hears for Slices {
    #[inline(always)]
    fn sent(&mut self, sent: &Sent) {
        let again = matches!(
            sent.kind,
            SentKind::Retransmitted(_) | SentKind::RetransmittedUpstream(_)
        );
        let slice = self.at(sent.time_ns);
        // No capture has as many packets as it takes for a sum of their bytes to overflow.
        slice.sent_bytes = slice.sent_bytes.wrapping_add(sent.end.saturating_sub(sent.start));
        slice.retransmitted = slice.retransmitted.saturating_add(u32::from(again));
    }

    #[inline(always)]
    fn acked(&mut self, acked: &Acked) {
        // Before the first data there is nothing to slice.
        if self.slices.is_empty() {
            return;
        }
        let slice = self.at(acked.time_ns);
        slice.acked_bytes = slice.acked_bytes.wrapping_add(acked.newly_acked_bytes);
        if let Some(rtt_ns) = acked.rtt_ns {
            slice.rtts = (
                slice.rtts.0.saturating_add(1),
                slice.rtts.1.saturating_add(rtt_ns),
            );
        }
    }
}

impl Slices {
    /// All that was acknowledged, bytes.
    #[must_use]
    pub fn acked_bytes(&self) -> u64 {
        let all = self.slices.iter().map(|slice| slice.acked_bytes);
        all.fold(0, u64::saturating_add)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.slices.capacity() * size_of::<Slice>()
    }

    /// The slice of this moment. A clock that went back counts as one that stood still.
    #[inline(always)]
    fn at(&mut self, time_ns: i64) -> &mut Slice {
        let place = match self.slices.len().checked_sub(1) {
            Some(newest) if self.newest.contains(&time_ns) => newest,
            _ => self.place(time_ns),
        };
        &mut self.slices[place]
    }

    /// Looks for the place of a moment, and makes it where it is not there yet.
    #[cold]
    fn place(&mut self, time_ns: i64) -> usize {
        if self.slices.is_empty() {
            self.start_ns = time_ns;
            self.width_ns = FIRST_WIDTH_NS;
        }
        let since_ns = time_ns.saturating_sub(self.start_ns).max(0);
        while since_ns / self.width_ns >= MOST as i64 {
            self.join_neighbours();
        }
        let place = usize::try_from(since_ns / self.width_ns).unwrap_or(0);
        if place >= self.slices.len() {
            self.slices.resize(place + 1, Slice::default());
        }
        let before_ns = (self.slices.len() as i64 - 1).saturating_mul(self.width_ns);
        let newest_ns = self.start_ns.saturating_add(before_ns);
        self.newest = newest_ns..newest_ns.saturating_add(self.width_ns);
        place
    }

    fn join_neighbours(&mut self) {
        let joined = self.slices.chunks(2).map(|pair| match pair {
            [first, second] => first.with(*second),
            _ => pair.first().copied().unwrap_or_default(),
        });
        self.slices = joined.collect();
        self.width_ns = self.width_ns.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::HalfEvent;

    fn acked(time_ns: i64, bytes: u64) -> HalfEvent {
        HalfEvent::Acked(Acked {
            time_ns,
            ack: 0,
            newly_acked_bytes: bytes,
            newly_sacked_bytes: 0,
            newly_arrived_bytes: bytes,
            is_duplicate: false,
            is_dsack: false,
            is_eifel: false,
            window_bytes: None,
            rtt_ns: Some(time_ns % 1_000),
            unseen_bytes: 0,
        })
    }

    fn sent(time_ns: i64, bytes: u64) -> HalfEvent {
        HalfEvent::Sent(Sent {
            time_ns,
            start: 0,
            end: bytes,
            kind: SentKind::New,
            is_pushed: false,
            waited_ms: 0,
            flight_bytes: 0,
            window_edge: None,
            lost_ns: None,
        })
    }

    #[test]
    fn a_long_life_has_wide_slices_and_loses_nothing() {
        let mut slices = Slices::default();
        acked(0, 99).tell(&mut slices);
        assert!(slices.slices.is_empty(), "no data yet");
        for tenth in 0..5_000 {
            sent(tenth * FIRST_WIDTH_NS, 10).tell(&mut slices);
            acked(tenth * FIRST_WIDTH_NS + 7, 3).tell(&mut slices);
        }
        assert!(slices.slices.len() <= MOST);
        assert_eq!(slices.width_ns, 16 * FIRST_WIDTH_NS);
        let sum = |of: fn(&Slice) -> u64| slices.slices.iter().map(of).sum::<u64>();
        assert_eq!(sum(|slice| slice.sent_bytes), 50_000);
        assert_eq!(sum(|slice| slice.acked_bytes), 15_000);
        assert_eq!(slices.slices[0].acked_bytes, 48);
        assert_eq!(slices.slices[0].rtt_ns(), Some(7));
    }

    #[test]
    fn a_clock_that_lies_costs_no_memory() {
        let mut slices = Slices::default();
        for time_ns in [5, i64::MAX, i64::MIN, 0, 5] {
            sent(time_ns, 1).tell(&mut slices);
        }
        assert!(slices.slices.len() <= MOST);
        let all: u64 = slices.slices.iter().map(|slice| slice.sent_bytes).sum();
        assert_eq!(all, 5);
    }
}
