//! What the fields of headers hold: numbers of protocols, and integers in network byte order.

pub(super) const ICMP: u8 = 1;
pub(crate) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
pub(super) const ICMP_V6: u8 = 58;

/// Big-endian 16 bits at `at`.
pub(crate) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Big-endian 32 bits at `at`.
pub(crate) fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
