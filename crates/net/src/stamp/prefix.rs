//! Networks whose hosts are answered.

use std::net::IpAddr;
use std::str::FromStr;

/// A network: `192.0.2.0/24`, `2001:db8::/32`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    address: IpAddr,
    bits: u8,
}

/// Why something is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no network: write an address, or one with a length such as 192.0.2.0/24 or 2001:db8::/32")]
pub struct PrefixError(String);

impl Prefix {
    /// Whether `address` is in it.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(net), IpAddr::V4(host)) => {
                let differ = u32::from(net) ^ u32::from(host);
                differ.checked_shr(32 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            (IpAddr::V6(net), IpAddr::V6(host)) => {
                let differ = u128::from(net) ^ u128::from(host);
                differ.checked_shr(128 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Self, PrefixError> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let error = || PrefixError(text.to_owned());
        let address: IpAddr = address.parse().map_err(|_| error())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| error()))?;
        match bits <= most {
            true => Ok(Self { address, bits }),
            false => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(prefix: &str, address: &str) -> bool {
        let prefix: Prefix = prefix.parse().unwrap();
        prefix.contains(address.parse().unwrap())
    }

    #[test]
    fn addresses_are_in_their_networks_and_in_no_other() {
        assert!(has("192.0.2.0/24", "192.0.2.255") && !has("192.0.2.0/24", "192.0.3.0"));
        assert!(
            has("192.0.2.7/24", "192.0.2.1"),
            "the host's part is of no account"
        );
        assert!(has("192.0.2.7", "192.0.2.7") && !has("192.0.2.7", "192.0.2.6"));
        assert!(has("0.0.0.0/0", "203.0.113.9") && !has("0.0.0.0/0", "2001:db8::1"));
        assert!(has("2001:db8::/32", "2001:db8:ffff::1") && !has("2001:db8::/32", "2001:db9::"));
        assert!(has("::/0", "2001:db9::") && has("192.0.2.0/24", "::ffff:192.0.2.1"));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in [
            "",
            "/8",
            "192.0.2.0/33",
            "192.0.2/24",
            "2001:db8::/129",
            "example.org",
            "192.0.2.0/-1",
        ] {
            assert!(text.parse::<Prefix>().is_err(), "{text}");
        }
    }
}
