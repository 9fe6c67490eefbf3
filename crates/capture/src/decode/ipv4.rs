//! IPv4 (RFC 791).

use super::bytes::Rest;
use super::counts::Other;
use super::ip::{Ip, Piece};
use std::net::{IpAddr, Ipv4Addr};

const DONT_FRAGMENT: u16 = 0x4000;
const MORE_FRAGMENTS: u16 = 0x2000;

/// Reads a header.
pub(super) fn read(rest: Rest<'_>) -> Result<Ip<'_>, Other> {
    let header: &[u8; 20] = rest.first()?;
    let [
        version,
        class,
        l0,
        l1,
        i0,
        i1,
        f0,
        f1,
        ttl,
        protocol,
        _,
        _,
        addresses @ ..,
    ] = header;
    let header_bytes = u32::from(version & 0x0f) * 4;
    let total_bytes = match u16::from_be_bytes([*l0, *l1]) {
        // Captured above segmentation offload, or BIG TCP: the length does not fit, or is not known yet.
        0 => rest.wire_bytes,
        bytes => u32::from(bytes),
    };
    if version >> 4 != 4 || header_bytes < 20 || total_bytes < header_bytes {
        return Err(Other::Malformed);
    }
    let id = u16::from_be_bytes([*i0, *i1]);
    let flags = u16::from_be_bytes([*f0, *f1]);
    let [a, b, c, d, e, f, g, h] = *addresses;
    Ok(Ip {
        from: IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
        to: IpAddr::V4(Ipv4Addr::new(e, f, g, h)),
        protocol: *protocol,
        payload: rest.within(total_bytes).behind(header_bytes as usize)?,
        ip_bytes: total_bytes,
        id: Some(id),
        ttl: *ttl,
        traffic_class: *class,
        dont_fragment: flags & DONT_FRAGMENT != 0,
        piece: piece(id, flags, total_bytes - header_bytes),
    })
}

fn piece(id: u16, flags: u16, bytes: u32) -> Option<Piece> {
    let offset_bytes = u32::from(flags & 0x1fff) * 8;
    let more = flags & MORE_FRAGMENTS != 0;
    (more || offset_bytes > 0).then_some(Piece {
        id: u32::from(id),
        offset_bytes,
        bytes,
        more,
    })
}
