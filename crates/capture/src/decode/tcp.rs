//! TCP (RFC 9293).

use super::bytes::{be16, be32};
use super::counts::Other;
use super::ip::Ip;
use super::whose::Whose;
use super::{Packet, options};
use crate::{Flags, Options, Segment};

/// Bytes of a header without options.
const FIXED_BYTES: u32 = 20;

/// Reads a header, in a packet or in the first fragment of one: then the payload is that of the fragment.
pub(super) fn read(time_ns: i64, ip: &Ip<'_>, seed: u64) -> Packet {
    let header: &[u8; 20] = match ip.payload.first() {
        Ok(header) => header,
        Err(other) => return Packet::Other(other),
    };
    let options = ip.payload.captured.get(20..).unwrap_or_default();
    let mut segment = Segment::BLANK;
    let port = |at| be16(header, at).unwrap_or(0);
    let whose = || Whose::of(ip, [port(0), port(2)], seed);
    match write(time_ns, ip, header, options, whose, |_| Some(&mut segment)) {
        Ok(()) => Packet::Tcp(segment),
        Err(other) => Packet::Other(other),
    }
}

/// Writes the segment of a header where `room` wants it. `options` are what was captured behind the header, of the options or
/// more.
#[inline(always)]
pub(super) fn write<'s>(
    time_ns: i64,
    ip: &Ip<'_>,
    header: &[u8; 20],
    options: &[u8],
    whose: impl FnOnce() -> Whose,
    room: impl FnOnce(&Whose) -> Option<&'s mut Segment>,
) -> Result<(), Other> {
    let word = |at| be32(header, at).unwrap_or(0);
    let half = |at| be16(header, at).unwrap_or(0);
    let header_bytes = u32::from(half(12) >> 12) * 4;
    let is_too_long = header_bytes > ip.payload.wire_bytes && ip.piece.is_none();
    if header_bytes < FIXED_BYTES || is_too_long {
        return Err(Other::Malformed);
    }
    let whose = whose();
    let Some(segment) = room(&whose) else {
        return Ok(());
    };
    segment.time_ns = time_ns;
    if whose.follows == 0 {
        segment.key = whose.key;
        segment.hash = whose.hash;
    }
    segment.way = whose.way;
    segment.follows = whose.follows;
    segment.seq = word(4);
    segment.ack = word(8);
    segment.payload_bytes = ip.payload.wire_bytes.saturating_sub(header_bytes);
    segment.window = half(14);
    segment.flags = Flags(half(12) & 0x01ff);
    segment.ip_bytes = ip.ip_bytes;
    segment.ip_id = ip.id;
    segment.ttl = ip.ttl;
    segment.traffic_class = ip.traffic_class;
    segment.dont_fragment = ip.dont_fragment;
    segment.fragments = 1;
    segment.options = Options::default();
    segment.sack_count = 0;
    options::read(segment, options, (header_bytes - FIXED_BYTES) as usize);
    Ok(())
}
