//! Cisco ASA and Firepower: rates are in bytes, and the traffic of a name is counted without its Ethernet headers.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Word, above, any, never, own, sole};
use super::words::{COUNTERS, LINES, SHORT};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco ASA, FTD",
    reads: "`show interface`, with the traffic statistics of a name",
    is_flat: false,
    has_units: false,
    heads: &[
        "Interface {if} \"{*}\", is {state}, line protocol is {link}",
        "Interface {if} is {state}, line protocol is {link}",
        // Those with a name of their own.
        "Interface {port} \"{*}\", is {state}, line protocol is {link}",
        "Interface \"{port}\", is {state}, line protocol is {link}",
    ],
    rules: &[OWN, LINES],
    sections: &[
        Section {
            cut: Cut::FigureFirst,
            words: &[COUNTERS, SHORT],
            own: ["{}", "output {}"],
            rules: HARDWARE,
            ..SECTION
        },
        Section {
            titles: &["Traffic Statistics for {*}:"],
            cut: Cut::FigureFirst,
            own: ["Traffic Statistics {}", "Traffic Statistics {}"],
            words: &[NAMED],
            rules: TRAFFIC,
            ..SECTION
        },
        // A filter keeps the rates without the title above them, which nothing but them stands below. Below a head alone the last line of
        // the interface above may stand.
        Section {
            titles: &[
                "{over} input rate {in-pps} pkts/sec, {in-rate}",
                "{over} output rate {out-pps} pkts/sec, {out-rate}",
            ],
            rules: RATES_OF_DROPS,
            ..SECTION
        },
    ],
};

/// Those of the hardware go on: "no buffer", "underruns".
static HARDWARE: &[Rule] = &[
    never("{n} packets input, {n} bytes"),
    never("{n} packets output, {n} bytes"),
    never("{n} packets dropped"),
    any("{over} drop rate, {n} pkts/sec"),
];

static NAMED: &[Word] = &[
    own("packets input"),
    own("packets output"),
    own("packets dropped"),
];

static TRAFFIC: &[Rule] = &[
    any("{packets input} packets input, {bytes input} bytes"),
    any("{packets output} packets output, {bytes output} bytes"),
];

static RATES_OF_DROPS: &[Rule] = &[
    any("1 minute drop rate, {set drop rate over 1 minute}"),
    any("5 minute drop rate, {set drop rate over 5 minutes}"),
];

static OWN: &[Rule] = &[
    sole("Hardware is {*}, BW {bandwidth}, DLY {*}"),
    sole("Hardware is {*} MAC address {*}, MTU {mtu}"),
    sole("Hardware is {*}"),
    above("Auto-Duplex({duplex}), Auto-Speed({set negotiated speed})"),
    above("{duplex}({*}), {*}"),
    above("({duplex}), {*}"),
    above("Available {*}"),
    any("Management-only interface{*}"),
    any("{IPv4 packets from the management network} IPv4 packets originated from management network"),
    any("{IPv4 packets to the management network} IPv4 packets destined to management network"),
    any("{IPv6 packets from the management network} IPv6 packets originated from management network"),
    any("{IPv6 packets to the management network} IPv6 packets destined to management network"),
    any("Active member of {*}"),
    any("Source interface: {*}"),
    any("Destination IP address: {*}"),
    any("Mode: {*}"),
    // Of single queues of the hardware.
    any("RX[{*}"),
    any("TX[{*}"),
    any("Blocks free {*}"),
    any("Queue Stats:"),
    any("Control Point {*}"),
    any("Interface vlan {*}"),
    any("Tunnel Interface Information:"),
    any("Members in this channel:"),
    above("MAC address {*}, MTU {mtu}"),
    above("MAC address {*}"),
    above("IP address {*}"),
    any("VLAN identifier {*}"),
    any("input queue ({*}): {*}"),
    any("output queue ({*}): {*}"),
    any("Control Point Interface States:"),
    any("Interface number is {*}"),
    any("Interface config status is {*}"),
    any("Interface state is {*}"),
    any("Input flow control is {*}"),
];
