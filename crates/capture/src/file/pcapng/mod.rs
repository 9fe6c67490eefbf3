//! PCAP Next Generation (draft-ietf-opsawg-pcapng): blocks, each with its length before and behind.

mod descriptive;
mod options;

pub(crate) use descriptive::{comments, interface, interface_statistics, section};

use super::layout::{ByteOrder, Interface, Section};
use super::resync::{Chain, Judgement, chain};
use super::{Frame, MAX_RECORD_BYTES, MAX_SNAP_BYTES};

/// Type of a section header block, the same in either byte order.
pub(crate) const SECTION_TYPE: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

pub(crate) const SECTION: u32 = 0x0a0d_0d0a;
pub(crate) const INTERFACE: u32 = 1;
pub(crate) const OBSOLETE_PACKET: u32 = 2;
pub(crate) const SIMPLE_PACKET: u32 = 3;
const NAMES: u32 = 4;
pub(crate) const STATISTICS: u32 = 5;
pub(crate) const ENHANCED_PACKET: u32 = 6;
/// Others that Wireshark or others write: journal, decryption secrets, Sysdig's, custom.
const OTHER_TYPES: [u32; 6] = [7, 8, 9, 10, 0x0bad, 0x4000_0bad];
/// Decryption secrets and names of a long capture are of megabytes.
const MAX_SKIPPED_BYTES: u32 = 16 << 20;

/// The byte order of a section, from its magic number.
pub(crate) fn order(magic: &[u8]) -> Option<ByteOrder> {
    match magic {
        [0x4d, 0x3c, 0x2b, 0x1a, ..] => Some(ByteOrder::Little),
        [0x1a, 0x2b, 0x3c, 0x4d, ..] => Some(ByteOrder::Big),
        _ => None,
    }
}

/// The order of the block at the front of bytes: a section header has its own.
fn order_of(bytes: &[u8], section: ByteOrder) -> Option<ByteOrder> {
    if bytes.starts_with(&SECTION_TYPE) {
        return bytes.get(8..12).and_then(order);
    }
    Some(section)
}

/// A block at the front of bytes: its type, and what it is.
#[inline]
pub(crate) fn judge(bytes: &[u8], section: ByteOrder) -> (u32, Judgement) {
    let Some(kind) = section.u32(bytes, 0).filter(|_| bytes.len() >= 12) else {
        return (0, Judgement::Incomplete(12));
    };
    let Some(order) = order_of(bytes, section) else {
        return (kind, Judgement::Damaged);
    };
    let length = order.u32(bytes, 4).unwrap_or(0);
    if length < smallest(kind) || !length.is_multiple_of(4) || length > largest(kind) {
        return (kind, Judgement::Damaged);
    }
    let size = length as usize;
    if size > MAX_RECORD_BYTES {
        // What is only skipped need not be there as a whole.
        return (kind, Judgement::Whole(size));
    }
    if size > bytes.len() {
        return (kind, Judgement::Incomplete(u64::from(length)));
    }
    if order.u32(bytes, size - 4) != Some(length) || !holds_packet(kind, bytes, length, order) {
        return (kind, Judgement::Damaged);
    }
    (kind, Judgement::Whole(size))
}

#[inline]
fn smallest(kind: u32) -> u32 {
    match kind {
        ENHANCED_PACKET | OBSOLETE_PACKET => 32,
        SECTION => 28,
        INTERFACE => 20,
        SIMPLE_PACKET => 16,
        STATISTICS => 24,
        _ => 12,
    }
}

#[inline]
fn largest(kind: u32) -> u32 {
    match kind {
        NAMES => MAX_SKIPPED_BYTES,
        _ if OTHER_TYPES.contains(&kind) => MAX_SKIPPED_BYTES,
        _ => MAX_RECORD_BYTES as u32,
    }
}

/// Whether the packet that a block holds fits into it.
#[inline]
fn holds_packet(kind: u32, bytes: &[u8], length: u32, order: ByteOrder) -> bool {
    match kind {
        ENHANCED_PACKET | OBSOLETE_PACKET => {
            let captured = order.u32(bytes, 20).unwrap_or(u32::MAX);
            captured <= length - 32
        }
        _ => true,
    }
}

