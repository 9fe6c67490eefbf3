//! The format of libpcap (draft-ietf-opsawg-pcap): a header, and records of 16 bytes and a packet.

use super::description::Format;
use super::framer::Run;
use super::layout::{ByteOrder, Lengths, PcapLayout};
use super::resync::{CHAIN_RECORDS, Chain, Judgement, chain};
use super::{Frame, MAX_RECORD_BYTES, MAX_SNAP_BYTES};

/// Bytes of the header of a file.
pub(crate) const FILE_HEADER_BYTES: usize = 24;

const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;
/// Kuznetzov's patches to libpcap, as in some old distributions: eight more bytes in each record (interface, protocol, kind
/// of packet).
const MODIFIED: u32 = 0xa1b2_cd34;

/// A packet on the wire is no larger: 512 KiB is what Linux hands over at once at most (GSO_MAX_SIZE).
const MAX_WIRE_BYTES: u32 = 1 << 20;
/// Neighbours in a file are no further apart: a quiet night passes, random numbers (a day in 136 years) mostly do not.
const NEIGHBOURS_S: u32 = 86_400;

/// The byte order and the variant, from the first four bytes.
pub(crate) fn magic(bytes: &[u8]) -> Option<(ByteOrder, Format)> {
    [ByteOrder::Little, ByteOrder::Big].into_iter().find_map(|order| {
        let format = match order.u32(bytes, 0)? {
            MICROSECONDS => Format::Pcap,
            NANOSECONDS => Format::PcapNanoseconds,
            MODIFIED => Format::PcapModified,
            _ => return None,
        };
        Some((order, format))
    })
}

/// Reads the header of a file.
pub(crate) fn file_header(bytes: &[u8]) -> Option<(PcapLayout, Format)> {
    let (order, format) = magic(bytes)?;
    let lengths = match (order.u16(bytes, 4)?, order.u16(bytes, 6)?) {
        (0..=1, _) | (2, 0..=2) => Lengths::WireFirst,
        (2, 3) => Lengths::SmallerIsCaptured,
        _ => Lengths::CapturedFirst,
    };
    let layout = PcapLayout {
        order,
        // The upper half tells of a checksum behind each frame.
        link_type: order.u32(bytes, 20)? as u16,
        header_bytes: if format == Format::PcapModified { 24 } else { 16 },
        fraction_ns: if format == Format::PcapNanoseconds {
            1
        } else {
            1000
        },
        snap_bytes: order.u32(bytes, 16)?,
        lengths,
    };
    Some((layout, format))
}

/// The header of a record.
#[derive(Debug, Clone, Copy)]
struct Header {
    seconds: u32,
    fraction: u32,
    captured: u32,
    wire: u32,
}

impl PcapLayout {
    #[inline]
    fn header(&self, bytes: &[u8]) -> Option<Header> {
        let header: &[u8; 16] = bytes.first_chunk()?;
        // One look at the byte order for all of them: this is done for each packet.
        let [seconds, fraction, first, second] = self.order.four(header);
        let (captured, wire) = match self.lengths {
            Lengths::CapturedFirst => (first, second),
            Lengths::WireFirst => (second, first),
            Lengths::SmallerIsCaptured => (first.min(second), first.max(second)),
        };
        Some(Header {
            seconds,
            fraction,
            captured,
            wire,
        })
    }

    /// Bytes of a packet that a record can hold. A file may say that it keeps less than libpcap and keep more all the same
    /// (libpcap's sf-pcap.c knows such writers).
    fn largest(&self) -> u32 {
        self.snap_bytes
            .clamp(MAX_SNAP_BYTES, MAX_RECORD_BYTES as u32 - 24)
    }

    #[inline]
    fn time_ns(&self, header: Header) -> i64 {
        i64::from(header.seconds) * 1_000_000_000 + i64::from(header.fraction) * i64::from(self.fraction_ns)
    }

