//! PPP (RFC 1661), alone, in HDLC (RFC 1662), and over Ethernet (RFC 2516).

use super::bytes::Rest;
use super::counts::Other;
use super::layer::Layer;

/// A frame, with or without address and control.
pub(super) fn frame(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let rest = match rest.captured {
        [0xff, 0x03, ..] => rest.behind(2)?,
        // Cisco HDLC, which the same links carry.
        [0x0f | 0x8f, 0x00, ..] => return Ok((Layer::CiscoHdlc, rest)),
        _ => rest,
    };
    // A protocol number is odd in its last byte; that of one byte is a compressed one (RFC 1661 section 6.5).
    let (protocol, length) = match rest.u8(0)? {
        short if short & 1 == 1 => (u16::from(short), 1),
        _ => (rest.u16(0)?, 2),
    };
    let within = rest.behind(length)?;
    match protocol {
        0x0021 => Ok((Layer::Ipv4, within)),
        0x0057 => Ok((Layer::Ipv6, within)),
        0x0281 | 0x0283 => Ok((Layer::Mpls, within)),
        // Encryption (RFC 1968).
        0x0053 | 0x0055 => Err(Other::Encrypted),
        _ => Err(Other::NotIp),
    }
}

/// A PPPoE session packet: version and type, code, session, length.
pub(super) fn session(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    let [version_and_type, code, ..] = rest.first::<6>()?;
    if (*version_and_type, *code) != (0x11, 0) {
        return Err(Other::NotIp);
    }
    Ok((Layer::Ppp, rest.behind(6)?))
}
