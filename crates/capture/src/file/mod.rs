//! Packets in the bytes of a capture: pcap and pcapng.
//!
//! Two steps, so that all processors can share the work on one file. A [`Framer`] walks over the lengths of records, in
//! order, and says how far whole records go: that costs a few nanoseconds for each. What it found, [`Packets`], is handed
//! with the same bytes to any thread, and gives the [`Frame`]s.
//!
//! ```
//! # use capture::file::Framer;
//! # fn read(mut fill: impl FnMut(&mut Vec<u8>) -> bool) -> Result<u64, capture::file::NotACapture> {
//! let (mut framer, mut buffer, mut bytes) = (Framer::new(), Vec::new(), 0);
//! loop {
//!     let at_end = !fill(&mut buffer);
//!     let mut used = 0;
//!     loop {
//!         let rest = buffer.get(used..).unwrap_or_default();
//!         let step = framer.advance(rest, at_end)?;
//!         bytes += step.packets.frames(rest).map(|frame| u64::from(frame.wire_bytes)).sum::<u64>();
//!         used += step.consumed;
//!         if step.consumed == 0 {
//!             break;
//!         }
//!     }
//!     buffer.drain(..used);
//!     if at_end {
//!         return Ok(bytes);
//!     }
//! }
//! # }
//! ```

mod complaint;
mod description;
mod framer;
mod frames;
mod layout;
mod pcap;
mod pcapng;
mod resync;
mod sniff;

pub use complaint::{Complaint, NotACapture, Trouble};
pub use description::{CaptureStatistics, Description, Format, InterfaceDescription};
pub use framer::{Framer, Step};
pub use frames::{Frames, Packets};

/// One packet of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// When it was captured, nanoseconds since 1970.
    pub time_ns: i64,
    /// What its bytes begin with (LINKTYPE_*, <https://www.tcpdump.org/linktypes.html>).
    pub link_type: u16,
    /// The interface of the capture that it came by; 0 in pcap. Counted through all sections of a pcapng.
    pub interface: u32,
    /// What was kept of it.
    pub captured: &'a [u8],
    /// Its length on the wire, bytes.
    pub wire_bytes: u32,
}

/// Bytes of a record at most. libpcap keeps no more than 262,144 bytes of a packet; a file may announce more, for packets of
/// other things than a network (USB), which are of no use here.
pub(crate) const MAX_RECORD_BYTES: usize = 1 << 20;

/// What libpcap keeps of a packet at most (MAXIMUM_SNAPLEN), bytes.
pub(crate) const MAX_SNAP_BYTES: u32 = 262_144;
