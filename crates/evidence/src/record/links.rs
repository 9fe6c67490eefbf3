//! Capacities of links, inferred from delays.

use super::Node;
use crate::RateBps;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Capacities of links along a path, as pathchar and pchar infer them from delay over packet size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LinkCapacities {
    /// Where the probes started.
    pub from: Node,
    /// Where they were sent to.
    pub to: Node,
    /// One entry per link, in the order of the path.
    pub links: Vec<LinkCapacity>,
}

/// One link of [`LinkCapacities`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LinkCapacity {
    /// The TTL of the router behind the link.
    pub ttl: u8,
    /// That router.
    pub node: Node,
    /// The capacity inferred; an estimate that can be wrong by half.
    pub capacity_bps: Option<RateBps>,
    /// Latency of the link as printed, nanoseconds; noise makes it negative at times.
    pub latency_ns: Option<i64>,
    /// Round-trip time up to the router behind it, nanoseconds.
    pub rtt_ns: Option<u64>,
}
