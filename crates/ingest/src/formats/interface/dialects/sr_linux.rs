//! Nokia SR Linux: settings of the port, then a table received and sent.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, input, own};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Nokia SR Linux",
    reads: "`show interface`, `show interface PORT detail`, `show lag`: state, speed, traffic, errors, members of bundles",
    is_flat: true,
    has_units: false,
    heads: &[
        "Interface: {port}",
        "Subinterface: {port}",
        "LagInterface: {port}",
        "{port} is {state}, speed {speed}, type {*}",
        "{port} is {state}, reason {set reason}, min links {*}",
        "{port} is {state}, reason {set reason}",
        "{port} is {state}, min links {*}",
        "{srl} is {bare}",
    ],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Traffic statistics for {port}"],
            way: Way::Both,
            cut: Cut::Columns(2),
            words: &[WORDS],
            own: ["Rx {}", "Tx {}"],
            rules: &[any("counter Rx Tx"), any("Statistics Rx Tx")],
            ..SECTION
        },
        Section {
            titles: &["Traffic rate statistics for {port}"],
            rules: &[any("units Rx Tx"), any("kbps rate {in-kbits} {out-kbits}")],
            ..SECTION
        },
        Section {
            titles: &["Frame length statistics for {port}"],
            rules: LENGTHS,
            ..SECTION
        },
        Section {
            titles: &[
                "Transceiver detail for {port}",
                "Transceiver channel detail for {port}",
            ],
            rules: LIGHT,
            ..SECTION
        },
        // What stands in these are words, and where they are counted, of neighbours.
        Section {
            titles: &[
                "L2CP transparency rule for {port}",
                "ARP/ND summary for {port}",
                "ACL filters applied to {port}",
                "QOS Policies applied to {port}",
            ],
            rules: SET,
            ..SECTION
        },
        Section {
            titles: &[
                "IPv4 Traffic statistics for {port}",
                "IPv6 Traffic statistics for {port}",
            ],
            ..SECTION
        },
        Section {
            titles: &["Traffic statistics for breakout {*}", "Breakout {*}"],
            ..SECTION
        },
    ],
};

static WORDS: &[Word] = &[
    both("Octets", K::InputBytes, K::OutputBytes),
    both("Errored packets", K::InputErrors, K::OutputErrors),
    both("MAC pause frames", K::InputPauses, K::OutputPauses),
    both("Discarded packets", K::InputDiscards, K::OutputDrops),
    input("FCS error packets", K::InputCrc),
    input("CRC errors", K::InputCrc),
    input("Oversize frames", K::InputGiants),
    own("Unicast packets"),
    own("Multicast packets"),
    own("Broadcast packets"),
    own("Jabber frames"),
    own("Fragment frames"),
    // Of a subinterface.
    both("Packets", K::InputPackets, K::OutputPackets),
    own("Forwarded packets"),
    own("Forwarded octets"),
    own("CPM packets"),
    own("CPM octets"),
];

static LENGTHS: &[Rule] = &[
    any("Frame length(Octets) Rx Tx"),
    any("64 bytes {Rx frames of 64 bytes} {Tx frames of 64 bytes}"),
    any("65-127 bytes {Rx frames of 65-127 bytes} {Tx frames of 65-127 bytes}"),
    any("128-255 bytes {Rx frames of 128-255 bytes} {Tx frames of 128-255 bytes}"),
    any("256-511 bytes {Rx frames of 256-511 bytes} {Tx frames of 256-511 bytes}"),
    any("512-1023 bytes {Rx frames of 512-1023 bytes} {Tx frames of 512-1023 bytes}"),
    any("1024-1518 bytes {Rx frames of 1024-1518 bytes} {Tx frames of 1024-1518 bytes}"),
    any("1519+ bytes {Rx frames of 1519 bytes and more} {Tx frames of 1519 bytes and more}"),
];

static LIGHT: &[Rule] = &[
    any("Status: {*}"),
    any("Oper down reason: {*}"),
    any("Form factor: {*}"),
    any("Channels used: {*}"),
    any("Connector type: {*}"),
    any("Vendor: {*}"),
    any("Vendor part: {*}"),
    any("Vendor serial: {*}"),
    any("PMD type: {*}"),
    any("Fault condition: {*}"),
    any("Temperature: {module-temperature}"),
    any("Voltage: {*}"),
    any("Channel No Rx Power (dBm) Tx Power (dBm) Laser Bias current (mA)"),
    any("{of-lane} {rx-dbm} {tx-dbm} {*}"),
];

static SET: &[Rule] = &[
    any("Lldp: {*}"),
    any("Lacp: {*}"),
    any("xStp: {*}"),
    any("Dot1x: {*}"),
    any("Ptp: {*}"),
    any("Non-specified l2cp: {*}"),
    any("IPv4 ARP entries: {*}"),
    any("IPv6 ND entries: {*}"),
    any("Summary In Out"),
    any("IPv4 ACL Name {*}"),
    any("IPv6 ACL Name {*}"),
    any("DSCP {*}"),
    any("IPv4 Multifield Classifier {*}"),
    any("IPv6 Multifield Classifier {*}"),
    any("Dot1p {*}"),
    any("Policer Template {*}"),
];

static LINES: &[Rule] = &[
    any("===={*}"),
    any("----{*}"),
    above("Description: <None>"),
    above("Description: {description}"),
    above("Oper state: {state}"),
    above("Down reason: {*}"),
    above("Last change: {*}"),
    above("Speed: {speed}"),
    above("Flow control: {*}"),
    above("Loopback mode: {*}"),
    above("MTU: {mtu}"),
    above("VLAN tagging: {*}"),
    above("VLAN TPID: {*}"),
    above("Queues: {*}"),
    above("MAC address: {*}"),
    above("Last stats clear: {*}"),
    above("Breakout mode: {*}"),
    above("Auto-negotiation: {*}"),
    above("Duplex: {duplex}"),
    above("Duplex: {*}"),
    // Of a subinterface, and of an interface of a network instance, which is named above it.
    above("Network-instance: {*}"),
    any("Net instance: {*}"),
    above("Type: {*}"),
    above("Encapsulation: {*}"),
    above("IP MTU: {mtu}"),
    above("Ip mtu: {mtu}"),
    above("MAC duplication action: {*}"),
    above("IPv4 addr: {*}"),
    above("IPv6 addr: {*}"),
    above("Prefix Origin Status"),
    above("{w} static {*}"),
    above("{w} dhcp {*}"),
    above("{w} link-layer {*}"),
    // Of a bundle.
    above("Min links: {*}"),
    above("Aggregate Speed: {*}"),
    above("+{*}"),
    above(
        "| {of-member} | {octets in} | {octets out} | {packets in} | {packets out} | {errors in} | {errors out} |{*}",
    ),
    // Figures of which some are missing.
    above("| {of-member} | {n} |{*}"),
    // The bar at the end of a line is gone.
    above("| {of-member} | {set state} | {set reason} | {w}"),
    above("| {of-member} | {set state} | | {w}"),
    above("| {of-member} | {set state} | {set reason}"),
    above("| {of-member} | {set state} |"),
    above("|{*}"),
    // Below all interfaces.
    any("Network-instances:"),
    any("* Name: {*}"),
    any("Summary"),
    any("{n} loopback interfaces configured"),
    any("{n} ethernet interfaces are up"),
    any("{n} management interfaces are up"),
    any("{n} subinterfaces are up"),
    any("{n} LAG interfaces are up, {n} are down"),
];
