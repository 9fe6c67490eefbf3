//! Rows that several tables of `row_tables.rs` have, and what stands above and below the tables.

/// SR OS, `show lag`.
pub(super) const LAG: &[&str] = &[
    "{bundle} {w} {up} {w} {n} {set ports up} {w}",
    "{bundle} {w} {up} {n} {set ports up} {w}",
    " {w}",
];

/// SR OS, `show lag port`: the primary port of a bundle stands in its first row. What stands by passes nothing, and is down.
pub(super) const LAG_PORT: &[&str] = &[
    "{bundle}({w}) {port} {w} {set member} {up} {*}",
    " {port} {w} {set member} {up} {*}",
    "lag-{w}",
];

/// AOS, `show linkagg port`: a port that was not attached is in none.
pub(super) const LINKAGG_PORT: &[&str] = &[
    "{port} {w} {n} {w} NONE {w} {up} {w}",
    "{port} {w} {n} {set member} {bundle} {w} {up} {w}",
];

/// FastIron and NetIron: a long name stands right in front of the type.
pub(super) const LAG_BRIEF: &[&str] = &[
    "{bundle}dynamic {w} {w} {w} {set ports}",
    "{bundle}static {w} {w} {w} {set ports}",
];

/// EXOS, `show sharing`: of a group without a master port that is up that cell is empty.
pub(super) const SHARING: &[&str] = &[
    "{bundle} {n} {w} {n} {w} {w} {port} {set member} {up} {link ups}",
    "{bundle} {n} {w} {n} {w} {port} {set member} {up} {link ups}",
    "{bundle} {w} {n} {w} {w} {port} {set member} {up} {link ups}",
    "{bundle} {n} {w} {w} {port} {set member} {up} {link ups}",
    "{bundle} {w} {w} {port} {set member} {up} {link ups}",
    "{w} {port} {set member} {up} {link ups}",
];

/// `show ip interface` of Eltex and Cisco's small switches. What an address waits for goes on in the next row.
pub(super) const ADDRESSES: &[&str] = &[
    "{n} {if} UP/{up} {*}",
    "{n} {if} DOWN/{up} {*}",
    "{n} {port} UP/{up} {*}",
    "{n} {port} DOWN/{up} {*}",
    "{n} {if} {*}",
    "{n} {port} {*}",
    " {w}",
];

/// ENOS: what people call a port may be missing.
pub(super) const ENOS: &[&str] = &[
    "{port} {speed} {duplex} {w} {w} {up} {*}",
    "{port} {speed} {duplex} {w} {w} {up}",
    "{port} {w} {w} {w} {w} {up} {*}",
    "{port} {w} {w} {w} {w} {up}",
];

/// Comware, `display link-aggregation verbose`: what the other end says of itself is not this one's.
pub(super) const VERBOSE: &[&str] = &[
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
pub(super) const COMMANDS: [&str; 5] = [
    "show hardware counter drop",
    "show platform hardware fed ",
    "show controllers np counters ",
    "show port-channel traffic",
    "show router interface",
];

/// What titles begin with that may stand above all else.
pub(super) const TITLES: [&str; 2] = [
    "****EXCEPTION STATS ASIC INSTANCE ",
    "Show global stats counters for ",
];

/// What is printed above and below them.
pub(super) const BESIDE: [&str; 28] = [
    "Aggregate VoQ Counters",
    "Egress Queue Counters",
    "Interface Table (Router: ",
    "Interface Table (Service: ",
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
