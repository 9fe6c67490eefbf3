//! What a host says of itself: settings, interface, counters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Settings and counters of one host that bear on transfers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostFacts {
    /// The host's own name.
    pub hostname: Option<String>,
    /// Kernel name and release.
    pub kernel: Option<String>,
    /// Sysctls that bear on transfers, by dotted name (`net.ipv4.tcp_rmem`), with the kernel's own text.
    pub sysctls: BTreeMap<String, String>,
    /// Default congestion control for the route to the other end, where known, else the system's.
    pub congestion_control: Option<String>,
    /// Congestion controls that may be asked for.
    pub available_congestion_controls: Vec<String>,
    /// The interface that leads to the other end; `None` when it could not be found out.
    pub interface: Option<Interface>,
    /// TCP and UDP counters (`/proc/net/snmp`, `/proc/net/netstat`), by `Tcp.RetransSegs` style names.
    pub counters: BTreeMap<String, u64>,
    /// Processors and their load.
    pub cpu: Option<CpuFacts>,
    /// Routes and destinations with settings of their own (`ip route`, `ip tcp_metrics`), in the tool's words: a locked MTU,
    /// a window or an initial congestion window that somebody set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub routes: BTreeMap<String, String>,
    /// What else tools said of the host that bears on transfers, by their names for it, in their words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, String>,
}

/// A network interface.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Interface {
    /// Name.
    pub name: String,
    /// MTU in bytes.
    pub mtu_bytes: Option<u32>,
    /// Link speed in Mbit/s; `None` for virtual interfaces and where unknown.
    pub speed_mbps: Option<u32>,
    /// `full` or `half`.
    pub duplex: Option<String>,
    /// Driver name.
    pub driver: Option<String>,
    /// Queueing discipline at the root.
    pub qdisc: Option<String>,
    /// Transmit queue length, packets.
    pub tx_queue_length: Option<u32>,
    /// Offloads by the kernel's feature name (`tx-tcp-segmentation`), and whether each is on.
    pub offloads: BTreeMap<String, bool>,
    /// Receive ring: current and largest.
    pub rx_ring: Option<(u32, u32)>,
    /// Transmit ring: current and largest.
    pub tx_ring: Option<(u32, u32)>,
    /// Counters as the kernel names them (`rx_packets`, `rx_crc_errors`, `rx_missed_errors`…), lifetime totals.
    pub counters: BTreeMap<String, u64>,
    /// The slot that its card sits in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcie: Option<PcieLink>,
    /// Its further settings by the tool's names, in its words: `pause.rx`, `coalesce.rx-usecs`, `channels.combined`,
    /// `fec.active`, `qdisc.netem 1:` (what somebody set there: delay, loss, rate).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, String>,
}

/// The PCI Express link of a card: what it is capable of, and what was negotiated (`LnkCap`, `LnkSta`).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PcieLink {
    /// Transfers per second and lane that the card is capable of, 10^9.
    pub capable_gtps: Option<f64>,
    /// Lanes that it is capable of.
    pub capable_lanes: Option<u32>,
    /// Transfers per second and lane in use, 10^9.
    pub gtps: Option<f64>,
    /// Lanes in use.
    pub lanes: Option<u32>,
}

/// Processors.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CpuFacts {
    /// Processors on line.
    pub online: u32,
    /// Model name.
    pub model: Option<String>,
    /// Share of all processors' time spent busy while looked at, 0 to 1; `None` when not looked at.
    pub busy_ratio: Option<f64>,
    /// One-minute load average.
    pub load_1min: Option<f64>,
    /// NUMA nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numa_nodes: Option<u32>,
    /// The processor that was busiest while looked at: one that serves a card's interrupts limits although the rest idles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest: Option<BusiestCpu>,
}

/// One processor's time while looked at, shares of 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BusiestCpu {
    /// Its number.
    pub number: u32,
    /// Not idle, nor waiting for a disk.
    pub busy_ratio: f64,
    /// Serving interrupts, hard and soft: receiving packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupts_ratio: Option<f64>,
}
