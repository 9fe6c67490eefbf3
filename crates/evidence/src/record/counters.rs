//! Counters of routers: of interfaces, and of the packets of one flow at several points of its path.

use super::Node;
use crate::{ObservationId, RateBps, Transport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A snapshot of an interface's counters: `show interface`, `ip -s link`, `ethtool -S`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct InterfaceCounters {
    /// The router, switch or host; unknown where the output does not name it.
    pub device: Node,
    /// The interface: `ATM5/0`, `xe-0/1/0`, `eth0`.
    pub interface: String,
    /// The operator's description of it.
    pub description: Option<String>,
    /// Whether it is up.
    pub up: Option<bool>,
    /// MTU in bytes, as the device counts it.
    pub mtu_bytes: Option<u32>,
    /// Bandwidth that it is configured with or negotiated.
    pub bandwidth_bps: Option<RateBps>,
    /// `full` or `half`.
    pub duplex: Option<String>,
    /// Since when it counts, seconds before the snapshot, as coarse as the device tells ("1w2d"); `None`: since an
    /// unknown time, so that only differences between snapshots say anything of the present.
    pub counting_for_s: Option<u64>,
    /// Counters with a meaning across makers.
    pub counters: BTreeMap<CounterKind, u64>,
    /// All others, by the device's own name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, u64>,
    /// Traffic as the device averages it.
    pub load: Option<InterfaceLoad>,
    /// Light in its transceiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optics: Option<Optics>,
    /// Settings without a field of their own, by the tool's names, in its words: `auto-negotiation`, `port`, `media`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

/// What a transceiver measures of itself (SFF-8472, SFF-8636, CMIS), a figure a lane.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Optics {
    /// Light received, dBm.
    pub received_dbm: Vec<f64>,
    /// Light sent, dBm.
    pub sent_dbm: Vec<f64>,
    /// Temperature of the module, degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<f64>,
    /// Below this much received light the module warns, dBm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_low_warning_dbm: Option<f64>,
    /// Alarms and warnings that are raised, as the device names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<String>,
}

/// Traffic over an interface as the device averages it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InterfaceLoad {
    /// The time averaged over, seconds; `None` where the device does not tell.
    pub over_s: Option<u64>,
    /// Received.
    pub input_bps: Option<RateBps>,
    /// Packets received per second.
    pub input_pps: Option<f64>,
    /// Sent.
    pub output_bps: Option<RateBps>,
    /// Packets sent per second.
    pub output_pps: Option<f64>,
}

/// A counter with the same meaning across makers (RFC 2863 and what `show interface` adds). All count packets unless
/// the name says bytes. Most wrap: a smaller value in a later snapshot is a wrap or a reset, not a negative count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CounterKind {
    /// Packets received.
    InputPackets,
    /// Bytes received.
    InputBytes,
    /// Received with any error, as the device sums them.
    InputErrors,
    /// Received with a wrong checksum.
    InputCrc,
    /// Received with a framing or alignment error; SONET/SDH section, line and path errors.
    InputFraming,
    /// The receiving hardware had no room (FIFO overrun).
    InputOverrun,
    /// Cisco "ignored": the interface ran out of internal buffers.
    InputIgnored,
    /// Dropped for want of a buffer in main memory, ring or socket ("no buffer", `rx_missed_errors`).
    InputNoBuffer,
    /// Dropped from a full input queue.
    InputQueueDrops,
    /// Discarded although sound (RFC 2863 `ifInDiscards`).
    InputDiscards,
    /// Shorter than allowed.
    InputRunts,
    /// Longer than allowed.
    InputGiants,
    /// Pause frames received (IEEE 802.3 annex 31B).
    InputPauses,
    /// Packets sent.
    OutputPackets,
    /// Bytes sent.
    OutputBytes,
    /// Not sent because of an error.
    OutputErrors,
    /// Dropped from a full output queue, or discarded (RFC 2863 `ifOutDiscards`).
    OutputDrops,
    /// The sending hardware ran empty.
    OutputUnderruns,
    /// Pause frames sent.
    OutputPauses,
    /// Collisions; with full duplex there are none.
    Collisions,
    /// Late collisions: a duplex mismatch or too long a cable.
    LateCollisions,
    /// Carrier lost.
    CarrierTransitions,
    /// Times that the interface was reset.
    InterfaceResets,
}

impl CounterKind {
    /// The packets of which it counts some that went wrong: those received, or those sent; `None` where it counts no such.
    #[must_use]
    pub fn share_of(self) -> Option<Self> {
        match self {
            Self::InputErrors
            | Self::InputCrc
            | Self::InputFraming
            | Self::InputOverrun
            | Self::InputIgnored
            | Self::InputNoBuffer
            | Self::InputQueueDrops
            | Self::InputDiscards
            | Self::InputRunts
            | Self::InputGiants => Some(Self::InputPackets),
            Self::OutputErrors
            | Self::OutputDrops
            | Self::OutputUnderruns
            | Self::Collisions
            | Self::LateCollisions => Some(Self::OutputPackets),
            _ => None,
        }
    }
}

