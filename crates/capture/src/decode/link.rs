//! What a frame begins with, by the link type of its interface.

use super::counts::Other;
use super::layer::Layer;

/// The outermost layer (<https://www.tcpdump.org/linktypes.html>).
pub(super) fn first(link_type: u16) -> Result<Layer, Other> {
    Ok(match link_type {
        1 => Layer::Ethernet,
        0 => Layer::Null,
        108 => Layer::Loop,
        // LINKTYPE_RAW, and what DLT_RAW is on some systems.
        12 | 14 | 101 => Layer::Ip,
        228 => Layer::Ipv4,
        229 => Layer::Ipv6,
        113 => Layer::Cooked,
        276 => Layer::CookedV2,
        9 | 50 => Layer::Ppp,
        51 => Layer::PppoeSession,
        104 => Layer::CiscoHdlc,
        204 => Layer::PppWithDirection,
        219 => Layer::Mpls,
        _ => return Err(Other::UnknownLink),
    })
}
