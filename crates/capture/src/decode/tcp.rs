//! TCP (RFC 9293).

use super::bytes::{be16, be32};
use super::counts::Other;
use super::ip::Ip;
use super::{Packet, options};
use crate::{Endpoint, Flags, FlowKey, Segment};

/// Bytes of a header without options.
const FIXED_BYTES: u32 = 20;

/// Reads a header, in a packet or in the first fragment of one: then the payload is that of the fragment.
pub(super) fn read(time_ns: i64, ip: &Ip<'_>, seed: u64) -> Packet {
    let header: &[u8; 20] = match ip.payload.first() {
        Ok(header) => header,
        Err(other) => return Packet::Other(other),
    };
    let options = ip.payload.captured.get(20..).unwrap_or_default();
    assembled(time_ns, ip, header, options, seed)
}

/// The segment of a header. `options` are what was captured behind it, of the options or
/// more.
#[inline(always)]
pub(super) fn assembled(time_ns: i64, ip: &Ip<'_>, header: &[u8; 20], options: &[u8], seed: u64) -> Packet {
    let word = |at| be32(header, at).unwrap_or(0);
    let half = |at| be16(header, at).unwrap_or(0);
    let header_bytes = u32::from(half(12) >> 12) * 4;
    let is_too_long = header_bytes > ip.payload.wire_bytes && ip.piece.is_none();
    if header_bytes < FIXED_BYTES || is_too_long {
        return Packet::Other(Other::Malformed);
    }
    let from = Endpoint {
        address: ip.from,
        port: half(0),
    };
    let to = Endpoint {
        address: ip.to,
        port: half(2),
    };
    let (key, way) = FlowKey::of(from, to);
    Packet::Tcp(Segment {
        time_ns,
        key,
        hash: key.hash(seed),
        way,
        seq: word(4),
        ack: word(8),
        payload_bytes: ip.payload.wire_bytes.saturating_sub(header_bytes),
        window: half(14),
        flags: Flags(half(12) & 0x01ff),
        ip_bytes: ip.ip_bytes,
        ip_id: ip.id,
        ttl: ip.ttl,
        traffic_class: ip.traffic_class,
        dont_fragment: ip.dont_fragment,
        fragments: 1,
        options: options::read(options, (header_bytes - FIXED_BYTES) as usize),
    })
}
