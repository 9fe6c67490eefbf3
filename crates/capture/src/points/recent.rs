//! Whether a point has just seen the very same packet.

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

    /// Whether this print was here, and keeps it. Bare packets without a name are never copies: acknowledgements of a burst out of
    /// order are the same in all that a header has.
    pub(super) fn saw(&mut self, print: u64, is_named: bool, is_bare: bool, time_ns: i64) -> bool {
        let Some(place) = self.places.get_mut((print >> 20) as usize % PLACES) else {
            return false;
        };
        let (known, before_ns) = std::mem::replace(place, (print, time_ns));
        known == print
            && (is_named || !is_bare && time_ns.abs_diff(before_ns) <= UNNAMED_COPY_NS.unsigned_abs())
    }
}

/// One round of folded multiplication (as in wyhash).
pub(super) fn mixed(state: u64, value: u64) -> u64 {
    let product = u128::from(state ^ value ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
    product as u64 ^ (product >> 64) as u64
}
