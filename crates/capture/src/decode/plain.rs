//! The short way for what most frames are: Ethernet with a VLAN tag or none, IP without options or extensions, TCP.
//!
//! Lengths are looked at once for each header instead of once for each field. What is unusual in any way, malformed or cut
//! takes the long way, and a test holds that both say the same.

use super::bytes::{Rest, be16};
use super::ip::{self, Ip};
use super::layer::VLAN;
use super::whose::{Ends, Whose};
use super::{Packet, tcp};
use crate::Segment;
use crate::file::Frame;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const ETHERNET: u16 = 1;

/// A plain packet.
pub(super) struct Plain<'a> {
    /// Its `payload` has only the length.
    pub(super) ip: Ip<'a>,
    /// The fixed TCP header.
    pub(super) tcp: &'a [u8; 20],
    /// What is behind that.
    pub(super) rest: &'a [u8],
}

impl Plain<'_> {
    /// Whose it is.
    #[inline(always)]
    pub(super) fn whose(&self, seed: u64) -> Whose {
        let port = |at| be16(self.tcp, at).unwrap_or(0);
        Whose::of(&self.ip, [port(0), port(2)], seed)
    }

    /// Writes its segment where `room` wants it; otherwise tells what it is.
    #[inline(always)]
    pub(super) fn write<'s>(
        &self,
        frame: &Frame<'_>,
        whose: impl FnOnce() -> Whose,
        room: impl FnOnce(&Whose) -> Option<&'s mut Segment>,
    ) -> Option<Packet> {
        tcp::write(frame.time_ns, &self.ip, self.tcp, self.rest, whose, room)
            .err()
            .map(Packet::Other)
    }
}

/// The packet in a frame that may be a plain one, and which version of IP it has to be.
#[inline(always)]
pub(super) fn packet<'a>(frame: &Frame<'a>) -> Option<(u16, &'a [u8])> {
    let bytes = frame.captured;
    match be16(bytes, 12)? {
        _ if frame.link_type != ETHERNET => None,
        VLAN => Some((be16(bytes, 16)?, bytes.get(18..)?)),
        ethertype => Some((ethertype, bytes.get(14..)?)),
    }
}

/// A packet of IPv4, and its addresses and ports as they stand in it.
#[inline(always)]
pub(super) fn v4(bytes: &[u8]) -> Option<(&Ends, Plain<'_>)> {
    let (head, rest) = bytes.split_first_chunk::<40>()?;
    let half = |at| be16(head, at).unwrap_or(0);
    let total_bytes = u32::from(half(2));
    // No options, no fragment: neither "more" nor an offset.
    if head[0] != 0x45 || head[9] != ip::TCP || half(6) & 0x3fff != 0 || total_bytes < 40 {
        return None;
    }
    let address = |at| {
        let bytes = head.get(at..).and_then(<[u8]>::first_chunk).copied();
        IpAddr::V4(Ipv4Addr::from_bits(u32::from_be_bytes(bytes.unwrap_or_default())))
    };
    let ip = Ip {
        from: address(12),
        to: address(16),
        protocol: ip::TCP,
        payload: Rest {
            captured: &[],
            wire_bytes: total_bytes - 20,
        },
        ip_bytes: total_bytes,
        id: Some(half(4)),
        ttl: head[8],
        traffic_class: head[1],
        dont_fragment: head[6] & 0x40 != 0,
        piece: None,
    };
    let plain = Plain {
        ip,
        tcp: head.last_chunk()?,
        rest,
    };
    Some((head.get(12..)?.first_chunk()?, plain))
}

#[inline(always)]
pub(super) fn v6(bytes: &[u8]) -> Option<Plain<'_>> {
    let (head, rest) = bytes.split_first_chunk::<60>()?;
    let payload_bytes = u32::from(be16(head, 4).unwrap_or(0));
    if head[0] >> 4 != 6 || head[6] != ip::TCP || payload_bytes < 20 {
        return None;
    }
    let address = |at| {
        let bytes = head.get(at..).and_then(<[u8]>::first_chunk).copied();
        IpAddr::V6(Ipv6Addr::from_bits(u128::from_be_bytes(
            bytes.unwrap_or_default(),
        )))
    };
    let ip = Ip {
        from: address(8),
        to: address(24),
        protocol: ip::TCP,
        payload: Rest {
            captured: &[],
            wire_bytes: payload_bytes,
        },
        ip_bytes: payload_bytes + 40,
        id: None,
        ttl: head[7],
        traffic_class: head[0] << 4 | head[1] >> 4,
        dont_fragment: true,
        piece: None,
    };
    Some(Plain {
        ip,
        tcp: head.last_chunk()?,
        rest,
    })
}

