//! The start of our own packet that an ICMP error carries back.

use super::field::{be16, be32};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What could be read of a quoted packet. Routers may cut it after eight bytes of transport header (RFC 792).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote<'a> {
    /// Quoted source address.
    pub source: IpAddr,
    /// Quoted destination address.
    pub destination: IpAddr,
    /// Transport protocol number.
    pub protocol: u8,
    /// IPv4 identification; `None` for IPv6.
    pub identification: Option<u16>,
    /// The transport header and what follows, as far as quoted: at least [`LEAST_TRANSPORT_BYTES`].
    pub transport: &'a [u8],
}

/// Every router quotes as much of the transport header (RFC 792, RFC 4443): ports or identifier, and a number in TCP and ICMP. What
/// is cut before that names no probe.
const LEAST_TRANSPORT_BYTES: usize = 8;

/// Reads a quoted IPv4 or IPv6 packet; `None` when it is neither, cut before eight bytes of the transport header, or a
/// fragment other than the first.
#[must_use]
pub fn read_quote(bytes: &[u8]) -> Option<Quote<'_>> {
    let quote = match bytes.first()? >> 4 {
        4 => read_v4(bytes),
        6 => read_v6(bytes),
        _ => None,
    };
    quote.filter(|quote| quote.transport.len() >= LEAST_TRANSPORT_BYTES)
}

/// The packet without what follows it, by the length that its own header tells. A length that no probe has is not believed: some
/// routers write it back in another byte order, or without the header.
fn without_padding(bytes: &[u8], header_bytes: usize, told_bytes: usize) -> &[u8] {
    let possible = told_bytes >= header_bytes + LEAST_TRANSPORT_BYTES;
    bytes.get(..told_bytes).filter(|_| possible).unwrap_or(bytes)
}

fn read_v4(bytes: &[u8]) -> Option<Quote<'_>> {
    let header_bytes = usize::from(bytes.first()? & 0x0f) * 4;
    if header_bytes < 20 || be16(bytes, 6)? & 0x1fff != 0 {
        return None;
    }
    let bytes = without_padding(bytes, header_bytes, be16(bytes, 2)?.into());
    Some(Quote {
        source: Ipv4Addr::from(be32(bytes, 12)?).into(),
        destination: Ipv4Addr::from(be32(bytes, 16)?).into(),
        protocol: *bytes.get(9)?,
        identification: Some(be16(bytes, 4)?),
        transport: bytes.get(header_bytes..)?,
    })
}

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const DESTINATION_OPTIONS: u8 = 60;
/// More extension headers than this in front of our own UDP header are nobody's honest packet.
const MAX_EXTENSION_HEADERS: usize = 8;

fn read_v6(bytes: &[u8]) -> Option<Quote<'_>> {
    let address = |at: usize| -> Option<IpAddr> {
        let octets: [u8; 16] = bytes.get(at..at + 16)?.try_into().ok()?;
        Some(Ipv6Addr::from(octets).into())
    };
    let mut protocol = *bytes.get(6)?;
    let bytes = without_padding(bytes, 40, usize::from(be16(bytes, 4)?) + 40);
    let mut transport = bytes.get(40..)?;
    for _ in 0..MAX_EXTENSION_HEADERS {
        let length = match protocol {
            HOP_BY_HOP | ROUTING | DESTINATION_OPTIONS => usize::from(*transport.get(1)?) * 8 + 8,
            FRAGMENT if be16(transport, 2)? & 0xfff8 == 0 => 8,
            FRAGMENT => return None,
            _ => break,
        };
        protocol = *transport.first()?;
        transport = transport.get(length..)?;
    }
    Some(Quote {
        source: address(8)?,
        destination: address(24)?,
        protocol,
        identification: None,
        transport,
    })
}
