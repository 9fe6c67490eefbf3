//! The Internet checksum (RFC 1071).

use std::net::IpAddr;

/// The checksum of `parts`, each of which starts on an even offset of the whole. Over data that contains its own
/// correct checksum the result is 0.
#[must_use]
pub fn internet_checksum(parts: &[&[u8]]) -> u16 {
    !fold(parts.iter().map(|part| word_sum(part)).sum())
}

/// Sum of the big-endian 16-bit words, an odd last byte padded with zero.
pub(super) fn word_sum(bytes: &[u8]) -> u64 {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let whole: u64 = pairs
        .iter()
        .map(|pair| u64::from(u16::from_be_bytes(*pair)))
        .sum();
    whole + rest.first().map_or(0, |last| u64::from(*last) << 8)
}

pub(super) fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The pseudo header's contribution (RFC 768, RFC 9293, RFC 8200 section 8.1).
pub(super) fn pseudo_header_sum(source: IpAddr, destination: IpAddr, protocol: u8, length: usize) -> u64 {
    let address = |ip: IpAddr| match ip {
        IpAddr::V4(v4) => word_sum(&v4.octets()),
        IpAddr::V6(v6) => word_sum(&v6.octets()),
    };
    address(source) + address(destination) + u64::from(protocol) + length as u64
}

/// The checksum of a UDP or TCP packet between these addresses whose own checksum is zero.
pub(crate) fn transport_checksum(source: IpAddr, destination: IpAddr, protocol: u8, packet: &[u8]) -> u16 {
    !fold(pseudo_header_sum(source, destination, protocol, packet.len()) + word_sum(packet))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_1071_example() {
        let data = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(internet_checksum(&[&data]), !0xddf2);
        assert_eq!(internet_checksum(&[&data, &(!0xddf2u16).to_be_bytes()]), 0);
    }
}