/// Whether this can be a block of a capture, behind damage: types are among those that are known.
fn is_known(kind: u32) -> bool {
    (INTERFACE..=ENHANCED_PACKET).contains(&kind) || kind == SECTION || OTHER_TYPES.contains(&kind)
}

/// Whether blocks begin again at the front of bytes.
pub(crate) fn resumes(bytes: &[u8], section: ByteOrder, at_end: bool) -> Chain {
    let mut order = section;
    let (found, _) = chain(bytes, at_end, |bytes| {
        if order.u32(bytes, 0).is_some_and(|kind| !is_known(kind)) {
            return Err(Chain::No);
        }
        match judge(bytes, order).1 {
            // A packet is no larger than this, whatever a block may be.
            Judgement::Incomplete(bytes) if bytes > u64::from(MAX_SNAP_BYTES) + 1024 => Err(Chain::No),
            Judgement::Incomplete(_) => Err(Chain::Wait),
            Judgement::Whole(length) if length <= MAX_RECORD_BYTES => {
                order = order_of(bytes, order).unwrap_or(order);
                Ok(length)
            }
            Judgement::Whole(_) | Judgement::Damaged => Err(Chain::No),
        }
    });
    found
}

/// The interface of the packet in a block; `None` for blocks without a packet.
#[inline]
pub(crate) fn packet_interface(kind: u32, bytes: &[u8], order: ByteOrder) -> Option<u32> {
    match kind {
        ENHANCED_PACKET => order.u32(bytes, 8),
        OBSOLETE_PACKET => order.u16(bytes, 8).map(u32::from),
        SIMPLE_PACKET => Some(0),
        _ => None,
    }
}

/// Options behind the packet of a block.
#[inline]
pub(crate) fn packet_options(bytes: &[u8], order: ByteOrder) -> Option<&[u8]> {
    let captured = order.u32(bytes, 20)? as usize;
    let options = bytes.get(28 + captured.next_multiple_of(4)..bytes.len() - 4)?;
    (!options.is_empty()).then_some(options)
}

impl Section {
    /// The packet in the block at the front of bytes, `None` where it has none that can be read; and how long the block is.
    #[inline]
    pub(crate) fn frame<'a>(&self, bytes: &'a [u8], before_ns: i64) -> Option<(Option<Frame<'a>>, usize)> {
        let (kind, length) = (self.order.u32(bytes, 0)?, self.order.u32(bytes, 4)? as usize);
        let block = bytes.get(..length)?;
        Some((self.packet(kind, block, before_ns), length))
    }

    #[inline]
    fn packet<'a>(&self, kind: u32, block: &'a [u8], before_ns: i64) -> Option<Frame<'a>> {
        let id = packet_interface(kind, block, self.order)?;
        let interface = self.interfaces.get(id as usize)?;
        if kind == SIMPLE_PACKET {
            return self.simple_packet(interface, block, before_ns);
        }
        let (high, low) = (self.order.u32(block, 12)?, self.order.u32(block, 16)?);
        let captured = self.order.u32(block, 20)? as usize;
        Some(Frame {
            time_ns: interface.clock.time_ns(u64::from(high) << 32 | u64::from(low)),
            link_type: interface.link_type,
            interface: self.first_interface.saturating_add(id),
            captured: block.get(28..28 + captured)?,
            wire_bytes: self.order.u32(block, 24)?,
        })
    }

    /// A packet without a time, whose captured length must be told from the limit of its interface.
    #[cold]
    fn simple_packet<'a>(&self, interface: &Interface, block: &'a [u8], before_ns: i64) -> Option<Frame<'a>> {
        let wire_bytes = self.order.u32(block, 8)?;
        let limit = if interface.snap_bytes == 0 {
            u32::MAX
        } else {
            interface.snap_bytes
        };
        let room = block.len().checked_sub(16)?;
        let captured = (wire_bytes.min(limit) as usize).min(room);
        Some(Frame {
            time_ns: before_ns,
            link_type: interface.link_type,
            interface: self.first_interface,
            captured: block.get(12..12 + captured)?,
            wire_bytes,
        })
    }
}
