//! With which third places the owner of a far end allows tests.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A set of addresses: a prefix (RFC 4632, RFC 4291), or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedPeers {
    /// Every address.
    Any,
    /// Those that begin with the first `length` bits of `address`.
    Prefix {
        /// The prefix; bits behind its length do not count.
        address: IpAddr,
        /// Bits, 0 to 32 or 128.
        length: u8,
    },
}

/// A text that is no set of addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no address, no prefix such as 192.0.2.0/24 or 2001:db8::/32, and not `any`")]
pub struct NotPeers(String);

impl AllowedPeers {
    /// Whether tests with this address are allowed.
    #[must_use]
    pub fn allows(&self, peer: IpAddr) -> bool {
        let Self::Prefix { address, length } = self else {
            return true;
        };
        match (address.to_canonical(), peer.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(peer)) => {
                let differing = own.to_bits() ^ peer.to_bits();
                differing.leading_zeros() >= u32::from(*length)
            }
            (IpAddr::V6(own), IpAddr::V6(peer)) => {
                let differing = own.to_bits() ^ peer.to_bits();
                differing.leading_zeros() >= u32::from(*length)
            }
            _ => false,
        }
    }
}

impl FromStr for AllowedPeers {
    type Err = NotPeers;

    fn from_str(text: &str) -> Result<Self, NotPeers> {
        if text == "any" {
            return Ok(Self::Any);
        }
        let not = || NotPeers(text.to_owned());
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| not())?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let length = length.map_or(Ok(bits), |length| length.parse().map_err(|_| not()))?;
        if length > bits {
            return Err(not());
        }
        Ok(Self::Prefix { address, length })
    }
}

impl fmt::Display for AllowedPeers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => write!(f, "any"),
            Self::Prefix { address, length } => write!(f, "{address}/{length}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(set: &str, peer: &str) -> bool {
        let set: AllowedPeers = set.parse().unwrap();
        set.allows(peer.parse().unwrap())
    }

    #[test]
    fn a_prefix_holds_what_begins_with_it() {
        assert!(allows("192.0.2.0/24", "192.0.2.255"));
        assert!(!allows("192.0.2.0/24", "192.0.3.0"));
        assert!(allows("192.0.2.7", "192.0.2.7") && !allows("192.0.2.7", "192.0.2.6"));
        assert!(allows("0.0.0.0/0", "203.0.113.9") && !allows("0.0.0.0/0", "2001:db8::1"));
        assert!(allows("2001:db8::/32", "2001:db8:ffff::1") && !allows("2001:db8::/32", "2001:db9::1"));
        assert!(allows("192.0.2.0/24", "::ffff:192.0.2.1"));
        assert!(allows("any", "2001:db9::1"));
    }

    #[test]
    fn what_is_no_set_of_addresses_is_refused() {
        for text in [
            "",
            "all",
            "192.0.2.0/33",
            "192.0.2/24",
            "2001:db8::/129",
            "192.0.2.0/",
            "192.0.2.0/-1",
        ] {
            assert!(text.parse::<AllowedPeers>().is_err(), "{text}");
        }
    }
}
