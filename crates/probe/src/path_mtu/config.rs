//! What a search for the path MTU is told: the path as far as it is known, and the limits.

use std::collections::BTreeSet;
use std::net::IpAddr;

/// What to search.
#[derive(Debug, Clone)]
pub struct PathMtuConfig {
    /// The destination.
    pub destination: IpAddr,
    /// MTU of the local interface that leads there, bytes: the largest size tried.
    pub interface_mtu_bytes: u32,
    /// The smallest size tried: passes everywhere, and carries the probe's mark.
    pub small_bytes: u32,
    /// The TTL at which the destination is, when known.
    pub destination_ttl: Option<u8>,
    /// The last TTL before the destination; 0 when no hop is known.
    pub last_ttl: u8,
    /// Hops that did not answer when the route was traced: asked once more, then left alone.
    pub mute_ttls: BTreeSet<u8>,
    /// Whether the destination limits its answers (ICMP errors of a host) or answers all (a reflector, echo).
    pub is_destination_limited: bool,
    /// The longest round trip seen on the path, nanoseconds; 0 when unknown.
    pub rtt_ns: u64,
    /// Number of the first probe: random, so that it cannot be guessed off the path.
    pub first_sequence: u32,
    /// Stop after this time with what is known, nanoseconds.
    pub longest_ns: u64,
}
