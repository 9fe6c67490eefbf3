//! MPLS (RFC 3032) and pseudowires within it.

use super::bytes::{Rest, be16, be32};
use super::counts::Other;
use super::layer::{IPV4, IPV6, Layer};

/// "Bottom of stack".
const BOTTOM: u32 = 0x100;

/// Takes one label off. What is behind the last is told by no field: by its first bits (RFC 4928 section 3), looked at
/// closely, since the address of an Ethernet frame may begin with 4 or 6 as well.
pub(super) fn label(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let label = u32::from_be_bytes(*rest.first()?);
    let within = rest.behind(4)?;
    if label & BOTTOM == 0 {
        return Ok((Layer::Mpls, within));
    }
    let layer = match within.u8(0)? >> 4 {
        4 if is_ipv4(within) => Layer::Ipv4,
        6 if is_ipv6(within) => Layer::Ipv6,
        // An associated channel (RFC 5586): no user's packet.
        1 => return Err(Other::NotIp),
        _ => Layer::Pseudowire,
    };
    Ok((layer, within))
}

fn is_ipv4(rest: Rest<'_>) -> bool {
    let bytes = rest.captured;
    let header_bytes = u32::from(bytes.first().map_or(0, |first| first & 0x0f)) * 4;
    let total_bytes = be16(bytes, 2).map_or(0, u32::from);
    let fits = total_bytes == 0 || (header_bytes..=rest.wire_bytes).contains(&total_bytes);
    header_bytes >= 20 && fits && !is_ethernet(bytes, total_bytes, rest.wire_bytes)
}

fn is_ipv6(rest: Rest<'_>) -> bool {
    let payload_bytes = be16(rest.captured, 4).map_or(u32::MAX, u32::from);
    let fits = payload_bytes.saturating_add(40) <= rest.wire_bytes;
    fits && !is_ethernet(rest.captured, payload_bytes.saturating_add(40), rest.wire_bytes)
}

/// Ethernet with IP within, where the length of an IP packet at the front would not fill the frame.
fn is_ethernet(bytes: &[u8], total_bytes: u32, wire_bytes: u32) -> bool {
    let has_version = |version| bytes.get(14).is_some_and(|first| first >> 4 == version);
    let looks_so = match be16(bytes, 12) {
        Some(IPV4) => has_version(4),
        Some(IPV6) => has_version(6),
        _ => false,
    };
    looks_so && total_bytes != wire_bytes
}

/// Ethernet over MPLS (RFC 4448): mostly with a control word, whose first ten bits are zero. Those of an address may be, too
/// (00:00:5e:…, 00:1b:…): then the place of a known type decides.
pub(super) fn pseudowire(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let word = be32(rest.captured, 0).ok_or_else(|| rest.lacking(4))?;
    let has_type_without = is_typed(rest.captured, 12);
    let has_type_behind_word = is_typed(rest.captured, 16);
    let has_control_word = word >> 22 == 0 && (has_type_behind_word || !has_type_without);
    Ok((
        Layer::Ethernet,
        if has_control_word { rest.behind(4)? } else { rest },
    ))
}

/// Whether a type that is known stands at some place.
fn is_typed(bytes: &[u8], at: usize) -> bool {
    matches!(
        be16(bytes, at),
        Some(IPV4 | IPV6 | 0x0806 | 0x8100 | 0x88a8 | 0x8847 | 0x8864)
    )
}
