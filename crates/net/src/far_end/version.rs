//! This program and the protocol version that it speaks, in words for people at both ends.

use probe::session::PROTOCOL_VERSION;

/// Program and version, as told to the other end.
pub(super) const PROGRAM: &str = concat!("slowpath ", env!("CARGO_PKG_VERSION"));

/// Why a client that speaks another version, where it said which, is not served.
pub(super) fn version_mismatch(theirs: Option<u32>) -> String {
    let theirs = theirs.map_or(String::new(), |version| format!(", not version {version}"));
    format!("this far end is {PROGRAM} and speaks version {PROTOCOL_VERSION} of the protocol only{theirs}")
}
