//! IPv6 (RFC 8200) and its extension headers.

use super::bytes::{Rest, be32};
use super::counts::Other;
use super::ip::{self, Ip, Piece};
use std::net::{IpAddr, Ipv6Addr};

const HEADER_BYTES: u32 = 40;
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const NO_NEXT: u8 = 59;
const MOBILITY: u8 = 135;
const HIP: u8 = 139;
const SHIM6: u8 = 140;

/// Each kind of extension header stands once in a packet, destination options twice (RFC 8200 section 4.1); a chain that is
/// longer than the list of kinds is a lie.
const MAX_EXTENSIONS: usize = 10;

/// Reads a header and its extensions.
pub(super) fn read(rest: Rest<'_>) -> Result<Ip<'_>, Other> {
    let header: &[u8; 40] = rest.first()?;
    let [v0, v1, _, _, l0, l1, next, hop_limit, addresses @ ..] = header;
    if v0 >> 4 != 6 {
        return Err(Other::Malformed);
    }
    let ip_bytes = match u16::from_be_bytes([*l0, *l1]) {
        // A jumbo payload, or BIG TCP from which the kernel has taken the option away. Nothing at all says so.
        0 if *next != NO_NEXT => rest.wire_bytes.max(HEADER_BYTES),
        bytes => u32::from(bytes) + HEADER_BYTES,
    };
    let (from, to) = addresses.split_at(16);
    let address = |bytes: &[u8]| {
        let bytes: [u8; 16] = *bytes.first_chunk().unwrap_or(&[0; 16]);
        IpAddr::V6(Ipv6Addr::from_bits(u128::from_be_bytes(bytes)))
    };
    let mut ip = Ip {
        from: address(from),
        to: address(to),
        protocol: *next,
        payload: rest.within(ip_bytes).behind(HEADER_BYTES as usize)?,
        ip_bytes,
        id: None,
        ttl: *hop_limit,
        traffic_class: v0 << 4 | v1 >> 4,
        dont_fragment: true,
        piece: None,
    };
    if !matches!(*next, ip::TCP | ip::UDP) {
        let may_be_jumbo = [*l0, *l1] == [0, 0];
        extensions(&mut ip, may_be_jumbo)?;
    }
    Ok(ip)
}

/// Takes off extension headers, up to the first that is none, or to a later fragment.
fn extensions(ip: &mut Ip<'_>, may_be_jumbo: bool) -> Result<(), Other> {
    for _ in 0..MAX_EXTENSIONS {
        let kind = ip.protocol;
        let length = match kind {
            HOP_BY_HOP | ROUTING | ip::DESTINATION_OPTIONS | MOBILITY | HIP | SHIM6 => {
                (usize::from(ip.payload.u8(1)?) + 1) * 8
            }
            AUTHENTICATION => (usize::from(ip.payload.u8(1)?) + 2) * 4,
            FRAGMENT => 8,
            _ => return Ok(()),
        };
        if kind == HOP_BY_HOP && may_be_jumbo {
            take_jumbo(ip, length);
        }
        let behind = ip.payload.behind(length)?;
        ip.protocol = ip.payload.u8(0)?;
        if kind == FRAGMENT && take_fragment(ip)? {
            ip.payload = behind;
            return Ok(());
        }
        ip.payload = behind;
    }
    Err(Other::Malformed)
}

/// The length of a jumbogram (RFC 2675), where the hop-by-hop options tell it.
fn take_jumbo(ip: &mut Ip<'_>, length: usize) {
    let captured = ip.payload.captured;
    let mut options = captured.get(2..length).or(captured.get(2..)).unwrap_or_default();
    while let [kind, rest @ ..] = options {
        let size = match (*kind, rest.first()) {
            (0, _) => 1,
            (_, Some(size)) => 2 + usize::from(*size),
            (_, None) => return,
        };
        if let (0xc2, 6, Some(bytes)) = (*kind, size, be32(options, 2)) {
            // A smaller one would have fitted into the header.
            if bytes > 65_535 {
                ip.ip_bytes = bytes.saturating_add(HEADER_BYTES);
                ip.payload.wire_bytes = bytes;
            }
            return;
        }
        options = options.get(size..).unwrap_or_default();
    }
}

/// Reads a fragment header; whether it is that of a later fragment, whose headers are elsewhere.
fn take_fragment(ip: &mut Ip<'_>) -> Result<bool, Other> {
    let [_, _, o0, o1, id @ ..] = *ip.payload.first::<8>()?;
    let offset = u16::from_be_bytes([o0, o1]);
    let id = u32::from_be_bytes(id);
    let piece = Piece {
        id,
        offset_bytes: u32::from(offset & 0xfff8),
        bytes: ip.payload.wire_bytes.saturating_sub(8),
        more: offset & 1 != 0,
    };
    ip.id = Some(id as u16);
    // A whole packet may have the header all the same ("atomic fragment", RFC 6946).
    ip.piece = (piece.more || piece.offset_bytes > 0).then_some(piece);
    Ok(piece.offset_bytes > 0)
}
