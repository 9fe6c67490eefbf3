//! What changes while a scenario runs, and when.

use crate::change::{DirectionChange, SettingsChange};
use crate::network::{LinkId, NodeId, Side};

/// When an event of the timeline happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// This long after the network came up, in ns.
    At(u64),
    /// Again and again.
    Every {
        /// The first time, in ns after the network came up.
        first_ns: u64,
        /// From one time to the next, in ns; never 0.
        period_ns: u64,
    },
    /// When somebody takes the step of this name.
    Step(String),
}

/// One change of the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When.
    pub when: When,
    /// What.
    pub change: Change,
}

/// What an event changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// One direction of a link: the one leaving from `side`.
    Direction {
        /// The link.
        link: LinkId,
        /// The side from which the direction leaves.
        side: Side,
        /// The new values.
        set: DirectionChange,
    },
    /// The MTU of one end of a link.
    Mtu {
        /// The link.
        link: LinkId,
        /// The end.
        side: Side,
        /// The new MTU in bytes.
        mtu_bytes: u32,
    },
    /// A node's settings.
    Settings {
        /// The node.
        node: NodeId,
        /// The new values.
        set: SettingsChange,
    },
}
