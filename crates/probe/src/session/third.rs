//! Measurements between two far ends, of which neither is the client: what it takes that one may probe the other.
//!
//! The client has a session with each. The one admits the address of the other, and gives the client a key for it that
//! its reflector answers as long as the session stands; the client hands that key to the other, which probes with it. No token
//! goes from hand to hand, and who does not answer to the key has not agreed and is not probed.

use crate::SessionKey;
use evidence::{NotMeasuredReason, Payload};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// Third places of one question at most: a question is small ([`super::MAX_QUESTION_BYTES`]).
pub const MOST_PEERS: usize = 64;

/// A far end that admitted whoever is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Where it is.
    pub address: IpAddr,
    /// Its UDP port.
    pub port: u16,
    /// What its reflector answers.
    pub session: SessionKey,
}

/// Which probes of an admitted peer came. What it sent is for the peer to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Distinct probes that came.
    pub received: u64,
    /// Distinct probes that were answered: the limits of the owner may have kept some from it.
    pub answered: u64,
    /// Probes that came again.
    pub duplicates: u64,
    /// Probes that came after a later one (RFC 4737).
    pub reordered: u64,
}

/// What came of the probes towards one peer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "came", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PeerOutcome {
    /// A measurement.
    Measured {
        /// What was seen; boxed, as it is several times larger than the other.
        payload: Box<Payload>,
    },
    /// None.
    Failed {
        /// The kind of obstacle.
        reason: NotMeasuredReason,
        /// For a person.
        detail: String,
    },
}
