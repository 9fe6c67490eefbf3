//! The few bytes that open a bulk connection and head each UDP packet. They are not encrypted: the key inside was
//! given over the encrypted control channel, is random, and is good for one transfer.

use crate::SessionKey;

/// Length of [`DataHello`].
pub const DATA_HELLO_BYTES: usize = 22;
/// Length of [`UdpHello`].
pub const UDP_HELLO_BYTES: usize = 20;
/// Length of [`UdpHeader`].
pub const UDP_HEADER_BYTES: usize = 20;

const DATA_MAGIC: [u8; 4] = *b"SPd1";
const HELLO_MAGIC: [u8; 4] = *b"SPh1";
const UDP_MAGIC: [u8; 3] = *b"SPu";

/// The first bytes of a bulk TCP connection: which transfer it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataHello {
    /// The transfer's key.
    pub key: SessionKey,
    /// Which of its parallel connections this is, from 0.
    pub stream: u16,
}

impl DataHello {
    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; DATA_HELLO_BYTES] {
        let mut bytes = [0; DATA_HELLO_BYTES];
        bytes[..4].copy_from_slice(&DATA_MAGIC);
        bytes[4..20].copy_from_slice(&self.key);
        bytes[20..].copy_from_slice(&self.stream.to_be_bytes());
        bytes
    }

    /// Whether a connection that starts with these four bytes is a bulk connection.
    #[must_use]
    pub fn announces(first_four: [u8; 4]) -> bool {
        first_four == DATA_MAGIC
    }

    /// Reads it; `None` when it is something else or not exactly as long.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; DATA_HELLO_BYTES] = bytes.try_into().ok()?;
        let magic: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
        Self::announces(magic).then_some(Self {
            key: bytes.get(4..20)?.try_into().ok()?,
            stream: u16::from_be_bytes(bytes.get(20..)?.try_into().ok()?),
        })
    }
}

/// What the client sends to the far end's UDP port before a stream, so that the far end learns the address and port
/// that it has on this side of any address translation, and so that firewalls let the stream in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UdpHello {
    /// The transfer's key.
    pub key: SessionKey,
}

impl UdpHello {
    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; UDP_HELLO_BYTES] {
        let mut bytes = [0; UDP_HELLO_BYTES];
        bytes[..4].copy_from_slice(&HELLO_MAGIC);
        bytes[4..].copy_from_slice(&self.key);
        bytes
    }

    /// Reads it; `None` when it is something else or not exactly as long.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; UDP_HELLO_BYTES] = bytes.try_into().ok()?;
        if bytes.get(..4)? != HELLO_MAGIC {
            return None;
        }
        Some(Self {
            key: bytes.get(4..)?.try_into().ok()?,
        })
    }
}

/// What a UDP packet of a stream is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UdpKind {
    /// Counts.
    Data,
    /// Counts, and its transmit stamp was asked for.
    Stamped,
    /// Sent before the stream to warm up caches, stamps and address resolution; counts for nothing.
    WarmUp,
}

/// The head of each UDP packet of a stream; the rest is padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UdpHeader {
    /// What it is for.
    pub kind: UdpKind,
    /// The first half of the transfer's key: enough to refuse strays.
    pub tag: [u8; 8],
    /// Counted from 0.
    pub sequence: u64,
}

impl UdpHeader {
    /// The tag of packets of the transfer with `key`.
    #[must_use]
    pub fn tag_of(key: &SessionKey) -> [u8; 8] {
        let mut tag = [0; 8];
        tag.copy_from_slice(&key[..8]);
        tag
    }

    /// Writes it at the front of `payload`. `None` when it does not fit.
    #[must_use]
    pub fn write(&self, payload: &mut [u8]) -> Option<()> {
        let head: &mut [u8; UDP_HEADER_BYTES] = payload.get_mut(..UDP_HEADER_BYTES)?.try_into().ok()?;
        head[..3].copy_from_slice(&UDP_MAGIC);
        head[3] = match self.kind {
            UdpKind::Data => b'd',
            UdpKind::Stamped => b's',
            UdpKind::WarmUp => b'w',
        };
        head[4..12].copy_from_slice(&self.tag);
        head[12..].copy_from_slice(&self.sequence.to_be_bytes());
        Some(())
    }

    /// Reads it; `None` when the packet is something else.
    #[must_use]
    #[inline]
    pub fn read(payload: &[u8]) -> Option<Self> {
        let head: &[u8; UDP_HEADER_BYTES] = payload.get(..UDP_HEADER_BYTES)?.try_into().ok()?;
        if head[..3] != UDP_MAGIC {
            return None;
        }
        let kind = match head[3] {
            b'd' => UdpKind::Data,
            b's' => UdpKind::Stamped,
            b'w' => UdpKind::WarmUp,
            _ => return None,
        };
        let tag = head[4..12].try_into().ok()?;
        let sequence = u64::from_be_bytes(head[12..].try_into().ok()?);
        Some(Self { kind, tag, sequence })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn openings_survive_the_wire(key: SessionKey, stream: u16, sequence: u64, length in 20usize..9000) {
            let hello = DataHello { key, stream };
            prop_assert_eq!(DataHello::read(&hello.to_bytes()), Some(hello));
            let udp = UdpHello { key };
            prop_assert_eq!(UdpHello::read(&udp.to_bytes()), Some(udp));
            for kind in [UdpKind::Data, UdpKind::Stamped, UdpKind::WarmUp] {
                let header = UdpHeader { kind, tag: UdpHeader::tag_of(&key), sequence };
                let mut payload = vec![0; length];
                header.write(&mut payload).unwrap();
                prop_assert_eq!(UdpHeader::read(&payload), Some(header));
                prop_assert_eq!(UdpHello::read(&payload[..20]), None);
            }
        }

        #[test]
        fn foreign_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            prop_assert_eq!(UdpHeader::read(&bytes).is_some(), bytes.len() >= 20 && bytes.starts_with(b"SPu")
                && matches!(bytes[3], b'd' | b's' | b'w'));
            prop_assert_eq!(UdpHello::read(&bytes).is_some(), bytes.len() == 20 && bytes.starts_with(b"SPh1"));
            prop_assert_eq!(DataHello::read(&bytes).is_some(), bytes.len() == 22 && bytes.starts_with(b"SPd1"));
        }
    }

    #[test]
    fn a_short_packet_takes_no_header() {
        let header = UdpHeader {
            kind: UdpKind::Data,
            tag: [0; 8],
            sequence: 1,
        };
        assert_eq!(header.write(&mut [0; UDP_HEADER_BYTES - 1]), None);
    }
}
