//! Addresses under a key, prefix by prefix: two addresses share as many leading bits afterwards as before, so hosts of
//! one subnet stay in one subnet, and routes keep their shape. The scheme is Crypto-PAn's (Xu, Fan, Ammar, Moon, "Prefix-
//! preserving IP address anonymization", ICNP 2002), with HMAC-SHA-256 as the pseudorandom function: bit n is flipped or
//! not by a function of the n bits before it. That is a permutation, so different addresses stay different.
//!
//! Ranges whose meaning is the range itself keep it (IPv4 classes A to C against multicast and 240/4, this network,
//! loopback; IPv6 global unicast, unique local, link-local, multicast), which costs the first bits of what lies beside
//! them. Loopback, multicast and the unspecified address name nobody and stay as they are.

use super::key::Key;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// First bits and their number, left-aligned in the width of the family.
const IPV4_RANGES: [(u32, u32); 4] = [(0, 8), (0x7f00_0000, 8), (0xe000_0000, 3), (0xf000_0000, 4)];
const IPV6_RANGES: [(u128, u32); 4] = [
    (0x2000 << 112, 3),
    (0xfc00 << 112, 7),
    (0xfe80 << 112, 10),
    (0xff00 << 112, 8),
];

/// The pseudonyms of addresses.
pub(super) struct Addresses {
    key: Key,
    known: BTreeMap<IpAddr, IpAddr>,
}

impl Addresses {
    pub(super) fn new(key: Key) -> Self {
        Self {
            key,
            known: BTreeMap::new(),
        }
    }

    /// The pseudonym of an address.
    pub(super) fn pseudonym(&mut self, address: IpAddr) -> IpAddr {
        if let Some(known) = self.known.get(&address) {
            return *known;
        }
        let pseudonym = match address {
            IpAddr::V4(v4) => IpAddr::V4(self.v4(v4)),
            IpAddr::V6(v6) => IpAddr::V6(self.v6(v6)),
        };
        self.known.insert(address, pseudonym);
        pseudonym
    }

    fn v4(&self, address: Ipv4Addr) -> Ipv4Addr {
        let names_nobody = address.octets()[0] == 0 || address.is_loopback() || address.is_multicast();
        if names_nobody || address.is_broadcast() {
            return address;
        }
        let ranges = IPV4_RANGES.map(|(bits, length)| (u128::from(bits) << 96, length));
        let permuted = self.permuted(4, u128::from(address.to_bits()) << 96, 32, &ranges);
        Ipv4Addr::from_bits(u32::try_from(permuted >> 96).unwrap_or_default())
    }

    fn v6(&self, address: Ipv6Addr) -> Ipv6Addr {
        if let Some(v4) = address.to_ipv4_mapped() {
            return self.v4(v4).to_ipv6_mapped();
        }
        if address.is_unspecified() || address.is_loopback() || address.is_multicast() {
            return address;
        }
        Ipv6Addr::from_bits(self.permuted(6, address.to_bits(), 128, &IPV6_RANGES))
    }

    /// The first `width` bits of `bits`, each flipped by what stands before it.
    fn permuted(&self, family: u8, bits: u128, width: u32, ranges: &[(u128, u32)]) -> u128 {
        let mut flips = 0_u128;
        for place in 0..width {
            let before = leading(bits, place);
            let kept = ranges
                .iter()
                .any(|(range, length)| place < *length && leading(*range, place) == before);
            if !kept && self.flips(family, before, place) {
                flips |= 1 << (127 - place);
            }
        }
        bits ^ flips
    }

    fn flips(&self, family: u8, before: u128, place: u32) -> bool {
        let mut message = vec![family];
        message.extend(place.to_be_bytes());
        message.extend(before.to_be_bytes());
        self.key.digest(b"address", &message)[0] & 1 == 1
    }
}

/// The first `length` bits, the others zero.
fn leading(bits: u128, length: u32) -> u128 {
    match 128_u32.checked_sub(length) {
        Some(128) | None => 0,
        Some(rest) => bits >> rest << rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn addresses() -> Addresses {
        Addresses::new(Key([7; 32]))
    }

    fn shared(a: IpAddr, b: IpAddr) -> u32 {
        match (a, b) {
            (IpAddr::V4(a), IpAddr::V4(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
            (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
            _ => 0,
        }
    }

    #[test]
    fn shared_prefixes_stay_shared_and_no_longer() {
        let mut pseudonyms = addresses();
        let all: Vec<IpAddr> = [
            "134.79.243.1",
            "134.79.135.15",
            "134.79.135.14",
            "192.41.208.50",
            "198.32.249.73",
            "10.0.0.1",
            "10.0.0.2",
            "2001:db8::1",
            "2001:db8::2",
            "2001:db8:1::1",
            "fd00::1",
            "fe80::1",
        ]
        .iter()
        .map(|text| text.parse().unwrap())
        .collect();
        for a in &all {
            let of_a = pseudonyms.pseudonym(*a);
            assert_ne!(of_a, *a, "{a}");
            assert_eq!(of_a.is_ipv4(), a.is_ipv4());
            for b in &all {
                assert_eq!(shared(of_a, pseudonyms.pseudonym(*b)), shared(*a, *b), "{a} {b}");
            }
        }
    }

    #[test]
    fn a_whole_subnet_stays_a_whole_subnet() {
        let mut pseudonyms = addresses();
        let images: BTreeSet<u32> = (0..=255)
            .map(
                |host| match pseudonyms.pseudonym(Ipv4Addr::new(134, 79, 135, host).into()) {
                    IpAddr::V4(v4) => v4.to_bits(),
                    IpAddr::V6(_) => panic!(),
                },
            )
            .collect();
        assert_eq!(images.len(), 256);
        assert_eq!(images.first().unwrap() + 255, *images.last().unwrap());
    }

    #[test]
    fn what_names_nobody_stays_and_ranges_keep_their_meaning() {
        let mut pseudonyms = addresses();
        for text in [
            "127.0.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "ff02::1",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(pseudonyms.pseudonym(address), address);
        }
        let fe80: IpAddr = pseudonyms.pseudonym("fe80::1".parse().unwrap());
        assert!(matches!(fe80, IpAddr::V6(v6) if v6.is_unicast_link_local()));
        let reserved = pseudonyms.pseudonym("240.0.0.1".parse().unwrap());
        assert!(matches!(reserved, IpAddr::V4(v4) if v4.octets()[0] >= 240));
        let mapped = pseudonyms.pseudonym("::ffff:192.0.2.1".parse().unwrap());
        let plain = pseudonyms.pseudonym("192.0.2.1".parse().unwrap());
        assert_eq!(mapped.to_canonical(), plain);
    }

    #[test]
    fn another_key_gives_other_pseudonyms() {
        let address = "134.79.243.1".parse().unwrap();
        let other = Addresses::new(Key([8; 32])).pseudonym(address);
        assert_ne!(addresses().pseudonym(address), other);
        assert_eq!(addresses().pseudonym(address), addresses().pseudonym(address));
    }
}