    /// The packet at the front of bytes, and how long its record is.
    #[inline]
    pub(crate) fn frame<'a>(&self, bytes: &'a [u8]) -> Option<(Frame<'a>, usize)> {
        let header = self.header(bytes)?;
        let end = self.header_bytes.checked_add(header.captured as usize)?;
        let frame = Frame {
            time_ns: self.time_ns(header),
            link_type: self.link_type,
            interface: 0,
            captured: bytes.get(self.header_bytes..end)?,
            wire_bytes: header.wire,
        };
        Some((frame, end))
    }

    /// Passes over whole records, as long as nothing is odd, in the way that most files are written. Stops where
    /// [`PcapLayout::judge`] must decide.
    #[inline]
    pub(crate) fn pass_plain(&self, bytes: &[u8], run: &mut Run) {
        if (self.order, self.lengths, self.header_bytes) != (ByteOrder::Little, Lengths::CapturedFirst, 16) {
            return;
        }
        let largest = self.odd_above();
        while let Some((head, rest)) = bytes.get(run.bytes..).and_then(<[u8]>::split_first_chunk::<16>) {
            let lengths = head.last_chunk::<8>().copied().map_or(0, u64::from_le_bytes);
            let (captured, wire) = (lengths as u32, (lengths >> 32) as u32);
            let is_odd = captured > wire || captured > largest || wire == 0;
            if is_odd || captured as usize > rest.len() {
                return;
            }
            run.add(16 + captured as usize);
        }
    }

    /// What stands at the front of bytes.
    #[inline]
    pub(crate) fn judge(&self, bytes: &[u8], at_end: bool) -> Judgement {
        let Some(header) = self.header(bytes) else {
            return Judgement::Incomplete(self.header_bytes as u64);
        };
        let length = self.header_bytes + header.captured as usize;
        let is_odd = header.captured > header.wire || header.captured > self.odd_above() || header.wire == 0;
        if is_odd {
            return self.judge_odd(bytes, header, at_end);
        }
        if length > bytes.len() {
            return Judgement::Incomplete(length as u64);
        }
        Judgement::Whole(length)
    }

    /// More than the file says that it keeps is no usual length.
    #[inline]
    fn odd_above(&self) -> u32 {
        if self.snap_bytes == 0 {
            MAX_SNAP_BYTES
        } else {
            self.snap_bytes.min(MAX_RECORD_BYTES as u32 - 24)
        }
    }

    /// Lengths that some writers write, but damage more often: they count if another record follows where they say.
    #[cold]
    fn judge_odd(&self, bytes: &[u8], header: Header, at_end: bool) -> Judgement {
        if header.captured > self.largest()
            || (header.captured == 0 && header.wire == 0 && header.seconds == 0)
        {
            return Judgement::Damaged;
        }
        let length = self.header_bytes + header.captured as usize;
        let next = bytes.get(length..).unwrap_or_default();
        match self.header(next) {
            Some(next) if self.may_follow(next, Some(header.seconds)) => Judgement::Whole(length),
            Some(_) => Judgement::Damaged,
            None if at_end && length <= bytes.len() => Judgement::Whole(length),
            None => Judgement::Incomplete((length + self.header_bytes) as u64),
        }
    }

    /// Whether this can be the header of a record, after one of some time.
    fn may_follow(&self, header: Header, before_s: Option<u32>) -> bool {
        header.fraction < 1_000_000_000 / self.fraction_ns
            && header.captured <= self.largest()
            && header.wire > 0
            && before_s.is_none_or(|before_s| header.seconds.abs_diff(before_s) <= NEIGHBOURS_S)
    }

    /// Whether records begin again at the front of bytes. Where the file ends after one or two, they must be of the time of
    /// those before the damage: nothing else tells them from payload.
    pub(crate) fn resumes(&self, bytes: &[u8], at_end: bool, last_ns: i64) -> Chain {
        let mut before_s = None;
        let (found, records) = chain(bytes, at_end, |bytes| {
            let header = self.header(bytes).ok_or(Chain::Wait)?;
            let is_plain = (1..=MAX_SNAP_BYTES).contains(&header.captured)
                && (header.captured..=MAX_WIRE_BYTES).contains(&header.wire);
            if !is_plain || !self.may_follow(header, before_s) {
                return Err(Chain::No);
            }
            before_s = Some(header.seconds);
            Ok(self.header_bytes + header.captured as usize)
        });
        let last_s = u32::try_from(last_ns / 1_000_000_000).ok();
        let is_near = last_s
            .zip(before_s)
            .is_some_and(|(last_s, s)| s.abs_diff(last_s) <= NEIGHBOURS_S);
        if found == Chain::Yes && records < CHAIN_RECORDS && !is_near {
            return Chain::No;
        }
        found
    }
}
