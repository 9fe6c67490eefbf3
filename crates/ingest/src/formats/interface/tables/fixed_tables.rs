//! The tables of `fixed.rs`: SONiC, Cumulus, EXOS, Huawei, Comware, SR OS, F5, Cisco's QFP.

use super::fixed_columns::Holds::{Bits, Count, Kbits, Label, Mtu, Nothing, PerSecond, Rounded, Up};
use super::fixed_columns::{
    COMWARE, EXOS, LINUX, LINUX_WITH_METRIC, OF_COMMAND, PORTS, QUEUE, Table, VYOS, XR_MONITOR,
    XR_MONITOR_OF_BYTES, of_rates,
};
use super::gathered::Traffic;

pub(super) static TABLES: &[Table] = &[
    of_rates(
        &["Mbits/s Frames Mbits/s Frames"],
        &[
            Rounded("input rate", "Mbit/s"),
            Count("Pkts In"),
            Rounded("output rate", "Mbit/s"),
            Count("Pkts Out"),
        ],
    ),
    of_rates(
        &["MB/s Frames MB/s Frames"],
        &[
            Rounded("input rate", "MB/s"),
            Count("Pkts In"),
            Rounded("output rate", "MB/s"),
            Count("Pkts Out"),
        ],
    ),
    of_rates(
        &["Mbits/s Bytes Mbits/s Bytes"],
        &[
            Rounded("input rate", "Mbit/s"),
            Count("InBytes"),
            Rounded("output rate", "Mbit/s"),
            Count("OutBytes"),
        ],
    ),
    Table {
        heading: &["Port TxQ Counter/pkts Counter/bytes Drop/pkts Drop/bytes"],
        columns: QUEUE,
        ..PORTS
    },
    Table {
        heading: &["Port Voq Counter/pkts Counter/bytes Drop/pkts Drop/bytes"],
        columns: QUEUE,
        ..PORTS
    },
    // Of newer ones, which send what they would drop without its payload.
    Table {
        heading: &[
            "Port TxQ Counter/pkts Counter/bytes Drop/pkts Drop/bytes Trim/pkts TrimSent/pkts TrimDrop/pkts",
        ],
        columns: &[
            Label,
            Count("packets"),
            Count("bytes"),
            Count("dropped packets"),
            Count("dropped bytes"),
            Count("trimmed packets"),
            Count("trimmed packets sent"),
            Count("trimmed packets dropped"),
        ],
        ..PORTS
    },
    Table {
        heading: &["Port TxQ Trim/pkts TrimSent/pkts TrimDrop/pkts"],
        columns: &[
            Label,
            Count("trimmed packets"),
            Count("trimmed packets sent"),
            Count("trimmed packets dropped"),
        ],
        ..PORTS
    },
    Table {
        heading: &["Port TxQ WredDrp/pkts WredDrp/bytes EcnMarked/pkts EcnMarked/bytes"],
        columns: &[
            Label,
            Count("WRED dropped packets"),
            Count("WRED dropped bytes"),
            Count("ECN marked packets"),
            Count("ECN marked bytes"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Interface Rx Packets Rx Bytes Tx Packets Tx Bytes Rx Dropped Tx Dropped Rx Errors Tx Errors",
        ],
        columns: VYOS,
        ..PORTS
    },
    Table {
        heading: &["Port Rx PFC0 PFC1 PFC2 PFC3 PFC4 PFC5 PFC6 PFC7"],
        columns: &[
            Count("Rx PFC0"),
            Count("Rx PFC1"),
            Count("Rx PFC2"),
            Count("Rx PFC3"),
            Count("Rx PFC4"),
            Count("Rx PFC5"),
            Count("Rx PFC6"),
            Count("Rx PFC7"),
        ],
        ..PORTS
    },
    Table {
        heading: &["Port Tx PFC0 PFC1 PFC2 PFC3 PFC4 PFC5 PFC6 PFC7"],
        columns: &[
            Count("Tx PFC0"),
            Count("Tx PFC1"),
            Count("Tx PFC2"),
            Count("Tx PFC3"),
            Count("Tx PFC4"),
            Count("Tx PFC5"),
            Count("Tx PFC6"),
            Count("Tx PFC7"),
        ],
        ..PORTS
    },
    // NX-OS: pauses by priority, of all priorities together.
    Table {
        heading: &["Port Mode Oper(VL bmap) RxPPP TxPPP"],
        columns: &[Nothing, Nothing, Count("RxPPP"), Count("TxPPP")],
        ..PORTS
    },
    Table {
        heading: &["Iface MTU RX_OK RX_ERR RX_DRP RX_OVR TX_OK TX_ERR TX_DRP TX_OVR Flg"],
        columns: LINUX,
        ..PORTS
    },
    Table {
        heading: &["Iface MTU Met RX_OK RX_ERR RX_DRP RX_OVR TX_OK TX_ERR TX_DRP TX_OVR Flg"],
        columns: LINUX_WITH_METRIC,
        ..PORTS
    },
    Table {
        heading: &["Interface MTU RX_OK RX_ERR RX_DRP RX_OVR TX_OK TX_ERR TX_DRP TX_OVR Flg"],
        columns: LINUX,
        ..PORTS
    },
    Table {
        heading: &["LINK IPACKETS RBYTES IERRORS OPACKETS OBYTES OERRORS"],
        columns: &[
            Count("IPACKETS"),
            Count("RBYTES"),
            Count("IERRORS"),
            Count("OPACKETS"),
            Count("OBYTES"),
            Count("OERRORS"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Tx Tx Tx Tx Tx Tx",
            "State Coll Late coll Deferred Errors Lost Parity",
        ],
        columns: &[
            Up(&["A"]),
            Count("Tx Coll"),
            Count("Tx Late coll"),
            Count("Tx Deferred"),
            Count("Tx Errors"),
            Count("Tx Lost"),
            Count("Tx Parity"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Rx Rx Rx Rx Rx Rx Rx",
            "State Crc Over Under Frag Jabber Align Lost",
        ],
        columns: &[
            Up(&["A"]),
            Count("Rx Crc"),
            Count("Rx Over"),
            Count("Rx Under"),
            Count("Rx Frag"),
            Count("Rx Jabber"),
            Count("Rx Align"),
            Count("Rx Lost"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Intf Intf LineP Encap MTU BW",
            "Name State State Type (byte) (Kbps)",
        ],
        columns: &[Up(&["up"]), Nothing, Nothing, Mtu, Kbits],
        ..PORTS
    },
    // SONiC, `show subinterfaces status`.
    Table {
        heading: &["Sub port interface Speed MTU Vlan Admin Type"],
        columns: &[Nothing, Mtu, Nothing, Nothing, Nothing],
        ..PORTS
    },
    // IOS XR, `show ethernet tags`.
    Table {
        heading: &["Interface St MTU Ly Outer Inner Xtra -,+"],
        columns: &[
            Up(&["Up"]),
            Mtu,
            Nothing,
            Nothing,
            Nothing,
            Nothing,
            Nothing,
            Nothing,
        ],
        ..PORTS
    },
    // VOSS and ERS, `show interfaces gigabitEthernet error`.
    Table {
        heading: &[
            "PORT ALIGN FCS FRAMES INTERNAL CARRIER SHORT LONG IN OUT",
            "NUM ERROR ERROR LONG MAC_RX SENSE FRAMES FRAMES DISCARD DISCARD",
        ],
        columns: &[
            Count("Rx Align"),
            Count("Rx Crc"),
            Count("frames long"),
            Count("internal MAC_RX"),
            Count("carrier sense"),
            Count("short frames"),
            Count("long frames"),
            Count("InDrops"),
            Count("OutDrops"),
        ],
        ..PORTS
    },
    Table {
        heading: &["Interface PHY Protocol InUti OutUti inErrors outErrors"],
        columns: &[
            Up(&["up", "up(s)", "up(l)"]),
            Nothing,
            Nothing,
            Nothing,
            Count("inErrors"),
            Count("outErrors"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Tx Pkt Tx Byte Rx Pkt Rx Byte Rx Pkt Rx Pkt Tx Pkt Tx Pkt",
            "State Count Count Count Count Bcast Mcast Bcast Mcast",
        ],
        columns: &[
            Up(&["A"]),
            Count("Tx Pkt"),
            Count("Tx Byte"),
            Count("Rx Pkt"),
            Count("Rx Byte"),
            Count("Rx Bcast"),
            Count("Rx Mcast"),
            Count("Tx Bcast"),
            Count("Tx Mcast"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Tx Pkt Tx Byte Rx Pkt Rx Byte Rx Pkt Rx Pkt",
            "State Count Count Count Count Bcast Mcast",
        ],
        columns: EXOS,
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Tx Pkt Tx Byte Rx Pkt Rx Byte Rx Rx",
            "State Count Count Count Count Bcast Mcast",
        ],
        columns: EXOS,
        ..PORTS
    },
    Table {
        heading: &["Port Link Packet", "State Drop"],
        columns: &[Up(&["A"]), Count("Packet Drop")],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Ingress Ingress Egress Egress",
            "Id Packets Octets Packets Octets",
        ],
        columns: &[
            Count("Ingress Packets"),
            Count("Ingress Octets"),
            Count("Egress Packets"),
            Count("Egress Octets"),
        ],
        ..PORTS
    },
    // BIG-IP, `show net trunk`.
    Table {
        heading: &[
            "Name Status Bits Bits Pkts Pkts Drops Drops Errs Errs Colli",
            "In Out In Out In Out In Out sions",
        ],
        columns: &[
            Up(&["up"]),
            Nothing,
            Nothing,
            Count("Pkts In"),
            Count("Pkts Out"),
            Count("InDrops"),
            Count("OutDrops"),
            Count("inErrors"),
            Count("outErrors"),
            Count("Collisions"),
        ],
        ..PORTS
    },
    // What it drops and finds wrong is of both directions together.
    Table {
        heading: &[
            "Name Status Bits Bits Pkts Pkts Drops Errs Media",
            "In Out In Out",
        ],
        columns: &[
            Up(&["up"]),
            Nothing,
            Nothing,
            Count("Pkts In"),
            Count("Pkts Out"),
            Count("Drops"),
            Count("Errs"),
            Nothing,
        ],
        ..PORTS
    },
    Table {
        heading: &["Global Drop Stats Packets Octets"],
        columns: &[Count("packets"), Count("octets")],
        of: Some("QFP"),
        ..PORTS
    },
    // IOS XR, `monitor interface` of several ports: what was counted since the last time stands behind each figure.
    Table {
        heading: &["Interface In(bps) Out(bps) InBytes/Delta OutBytes/Delta"],
        columns: XR_MONITOR_OF_BYTES,
        ..PORTS
    },
    // `full-name`
    Table {
        heading: &["In(bps) Out(bps) InBytes/Delta OutBytes/Delta InDrops/Delta OutDrops/Delta Interface"],
        columns: XR_MONITOR,
        is_port_last: true,
        ..PORTS
    },
    Table {
        heading: &["In(bps) Out(bps) InBytes/Delta OutBytes/Delta Interface"],
        columns: XR_MONITOR_OF_BYTES,
        is_port_last: true,
        ..PORTS
    },
    Table {
        heading: &["Interface In(bps) Out(bps) InBytes/Delta OutBytes/Delta InDrops/Delta OutDrops/Delta"],
        columns: XR_MONITOR,
        ..PORTS
    },
    Table {
        heading: &["Interface In(bps) Out(bps) InPkts/Delta OutPkts/Delta"],
        columns: &[
            Bits(Traffic::InBps),
            Bits(Traffic::OutBps),
            Count("InPkts"),
            Count("OutPkts"),
        ],
        ..PORTS
    },
    // LACP of IOS and NX-OS: what was sent and received of each kind, below the names of the bundles.
    Table {
        heading: &[
            "LACPDUs Marker Marker Response LACPDUs",
            "Port Sent Recv Sent Recv Sent Recv Pkts Err",
        ],
        columns: &[
            Count("LACPDUs sent"),
            Count("LACPDUs received"),
            Count("markers sent"),
            Count("markers received"),
            Count("marker responses sent"),
            Count("marker responses received"),
            Count("LACPDUs in error"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "LACPDUs Markers/Resp LACPDUs",
            "Port Sent Recv Recv Sent Pkts Err",
        ],
        columns: &[
            Count("LACPDUs sent"),
            Count("LACPDUs received"),
            Count("markers received"),
            Count("marker responses sent"),
            Count("LACPDUs in error"),
        ],
        ..PORTS
    },
    // Cisco's QFP, `interface if-name PORT statistics`: the port stands in the command alone.
    Table {
        heading: &["Receive Stats Packets Octets"],
        columns: &[Count("packets received"), Count("octets received")],
        of: Some(OF_COMMAND),
        ..PORTS
    },
    Table {
        heading: &["Transmit Stats Packets Octets"],
        columns: &[Count("packets sent"), Count("octets sent")],
        of: Some(OF_COMMAND),
        ..PORTS
    },
    Table {
        heading: &["Input Drop Stats Packets Octets"],
        columns: &[Count("packets dropped in"), Count("octets dropped in")],
        of: Some(OF_COMMAND),
        ..PORTS
    },
    Table {
        heading: &["Output Drop Stats Packets Octets"],
        columns: &[Count("packets dropped out"), Count("octets dropped out")],
        of: Some(OF_COMMAND),
        ..PORTS
    },
    // Junos' filters and policers: each under its own name.
    Table {
        heading: &["Name Bytes Packets"],
        columns: &[Count("bytes"), Count("packets")],
        of: Some("filters and policers"),
        ..PORTS
    },
    COMWARE,
    Table {
        heading: &["Interface Usage(%) Total(pps) Broadcast(pps) Multicast(pps)"],
        columns: &[Nothing, PerSecond, Nothing, Nothing],
        ..COMWARE
    },
    Table {
        heading: &["Interface Usage(%) Total(pkts) Broadcast(pkts) Multicast(pkts) Err(pkts)"],
        columns: &[
            Nothing,
            Count("packets"),
            Count("broadcasts"),
            Count("multicasts"),
            Count("errors"),
        ],
        ..COMWARE
    },
];
