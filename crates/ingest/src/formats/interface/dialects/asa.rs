//! Cisco ASA and Firepower: rates are in bytes, and the traffic of a name is counted without its Ethernet headers.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, above, any};
use super::words::{COUNTERS, LINES};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco ASA, FTD",
    reads: "`show interface`, with the traffic statistics of a name",
    is_flat: false,
    heads: &[
        "Interface {if} \"{*}\", is {state}, line protocol is {link}",
        "Interface {if} is {state}, line protocol is {link}",
    ],
    rules: &[OWN, LINES],
    sections: &[
        Section {
            cut: Cut::FigureFirst,
            words: &[COUNTERS],
            own: ["{}", "output {}"],
            ..SECTION
        },
        Section {
            titles: &["Traffic Statistics for {*}:"],
            cut: Cut::FigureFirst,
            own: ["Traffic Statistics {}", "Traffic Statistics {}"],
            rules: TRAFFIC,
            ..SECTION
        },
    ],
};

static TRAFFIC: &[Rule] = &[
    any("{packets input} packets input, {bytes input} bytes"),
    any("{packets output} packets output, {bytes output} bytes"),
    any("{over} input rate {in-pps} pkts/sec, {in-rate}"),
    any("{over} output rate {out-pps} pkts/sec, {out-rate}"),
    any("{over} drop rate, {n} pkts/sec"),
];

static OWN: &[Rule] = &[
    above("Hardware is {*}, BW {speed}, DLY {*}"),
    above("{duplex}({*}), {*}"),
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
