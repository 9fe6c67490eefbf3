//! What is wrong with a file.

use serde::Serialize;

/// Something that was not as it should be, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Complaint {
    /// Byte of the (unpacked) file, from 0.
    pub at: u64,
    /// What.
    pub trouble: Trouble,
}

/// What can be wrong within a capture: what came before it, and mostly what comes behind it, was read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// The file ends within a record that begins at the byte of the complaint.
    #[error("the capture ends within a record: {missing_bytes} bytes are missing")]
    Cut {
        /// At least so many bytes are missing of it.
        missing_bytes: u64,
    },
    /// The length of a record cannot be.
    #[error("the record here is damaged{}", resumed(*.resumed_at))]
    Damaged {
        /// Where a record was found again; `None` where none was.
        resumed_at: Option<u64>,
    },
    /// A packet of an interface that the file does not describe (before it).
    #[error("a packet of interface {0}, which is not described: not read")]
    UnknownInterface(u32),
    /// A section describes more interfaces than are kept.
    #[error("more interfaces than are read")]
    TooManyInterfaces,
    /// Simple packet blocks have no time: that of the packet before is taken.
    #[error("packets without a time (simple packet blocks)")]
    NoTime,
}

fn resumed(at: Option<u64>) -> String {
    match at {
        Some(at) => format!("; reading went on at byte {at}"),
        None => "; no record was found behind it".to_owned(),
    }
}

/// Why bytes are no capture that can be read: what they are, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotACapture {
    /// Nothing at all.
    #[error("empty: no byte of a capture")]
    Empty,
    /// It ends within its own header.
    #[error("a capture that ends within its header: no packet was written")]
    Cut,
    /// Packed bytes.
    #[error("packed with {0}: unpack it first, or give the name of the file so that it is unpacked")]
    Packed(&'static str),
    /// The capture of another tool.
    #[error("a capture in the format of {0}: convert it, `editcap -F pcapng IN OUT` (of Wireshark) reads it")]
    OtherFormat(&'static str),
    /// An event trace of Windows.
    #[error("an event trace of Windows (ETL): convert it with `etl2pcapng IN OUT`")]
    EventTrace,
    /// Text, perhaps what tcpdump printed.
    #[error("text, no capture: packets are in what `tcpdump -w FILE` writes, not in what it prints")]
    Text,
    /// None of these.
    #[error("no capture: neither pcap nor pcapng, it begins with {0}")]
    Unknown(String),
}
