//! What the tables of `fixed_tables.rs` are made of: what a column holds, columns that several have, and what their names mean.

use super::gathered::Traffic;
use Holds::{Bits, Count, Label, Mtu, Nothing, Up};
use evidence::CounterKind;

/// What a column holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Holds {
    /// A counter, by its name here.
    Count(&'static str),
    /// What goes before the names of the row's counters: a queue.
    Label,
    /// Words for up.
    Up(&'static [&'static str]),
    /// Bytes.
    Mtu,
    /// What is configured or negotiated, 1000 bit/s; 0 where there is none.
    Kbits,
    /// Bit/s, with their share of the speed behind them.
    Bits(Traffic),
    /// A rate that is rounded, by its name and with its unit: it stays in the device's words.
    Rounded(&'static str, &'static str),
    /// Packets a second, in the direction that the command tells.
    PerSecond,
    Nothing,
}

pub(super) struct Table {
    /// Its heading, a line each.
    pub(super) heading: &'static [&'static str],
    /// The columns behind the port's.
    pub(super) columns: &'static [Holds],
    /// What all rows are of, where they do not begin with a port: their first word is what was counted.
    pub(super) of: Option<&'static str>,
    /// The command alone tells the direction, and the names of the counters begin with it.
    pub(super) is_of_way: bool,
    /// The port stands behind its columns.
    pub(super) is_port_last: bool,
}

/// Of the port that the command asks for.
pub(super) const OF_COMMAND: &str = "";

/// A table of ports.
pub(super) const PORTS: Table = Table {
    heading: &[],
    columns: &[],
    of: None,
    is_of_way: false,
    is_port_last: false,
};

/// Comware, `display counters inbound interface` and `outbound`.
pub(super) const COMWARE: Table = Table {
    heading: &["Interface Total (pkts) Broadcast (pkts) Multicast (pkts) Err (pkts)"],
    columns: &[
        Count("packets"),
        Count("broadcasts"),
        Count("multicasts"),
        Count("errors"),
    ],
    is_of_way: true,
    ..PORTS
};

/// What queues of SONiC and EOS took in and dropped.
pub(super) const QUEUE: &[Holds] = &[
    Label,
    Count("packets"),
    Count("bytes"),
    Count("dropped packets"),
    Count("dropped bytes"),
];

/// VyOS, `show interfaces counters`.
pub(super) const VYOS: &[Holds] = &[
    Count("Rx Pkt"),
    Count("Rx Byte"),
    Count("Tx Pkt"),
    Count("Tx Byte"),
    Count("Rx Dropped"),
    Count("Tx Dropped"),
    Count("Rx Errors"),
    Count("Tx Errors"),
];

/// As the kernel's own table has them.
pub(super) const LINUX: &[Holds] = &[
    Mtu,
    Count("RX_OK"),
    Count("RX_ERR"),
    Count("RX_DRP"),
    Count("RX_OVR"),
    Count("TX_OK"),
    Count("TX_ERR"),
    Count("TX_DRP"),
    Count("TX_OVR"),
    Nothing,
];

pub(super) const XR_MONITOR: &[Holds] = &[
    Bits(Traffic::InBps),
    Bits(Traffic::OutBps),
    Count("InBytes"),
    Count("OutBytes"),
    Count("InDrops"),
    Count("OutDrops"),
];

pub(super) const XR_MONITOR_OF_BYTES: &[Holds] = XR_MONITOR.split_at(4).0;

/// The same with the metric, of Cumulus 3.
pub(super) const LINUX_WITH_METRIC: &[Holds] = &[
    Mtu,
    Nothing,
    Count("RX_OK"),
    Count("RX_ERR"),
    Count("RX_DRP"),
    Count("RX_OVR"),
    Count("TX_OK"),
    Count("TX_ERR"),
    Count("TX_DRP"),
    Count("TX_OVR"),
    Nothing,
];

/// EXOS, `show ports statistics`.
pub(super) const EXOS: &[Holds] = &[
    Up(&["A"]),
    Count("Tx Pkt"),
    Count("Tx Byte"),
    Count("Rx Pkt"),
    Count("Rx Byte"),
    Count("Rx Bcast"),
    Count("Rx Mcast"),
];

/// NX-OS, `show interface counters brief`: rates, and what there is in total.
pub(super) const fn of_rates(heading: &'static [&'static str], columns: &'static [Holds]) -> Table {
    Table {
        heading,
        columns,
        ..PORTS
    }
}

/// The names of counters that mean the same across makers, sorted.
pub(super) const WORDS: &[(&str, CounterKind)] = &[
    ("Egress Octets", CounterKind::OutputBytes),
    ("Egress Packets", CounterKind::OutputPackets),
    ("IERRORS", CounterKind::InputErrors),
    ("IPACKETS", CounterKind::InputPackets),
    ("InBytes", CounterKind::InputBytes),
    ("InDrops", CounterKind::InputDiscards),
    ("InPkts", CounterKind::InputPackets),
    ("Ingress Octets", CounterKind::InputBytes),
    ("Ingress Packets", CounterKind::InputPackets),
    ("OBYTES", CounterKind::OutputBytes),
    ("OERRORS", CounterKind::OutputErrors),
    ("OPACKETS", CounterKind::OutputPackets),
    ("OutBytes", CounterKind::OutputBytes),
    ("OutDrops", CounterKind::OutputDrops),
    ("OutPkts", CounterKind::OutputPackets),
    ("Packet Drop", CounterKind::OutputDrops),
    ("Pkts In", CounterKind::InputPackets),
    ("Pkts Out", CounterKind::OutputPackets),
    ("RBYTES", CounterKind::InputBytes),
    ("RX_DRP", CounterKind::InputDiscards),
    ("RX_ERR", CounterKind::InputErrors),
    ("RX_OK", CounterKind::InputPackets),
    ("RX_OVR", CounterKind::InputOverrun),
    ("Rx Align", CounterKind::InputFraming),
    ("Rx Byte", CounterKind::InputBytes),
    ("Rx Crc", CounterKind::InputCrc),
    ("Rx Dropped", CounterKind::InputDiscards),
    ("Rx Errors", CounterKind::InputErrors),
    ("Rx Over", CounterKind::InputGiants),
    ("Rx Pkt", CounterKind::InputPackets),
    ("TX_DRP", CounterKind::OutputDrops),
    ("TX_ERR", CounterKind::OutputErrors),
    ("TX_OK", CounterKind::OutputPackets),
    ("TX_OVR", CounterKind::OutputUnderruns),
    ("Tx Byte", CounterKind::OutputBytes),
    ("Tx Coll", CounterKind::Collisions),
    ("Tx Dropped", CounterKind::OutputDrops),
    ("Tx Errors", CounterKind::OutputErrors),
    ("Tx Late coll", CounterKind::LateCollisions),
    ("Tx Pkt", CounterKind::OutputPackets),
    ("inErrors", CounterKind::InputErrors),
    ("inbound errors", CounterKind::InputErrors),
    ("inbound packets", CounterKind::InputPackets),
    ("outErrors", CounterKind::OutputErrors),
    ("outbound errors", CounterKind::OutputErrors),
    ("outbound packets", CounterKind::OutputPackets),
];
