//! Cisco IOS `show interfaces stats` and `accounting`: what an interface passed by the way in which it was switched, and by protocol.
//!
//! The sum stands in a row of its own in the first, and the second has none: a sum over rows, of which one may be missing, is no
//! count of the interface.

use super::super::dialect::{Dialect, Rule, SECTION, Section, any, never};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS, packets by path and protocol",
    reads: "`show interfaces stats`: packets and bytes in all; `show interfaces accounting`: of each protocol",
    is_flat: false,
    has_units: false,
    heads: &["{alone}", "Interface {if} is {absent}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Switching path Pkts In Chars In Pkts Out Chars Out"],
            rules: BY_PATH,
            ..SECTION
        },
        // Rates of protocols look the same below another heading.
        Section {
            titles: &[
                "Protocol Pkts In Chars In Pkts Out Chars Out",
                "Protocol Pkts In Chars In Pkts Out Chars Out RXBS RXPS TXBS TXPS",
            ],
            rules: BY_PROTOCOL,
            ..SECTION
        },
    ],
};

macro_rules! part {
    ($name:literal $behind:literal) => {
        any(concat!(
            $name,
            " {",
            $name,
            " packets in} {",
            $name,
            " bytes in} {",
            $name,
            " packets out} {",
            $name,
            " bytes out}",
            $behind
        ))
    };
}

static LINES: &[Rule] = &[
    any("No traffic sent or received on this interface."),
    any("No accounting statistics available for {*}"),
    any("INPKTS {*}"),
    any("Pkts In: {*}"),
    any("Chars In: {*}"),
    any("RXBYTES: {*}"),
    any("RXBS: {*}"),
    any("TXBS: {*}"),
];

/// The rows of the ways of switching are parts of the sum, which a cut may take.
static BY_PATH: &[Rule] = &[
    never("Switching path {*}"),
    part!("Processor" ""),
    part!("Route cache" ""),
    part!("Distributed cache" ""),
    part!("Autonomous" ""),
    part!("Hardware" ""),
    part!("Multi-Processor Fwding" ""),
    any("Total {InputPackets} {InputBytes} {OutputPackets} {OutputBytes}"),
];

macro_rules! protocols {
    ($($name:literal)*) => {
        &[
            $(part!($name ""),)*
            // The rates of each, in both ways.
            $(part!($name " {n} {n} {n} {n}"),)*
            any("------{*}"),
        ]
    };
}

static BY_PROTOCOL: &[Rule] = protocols![
    "Other"
    "IP"
    "IPv6"
    "IPV4_UNICAST"
    "IPV4_MULTICAST"
    "IPV6_UNICAST"
    "IPV6_MULTICAST"
    "IPV6_ND"
    "ARP"
    "CDP"
    "LLDP"
    "CLNS"
    "MPLS"
    "Spanning Tree"
    "DEC MOP"
    "Trans. Bridge"
    "VLAN"
    "PPP"
    "Novell"
    "Appletalk"
    "DECnet"
    "VTP"
    "DTP"
    "PAgP"
    "LACP"
    "UDLD"
    "Banyan Vines"
    "XNS"
    "HP Probe"
    "Bridge"
    "SR Bridge"
    "NetBIOS"
    "L2TP"
    "PPPoE"
    "EAPOL"
];