impl InterfaceCounters {
    /// What it is called. Of one whose name nobody told, the observation that holds it tells it from others: two without a name need not be
    /// one interface.
    #[must_use]
    pub fn called(&self, observation: &ObservationId) -> Cow<'_, str> {
        match self.interface.as_str() {
            "" => Cow::Owned(format!("unnamed ({observation})")),
            name => Cow::Borrowed(name),
        }
    }

    /// What was counted since an earlier snapshot, so many seconds before.
    #[must_use]
    pub fn since(&self, before: &Self, seconds: f64) -> BTreeMap<CounterKind, u64> {
        let cleared = self.was_cleared_since(before, seconds);
        let one = |(kind, now): (&CounterKind, &u64)| {
            let then = before.counters.get(kind).copied();
            Some((*kind, if cleared { *now } else { grown(then?, *now) }))
        };
        self.counters.iter().filter_map(one).collect()
    }

    /// The counters were cleared in between, so that the later ones are the difference (a part of it): the device says so, or
    /// all counters that move fell, which a wrap of one of them does not do.
    fn was_cleared_since(&self, before: &Self, seconds: f64) -> bool {
        if let Some(counting) = self.counting_for_s {
            // "1w2d" is an hour to a day coarse; a clearing in the window shows all the same unless it was at its start.
            return (counting as f64) < seconds;
        }
        let both = self
            .counters
            .iter()
            .filter_map(|(kind, now)| Some((*before.counters.get(kind)?, *now)));
        let moved: Vec<bool> = both
            .filter(|(then, now)| then != now)
            .map(|(then, now)| now < then)
            .collect();
        moved.len() > 1 && moved.iter().all(|fell| *fell)
    }
}

/// The growth of a counter that may have wrapped at 2^32 (RFC 2863 section 3.1.6); a wider one that fell was reset.
fn grown(then: u64, now: u64) -> u64 {
    const WRAP: u64 = 1 << 32;
    match now.checked_sub(then) {
        Some(growth) => growth,
        None if then < WRAP => now.saturating_add(WRAP - then),
        None => now,
    }
}

/// The packets of one test counted at ordered points of their path, in one or several networks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CounterChain {
    /// What the record calls the test.
    pub label: String,
    /// The sender of the packets counted.
    pub from: Node,
    /// Their receiver.
    pub to: Node,
    /// The protocol.
    pub protocol: Option<Transport>,
    /// Parallel connections or streams.
    pub streams: Option<u16>,
    /// Length of the test, nanoseconds.
    pub duration_ns: Option<u64>,
    /// Rate at the sender, where told.
    pub sent_bps: Option<RateBps>,
    /// Rate at the receiver, where told.
    pub received_bps: Option<RateBps>,
    /// Packets that the sending host says it sent.
    pub packets_sent: Option<u64>,
    /// Packets that the receiving host says are missing.
    pub reported_lost: Option<u64>,
    /// Packets that the receiving host says came out of order.
    pub reported_reordered: Option<u64>,
    /// In the order of the path.
    pub points: Vec<CounterPoint>,
    /// Remarks that the record makes on its own figures (footnotes), as printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// One counter of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CounterPoint {
    /// The network that counted.
    pub network: String,
    /// What it counted: `GEANT (UK) -> GEANT (France)`.
    pub description: String,
    /// Packets counted; `None` where the counter is missing.
    pub packets: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_at_32_bits_and_wider_ones_are_reset() {
        assert_eq!(grown(10, 25), 15);
        assert_eq!(grown((1 << 32) - 5, 10), 15);
        assert_eq!(grown(1 << 40, 7), 7);
    }

    #[test]
    fn a_clearing_is_no_wrap() {
        let snapshot = |received, sent| InterfaceCounters {
            counters: [
                (CounterKind::InputPackets, received),
                (CounterKind::OutputPackets, sent),
            ]
            .into(),
            ..InterfaceCounters::default()
        };
        let since = |before: &InterfaceCounters, after: &InterfaceCounters| {
            after.since(before, 60.0).into_values().collect::<Vec<_>>()
        };
        assert_eq!(since(&snapshot(100, 200), &snapshot(150, 220)), [50, 20]);
        assert_eq!(since(&snapshot(100, 200), &snapshot(7, 9)), [7, 9]);
        assert_eq!(since(&snapshot((1 << 32) - 1, 200), &snapshot(7, 220)), [8, 20]);
    }
}
