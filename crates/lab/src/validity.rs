//! Whether a run may be believed.

use std::fmt;

use scenario::{NodeId, Scenario, Side};

use crate::emulator::{DirectionCounters, DropReason};

/// One direction of an emulated link and what it saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectionReport {
    /// The node that sends into the link.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// Its counters.
    pub counters: DirectionCounters,
    /// The longest a packet can wait in its queue, in ns; `None` without a rate.
    pub queue_time_ns: Option<u64>,
}

impl DirectionReport {
    pub(crate) fn names(scenario: &Scenario, link: usize, side: Side) -> (String, String) {
        let name = |side: Side| {
            let node: NodeId = scenario.links[link].end(side).node;
            scenario.node(node).name.clone()
        };
        (name(side), name(side.other()))
    }

    /// Lateness of the emulator turns into loss that no scenario asked for once packets that should have left the
    /// queue are still there: with a margin of two, when the queue is shorter than twice the worst lateness. It
    /// does no harm in a direction whose queue never dropped anything.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        let could_be_false = self
            .queue_time_ns
            .is_some_and(|q| q < 2 * self.counters.worst_lateness_ns);
        let out_of_room = self.counters.dropped(DropReason::Emulator) > 0;
        out_of_room || (could_be_false && self.counters.dropped(DropReason::Queue) > 0)
    }
}

/// The emulator's account of itself since the lab came up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validity {
    /// Every direction of every emulated link.
    pub directions: Vec<DirectionReport>,
}

impl Validity {
    /// Whether no direction is doubtful.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        !self.directions.iter().any(DirectionReport::is_doubtful)
    }

    /// The largest lateness of all directions, in ns.
    #[must_use]
    pub fn worst_lateness_ns(&self) -> u64 {
        self.directions
            .iter()
            .map(|d| d.counters.worst_lateness_ns)
            .max()
            .unwrap_or(0)
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let late_ms = self.worst_lateness_ns() as f64 / 1e6;
        let doubtful: Vec<_> = self.directions.iter().filter(|d| d.is_doubtful()).collect();
        if doubtful.is_empty() {
            return write!(f, "emulation valid, worst lateness {late_ms:.2} ms");
        }
        write!(f, "emulation NOT VALID, worst lateness {late_ms:.2} ms:")?;
        for direction in doubtful {
            let queue_ms = direction.queue_time_ns.unwrap_or(0) as f64 / 1e6;
            let own_ms = direction.counters.worst_lateness_ns as f64 / 1e6;
            write!(
                f,
                " {} -> {} (queue {queue_ms:.1} ms, late {own_ms:.1} ms)",
                direction.from, direction.to
            )?;
        }
        Ok(())
    }
}
