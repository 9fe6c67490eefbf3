//! ICMP (RFC 792, RFC 1191, RFC 4884) and ICMPv6 (RFC 4443) messages that can answer a probe.

use super::extension::mpls_labels;
use super::field::{be16, be32};
use evidence::MplsLabel;

/// A message that may answer a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Icmp<'a> {
    /// An error about a packet.
    Error(IcmpError<'a>),
    /// An echo reply.
    EchoReply {
        /// The identifier of the request.
        identifier: u16,
        /// The sequence number of the request.
        sequence: u16,
        /// The data of the request.
        payload: &'a [u8],
    },
}

/// An error and the packet it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IcmpError<'a> {
    /// What is wrong.
    pub kind: IcmpErrorKind,
    /// The start of the packet that caused it: an IP header and what follows.
    pub quote: &'a [u8],
    /// MPLS label stack (RFC 4950), outermost first.
    pub mpls: Vec<MplsLabel>,
}

/// The errors that answer probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IcmpErrorKind {
    /// Time to live exceeded in transit (not: while reassembling).
    TimeExceeded,
    /// Nobody listens on the port.
    PortUnreachable,
    /// Another unreachable.
    Unreachable {
        /// ICMP or ICMPv6 code.
        code: u8,
    },
    /// Fragmentation needed, or packet too big.
    TooBig {
        /// Next-hop MTU in bytes; `None` when not named.
        mtu_bytes: Option<u32>,
    },
}

impl IcmpErrorKind {
    /// The meaning of a type, code and the word after the checksum; `None` for what answers no probe.
    #[must_use]
    pub fn of(is_v6: bool, kind: u8, code: u8, mtu_bytes: u32) -> Option<Self> {
        let named = (mtu_bytes > 0).then_some(mtu_bytes);
        Some(match (is_v6, kind, code) {
            (false, 11, 0) | (true, 3, 0) => Self::TimeExceeded,
            (false, 3, 3) | (true, 1, 4) => Self::PortUnreachable,
            (false, 3, 4) | (true, 2, _) => Self::TooBig { mtu_bytes: named },
            (false, 3, code) | (true, 1, code) => Self::Unreachable { code },
            _ => return None,
        })
    }
}

/// Before RFC 4884 routers padded the quote to 128 bytes and appended extensions without saying so (its section 5.5).
const UNANNOUNCED_QUOTE_BYTES: usize = 128;

/// Reads an ICMP (`is_v6` false) or ICMPv6 message that starts at its type; `None` for anything that answers no
/// probe. The checksum was verified by the kernel.
#[must_use]
pub fn read_icmp(is_v6: bool, message: &[u8]) -> Option<Icmp<'_>> {
    let (kind, code) = (*message.first()?, *message.get(1)?);
    let body = message.get(8..)?;
    if (is_v6, kind, code) == (false, 0, 0) || (is_v6, kind, code) == (true, 129, 0) {
        return Some(Icmp::EchoReply {
            identifier: be16(message, 4)?,
            sequence: be16(message, 6)?,
            payload: body,
        });
    }
    let mtu_bytes = if is_v6 {
        be32(message, 4)?
    } else {
        u32::from(be16(message, 6)?)
    };
    let kind = IcmpErrorKind::of(is_v6, kind, code, mtu_bytes)?;
    // "Packet too big" has no length field: its word is the MTU.
    let announced = match (is_v6, kind) {
        (true, IcmpErrorKind::TooBig { .. }) => 0,
        (true, _) => usize::from(*message.get(4)?) * 8,
        (false, _) => usize::from(*message.get(5)?) * 4,
    };
    let quote_bytes = if announced == 0 {
        UNANNOUNCED_QUOTE_BYTES
    } else {
        announced
    };
    let mpls = body.get(quote_bytes..).map(mpls_labels).unwrap_or_default();
    let has_extension = announced > 0 || !mpls.is_empty();
    let quote = body.get(..quote_bytes).filter(|_| has_extension).unwrap_or(body);
    Some(Icmp::Error(IcmpError { kind, quote, mpls }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Time exceeded with a 128-byte quote and the label stack (3000, 1, bottom, 254), as routers send it.
    fn with_labels(announced: u8) -> Vec<u8> {
        let mut message = vec![11, 0, 0, 0, 0, announced, 0, 0];
        message.extend([0x45; 128]);
        let mut structure = vec![0x20, 0, 0, 0, 0, 8, 1, 1];
        structure.extend((3000u32 << 12 | 1 << 9 | 1 << 8 | 254).to_be_bytes());
        let checksum = super::super::internet_checksum(&[&structure]);
        structure[2..4].copy_from_slice(&checksum.to_be_bytes());
        message.extend(structure);
        message
    }

    #[test]
    fn label_stacks_are_read_announced_or_not() {
        for announced in [32, 0] {
            let message = with_labels(announced);
            let Some(Icmp::Error(error)) = read_icmp(false, &message) else {
                panic!("not an error")
            };
            let label = MplsLabel {
                label: 3000,
                traffic_class: 1,
                bottom: true,
                ttl: Some(254),
            };
            assert_eq!(
                (error.quote.len(), error.mpls),
                (128, vec![label]),
                "announced {announced}"
            );
        }
    }

    #[test]
    fn a_structure_with_a_wrong_checksum_is_quote() {
        let mut message = with_labels(0);
        *message.last_mut().unwrap() ^= 1;
        let Some(Icmp::Error(error)) = read_icmp(false, &message) else {
            panic!("not an error")
        };
        assert_eq!((error.quote.len(), error.mpls.len()), (128 + 12, 0));
    }

    #[test]
    fn errors_mean_what_the_rfcs_say() {
        use IcmpErrorKind as K;
        let table = [
            (false, 11, 0, 0, Some(K::TimeExceeded)),
            (false, 11, 1, 0, None),
            (false, 3, 3, 0, Some(K::PortUnreachable)),
            (
                false,
                3,
                4,
                1500,
                Some(K::TooBig {
                    mtu_bytes: Some(1500),
                }),
            ),
            (false, 3, 4, 0, Some(K::TooBig { mtu_bytes: None })),
            (false, 3, 13, 0, Some(K::Unreachable { code: 13 })),
            (false, 5, 1, 0, None),
            (false, 8, 0, 0, None),
            (true, 3, 0, 0, Some(K::TimeExceeded)),
            (
                true,
                2,
                0,
                1280,
                Some(K::TooBig {
                    mtu_bytes: Some(1280),
                }),
            ),
            (true, 1, 4, 0, Some(K::PortUnreachable)),
            (true, 1, 0, 0, Some(K::Unreachable { code: 0 })),
            (true, 135, 0, 0, None),
        ];
        for (is_v6, kind, code, mtu, meaning) in table {
            assert_eq!(
                K::of(is_v6, kind, code, mtu),
                meaning,
                "v6 {is_v6} type {kind} code {code}"
            );
        }
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_panic(is_v6: bool, bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Some(Icmp::Error(error)) = read_icmp(is_v6, &bytes) {
                let _ = super::super::read_quote(error.quote);
            }
            let _ = super::super::read_quote(&bytes);
            let _ = mpls_labels(&bytes);
        }
    }
}
