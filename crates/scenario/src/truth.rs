//! What is really wrong in a scenario, so that a verdict can be graded.

use std::collections::BTreeMap;

use crate::network::NodeId;

/// A direction along the complaint's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathDirection {
    /// From `[run] from` to `to`.
    Forward,
    /// From `[run] to` back to `from`.
    Reverse,
}

/// Where the fault sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruthLocation {
    /// In one host.
    Host(NodeId),
    /// On the link between these two, for packets that travel from the first to the second.
    Link {
        /// The node that sends into the link.
        from: NodeId,
        /// The node that receives.
        to: NodeId,
    },
}

/// A group of faults that a user would look for in the same place, by the same means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultFamily {
    /// Packets are lost, damaged or interrupted on a link or in a device.
    Loss,
    /// A link, a policer or others' traffic leaves too little room.
    Capacity,
    /// Packets of some sizes do not pass.
    Mtu,
    /// Limits of a host: its windows, buffers, interface, processor.
    Host,
    /// The programs at the ends do not keep the connection busy.
    Application,
    /// Packets take the wrong ways, or several that differ.
    Route,
}

impl FaultFamily {
    /// The family that a fault's code belongs to, by what stands before its number: `LOSS-001`, or `LOSS` for the
    /// family itself. `None` for `OK-001` and for areas that are not faults.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let area = code.split('-').next().unwrap_or(code);
        match area {
            "LOSS" => Some(Self::Loss),
            "CAP" => Some(Self::Capacity),
            "MTU" => Some(Self::Mtu),
            "HOST" => Some(Self::Host),
            "APP" => Some(Self::Application),
            "ROUTE" => Some(Self::Route),
            _ => None,
        }
    }
}

/// One thing that is really wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct TrueFault {
    /// The fault's code, `OK-001` for a healthy path.
    pub code: String,
    /// Other codes that outside evidence cannot tell from `code` here, and that count as right.
    pub also_accept: Vec<String>,
    /// A family of which any member is a right answer, if a wider one than the code.
    pub family: Option<FaultFamily>,
    /// Where it sits; `None` where no place is to be named.
    pub location: Option<TruthLocation>,
    /// In which direction of the complaint's path it harms.
    pub direction: Option<PathDirection>,
    /// The largest IP packet that still passes, where the fault is about size.
    pub threshold_bytes: Option<u32>,
}

/// The right answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// What a verdict must name first.
    pub fault: TrueFault,
    /// What is wrong besides, and just as right to name, first or later.
    pub further: Vec<TrueFault>,
    /// Anomalies on the path that must not be named as the cause.
    pub red_herrings: Vec<RedHerring>,
    /// The right answer after each step of the timeline.
    pub after: BTreeMap<String, Truth>,
}

/// An anomaly that is not the cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedHerring {
    /// The node that shows it.
    pub node: NodeId,
    /// What it looks like.
    pub kind: RedHerringKind,
}

/// Kinds of anomalies that mislead people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedHerringKind {
    /// A hop that never answers.
    Mute,
    /// A hop that answers only now and then.
    RateLimited,
    /// A hop that ignores large pings to itself and forwards them.
    IgnoresLargeEcho,
}
