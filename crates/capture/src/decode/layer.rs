//! Layers between the wire and IP, one after another.

use super::bytes::Rest;
use super::counts::Other;
use super::{mpls, overlay, ppp};

/// What some bytes begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    Ethernet,
    /// What an EtherType says.
    Typed(u16),
    Ipv4,
    Ipv6,
    /// IP of the version that its first bits tell.
    Ip,
    /// BSD loopback: the address family in the byte order of the host.
    Null,
    /// OpenBSD loopback: the same in network order.
    Loop,
    Cooked,
    CookedV2,
    Ppp,
    PppWithDirection,
    PppoeSession,
    CiscoHdlc,
    Mpls,
    /// A pseudowire within MPLS, with or without a control word.
    Pseudowire,
    Gre,
    EtherIp,
    Vxlan,
    VxlanGpe,
    Geneve,
}

pub(super) const IPV4: u16 = 0x0800;
const ARP: u16 = 0x0806;
pub(super) const BRIDGED: u16 = 0x6558;
pub(super) const VLAN: u16 = 0x8100;
pub(super) const IPV6: u16 = 0x86dd;
pub(super) const POINT_TO_POINT: u16 = 0x880b;
pub(super) const MPLS_UNICAST: u16 = 0x8847;
pub(super) const MPLS_MULTICAST: u16 = 0x8848;
const PPPOE_SESSION: u16 = 0x8864;
/// 802.1ad.
const SERVICE_VLAN: u16 = 0x88a8;
/// 802.1ah: an Ethernet frame within, behind the tag.
const BACKBONE_SERVICE: u16 = 0x88e7;
const MACSEC: u16 = 0x88e5;
/// 802.1ad before it had a number.
const OLD_QINQ: u16 = 0x9100;
/// Numbers below are lengths (802.3): what follows is 802.2.
const SMALLEST_ETHERTYPE: u16 = 0x0600;

impl Layer {
    /// Takes this layer off: what is within.
    pub(super) fn peel(self, rest: Rest<'_>) -> Result<(Self, Rest<'_>), Other> {
        match self {
            Self::Ethernet => ethernet(rest),
            Self::Typed(IPV4) => Ok((Self::Ipv4, rest)),
            Self::Typed(IPV6) => Ok((Self::Ipv6, rest)),
            Self::Typed(VLAN | SERVICE_VLAN | OLD_QINQ) => Ok((typed(rest.u16(2)?), rest.behind(4)?)),
            _ => self.peel_rare(rest),
        }
    }

    fn peel_rare(self, rest: Rest<'_>) -> Result<(Self, Rest<'_>), Other> {
        match self {
            Self::Ip => Ok((by_version(rest)?, rest)),
            Self::Ethernet | Self::Ipv4 | Self::Ipv6 => Ok((self, rest)),
            Self::Typed(ethertype) => by_ethertype(ethertype, rest),
            Self::Null => Ok((by_family(family(rest)?)?, rest.behind(4)?)),
            Self::Loop => Ok((by_family(u32::from_be_bytes(*rest.first()?))?, rest.behind(4)?)),
            Self::Cooked => cooked(rest.u16(2)?, rest.u16(14)?, rest.behind(16)?),
            Self::CookedV2 => cooked(rest.u16(8)?, rest.u16(0)?, rest.behind(20)?),
            Self::Ppp => ppp::frame(rest),
            Self::PppWithDirection => Ok((Self::Ppp, rest.behind(1)?)),
            Self::PppoeSession => ppp::session(rest),
            Self::CiscoHdlc => Ok((Self::Typed(rest.u16(2)?), rest.behind(4)?)),
            Self::Mpls => mpls::label(rest),
            Self::Pseudowire => mpls::pseudowire(rest),
            Self::Gre => overlay::gre(rest),
            Self::EtherIp => Ok((Self::Ethernet, rest.behind(2)?)),
            Self::Vxlan => overlay::vxlan(rest),
            Self::VxlanGpe => overlay::vxlan_gpe(rest),
            Self::Geneve => overlay::geneve(rest),
        }
    }
}

/// A frame: what its EtherType says is behind it.
fn ethernet(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    Ok((typed(rest.u16(12)?), rest.behind(14)?))
}

/// The two that most frames have need no further step.
fn typed(ethertype: u16) -> Layer {
    match ethertype {
        IPV4 => Layer::Ipv4,
        IPV6 => Layer::Ipv6,
        other => Layer::Typed(other),
    }
}

fn by_ethertype(ethertype: u16, rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    match ethertype {
        MPLS_UNICAST | MPLS_MULTICAST => Ok((Layer::Mpls, rest)),
        PPPOE_SESSION => Ok((Layer::PppoeSession, rest)),
        POINT_TO_POINT => Ok((Layer::Ppp, rest)),
        BRIDGED => Ok((Layer::Ethernet, rest)),
        BACKBONE_SERVICE => Ok((Layer::Ethernet, rest.behind(4)?)),
        ARP => Err(Other::Arp),
        MACSEC => Err(Other::Encrypted),
        ..SMALLEST_ETHERTYPE => by_snap(rest),
        _ => Err(Other::NotIp),
    }
}

/// 802.2 with SNAP (RFC 1042) carries an EtherType; all else there is no IP.
fn by_snap(rest: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    match rest.captured.first_chunk::<8>() {
        Some([0xaa, 0xaa, 0x03, 0, 0, 0, a, b]) => match u16::from_be_bytes([*a, *b]) {
            // A length again is no type: nothing that nests without end.
            ..SMALLEST_ETHERTYPE => Err(Other::NotIp),
            ethertype => Ok((typed(ethertype), rest.behind(8)?)),
        },
        _ => Err(Other::NotIp),
    }
}

/// The version that an IP header tells.
pub(super) fn by_version(rest: Rest<'_>) -> Result<Layer, Other> {
    match rest.u8(0)? >> 4 {
        4 => Ok(Layer::Ipv4),
        6 => Ok(Layer::Ipv6),
        _ => Err(Other::NotIp),
    }
}

/// The family of BSD loopback, whose numbers are small: in the wrong order they are large.
fn family(rest: Rest<'_>) -> Result<u32, Other> {
    let family = u32::from_le_bytes(*rest.first()?);
    Ok(if family > 0xffff {
        family.swap_bytes()
    } else {
        family
    })
}

/// AF_INET is 2 everywhere. AF_INET6 is 24 on NetBSD and OpenBSD, 28 on FreeBSD, 30 on macOS, 10 on Linux, 23 on Windows, 26
/// on Solaris.
fn by_family(family: u32) -> Result<Layer, Other> {
    match family {
        2 => Ok(Layer::Ipv4),
        10 | 23 | 24 | 26 | 28 | 30 => Ok(Layer::Ipv6),
        _ => Err(Other::NotIp),
    }
}

/// Linux "cooked" frames: what the protocol means depends on the kind of interface (ARPHRD_*).
fn cooked(hardware: u16, protocol: u16, within: Rest<'_>) -> Result<(Layer, Rest<'_>), Other> {
    /// Wi-Fi in three dressings (801 to 803), and messages of the kernel.
    const NO_ETHERTYPE: [u16; 4] = [801, 802, 803, 824];
    // 1 is 802.3 without 802.2 (Novell), 4 is 802.2.
    match protocol {
        _ if NO_ETHERTYPE.contains(&hardware) => Err(Other::NotIp),
        4 => by_snap(within),
        ..SMALLEST_ETHERTYPE => Err(Other::NotIp),
        ethertype => Ok((typed(ethertype), within)),
    }
}
