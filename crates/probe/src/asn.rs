//! Autonomous systems of addresses: what to ask Team Cymru's DNS, what its answers say, and a table in place of it.
//!
//! Answers and tables are foreign: what is no number of a system is nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::IpAddr;

/// A full table of the internet has 1.3 million prefixes.
pub const MOST_PREFIXES: usize = 4_000_000;

/// An autonomous system number (RFC 6793).
pub type Asn = u32;

/// The name whose text tells the origin of an address; `None` for addresses that belong to nobody on the internet, of which nobody
/// need know that we asked.
#[must_use]
pub fn origin_question(address: IpAddr) -> Option<String> {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, d] = v4.octets();
            let is_shared = a == 100 && (64..128).contains(&b);
            let is_ours = v4.is_private() || v4.is_loopback() || v4.is_link_local() || is_shared;
            let is_none = is_ours || v4.is_unspecified() || v4.is_multicast() || a >= 240;
            (!is_none).then(|| format!("{d}.{c}.{b}.{a}.origin.asn.cymru.com"))
        }
        IpAddr::V6(v6) => {
            // Global unicast (RFC 4291): all else is local, or no address of a router.
            (v6.segments()[0] & 0xe000 == 0x2000).then(|| {
                let mut name = String::with_capacity(90);
                for byte in v6.octets().iter().rev() {
                    let _ = write!(name, "{:x}.{:x}.", byte & 0xf, byte >> 4);
                }
                name + "origin6.asn.cymru.com"
            })
        }
    }
}

/// The system that a text of an answer names: `23028 | 216.90.108.0/24 | US | arin | 1998-09-25`. The first, where several announce it.
#[must_use]
pub fn origin_answer(text: &[u8]) -> Option<Asn> {
    let text = std::str::from_utf8(text).ok()?;
    asn(text.split('|').next()?.split_whitespace().next()?)
}

/// A number, with or without `AS` before it.
fn asn(text: &str) -> Option<Asn> {
    let digits = text
        .strip_prefix("AS")
        .or_else(|| text.strip_prefix("as"))
        .unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // 0 is no system (RFC 7607).
    digits.parse().ok().filter(|number| is_number && *number != 0)
}

/// Prefixes and the systems that announce them.
#[derive(Debug, Clone, Default)]
pub struct AsnTable {
    /// By family and length, the longest last: the network's bits, and who announces it.
    prefixes: BTreeMap<(bool, u8), BTreeMap<u128, Asn>>,
    count: usize,
}

impl AsnTable {
    /// Reads a prefix and a number a line, with spaces, tabs or a comma between them, as `pyasn` and RouteViews write them; `#` and `;` begin
    /// comments. Gives beside it the lines that are none, by number.
    #[must_use]
    pub fn read(text: &str) -> (Self, Vec<usize>) {
        let (mut table, mut unread) = (Self::default(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if table.count >= MOST_PREFIXES || table.read_line(line).is_none() {
                unread.push(number);
            }
        }
        (table, unread)
    }

    fn read_line(&mut self, line: &str) -> Option<()> {
        let mut words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let (prefix, system) = (words.next()?, asn(words.next()?.split('_').next()?)?);
        let (address, length) = prefix.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let length: u8 = length.parse().ok().filter(|length| *length <= bits(address))?;
        let networks = self.prefixes.entry((address.is_ipv6(), length)).or_default();
        self.count += usize::from(networks.insert(network(address, length), system).is_none());
        Some(())
    }

    /// Prefixes in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Who announces the longest prefix that holds the address.
    #[must_use]
    pub fn origin(&self, address: IpAddr) -> Option<Asn> {
        let family = address.is_ipv6();
        let mut by_length = self.prefixes.range((family, 0)..=(family, u8::MAX)).rev();
        by_length.find_map(|((_, length), networks)| networks.get(&network(address, *length)).copied())
    }
}

fn bits(of: IpAddr) -> u8 {
    if of.is_ipv6() { 128 } else { 32 }
}

/// The bits of an address that its network of this length has.
fn network(address: IpAddr, length: u8) -> u128 {
    let number = match address {
        IpAddr::V4(v4) => u128::from(u32::from(v4)),
        IpAddr::V6(v6) => u128::from(v6),
    };
    number.checked_shr(u32::from(bits(address) - length)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn questions_are_those_of_team_cymru() {
        let ask = |address: &str| origin_question(address.parse().unwrap());
        assert_eq!(
            ask("216.90.108.31").unwrap(),
            "31.108.90.216.origin.asn.cymru.com"
        );
        let v6 = ask("2001:4860:b002::68").unwrap();
        assert_eq!(
            v6,
            "8.6.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2.0.0.b.0.6.8.4.1.0.0.2.origin6.asn.cymru.com"
        );
        for nobodys in [
            "10.1.2.3",
            "192.168.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.1.1",
            "0.0.0.0",
            "240.0.0.1",
            "fe80::1",
            "fd00::1",
            "::1",
        ] {
            assert_eq!(ask(nobodys), None, "{nobodys}");
        }
    }

    #[test]
    fn answers_name_a_system_or_nothing() {
        let read = |text: &str| origin_answer(text.as_bytes());
        assert_eq!(
            read("23028 | 216.90.108.0/24 | US | arin | 1998-09-25"),
            Some(23_028)
        );
        assert_eq!(read("23352 8560 | 2001::/16"), Some(23_352));
        for nothing in [
            "",
            "|",
            "NA | x",
            "0 | x",
            "-1 | x",
            "+5 | x",
            "4294967296 | x",
            "1e3",
        ] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
        assert_eq!(origin_answer(&[0xff, b'1']), None);
    }

    #[test]
    fn the_longest_prefix_counts() {
        let text = "; comment\n0.0.0.0/0 1\n10.0.0.0/8\t64496\n10.1.0.0/16,AS64497\n2001:db8::/32 64498_64499\nno line\n10.0.0.0/33 5\n";
        let (table, unread) = AsnTable::read(text);
        assert_eq!((table.len(), unread.as_slice()), (4, &[6, 7][..]));
        let origin = |address: &str| table.origin(address.parse().unwrap());
        assert_eq!(origin("10.1.2.3"), Some(64_497));
        assert_eq!(origin("10.2.2.3"), Some(64_496));
        assert_eq!(origin("192.0.2.1"), Some(1));
        assert_eq!(origin("2001:db8::1"), Some(64_498));
        assert_eq!(origin("2001:db9::1"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_a_table(text in "[0-9a-f:./ \tAS#,\n]{0,300}", address: u128) {
            let (table, _) = AsnTable::read(&text);
            let _ = table.origin(IpAddr::V6(address.into()));
            let _ = table.origin(IpAddr::V4((address as u32).into()));
        }

        #[test]
        fn any_answer_is_read(text in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = origin_answer(&text);
        }
    }
}
