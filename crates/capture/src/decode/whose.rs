//! Whose a packet is: its connection, and its way in it.
//!
//! Most packets follow another of their connection, and whether one does stands in twelve bytes of it.

use super::ip::Ip;
use crate::{Endpoint, FlowKey, Way};

/// Addresses and ports of a packet of IPv4 without options, as they stand in it.
pub(super) type Ends = [u8; 12];

/// A connection, and a way in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whose {
    pub(super) key: FlowKey,
    /// [`FlowKey::hash`] of it.
    pub(super) hash: u64,
    pub(super) way: Way,
    /// So many packets before, one behind the other, were of it; 255 at most.
    pub(super) follows: u8,
}

impl Whose {
    /// That of an IP packet with these ports.
    #[inline(always)]
    pub(super) fn of(ip: &Ip<'_>, ports: [u16; 2], seed: u64) -> Self {
        let [from, to] = ports;
        let end = |address, port| Endpoint { address, port };
        let (key, way) = FlowKey::of(end(ip.from, from), end(ip.to, to));
        Self {
            key,
            hash: key.hash(seed),
            way,
            follows: 0,
        }
    }
}

/// The connection of the packet before, where that was plain.
#[derive(Debug, Default)]
pub(super) struct Before(Option<Known>);

#[derive(Debug)]
struct Known {
    /// Of its packets, by [`Way::index`].
    ends: [Ends; 2],
    whose: Whose,
}

impl Before {
    /// That of a packet with these ends. `whose` tells it where the packet before was of another.
    #[inline(always)]
    pub(super) fn whose(&mut self, ends: &Ends, whose: impl FnOnce() -> Whose) -> Whose {
        if let Some(known) = &mut self.0 {
            // Nothing foretells the direction: to branch on it costs more than to look at both.
            let [there, back] = &known.ends;
            let (is_there, is_back) = (ends == there, ends == back);
            if is_there | is_back {
                let way = if is_there {
                    known.whose.way
                } else {
                    known.whose.way.reversed()
                };
                known.whose.follows = known.whose.follows.saturating_add(1);
                return Whose { way, ..known.whose };
            }
        }
        let whose = whose();
        self.note(ends, &whose);
        whose
    }

    /// The packet before was another.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    #[inline]
    fn note(&mut self, ends: &Ends, whose: &Whose) {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *ends;
        self.0 = Some(Known {
            ends: [*ends, [e, f, g, h, a, b, c, d, k, l, i, j]],
            whose: *whose,
        });
    }
}
