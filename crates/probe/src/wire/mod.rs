//! Bytes of probes and of answers: packet building, ICMP parsing, and the check that an answer is ours.
//!
//! Everything read here comes from the network and is hostile: parsers return `Option` and never index past what
//! they checked. They know headers only; what an answer means for a measurement is for the machines.

mod build;
mod checksum;
mod extension;
mod flow;
mod icmp;
mod quote;
mod recognise;

pub use build::build_packet;
pub use checksum::internet_checksum;
pub use extension::mpls_labels;
pub use flow::{Flow, least_size_bytes};
pub use icmp::{Icmp, IcmpError, IcmpErrorKind, read_icmp};
pub use quote::{Quote, read_quote};
pub use recognise::{QueuedError, Recogniser};

pub(crate) const ICMP: u8 = 1;
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;
pub(crate) const ICMP_V6: u8 = 58;

/// Big-endian 16 bits at `at`.
pub(crate) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Big-endian 32 bits at `at`.
pub(crate) fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
