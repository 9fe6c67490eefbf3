//! Tunnels over IP: GRE and those over UDP.

use super::bytes::Rest;
use super::counts::Other;
use super::layer::{BRIDGED, IPV4, IPV6, Layer, MPLS_MULTICAST, MPLS_UNICAST, POINT_TO_POINT};

const CHECKSUM: u16 = 0x8000;
const ROUTING: u16 = 0x4000;
const KEY: u16 = 0x2000;
const SEQUENCE: u16 = 0x1000;
const ACKNOWLEDGEMENT: u16 = 0x0080;
const VERSION: u16 = 0x0007;
const ERSPAN_I_II: u16 = 0x88be;
const ERSPAN_III: u16 = 0x22eb;
/// Source routes of a GRE header (RFC 1701) at most: nobody has seen one since.
const MAX_ROUTES: usize = 8;

/// GRE (RFC 1701, 2784, 2890), PPTP's (RFC 2637), and mirrored frames within.
pub(super) fn gre(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let (flags, protocol) = (rest.u16(0)?, rest.u16(2)?);
    let has = |flag| flags & flag != 0;
    let mut header_bytes = 4;
    header_bytes += if has(CHECKSUM) || has(ROUTING) { 4 } else { 0 };
    header_bytes += if has(KEY) { 4 } else { 0 };
    header_bytes += if has(SEQUENCE) { 4 } else { 0 };
    let mut within = match flags & VERSION {
        0 => rest.behind(header_bytes)?,
        1 if has(ACKNOWLEDGEMENT) => rest.behind(header_bytes + 4)?,
        1 => rest.behind(header_bytes)?,
        _ => return Err(Other::Malformed),
    };
    if has(ROUTING) {
        within = behind_routes(within)?;
    }
    match protocol {
        ERSPAN_I_II if has(SEQUENCE) => Ok((Layer::Ethernet, within.behind(8)?)),
        // Type I has neither a sequence number nor a header of its own.
        ERSPAN_I_II => Ok((Layer::Ethernet, within)),
        ERSPAN_III => erspan_iii(within),
        IPV4 => Ok((Layer::Ipv4, within)),
        IPV6 => Ok((Layer::Ipv6, within)),
        BRIDGED | POINT_TO_POINT | MPLS_UNICAST | MPLS_MULTICAST => Ok((Layer::Typed(protocol), within)),
        _ => Err(Other::NotIp),
    }
}

/// A list of source routes, each with its length; one of length 0 ends it.
fn behind_routes(mut rest: Rest<'_>) -> Result<Rest<'_>, Other> {
    for _ in 0..MAX_ROUTES {
        let [_, _, _, length] = *rest.first()?;
        rest = rest.behind(4 + usize::from(length))?;
        if length == 0 {
            return Ok(rest);
        }
    }
    Err(Other::Malformed)
}

/// draft-foschiano-erspan section 4.3: 12 bytes, the last of which tells the type of what follows and whether 8 more bytes do.
fn erspan_iii(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let last = rest.u16(10)?;
    let within = rest.behind(if last & 1 != 0 { 20 } else { 12 })?;
    match last >> 10 & 0x1f {
        0 => Ok((Layer::Ethernet, within)),
        2 => Ok((Layer::Ip, within)),
        _ => Err(Other::NotIp),
    }
}

/// UDP: a tunnel, by its port, or nothing that is of use here.
pub(super) fn udp(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let layer = match rest.u16(2)? {
        // The second is what Linux took before the port was assigned.
        4789 | 8472 => Layer::Vxlan,
        4790 => Layer::VxlanGpe,
        6081 => Layer::Geneve,
        6635 => Layer::Mpls,
        _ => return Err(Other::Udp),
    };
    let within = rest.behind(8).map_err(|_| Other::Udp)?;
    Ok((layer, within))
}

/// RFC 7348 section 5: the flag that says that there is a network number must be set. Otherwise it is some other user of the
/// port.
pub(super) fn vxlan(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let [flags, ..] = rest.first::<8>().map_err(|_| Other::Udp)?;
    if flags & 0x08 == 0 {
        return Err(Other::Udp);
    }
    Ok((Layer::Ethernet, rest.behind(8)?))
}

/// RFC 9512's relative with a field for the protocol (draft-ietf-nvo3-vxlan-gpe section 3.1).
pub(super) fn vxlan_gpe(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let [flags, _, _, next, ..] = *rest.first::<8>().map_err(|_| Other::Udp)?;
    let layer = match (flags & 0x0c, next) {
        (0x0c, 1) => Layer::Ipv4,
        (0x0c, 2) => Layer::Ipv6,
        (0x0c, 3) | (0x08, _) => Layer::Ethernet,
        _ => return Err(Other::Udp),
    };
    Ok((layer, rest.behind(8)?))
}

/// RFC 8926 section 3.4: version 0, the length of options in words, an EtherType.
pub(super) fn geneve(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let [version_and_length, _, t0, t1, ..] = *rest.first::<8>().map_err(|_| Other::Udp)?;
    if version_and_length >> 6 != 0 {
        return Err(Other::Udp);
    }
    let header_bytes = 8 + usize::from(version_and_length & 0x3f) * 4;
    let ethertype = u16::from_be_bytes([t0, t1]);
    Ok((Layer::Typed(ethertype), rest.behind(header_bytes)?))
}
