//! TCP segments: built whole, and read as far as this measurement goes.

use crate::wire::{TCP, be16, be32, transport_checksum};
use std::net::IpAddr;

pub(super) const FIN: u8 = 0x01;
pub(super) const SYN: u8 = 0x02;
pub(super) const RST: u8 = 0x04;
pub(super) const PSH: u8 = 0x08;
pub(super) const ACK: u8 = 0x10;

const HEADER_BYTES: usize = 20;
/// Of the segments that it sends, this measurement takes up no more than this in answer.
const WINDOW_BYTES: u16 = 16_384;

const END_OF_OPTIONS: u8 = 0;
const NO_OPERATION: u8 = 1;
const MSS: u8 = 2;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;

/// Both ends of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    pub(super) source_port: u16,
    pub(super) destination_port: u16,
}

/// A segment to send.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outgoing {
    pub(super) sequence: u32,
    pub(super) acknowledgement: u32,
    pub(super) flags: u8,
    /// With a SYN: the largest segment that is taken, bytes.
    pub(super) mss_bytes: Option<u16>,
    /// One byte of data, or none.
    pub(super) has_byte: bool,
}

impl Outgoing {
    /// The segment without an IP header, in place of what `bytes` held.
    pub(super) fn write(&self, ends: &Ends, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.resize(HEADER_BYTES, 0);
        if let Some(mss) = self.mss_bytes {
            let [high, low] = mss.to_be_bytes();
            bytes.extend([MSS, 4, high, low, NO_OPERATION, NO_OPERATION, SACK_PERMITTED, 2]);
        }
        let words = (bytes.len() / 4) as u8;
        if self.has_byte {
            bytes.push(0);
        }
        let mut put = |at: usize, value: &[u8]| {
            if let Some(place) = bytes.get_mut(at..at + value.len()) {
                place.copy_from_slice(value);
            }
        };
        put(0, &ends.source_port.to_be_bytes());
        put(2, &ends.destination_port.to_be_bytes());
        put(4, &self.sequence.to_be_bytes());
        put(8, &self.acknowledgement.to_be_bytes());
        put(12, &[words << 4, self.flags]);
        put(14, &WINDOW_BYTES.to_be_bytes());
        let checksum = transport_checksum(ends.source, ends.destination, TCP, bytes);
        if let Some(place) = bytes.get_mut(16..18) {
            place.copy_from_slice(&checksum.to_be_bytes());
        }
    }
}

/// What a server offers in its answer to the SYN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offer {
    /// The largest segment that it takes, bytes of payload; `None`: it names none (536 in IPv4, 1,220 in IPv6; RFC 9293).
    pub mss_bytes: Option<u16>,
    /// Whether it acknowledges selectively (RFC 2018).
    pub sack: bool,
    /// Its window, bytes.
    pub window_bytes: u16,
}

/// A segment that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Incoming {
    pub(super) sequence: u32,
    pub(super) acknowledgement: u32,
    pub(super) flags: u8,
    pub(super) offer: Offer,
    /// Left and right edges, as they stand there: at most four.
    pub(super) sack: Vec<(u32, u32)>,
    pub(super) payload_bytes: u32,
}

impl Incoming {
    /// Reads a segment without its IP header, if it is one of this connection.
    pub(super) fn read(bytes: &[u8], ends: &Ends) -> Option<Self> {
        if (be16(bytes, 0)?, be16(bytes, 2)?) != (ends.destination_port, ends.source_port) {
            return None;
        }
        let header_bytes = usize::from(bytes.get(12)? >> 4) * 4;
        let mut segment = Self {
            sequence: be32(bytes, 4)?,
            acknowledgement: be32(bytes, 8)?,
            flags: *bytes.get(13)?,
            offer: Offer {
                window_bytes: be16(bytes, 14)?,
                ..Offer::default()
            },
            sack: Vec::new(),
            payload_bytes: u32::try_from(bytes.len().checked_sub(header_bytes)?).ok()?,
        };
        segment.read_options(bytes.get(HEADER_BYTES..header_bytes)?);
        Some(segment)
    }

