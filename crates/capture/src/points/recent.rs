//! Whether a point has just seen the very same packet.

use super::observation::{Marks, Sighting};

/// Places of the table. A copy by the network or by a capture on two interfaces comes within packets of the first; beyond a few
/// thousand it would be another packet whose 16-bit identification came round.
const PLACES: usize = 4096;

/// Without an IP identification a retransmission within the same tick of the time stamp looks like a copy. It cannot come sooner
/// than a round trip and the sender's stack allow, and a mirrored copy comes within microseconds.
const UNNAMED_COPY_NS: i64 = 50_000;

/// Prints of the packets that a point saw last: one place per value, the newer takes it from the older.
#[derive(Debug)]
pub(super) struct Recent {
    places: Vec<(u64, i64)>,
}

impl Recent {
    pub(super) fn new() -> Self {
        Self {
            places: vec![(0, 0); PLACES],
        }
    }

    /// Whether the point saw this very packet (a copy), and whether it saw one that cannot be told from it.
    ///
    /// Bare packets without a name are never called copies: acknowledgements of a burst out of order, and resets, are the same in
    /// all that a header has.
    pub(super) fn saw(&mut self, sighting: &Sighting) -> (bool, bool) {
        let is_named = sighting.observation.marks.has(Marks::NAMED);
        let print = if is_named {
            sighting.copy_print
        } else {
            sighting.twin_print()
        };
        let time_ns = sighting.observation.time_ns;
        let Some(place) = self.places.get_mut((print >> 20) as usize % PLACES) else {
            return (false, false);
        };
        let (known, before_ns) = std::mem::replace(place, (print, time_ns));
        let is_twin = known == print;
        let is_at_once = time_ns.abs_diff(before_ns) <= UNNAMED_COPY_NS.unsigned_abs();
        (
            is_twin && (is_named || sighting.length > 0 && is_at_once),
            is_twin,
        )
    }
}

/// One round of folded multiplication (as in wyhash).
pub(super) fn mixed(state: u64, value: u64) -> u64 {
    let product = u128::from(state ^ value ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
    product as u64 ^ (product >> 64) as u64
}
