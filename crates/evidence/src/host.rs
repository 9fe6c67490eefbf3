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
}

/// Processors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuFacts {
    /// Processors on line.
    pub online: u32,
    /// Model name.
    pub model: Option<String>,
    /// Share of all processors' time spent busy while looked at, 0 to 1; `None` when not looked at.
    pub busy_ratio: Option<f64>,
    /// One-minute load average.
    pub load_1min: Option<f64>,
}
