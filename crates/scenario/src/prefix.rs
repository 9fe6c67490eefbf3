//! Sets of addresses: IP families, and prefixes within them.

use std::net::IpAddr;

/// An IP family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl Family {
    /// Both families.
    pub const BOTH: [Self; 2] = [Self::V4, Self::V6];

    /// The family of an address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        if address.is_ipv4() { Self::V4 } else { Self::V6 }
    }

    /// Length of an address in bits.
    #[must_use]
    pub fn bits(self) -> u8 {
        match self {
            Self::V4 => 32,
            Self::V6 => 128,
        }
    }
}

/// A set of addresses with a common beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefix {
    /// First address; bits behind the prefix are ignored.
    pub address: IpAddr,
    /// Number of common bits.
    pub length: u8,
}

impl Prefix {
    /// Exactly one address.
    #[must_use]
    pub fn host(address: IpAddr) -> Self {
        Self {
            address,
            length: Family::of(address).bits(),
        }
    }

    /// All addresses of a family.
    #[must_use]
    pub fn default_of(family: Family) -> Self {
        let address = match family {
            Family::V4 => IpAddr::from([0u8; 4]),
            Family::V6 => IpAddr::from([0u8; 16]),
        };
        Self { address, length: 0 }
    }

    /// Reads `192.0.2.0/24` or a single address.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let Some((address, length)) = text.split_once('/') else {
            return text.parse().ok().map(Self::host);
        };
        let address: IpAddr = address.parse().ok()?;
        let length: u8 = length.parse().ok()?;
        (length <= Family::of(address).bits()).then_some(Self { address, length })
    }

    /// Whether the address is one of this prefix.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let (width, mine, other) = match (self.address, address) {
            (IpAddr::V4(x), IpAddr::V4(y)) => (32, u128::from(x.to_bits()), u128::from(y.to_bits())),
            (IpAddr::V6(x), IpAddr::V6(y)) => (128, x.to_bits(), y.to_bits()),
            _ => return false,
        };
        let ignored = width - u32::from(self.length);
        mine.checked_shr(ignored).unwrap_or(0) == other.checked_shr(ignored).unwrap_or(0)
    }
}
