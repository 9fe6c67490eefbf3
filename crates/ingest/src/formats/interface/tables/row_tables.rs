//! The tables of `rows.rs`.

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
    /// What its counters are of, where no row names a port.
    pub(super) of: Option<&'static str>,
}

const TABLE: Table = Table {
    heading: &[],
    rows: &[],
    bundle: "",
    has_titles: false,
    of: None,
};

/// SR OS, `show lag`.
const LAG: &[&str] = &[
    "{bundle} {w} {up} {w} {n} {set ports up} {w}",
    "{bundle} {w} {up} {n} {set ports up} {w}",
    " {w}",
];

/// SR OS, `show lag port`: the primary port of a bundle stands in its first row. What stands by passes nothing, and is down.
const LAG_PORT: &[&str] = &[
    "{bundle}({w}) {port} {w} {set member} {up} {*}",
    " {port} {w} {set member} {up} {*}",
    "lag-{w}",
];

/// AOS, `show linkagg port`: a port that was not attached is in none.
const LINKAGG_PORT: &[&str] = &[
    "{port} {w} {n} {w} NONE {w} {up} {w}",
    "{port} {w} {n} {set member} {bundle} {w} {up} {w}",
];

/// FastIron and NetIron: a long name stands right in front of the type.
const LAG_BRIEF: &[&str] = &[
    "{bundle}dynamic {w} {w} {w} {set ports}",
    "{bundle}static {w} {w} {w} {set ports}",
];

/// EXOS, `show sharing`: of a group without a master port that is up that cell is empty.
const SHARING: &[&str] = &[
    "{bundle} {n} {w} {n} {w} {w} {port} {set member} {up} {link ups}",
    "{bundle} {n} {w} {n} {w} {port} {set member} {up} {link ups}",
    "{bundle} {w} {n} {w} {w} {port} {set member} {up} {link ups}",
    "{bundle} {n} {w} {w} {port} {set member} {up} {link ups}",
    "{bundle} {w} {w} {port} {set member} {up} {link ups}",
    "{w} {port} {set member} {up} {link ups}",
];

/// `show ip interface` of Eltex and Cisco's small switches. What an address waits for goes on in the next row.
const ADDRESSES: &[&str] = &[
    "{n} {if} UP/{up} {*}",
    "{n} {if} DOWN/{up} {*}",
    "{n} {port} UP/{up} {*}",
    "{n} {port} DOWN/{up} {*}",
    "{n} {if} {*}",
    "{n} {port} {*}",
    " {w}",
];

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

/// Comware, `display link-aggregation verbose`: what the other end says of itself is not this one's.
const VERBOSE: &[&str] = &[
    "Aggregate Interface: {bundle}",
    "Aggregation Interface: {bundle}",
    "Creation Mode: {*}",
    "Aggregation Mode: {*}",
    "Loadsharing Type: {*}",
    "Management VLANs: {*}",
    "Management VLAN: {*}",
    "System ID: {*}",
    "Local:",
    "Remote:",
    "Actor {*}",
    "{port} {n} {n} {n} {w}, {*}",
    "{port}({w}) {set member} {n} {*}",
    "{port} {set member} {n} {*}",
];

/// What asks for tables that have words above their headings.
pub(super) const COMMANDS: [&str; 4] = [
    "show hardware counter drop",
    "show platform hardware fed ",
    "show controllers np counters ",
    "show port-channel traffic",
];

/// What titles begin with that may stand above all else.
pub(super) const TITLES: [&str; 2] = [
    "****EXCEPTION STATS ASIC INSTANCE ",
    "Show global stats counters for ",
];

/// What is printed above and below them.
pub(super) const BESIDE: [&str; 24] = [
    "Last clearing of counters for this NP: ",
    "NOTE: Clear the port-channel member counters",
    "Node: 0/",
    "State abbreviations :",
    "Actor details of all interfaces:",
    "Partner details of all interfaces:",
    "> indicates Port Display Name",
    "Link State: A-Active",
    "Custom Algorithm Configuration:",
    "Number of load sharing trunks:",
    "Flags: A -- LACP_Activity",
    "Lag Data",
    "Lag Port States",
    "LACP Status: e - Enabled",
    "Total Lag-ids: ",
    "Total number of LAGs",
    "Total number of deployed LAGs",
    "Total number of trunks created",
    "LACP System Priority / ID",
    "LACP Long timeout",
    "LACP Short timeout",
    "Load Sharing Monitor",
    "Load Balancing Method: ",
    "Loadsharing Type: Shar --",
];
