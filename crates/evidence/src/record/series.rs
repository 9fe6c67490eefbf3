//! Things measured again and again: series of one quantity, and the history of a route.

use super::Node;
use crate::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a series holds, and in which unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesMetric {
    /// Rate of a transfer, bit/s.
    Throughput,
    /// Share of packets lost, 0 to 1.
    LossRatio,
    /// Round-trip time, seconds.
    Rtt,
    /// Share of a link's capacity in use, 0 to 1.
    Utilisation,
}

/// One quantity between two hosts, measured again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// The sender of the data.
    pub from: Node,
    /// Its receiver.
    pub to: Node,
    /// What was measured.
    pub metric: SeriesMetric,
    /// (when, value in the metric's unit), in the order of time. A measurement that failed is absent, not zero.
    pub points: Vec<(Timestamp, f64)>,
}

/// Which way a route went, looked at again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RouteHistory {
    /// Where the traces started.
    pub from: Node,
    /// Where they went to.
    pub to: Node,
    /// The routes that were seen.
    pub routes: Vec<KnownRoute>,
    /// (when, index into `routes`), in the order of time.
    pub seen: Vec<(Timestamp, u32)>,
}

/// One way that a route went.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct KnownRoute {
    /// The number that the archive gave it.
    pub number: Option<u32>,
    /// Hop 1, hop 2…; an unknown node is a hop that did not answer.
    pub hops: Vec<Node>,
}
