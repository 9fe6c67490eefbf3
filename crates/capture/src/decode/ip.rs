//! What both versions of IP tell.

use super::bytes::Rest;
use std::net::IpAddr;

pub(super) const ICMP: u8 = 1;
pub(super) const IPV4: u8 = 4;
pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
pub(super) const IPV6: u8 = 41;
pub(super) const GRE: u8 = 47;
pub(super) const ESP: u8 = 50;
pub(super) const ICMPV6: u8 = 58;
pub(super) const DESTINATION_OPTIONS: u8 = 60;
/// RFC 3378.
pub(super) const ETHER_IP: u8 = 97;
/// RFC 4023.
pub(super) const MPLS: u8 = 137;

/// An IP packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ip<'a> {
    pub(super) from: IpAddr,
    pub(super) to: IpAddr,
    /// What is behind all its headers.
    pub(super) protocol: u8,
    /// That, without the padding of short frames; `wire_bytes` is what the header says.
    pub(super) payload: Rest<'a>,
    /// The whole packet, headers included.
    pub(super) ip_bytes: u32,
    pub(super) id: Option<u16>,
    pub(super) ttl: u8,
    pub(super) traffic_class: u8,
    pub(super) dont_fragment: bool,
    /// `None` for a whole packet.
    pub(super) piece: Option<Piece>,
}

/// Which part of a packet a fragment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Identification: 16 bits in IPv4, 32 in IPv6.
    pub(super) id: u32,
    pub(super) offset_bytes: u32,
    /// Its length, extension headers behind the fragment header included.
    pub(super) bytes: u32,
    pub(super) more: bool,
}
