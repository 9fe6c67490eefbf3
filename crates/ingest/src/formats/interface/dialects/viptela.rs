//! Cisco's vEdge (Viptela): a line a figure.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Way, Word, any, input, output};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco vEdge",
    reads: "`show interface statistics PORT`: counters, errors, drops, rates",
    is_flat: true,
    has_units: false,
    heads: &[
        "interface statistics {ifword} af-type {w}",
        "interface vpn {n} interface {ifword} af-type {w}",
    ],
    rules: &[LINES],
    sections: &[Section {
        way: Way::Unsaid,
        cut: Cut::Columns(1),
        words: &[WORDS],
        is_closed: true,
        ..SECTION
    }],
};

static WORDS: &[Word] = &[
    input("rx-packets", K::InputPackets),
    input("rx-octets", K::InputBytes),
    input("rx-errors", K::InputErrors),
    input("rx-drops", K::InputDiscards),
    output("tx-packets", K::OutputPackets),
    output("tx-octets", K::OutputBytes),
    output("tx-errors", K::OutputErrors),
    output("tx-drops", K::OutputDrops),
];

static LINES: &[Rule] = &[
    any("rx-kbps {in-kbits}"),
    any("tx-kbps {out-kbits}"),
    any("rx-pps {in-pps}"),
    any("tx-pps {out-pps}"),
    any("ip-address {*}"),
    any("if-admin-status {*}"),
    any("if-oper-status {state}"),
    any("if-tracker-status {*}"),
    any("encap-type {*}"),
    any("port-type {*}"),
    any("mtu {mtu}"),
    any("hwaddr {*}"),
    any("speed-mbps {speed-mbit}"),
    any("duplex {duplex}"),
    any("tcp-mss-adjust {*}"),
    any("uptime {*}"),
];
