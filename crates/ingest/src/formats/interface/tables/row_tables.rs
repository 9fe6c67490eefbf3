//! The tables of `rows.rs`.

use super::row_shapes::{ADDRESSES, ENOS, LAG, LAG_BRIEF, LAG_PORT, LINKAGG_PORT, SHARING, VERBOSE};

pub(super) struct Table {
    /// Its heading, a line each.
    pub(super) heading: &'static [&'static str],
    /// Patterns of its rows, the more telling first; those that begin with a blank are of rows that are set in. `{name}`, or `{words}`, and `{count}` are a
    /// counter of the port or of what the title names.
    pub(super) rows: &'static [&'static str],
    /// What goes before the number of a bundle, which is the name of a port as well.
    pub(super) bundle: &'static str,
    /// Bundles are named above the heading.
    pub(super) has_titles: bool,
    /// The first word of a row is the name of an interface, whatever it is.
    pub(super) is_of_names: bool,
    /// What its counters are of, where no row names a port.
    pub(super) of: Option<&'static str>,
}

const TABLE: Table = Table {
    heading: &[],
    rows: &[],
    bundle: "",
    has_titles: false,
    is_of_names: false,
    of: None,
};

pub(super) static TABLES: &[Table] = &[
    Table {
        heading: &["Lag-id Adm Opr Weighted Threshold Up-Count MC Act/Stdby", "name"],
        rows: LAG,
        bundle: "lag-",
        ..TABLE
    },
    Table {
        heading: &["Lag-id Adm Opr Port-Threshold Up-Link-Count MC Act/Stdby"],
        rows: LAG,
        bundle: "lag-",
        ..TABLE
    },
    Table {
        heading: &[
            "Lag-id Port-id Adm Act/ Opr Primary Sub-group Forced Prio",
            "Stdby",
        ],
        rows: LAG_PORT,
        bundle: "lag-",
        ..TABLE
    },
    Table {
        heading: &[
            "Id Port-id Adm Act/ Opr Primary Sub-group Forced Prio",
            "Stdby",
            "Name",
        ],
        rows: LAG_PORT,
        bundle: "lag-",
        ..TABLE
    },
    Table {
        heading: &["Slot/Port Aggregate SNMP Id Status Agg Oper Link Prim"],
        rows: LINKAGG_PORT,
        bundle: "linkagg ",
        ..TABLE
    },
    Table {
        heading: &["Chassis/Slot/Port Aggregate SNMP Id Status Agg Oper Link Prim"],
        rows: LINKAGG_PORT,
        bundle: "linkagg ",
        ..TABLE
    },
    Table {
        heading: &["Number Aggregate SNMP Id Size Admin State Oper State Att/Sel Ports"],
        rows: &["{bundle} {w} {n} {n} {w} {up} {set ports attached} {set ports selected}"],
        bundle: "linkagg ",
        ..TABLE
    },
    Table {
        heading: &[
            "Number Aggregate Size state state Ports Name",
            "Admin Oper Att/Sel",
        ],
        rows: &[
            "{bundle} {w} {n} {w} {up} {set ports attached} {set ports selected} {*}",
            "{bundle} {w} {n} {w} {up} {set ports attached} {set ports selected}",
        ],
        bundle: "linkagg ",
        ..TABLE
    },
    Table {
        heading: &["LAG Type Deploy Trunk Primary Port List"],
        rows: LAG_BRIEF,
        ..TABLE
    },
    Table {
        heading: &["LAG Type Deploy Trunk Intf Port List"],
        rows: LAG_BRIEF,
        ..TABLE
    },
    Table {
        heading: &[
            "Config Current Agg Ld Share Ld Share Agg Link Link Up",
            "Master Master Control Algorithm Group Mbr State Transitions",
        ],
        rows: SHARING,
        bundle: "sharing group ",
        ..TABLE
    },
    Table {
        heading: &[
            "Config Current Agg Min Ld Share Flags Ld Share Agg Link Link Up",
            "Master Master Control Active Algorithm Group Mbr State Transitions",
        ],
        rows: SHARING,
        bundle: "sharing group ",
        ..TABLE
    },
    Table {
        heading: &["Port Name Type Group Type"],
        rows: &["{port} | {*} | {bundle} {set member}"],
        ..TABLE
    },
    Table {
        heading: &[
            "Port Status Priority Index Oper-Key Flag",
            "Port Status Priority Oper-Key Flag",
            "Port Status Priority Index Oper-Key",
            "Port Status Priority Oper-Key",
        ],
        rows: VERBOSE,
        has_titles: true,
        ..TABLE
    },
    Table {
        heading: &[
            "Port Flags Link ELSM Link Num Num Num Jumbo QOS Load",
            "State /OAM UPS STP VLAN Proto Size profile Master",
        ],
        rows: &["{port} {w} {up} {w} / {w} {link ups} {n} {n} {n} {set jumbo size} {*}"],
        ..TABLE
    },
    Table {
        heading: &[
            "Pr Type Stat Mode Mode Status Status Trap POE",
            "STP Admin Physical Physical Link Link",
        ],
        rows: &[
            "{port} {w} {w} {w} {w} Auto {up} {*}",
            "{port} {w} {w} {w} {w} {speed} {duplex} {up} {*}",
        ],
        ..TABLE
    },
    Table {
        heading: &[
            "Pr Status Pkts In Pkts Out Bcast Errors Errors Collisions",
            "Link Pkts In Pkts In Pkts Out",
        ],
        rows: &[
            "{port} {up} {InputPackets} {OutputPackets} {broadcasts in} {InputErrors} {OutputErrors} {Collisions}",
            "Total {*}",
        ],
        ..TABLE
    },
    Table {
        heading: &[
            "VPN INTERFACE TYPE IP ADDRESS STATUS STATUS STATUS TYPE PORT TYPE MTU HWADDR MBPS DUPLEX ADJUST UPTIME PACKETS PACKETS",
            "AF ADMIN OPER TRACKER ENCAP SPEED MSS RX TX",
            "IF IF IF TCP",
        ],
        rows: &[
            "{n} {port} {w} {w} {w} {up} {w} {w} {w} {mtu} {w} {speed} {duplex} {w} {w} {InputPackets} {OutputPackets}",
        ],
        ..TABLE
    },
    // AOS-CX, `show lacp interfaces`: what the other end says of itself is told of no port of this one.
    Table {
        heading: &[
            "Intf Aggr Port Port State System-ID System Aggr Forwarding",
            "Name Id Pri Pri Key State",
        ],
        rows: &["{port} {bundle} {n} {n} {w} {w} {n} {n} {set member}"],
        ..TABLE
    },
    Table {
        heading: &[
            "Intf Aggr Port Port State System-ID System Aggr",
            "Name Id Pri Pri Key",
        ],
        rows: &["{port} {w} {n} {n} {w} {w} {n} {n}"],
        ..TABLE
    },
    // Cumulus, `net show interface PORT`.
    Table {
        heading: &["Name MAC Speed MTU Mode"],
        rows: &["{up} {port} {w}:{w} {speed} {mtu} {*}"],
        ..TABLE
    },
    // Solaris, `dladm show-link`, `show-phys`.
    Table {
        heading: &["LINK CLASS MTU STATE OVER"],
        rows: &["{port} {w} {mtu} {up} {*}", "{port} {w} {mtu} unknown {*}"],
        ..TABLE
    },
    Table {
        heading: &["LINK CLASS MTU STATE BRIDGE OVER"],
        rows: &["{port} {w} {mtu} {up} {*}", "{port} {w} {mtu} unknown {*}"],
        ..TABLE
    },
    Table {
        heading: &["LINK MEDIA STATE SPEED DUPLEX DEVICE"],
        rows: &[
            "{port} {w} {up} {speed} {duplex} {w}",
            "{port} {w} unknown {n} {w} {w}",
        ],
        ..TABLE
    },
    // EOS, `show hardware counter drop`: what each chip dropped, with when it began.
    Table {
        heading: &["Type Chip CounterName : Count : First Occurrence : Last Occurrence"],
        rows: &[
            "{w} {port} {name}: {count}: {*}",
            "Summary:",
            "Total {*} Drops: {n}",
        ],
        has_titles: true,
        ..TABLE
    },
    // Catalyst 9000, `show platform hardware fed … drops exceptions`: since the start, and since the last time.
    Table {
        heading: &["Asic/core NAME prev current delta"],
        rows: &[
            "****EXCEPTION STATS ASIC INSTANCE {bundle} ({*}",
            "{w} {w} {name} {n} {count} {n}",
        ],
        bundle: "ASIC ",
        has_titles: true,
        ..TABLE
    },
    // IOS XR, `show controllers np counters`.
    Table {
        heading: &["Offset Counter FrameValue Rate (pps)"],
        rows: &[
            "Show global stats counters for {bundle}, revision {*}",
            "Read {n} non-zero NP counters:",
            "{n} {name} {count} {n}",
        ],
        has_titles: true,
        ..TABLE
    },
    // EOS on chips with virtual output queues, `show interfaces counters queue`: what waits for a port, and what its queues took. The rows of
    // the two tables differ in their words.
    Table {
        heading: &[
            "Egress Traffic Pkts Octets DropPkts DropOctets",
            "Port Class",
            "Port Traffic DropPrec DestType OutEnqPkts OutEnqOctets OutDropPkts OutDropOctets",
            "Class",
        ],
        rows: &[
            "{port} {label} {VoQ packets} {VoQ bytes} {VoQ dropped packets} {VoQ dropped bytes}",
            "{port} {label} DP0-3 UC {packets} {bytes} {dropped packets} {dropped bytes}",
            "{port} {label} DP0-3 MC {multicast packets} {multicast bytes} {dropped multicast packets} {dropped multicast bytes}",
        ],
        ..TABLE
    },
    // SR OS, `show router interface`: one of both protocols is enough for an interface to be up. Its addresses stand below it.
    Table {
        heading: &[
            "Interface-Name Adm Opr(v4/v6) Mode Port/SapId",
            "IP-Address PfxState",
        ],
        rows: &[
            "{name} {w} {up}/Down {w} {w}",
            "{name} {w} {w}/{up} {w} {w}",
            "{w}/{n} {w}",
            "{w}/{n}",
            "Interfaces: {n}",
        ],
        is_of_names: true,
        ..TABLE
    },
    // Lenovo's ENOS, `show interface status`: of a port that is down the speed is what it is capable of.
    Table {
        heading: &[
            "Port Speed Duplex Flow Ctrl Link Description",
            "------- ------ -------- --TX-----RX-- ------ -------------",
        ],
        rows: ENOS,
        ..TABLE
    },
    Table {
        heading: &[
            "Alias Port Speed Duplex Flow Ctrl Link Name",
            "------- ---- ----- -------- --TX-----RX-- ------ ------",
        ],
        rows: &[
            "{w} {port} {speed} {duplex} {w} {w} {up} {*}",
            "{w} {port} {w} {w} {w} {w} {up} {*}",
            "{w} {port} {w} {w} {w} {w} {up}",
        ],
        ..TABLE
    },
    // NX-OS, `show port-channel traffic`: how the members share what their bundle carries.
    Table {
        heading: &["ChanId Port Rx-Ucst Tx-Ucst Rx-Mcst Tx-Mcst Rx-Bcst Tx-Bcst"],
        rows: &[
            "{n} {port} {set share of unicast received} {set share of unicast sent} {set share of multicast received} \
                {set share of multicast sent} {set share of broadcast received} {set share of broadcast sent}",
        ],
        ..TABLE
    },
    // SONiC, `show pfcwd stats`: what was sent, dropped since the start, and in the last storm.
    Table {
        heading: &[
            "QUEUE STATUS STORM DETECTED/RESTORED TX OK/DROP RX OK/DROP TX LAST OK/DROP RX LAST OK/DROP",
        ],
        rows: &[
            "{port}:{label} {w} {storms detected}/{storms restored} {tx ok}/{tx drop} {rx ok}/{rx drop} \
                {tx ok in the last storm}/{tx drop in the last storm} {rx ok in the last storm}/{rx drop in the last storm}",
        ],
        ..TABLE
    },
    // Junos, `show pfe statistics traffic`.
    Table {
        heading: &[
            "Packet Forwarding Engine traffic statistics:",
            "Packet Forwarding Engine local traffic statistics:",
            "Packet Forwarding Engine local protocol statistics:",
            "Packet Forwarding Engine hardware discard statistics:",
            "Packet Forwarding Engine Input IPv4 Header Checksum Error and Output MTU Error statistics:",
        ],
        rows: &[" {words}: {count} {n} pps", " {words}: {count}"],
        of: Some("packet forwarding engines"),
        ..TABLE
    },
    // VRP, `display optical-module brief`.
    Table {
        heading: &["Port Status Duplex Type WL(nm) RxPower(dBm) TxPower(dBm) Mode Vender PN"],
        rows: &["{port} {set module} {w} {w} {w} {rx-dbm} {tx-dbm} {*}"],
        ..TABLE
    },
    // IOS XR, `show interfaces summary`: how many ports there are says nothing of a path.
    Table {
        heading: &["Interface Type Total UP Down Admin Down"],
        rows: &["ALL TYPES {n} {n} {n} {n}", "{w} {n} {n} {n} {n}"],
        ..TABLE
    },
    // PAN-OS, which zone an address is of, and what people call ports, say nothing of a path.
    Table {
        heading: &["name id vsys zone forwarding tag address"],
        rows: &["{port} {n} {n} {*}", " {w}"],
        ..TABLE
    },
    Table {
        heading: &["Port Display String Description String"],
        rows: &["{port}", "{port} {*}"],
        ..TABLE
    },
    Table {
        heading: &["IP Address I/F I/F Status Type Status", "admin/oper"],
        rows: ADDRESSES,
        ..TABLE
    },
    Table {
        heading: &[
            "IP Address I/F I/F Status Type Directed Prec Redirect Status",
            "admin/oper Broadcast",
        ],
        rows: ADDRESSES,
        ..TABLE
    },
    Table {
        heading: &["IP Address I/F Type Directed Precedence Status", "Broadcast"],
        rows: ADDRESSES,
        ..TABLE
    },
    Table {
        heading: &["IP Address I/F Type Status"],
        rows: ADDRESSES,
        ..TABLE
    },
    Table {
        heading: &["Gateway IP Address Activity status Type"],
        rows: &["{n} {w} {w}"],
        ..TABLE
    },
];
