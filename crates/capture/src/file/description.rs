//! What a capture says about itself.
//!
//! All text is a stranger's: whoever prints it must clean it.

use serde::Serialize;

/// How the file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The format of libpcap, times in microseconds.
    Pcap,
    /// The same with nanoseconds.
    PcapNanoseconds,
    /// A variant with the interface in each record (Kuznetzov's patches to libpcap).
    PcapModified,
    /// PCAP Next Generation.
    Pcapng,
}

/// What a capture says about itself. The number of texts and their length are bounded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Description {
    /// How it is written; `None` before that is known.
    pub format: Option<Format>,
    /// Sections; 1 in pcap.
    pub sections: u64,
    /// Hardware that captured (shb_hardware), of each section that tells another.
    pub hardware: Vec<String>,
    /// Operating system that captured (shb_os).
    pub os: Vec<String>,
    /// Program that captured (shb_userappl).
    pub application: Vec<String>,
    /// What people wrote: comments of sections, interfaces, packets.
    pub comments: Vec<String>,
    /// Interfaces, through all sections; [`super::Frame::interface`] is a place in it.
    pub interfaces: Vec<InterfaceDescription>,
}

/// An interface that captured.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct InterfaceDescription {
    /// LINKTYPE_*.
    pub link_type: u16,
    /// Bytes kept of a packet at most; 0 for no limit.
    pub snap_bytes: u32,
    /// Its name (if_name).
    pub name: Option<String>,
    /// What it is (if_description).
    pub description: Option<String>,
    /// The filter that was set (if_filter).
    pub filter: Option<String>,
    /// Operating system of its host (if_os).
    pub os: Option<String>,
    /// Its hardware (if_hardware).
    pub hardware: Option<String>,
    /// Its rate, bit/s (if_speed).
    pub rate_bps: Option<u64>,
    /// What it counted, as it stands in the last statistics block.
    pub statistics: Option<CaptureStatistics>,
}

/// What an interface counted while it captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CaptureStatistics {
    /// Packets received (isb_ifrecv).
    pub received: Option<u64>,
    /// Packets that the interface dropped for lack of resources (isb_ifdrop).
    pub dropped_by_interface: Option<u64>,
    /// Packets that the filter let pass (isb_filteraccept).
    pub accepted: Option<u64>,
    /// Packets that the operating system dropped (isb_osdrop).
    pub dropped_by_os: Option<u64>,
    /// Packets given to the program (isb_usrdeliv).
    pub delivered: Option<u64>,
}

/// A long comment is a page; more of one text is not kept.
const MAX_TEXT_BYTES: usize = 1024;
/// Names and filters of interfaces, of which there may be thousands.
const MAX_SHORT_TEXT_BYTES: usize = 256;
/// So many comments, and as many programs, systems, machines: enough for a person to read.
const MAX_TEXTS: usize = 64;
/// Interfaces that are described; those behind are read all the same.
const MAX_INTERFACES: usize = 4096;

impl Description {
    /// Whether another comment would be kept.
    pub(crate) fn has_room_for_comments(&self) -> bool {
        self.comments.len() < MAX_TEXTS
    }

    /// Keeps an interface, if there is room.
    pub(crate) fn push_interface(&mut self, interface: InterfaceDescription) {
        if self.interfaces.len() < MAX_INTERFACES {
            self.interfaces.push(interface);
        }
    }
}

/// A name or a filter of an interface, cut to what is kept.
pub(crate) fn short_text(bytes: &[u8]) -> String {
    text(bytes.get(..MAX_SHORT_TEXT_BYTES).unwrap_or(bytes))
}

/// A text, cut to what is kept; it may end in zeros.
fn text(bytes: &[u8]) -> String {
    let bytes = bytes.get(..MAX_TEXT_BYTES).unwrap_or(bytes);
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

/// Adds a text, once and within the bound.
pub(crate) fn add_text(texts: &mut Vec<String>, bytes: &[u8]) {
    let new = text(bytes);
    if texts.len() < MAX_TEXTS && !new.is_empty() && !texts.contains(&new) {
        texts.push(new);
    }
}
