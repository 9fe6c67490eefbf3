//! TCP (RFC 9293).

use super::bytes::{be16, be32};
use super::counts::Other;
use super::ip::Ip;
use super::options;
use crate::{Endpoint, Flags, FlowKey, Segment};

/// Reads a header, in a packet or in the first fragment of one: then the payload is that of the fragment.
#[inline]
pub(super) fn read(time_ns: i64, ip: &Ip<'_>, seed: u64) -> Result<Segment, Other> {
    let header: &[u8; 20] = ip.payload.first()?;
    let word = |at| be32(header, at).unwrap_or(0);
    let (offset_and_flags, window) = (be16(header, 12).unwrap_or(0), be16(header, 14).unwrap_or(0));
    let header_bytes = u32::from(offset_and_flags >> 12) * 4;
    let is_whole = ip.piece.is_none();
    if header_bytes < 20 || (is_whole && header_bytes > ip.payload.wire_bytes) {
        return Err(Other::Malformed);
    }
    let ports = word(0);
    let from = Endpoint {
        address: ip.from,
        port: (ports >> 16) as u16,
    };
    let to = Endpoint {
        address: ip.to,
        port: ports as u16,
    };
    let (key, way) = FlowKey::of(from, to);
    Ok(Segment {
        time_ns,
        key,
        hash: key.hash(seed),
        way,
        seq: word(4),
        ack: word(8),
        payload_bytes: ip.payload.wire_bytes.saturating_sub(header_bytes),
        window,
        flags: Flags(offset_and_flags & 0x01ff),
        ip_bytes: ip.ip_bytes,
        ip_id: ip.id,
        ttl: ip.ttl,
        traffic_class: ip.traffic_class,
        dont_fragment: ip.dont_fragment,
        fragments: 1,
        options: options::read(
            ip.payload.captured.get(20..).unwrap_or_default(),
            header_bytes as usize - 20,
        ),
    })
}
