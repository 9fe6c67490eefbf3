//! How many packets of which kind.

use super::Packet;
use serde::Serialize;

/// Why a frame gives no segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Other {
    /// UDP, without a tunnel that is known.
    Udp,
    /// ICMP of either version that says nothing of a connection's packet size.
    Icmp,
    /// ARP.
    Arp,
    /// Another protocol over IP.
    OtherIp,
    /// No IP: spanning tree, LLDP, and whatever the link carries.
    NotIp,
    /// ESP, MACsec: what is within cannot be seen.
    Encrypted,
    /// A later fragment of something other than TCP.
    Fragment,
    /// The snap length cut it before the end of the fixed TCP header.
    Cut,
    /// Its headers contradict themselves.
    Malformed,
    /// More layers than are taken off.
    TooDeep,
    /// A link type that is not known (Wi-Fi, USB, …).
    UnknownLink,
}

impl Other {
    /// All of them, in the order of [`Counts::others`].
    pub const ALL: [Self; 11] = [
        Self::Udp,
        Self::Icmp,
        Self::Arp,
        Self::OtherIp,
        Self::NotIp,
        Self::Encrypted,
        Self::Fragment,
        Self::Cut,
        Self::Malformed,
        Self::TooDeep,
        Self::UnknownLink,
    ];
}

/// Packets by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// TCP segments, whole.
    pub tcp: u64,
    /// Words of routers that a segment was too large.
    pub too_big: u64,
    /// Pieces of TCP segments.
    pub tcp_fragments: u64,
    /// Others, in the order of [`Other::ALL`].
    pub others: [u64; 11],
}

impl Counts {
    /// Counts a packet.
    #[inline]
    pub fn count(&mut self, packet: &Packet) {
        let place = match packet {
            Packet::Tcp(_) => &mut self.tcp,
            Packet::TooBig(_) => &mut self.too_big,
            Packet::Fragment(_) => &mut self.tcp_fragments,
            Packet::Other(other) => match self.others.get_mut(*other as usize) {
                Some(place) => place,
                None => return,
            },
        };
        *place = place.saturating_add(1);
    }

    /// Counts so many TCP segments.
    pub fn count_segments(&mut self, count: u64) {
        self.tcp = self.tcp.saturating_add(count);
    }

    /// Adds what another thread counted.
    pub fn add(&mut self, more: &Self) {
        let pairs = [
            (&mut self.tcp, more.tcp),
            (&mut self.too_big, more.too_big),
            (&mut self.tcp_fragments, more.tcp_fragments),
        ];
        for (place, count) in pairs.into_iter().chain(self.others.iter_mut().zip(more.others)) {
            *place = place.saturating_add(count);
        }
    }

    /// How many of one other kind.
    #[must_use]
    pub fn of(&self, other: Other) -> u64 {
        self.others.get(other as usize).copied().unwrap_or(0)
    }

    /// All packets.
    #[must_use]
    pub fn total(&self) -> u64 {
        let others = self
            .others
            .iter()
            .fold(0_u64, |sum, count| sum.saturating_add(*count));
        [self.tcp, self.too_big, self.tcp_fragments]
            .iter()
            .fold(others, |sum, count| sum.saturating_add(*count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_place_of_its_own() {
        let mut counts = Counts::default();
        for (place, other) in Other::ALL.into_iter().enumerate() {
            assert_eq!(other as usize, place);
            for _ in 0..=place {
                counts.count(&Packet::Other(other));
            }
        }
        assert!(
            Other::ALL
                .into_iter()
                .enumerate()
                .all(|(place, other)| counts.of(other) == place as u64 + 1)
        );
        let mut sum = counts;
        sum.add(&counts);
        assert_eq!(sum.total(), 2 * 66);
    }
}
