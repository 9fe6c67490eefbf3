//! HPE Aruba with AOS-S (ProCurve): two columns of names, which tell the direction.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, input, never, output,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Aruba AOS-S, ProCurve",
    reads: "`show interfaces PORT`: totals, errors and rates",
    is_flat: false,
    has_units: false,
    heads: &["Status and Counters - Port Counters for port {port}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &[
                "Totals (Since boot or last clear):{*}",
                "Port Totals (Since boot or last clear):{*}",
                "Port Totals (Since boot or last clear):",
                "Totals (Since boot or last clear)",
            ],
            ..COUNTED
        },
        Section {
            titles: &["Errors (Since boot or last clear):{*}"],
            ..COUNTED
        },
        Section {
            titles: &["Others (Since boot or last clear):{*}"],
            ..COUNTED
        },
        Section {
            titles: &["Rates ({interval} weighted average):{*}"],
            rules: RATES,
            ..SECTION
        },
    ],
};

const COUNTED: Section = Section {
    way: Way::Unsaid,
    cut: Cut::NameFirst,
    words: &[WORDS],
    rules: &[never("Total Rx(Kbps): {*}"), never("Total Rx (bps): {*}")],
    ..SECTION
};

static WORDS: &[Word] = &[
    input("Bytes Rx", K::InputBytes),
    output("Bytes Tx", K::OutputBytes),
    input("FCS Rx", K::InputCrc),
    input("Alignment Rx", K::InputFraming),
    input("Runts Rx", K::InputRunts),
    input("Giants Rx", K::InputGiants),
    input("Total Rx Errors", K::InputErrors),
    input("Discard Rx", K::InputDiscards),
    output("Drops Tx", K::OutputDrops),
    output("Collisions Tx", K::Collisions),
    output("Late Colln Tx", K::LateCollisions),
];

static RATES: &[Rule] = &[
    any("Total Rx (bps): {in-bits} Total Tx (bps): {out-bits}"),
    any("Total Rx(Kbps): {in-kbits} Total Tx(Kbps): {out-kbits}"),
    any("Unicast Rx (Pkts/sec): {*}"),
    any("B/Mcast Rx (Pkts/sec): {*}"),
    any("Utilization Rx: {*}"),
];

static LINES: &[Rule] = &[
    above("Name: {description}"),
    above("Name:"),
    above("MAC Address: {*}"),
    above("Link Status: {state}"),
    above("Port Enabled: {*}"),
    above("Port Totals{*}"),
];
