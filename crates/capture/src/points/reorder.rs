//! Which packets others overtook between two points (RFC 4737).
//!
//! The reference is the order in which packets entered the stretch, not their sequence numbers: a retransmission is not
//! reordering, and what came out of order into the stretch is not its doing.

use super::report::Reordering;
use std::collections::VecDeque;

/// Matches come in the order in which they were found. They are put into the order of arrival in lots of this many, so a match
/// may be found this much too late.
const LOT: usize = 8192;

/// So far back the first overtaker is looked for; the extent of a packet that is later still is at least this.
const REMEMBERED: usize = 4096;

/// A packet's places: where it left the stretch, and where it entered. Pieces of one segment go by their first byte.
type Match = ((u64, u64), (u64, u64));

#[derive(Debug, Default)]
pub(super) struct Order {
    lot: Vec<Match>,
    /// Highest place of entry up to each of the last arrivals.
    highest: VecDeque<(u64, u64)>,
    found: Reordering,
}

impl Order {
    pub(super) fn add(&mut self, left: (u64, u64), entered: (u64, u64)) {
        self.lot.push((left, entered));
        if self.lot.len() >= LOT {
            self.settle(LOT / 2);
        }
    }

    pub(super) fn finish(mut self) -> Reordering {
        self.settle(self.lot.len());
        self.found
    }

    fn settle(&mut self, count: usize) {
        self.lot.sort();
        let kept = self.lot.split_off(count.min(self.lot.len()));
        for (_, entered) in std::mem::replace(&mut self.lot, kept) {
            self.arrived(entered);
        }
    }

    fn arrived(&mut self, entered: (u64, u64)) {
        let highest = self.highest.back().copied().unwrap_or(entered);
        if entered < highest {
            let first_overtaker = self.highest.partition_point(|&high| high <= entered);
            let extent = (self.highest.len() - first_overtaker) as u64;
            self.found.reordered += 1;
            self.found.extent_packets = self.found.extent_packets.max(extent);
        }
        self.highest.push_back(highest.max(entered));
        if self.highest.len() > REMEMBERED {
            self.highest.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(order: &[u64]) -> Reordering {
        let mut all = Order::default();
        for (place, &entered) in order.iter().enumerate() {
            all.add((place as u64, 0), (entered, 0));
        }
        all.finish()
    }

    #[test]
    fn only_the_overtaken_count_and_the_extent_is_to_the_first_overtaker() {
        // RFC 4737 section 4.2: 4 comes three places behind 5
        assert_eq!(
            found(&[1, 2, 3, 5, 6, 7, 4, 8]),
            Reordering {
                reordered: 1,
                extent_packets: 3
            }
        );
        assert_eq!(found(&[1, 2, 4, 8]), Reordering::default());
        assert_eq!(
            found(&[5, 1, 2]),
            Reordering {
                reordered: 2,
                extent_packets: 2
            }
        );
    }

    #[test]
    fn the_order_in_which_matches_are_found_does_not_matter() {
        let mut all = Order::default();
        for found in 0..40_960_u64 {
            let place = found ^ 2047;
            all.add((place, 0), (place, 0));
        }
        assert_eq!(all.finish().reordered, 0);
    }
}
