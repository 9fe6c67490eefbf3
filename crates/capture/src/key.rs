//! Which connection a packet belongs to, and which way it goes.

use serde::Serialize;
use std::net::IpAddr;

/// One end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Endpoint {
    /// Its address.
    pub address: IpAddr,
    /// Its TCP port.
    pub port: u16,
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
}

impl FlowKey {
    /// The connection between two endpoints, and the way from the first to the second.
    #[must_use]
    pub fn of(from: Endpoint, to: Endpoint) -> (Self, Way) {
        if from <= to {
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

    /// A hash, the same for both directions. The seed keeps a hostile capture from choosing collisions; no result depends
    /// on it.
    #[must_use]
    pub fn hash(&self, seed: u64) -> u64 {
        let ports = u64::from(self.low.port) << 16 | u64::from(self.high.port);
        let mut state = mixed(seed ^ ports);
        for address in [self.low.address, self.high.address] {
            match address {
                IpAddr::V4(v4) => state = mixed(state ^ u64::from(v4.to_bits())),
                IpAddr::V6(v6) => {
                    let bits = v6.to_bits();
                    state = mixed(state ^ bits as u64);
                    state = mixed(state ^ (bits >> 64) as u64);
                }
            }
        }
        state
    }
}

/// One round of folded multiplication (as in wyhash): both halves of the product depend on all bits.
fn mixed(value: u64) -> u64 {
    let product = u128::from(value ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
    product as u64 ^ (product >> 64) as u64
}
