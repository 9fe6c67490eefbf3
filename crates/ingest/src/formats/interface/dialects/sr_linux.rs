//! Nokia SR Linux: settings of the port, then a table received and sent.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, input, own};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Nokia SR Linux",
    reads: "`show interface PORT detail`: state, speed, traffic, errors",
    is_flat: true,
    has_units: false,
    heads: &["Interface: {port}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Traffic statistics for {port}"],
            way: Way::Both,
            cut: Cut::Columns(2),
            words: &[WORDS],
            own: ["Rx {}", "Tx {}"],
            rules: &[any("counter Rx Tx")],
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
];

static LINES: &[Rule] = &[
    any("===={*}"),
    any("----{*}"),
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
];
