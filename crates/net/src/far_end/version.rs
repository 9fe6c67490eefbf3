//! This program and the protocol versions that it speaks, in words for people at both ends.
//!
//! A client greets with the newest version that it speaks. A far end that knows it answers in it, so that the two speak the version of
//! the greeting; one that does not refuses, and the client greets once more with the oldest. So a new message needs
//! no more than a raised [`PROTOCOL_VERSION`] and a look at the version of the greeting before it is said.

use probe::session::{OLDEST_VERSION, PROTOCOL_VERSION};

/// Program and version, as told to the other end.
pub(super) const PROGRAM: &str = concat!("slowpath ", env!("CARGO_PKG_VERSION"));

/// Why a client that speaks another version, where it said which, is not served.
pub(super) fn version_mismatch(theirs: Option<u32>) -> String {
    let theirs = theirs.map_or(String::new(), |version| format!(", not version {version}"));
    format!(
        "this far end is {PROGRAM} and speaks version {PROTOCOL_VERSION} of the protocol, and back to {OLDEST_VERSION}{theirs}"
    )
}

/// Whether this program speaks it.
pub(super) fn is_spoken(version: u32) -> bool {
    (OLDEST_VERSION..=PROTOCOL_VERSION).contains(&version)
}

/// Since this version a client can wait for its turn ([`probe::session::ToClient::Waiting`]).
pub(super) const WAITS_SINCE: u32 = 4;
