//! Palo Alto PAN-OS: the counters of a port thrice, as the MAC, the CPU and the logical interface count.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, input, output, own,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Palo Alto PAN-OS",
    reads: "`show interface ethernet1/1` with the counters of the MAC, the CPU and the logical interface",
    is_flat: true,
    has_units: false,
    heads: &["Name: {port}, ID: {n}", "Name: {management}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        PHYSICAL,
        Section {
            titles: &[
                "Hardware interface counters read from CPU:",
                "hardware interface counters:",
            ],
            words: &[CPU],
            ..COUNTED
        },
        Section {
            titles: LOGICAL,
            own: ["logical {}", "logical {}"],
            ..COUNTED
        },
    ],
};

/// `hardware interface counters:` stands above the name, and the name stands above each of the two parts.
pub(super) static COUNTERS: Dialect = Dialect {
    name: "Palo Alto PAN-OS, counters",
    reads: "`show counter interface PORT`: the counters of the hardware and of the logical interface",
    is_flat: true,
    has_units: false,
    heads: &["interface: {port}", "Interface: {port}"],
    rules: &[&[
        any("----{*}"),
        any("interface: {port}"),
        any("Interface: {port}"),
        any("hardware interface counters:"),
        any("hardware interface counters for all interfaces:"),
    ]],
    sections: &[
        // WireGuard names its interfaces like this too.
        Section {
            words: &[CPU, DROPPED],
            is_closed: true,
            ..COUNTED
        },
        Section {
            titles: LOGICAL,
            own: ["logical {}", "logical {}"],
            ..COUNTED
        },
        PHYSICAL,
        Section {
            titles: &["Hardware interface counters read from CPU:"],
            words: &[CPU],
            ..COUNTED
        },
    ],
};

const LOGICAL: &[&str] = &[
    "Logical interface counters read from CPU:",
    "logical interface counters:",
    "Logical interface counters:",
];

const PHYSICAL: Section = Section {
    titles: &[
        "Physical port counters read from MAC:",
        "physical port counters read from MAC:",
    ],
    own: ["MAC {}", "MAC {}"],
    words: &[MAC],
    is_closed: true,
    sums: &[
        (K::InputPackets, &["rx-unicast", "rx-multicast", "rx-broadcast"]),
        (K::OutputPackets, &["tx-unicast", "tx-multicast", "tx-broadcast"]),
    ],
    ..COUNTED
};

const COUNTED: Section = Section {
    way: Way::Unsaid,
    cut: Cut::Columns(1),
    ..SECTION
};

/// What the hardware forwards by itself never reaches the CPU: where there is a MAC, its bytes and packets are the port's.
static MAC: &[Word] = &[
    own("rx-broadcast"),
    own("rx-multicast"),
    own("rx-unicast"),
    own("tx-broadcast"),
    own("tx-multicast"),
    own("tx-unicast"),
    own("rx-discard"),
    own("tx-discard"),
    own("rx-oversize"),
    own("rx-undersize"),
    own("rx-fragment"),
    own("rx-jabber"),
    input("rx-bytes", K::InputBytes),
    output("tx-bytes", K::OutputBytes),
    input("rx-error", K::InputErrors),
    output("tx-error", K::OutputErrors),
    input("rx-crc-error", K::InputCrc),
    input("rx-pause", K::InputPauses),
    output("tx-pause", K::OutputPauses),
    output("tx-collision", K::Collisions),
];

static CPU: &[Word] = &[
    input("bytes received", K::InputBytes),
    output("bytes transmitted", K::OutputBytes),
    input("packets received", K::InputPackets),
    output("packets transmitted", K::OutputPackets),
    input("receive errors", K::InputErrors),
    input("receive discarded", K::InputDiscards),
    output("transmit errors", K::OutputErrors),
];

static DROPPED: &[Word] = &[own("packets dropped")];

static LINES: &[Rule] = &[
    any("----{*}"),
    any("Name: {port}, ID: {n}"),
    above("Link status:"),
    above("Runtime link speed/duplex/state: {speed-mbit}/{duplex}/{state}"),
    above("Runtime link speed/duplex/state: {w}/{w}/{state}"),
    above("Configured link speed/duplex/state: {*}"),
    above("Port MAC address {*}"),
    above("Ip address: {*}"),
    above("Netmask: {*}"),
    above("Default gateway: {*}"),
    above("Operation mode: {*}"),
    above("Virtual router {*}"),
    above("Interface MTU {mtu}"),
    above("Interface IP address: {*}"),
    above("Interface IPv6 address{*}"),
    above("Interface management profile: {*}"),
    above("ping: {*}"),
    above("Service configured: {*}"),
    above("Zone: {*}"),
    above("Adjust TCP MSS: {*}"),
    above("Policing: {set policing}"),
    above("Untagged sub-interface support: {*}"),
    above("Aggregate group: {*}"),
    above("Parent interface: {*}"),
    above("Tag: {*}"),
    above("Ipv6 {*}"),
];