#[cfg(test)]
mod tests {
    use crate::decode::layer::{IPV4, IPV6};
    use crate::decode::{Decoder, Packet};
    use crate::file::Frame;
    use proptest::prelude::*;

    /// A frame of either version of IP, with a tag or none, and time stamps.
    fn frame(is_v6: bool, is_tagged: bool) -> Vec<u8> {
        let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
        if is_tagged {
            bytes.extend([0x81, 0, 0, 5]);
        }
        if is_v6 {
            bytes.extend([0x86, 0xdd, 0x60, 0, 0, 0, 0, 42, 6, 64]);
            bytes.extend([0x20; 32]);
        } else {
            bytes.extend([
                8, 0, 0x45, 0, 0, 62, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
            ]);
        }
        bytes.extend([
            0x9c, 0x40, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, 0x80, 0x10, 1, 0, 0, 0, 0, 0,
        ]);
        bytes.extend([1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 8]);
        bytes.extend([0x55; 10]);
        bytes
    }

    fn both(bytes: &[u8], wire_bytes: u32) -> (Option<Packet>, Packet) {
        let frame = Frame {
            time_ns: 5,
            link_type: 1,
            interface: 0,
            captured: bytes,
            wire_bytes,
        };
        let decoder = Decoder::new(3);
        let is_plain = match super::packet(&frame) {
            Some((IPV4, packet)) => super::v4(packet).is_some(),
            Some((IPV6, packet)) => super::v6(packet).is_some(),
            _ => false,
        };
        let short = is_plain.then(|| decoder.decode(&frame));
        (short, decoder.decode_any(&frame))
    }

    #[test]
    fn the_short_way_is_taken() {
        for (is_v6, is_tagged) in [(false, false), (false, true), (true, false), (true, true)] {
            let bytes = frame(is_v6, is_tagged);
            let (short, long) = both(&bytes, bytes.len() as u32);
            assert!(matches!(long, Packet::Tcp(segment) if segment.payload_bytes == 10));
            assert_eq!(short, Some(long));
        }
    }

    proptest! {
        #[test]
        fn both_ways_say_the_same(
            is_v6: bool,
            is_tagged: bool,
            hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..5),
            cut in 0..120_usize,
            more in 0..3_000_u32,
        ) {
            let mut bytes = frame(is_v6, is_tagged);
            for (place, byte) in hits {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            bytes.truncate(cut);
            let (short, long) = both(&bytes, bytes.len() as u32 + more);
            if let Some(short) = short {
                prop_assert_eq!(short, long);
            }
        }

        #[test]
        fn any_frame_is_decoded_without_panic(
            link_type in prop::sample::select(vec![0_u16, 1, 9, 12, 50, 51, 101, 104, 108, 113, 204, 219, 228, 229, 276]),
            start in prop::sample::select(vec![
                vec![], vec![0x45, 0], vec![0x60, 0, 0, 0, 0, 100], vec![0x21], vec![2, 0, 0, 0, 0x45],
                vec![0; 12], vec![0xff, 3, 0, 0x21, 0x45], vec![0, 0, 1, 64], vec![0x11, 0, 0, 1, 0, 9, 0, 0x57, 0x60],
            ]),
            rest in prop::collection::vec(prop::sample::select(vec![0_u8, 1, 2, 4, 6, 8, 17, 41, 43, 44, 47, 58, 60, 0x45, 0x60, 0x81, 0x88, 0xff]), 0..160),
            wire_bytes: u32,
        ) {
            let captured = [start, rest].concat();
            let frame = Frame { time_ns: i64::MIN, link_type, interface: 0, captured: &captured, wire_bytes };
            let _ = Decoder::new(3).decode(&frame);
        }
    }
}
