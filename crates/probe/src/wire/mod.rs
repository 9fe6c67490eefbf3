//! Bytes of probes and of answers: packet building, ICMP parsing, and the check that an answer is ours.
//!
//! Everything read here comes from the network and is hostile: parsers return `Option` and never index past what
//! they checked. They know headers only; what an answer means for a measurement is for the machines.

mod build;
mod checksum;
mod extension;
mod field;
mod flow;
mod icmp;
mod quote;
mod recognise;

pub use build::build_packet;
pub use checksum::internet_checksum;
pub(crate) use checksum::transport_checksum;
pub use extension::mpls_labels;
pub(crate) use field::{TCP, be16, be32};
pub use flow::{Flow, least_size_bytes};
pub use icmp::{Icmp, IcmpError, IcmpErrorKind, read_icmp};
pub use quote::{Quote, read_quote};
pub use recognise::{QueuedError, Recogniser};