    /// As far as they can be read: what follows a broken one is left out.
    fn read_options(&mut self, mut options: &[u8]) {
        while let Some((kind, rest)) = options.split_first() {
            let length = match *kind {
                END_OF_OPTIONS => return,
                NO_OPERATION => {
                    options = rest;
                    continue;
                }
                _ => usize::from(rest.first().copied().unwrap_or(0)),
            };
            let (Some(value), Some(next)) = (options.get(2..length), options.get(length..)) else {
                return;
            };
            match *kind {
                MSS => self.offer.mss_bytes = be16(value, 0),
                SACK_PERMITTED => self.offer.sack = true,
                SACK => {
                    let (blocks, _) = value.as_chunks::<8>();
                    let edges = blocks
                        .iter()
                        .filter_map(|block| Some((be32(block, 0)?, be32(block, 4)?)));
                    self.sack = edges.take(4).collect();
                }
                _ => {}
            }
            options = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::internet_checksum;
    use proptest::prelude::*;

    fn ends(v6: bool) -> Ends {
        let [source, destination] = match v6 {
            true => ["2001:db8::1", "2001:db8::2"],
            false => ["192.0.2.1", "198.51.100.2"],
        };
        Ends {
            source: source.parse().unwrap(),
            destination: destination.parse().unwrap(),
            source_port: 40_001,
            destination_port: 443,
        }
    }

    fn turned(ends: &Ends) -> Ends {
        Ends {
            source: ends.destination,
            destination: ends.source,
            source_port: ends.destination_port,
            destination_port: ends.source_port,
        }
    }

    #[test]
    fn what_is_written_is_read_and_its_checksum_is_good() {
        for v6 in [false, true] {
            for mss_bytes in [None, Some(1_460)] {
                for has_byte in [false, true] {
                    let (ends, mut bytes) = (ends(v6), Vec::new());
                    let sent = Outgoing {
                        sequence: 7,
                        acknowledgement: 9,
                        flags: ACK | PSH,
                        mss_bytes,
                        has_byte,
                    };
                    sent.write(&ends, &mut bytes);
                    let read = Incoming::read(&bytes, &turned(&ends)).unwrap();
                    assert_eq!(
                        (read.sequence, read.acknowledgement, read.flags),
                        (7, 9, ACK | PSH)
                    );
                    assert_eq!(
                        (read.offer.mss_bytes, read.offer.sack),
                        (mss_bytes, mss_bytes.is_some())
                    );
                    assert_eq!(read.payload_bytes, u32::from(has_byte));
                    // Over a packet that holds its own checksum the sum is zero.
                    assert_eq!(transport_checksum(ends.source, ends.destination, TCP, &bytes), 0);
                    assert_ne!(internet_checksum(&[&bytes]), 0, "the pseudo header is in it");
                    assert_eq!(Incoming::read(&bytes, &ends), None, "another connection's");
                }
            }
        }
    }

    #[test]
    fn options_are_read_up_to_the_first_that_is_broken() {
        let ends = ends(false);
        let with = |options: &[u8]| {
            let mut bytes = Vec::new();
            let bare = Outgoing {
                sequence: 0,
                acknowledgement: 0,
                flags: ACK,
                mss_bytes: None,
                has_byte: false,
            };
            bare.write(&ends, &mut bytes);
            bytes.extend_from_slice(options);
            bytes[12] = ((bytes.len() / 4) << 4) as u8;
            Incoming::read(&bytes, &turned(&ends)).unwrap()
        };
        let sack = with(&[1, 1, 5, 18, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 6]);
        assert_eq!(sack.sack, [(1, 3), (5, 6)]);
        for broken in [
            [5, 0, 0, 0],
            [5, 1, 0, 0],
            [5, 40, 0, 0],
            [2, 2, 0, 0],
            [0, 5, 10, 0],
        ] {
            let read = with(&broken);
            assert!(
                read.sack.is_empty() && read.offer.mss_bytes.is_none(),
                "{broken:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let mut bytes = bytes;
            if bytes.len() >= 4 {
                bytes[..4].copy_from_slice(&[443u16.to_be_bytes(), 40_001u16.to_be_bytes()].concat());
            }
            if let Some(read) = Incoming::read(&bytes, &ends(false)) {
                prop_assert!(read.sack.len() <= 4 && read.payload_bytes as usize + 20 <= bytes.len());
            }
        }
    }
}
