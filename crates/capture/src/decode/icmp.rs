//! "Packet too big", of both versions.

use super::bytes::{Rest, be16, be32};
use super::counts::Other;
use super::ip::{self, Ip};
use super::{Packet, ipv6};
use crate::{Endpoint, FlowKey, TooBig};
use std::net::{IpAddr, Ipv4Addr};

/// The header before the packet that is quoted.
const HEADER_BYTES: usize = 8;

/// What a message says of a TCP segment, if it does.
pub(super) fn read(time_ns: i64, ip: &Ip<'_>, seed: u64) -> Packet {
    too_big(time_ns, ip, seed).map_or(Packet::Other(Other::Icmp), Packet::TooBig)
}

fn too_big(time_ns: i64, ip: &Ip<'_>, seed: u64) -> Option<TooBig> {
    let message = ip.payload.captured;
    let quote = message.get(HEADER_BYTES..)?;
    let (mtu_bytes, quoted) = match (ip.protocol, message.first()?, message.get(1)?) {
        // RFC 1191 section 4: the MTU is in the lower half of a word that was unused before.
        (ip::ICMP, 3, 4) => (u32::from(be16(message, 6)?), quoted_v4(quote)?),
        // RFC 4443 section 3.2.
        (ip::ICMPV6, 2, _) => (be32(message, 4)?, quoted_v6(quote)?),
        _ => return None,
    };
    let port = |at| be16(quoted.tcp, at);
    let from = Endpoint {
        address: quoted.from,
        port: port(0)?,
    };
    let to = Endpoint {
        address: quoted.to,
        port: port(2)?,
    };
    let (key, way) = FlowKey::of(from, to);
    Some(TooBig {
        time_ns,
        key,
        hash: key.hash(seed),
        way,
        from: ip.from,
        mtu_bytes,
        seq: be32(quoted.tcp, 4),
    })
}

struct Quoted<'a> {
    from: IpAddr,
    to: IpAddr,
    tcp: &'a [u8],
}

/// The packet is read more loosely than one on the way: some stacks change its lengths before they quote it, and only
/// addresses and ports are needed.
fn quoted_v4(quote: &[u8]) -> Option<Quoted<'_>> {
    let header: &[u8; 20] = quote.first_chunk()?;
    let header_bytes = usize::from(header[0] & 0x0f) * 4;
    let is_first = be16(header, 6)? & 0x1fff == 0;
    if header[0] >> 4 != 4 || header_bytes < 20 || header[9] != ip::TCP || !is_first {
        return None;
    }
    Some(Quoted {
        from: IpAddr::V4(Ipv4Addr::from_bits(be32(header, 12)?)),
        to: IpAddr::V4(Ipv4Addr::from_bits(be32(header, 16)?)),
        tcp: quote.get(header_bytes..)?,
    })
}

fn quoted_v6(quote: &[u8]) -> Option<Quoted<'_>> {
    let wire_bytes = u32::try_from(quote.len()).ok()?;
    let ip = ipv6::read(Rest {
        captured: quote,
        wire_bytes,
    })
    .ok()?;
    let is_first = ip.piece.is_none_or(|piece| piece.offset_bytes == 0);
    (ip.protocol == ip::TCP && is_first).then_some(Quoted {
        from: ip.from,
        to: ip.to,
        tcp: ip.payload.captured,
    })
}
