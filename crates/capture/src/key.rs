//! Which connection a packet belongs to, and which way it goes.

use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};

/// One end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Endpoint {
    /// Its address.
    pub address: IpAddr,
    /// Its TCP port.
    pub port: u16,
}

impl Endpoint {
    /// No address, no port.
    pub(crate) const UNSPECIFIED: Self = Self {
        address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        port: 0,
    };
}

/// A connection, the same for both directions: the smaller endpoint is `low`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FlowKey {
    /// The smaller endpoint.
    pub low: Endpoint,
    /// The other.
    pub high: Endpoint,
}

/// The direction of a packet within its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// From [`FlowKey::low`] to [`FlowKey::high`].
    Up,
    /// From [`FlowKey::high`] to [`FlowKey::low`].
    Down,
}

impl Way {
    /// The other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    /// 0 or 1: a place in a pair of halves.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self == Self::Down)
    }

    /// The places of this direction and of the other one. To reach both by their places costs less than to choose: a choice is made
    /// again for each field that is used.
    #[inline]
    pub(crate) fn both(self) -> [usize; 2] {
        [self.index(), self.reversed().index()]
    }
}

impl FlowKey {
    /// The connection between two endpoints, and the way from the first to the second.
    #[must_use]
    #[inline]
    pub fn of(from: Endpoint, to: Endpoint) -> (Self, Way) {
        // The order of `Endpoint`, without its detours and without a branch on the direction, which nothing foretells: this
        // is done for each packet.
        if let (IpAddr::V4(a), IpAddr::V4(b)) = (from.address, to.address) {
            let number = |address: Ipv4Addr, port| u64::from(address.to_bits()) << 16 | u64::from(port);
            let endpoint = |number: u64| Endpoint {
                address: IpAddr::V4(Ipv4Addr::from_bits((number >> 16) as u32)),
                port: number as u16,
            };
            let (from, to) = (number(a, from.port), number(b, to.port));
            let key = Self {
                low: endpoint(from.min(to)),
                high: endpoint(from.max(to)),
            };
            return (key, if from <= to { Way::Up } else { Way::Down });
        }
        let is_up = match (from.address, to.address) {
            (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits(), from.port) <= (b.to_bits(), to.port),
            _ => from <= to,
        };
        if is_up {
            (Self { low: from, high: to }, Way::Up)
        } else {
            (Self { low: to, high: from }, Way::Down)
        }
    }

    /// Who sends what goes this way.
    #[must_use]
    pub fn sender(&self, way: Way) -> Endpoint {
        match way {
            Way::Up => self.low,
            Way::Down => self.high,
        }
    }

    /// Who receives what goes this way.
    #[must_use]
    pub fn receiver(&self, way: Way) -> Endpoint {
        self.sender(way.reversed())
    }

    /// Spreads connections over shards, the same for both directions and in every run: which connections share the memory of a shard
    /// decides which of them have to go when it is full, and that must not be left to chance. A capture that was made to have all
    /// of its connections in one shard has no more memory than that of one.
    #[must_use]
    #[inline]
    pub fn spread(&self) -> u32 {
        let bits = |address: IpAddr| match address {
            IpAddr::V4(v4) => u64::from(v4.to_bits()),
            IpAddr::V6(v6) => {
                let bits = v6.to_bits();
                (bits >> 64) as u64 ^ bits as u64
            }
        };
        let ports = u64::from(self.low.port) << 48 | u64::from(self.high.port) << 32;
        let all = bits(self.low.address) ^ bits(self.high.address).rotate_left(13) ^ ports;
        // Fibonacci hashing (Knuth volume 3, 6.4).
        (all.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }

    /// A hash, the same for both directions. The seed keeps a hostile capture from choosing collisions; no result depends
    /// on it.
    #[must_use]
    #[inline]
    pub fn hash(&self, seed: u64) -> u64 {
        let ports = u64::from(self.low.port) << 16 | u64::from(self.high.port);
        let state = mixed(seed ^ ports);
        match (self.low.address, self.high.address) {
            (IpAddr::V4(low), IpAddr::V4(high)) => {
                mixed(state ^ (u64::from(low.to_bits()) << 32 | u64::from(high.to_bits())))
            }
            (low, high) => [low, high].into_iter().fold(state, |state, address| {
                let bits = match address {
                    IpAddr::V4(v4) => u128::from(v4.to_bits()),
                    IpAddr::V6(v6) => v6.to_bits(),
                };
                mixed(mixed(state ^ bits as u64) ^ (bits >> 64) as u64)
            }),
        }
    }
}

/// One round of folded multiplication (as in wyhash): both halves of the product depend on all bits.
#[inline]
fn mixed(value: u64) -> u64 {
    let product = u128::from(value ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn endpoint() -> impl Strategy<Value = Endpoint> {
        // Few values, so that many are equal.
        let address = prop_oneof![
            any::<u32>().prop_map(|bits| IpAddr::from(Ipv4Addr::from_bits(bits))),
            (0..2_u32).prop_map(|bits| IpAddr::from(Ipv4Addr::from_bits(bits))),
            (0..2_u128).prop_map(|bits| IpAddr::from(bits.to_be_bytes())),
            any::<u128>().prop_map(|bits| IpAddr::from(bits.to_be_bytes())),
        ];
        (address, prop_oneof![0..2_u16, any::<u16>()]).prop_map(|(address, port)| Endpoint { address, port })
    }

    /// Ports that count up, hosts of one network, and hosts of IPv6.
    #[test]
    fn connections_are_spread_evenly() {
        let end = |address: IpAddr, port: u32| Endpoint {
            address,
            port: port as u16,
        };
        let server = end(IpAddr::from([192, 0, 2, 1]), 443);
        let families: [&dyn Fn(u32) -> Endpoint; 4] = [
            &|n| end(IpAddr::from([198, 51, 100, 7]), 32_768 + n),
            &|n| end(IpAddr::from(Ipv4Addr::from_bits(0x0a00_0000 + n)), 40_000),
            &|n| end(IpAddr::from(Ipv4Addr::from_bits(0x0a00_0000 + n)), 1_024 + n),
            &|n| {
                let host = 0x2001_0db8_u128 << 96 | u128::from(n) << 64;
                end(IpAddr::from(host.to_be_bytes()), 40_000)
            },
        ];
        for (family, client) in families.iter().enumerate() {
            let mut counts = [0; 16];
            for n in 0..1_600 {
                counts[(FlowKey::of(client(n), server).0.spread() >> 28) as usize] += 1;
            }
            assert!(
                counts.iter().all(|count| (50..150).contains(count)),
                "{family}: {counts:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn both_directions_are_one_connection(from in endpoint(), to in endpoint(), seed: u64) {
            let (key, way) = FlowKey::of(from, to);
            prop_assert_eq!(key.low, from.min(to));
            prop_assert_eq!(key.high, from.max(to));
            prop_assert_eq!((key.sender(way), key.receiver(way)), (from, to));
            let (back, way_back) = FlowKey::of(to, from);
            prop_assert_eq!(back, key);
            prop_assert_eq!(way_back == way, from == to);
            prop_assert_eq!(back.hash(seed), key.hash(seed));
            prop_assert_eq!(back.spread(), key.spread());
        }
    }
}
