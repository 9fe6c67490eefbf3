//! Packets in the bytes of a capture: pcap and pcapng.

/// One packet of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// When it was captured, nanoseconds since 1970.
    pub time_ns: i64,
    /// What its bytes begin with (LINKTYPE_*, <https://www.tcpdump.org/linktypes.html>).
    pub link_type: u16,
    /// The interface of the capture that it came by; 0 in pcap.
    pub interface: u32,
    /// What was kept of it.
    pub captured: &'a [u8],
    /// Its length on the wire, bytes.
    pub wire_bytes: u32,
}
