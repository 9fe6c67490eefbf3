//! OneAccess (Ekinops) OneOS.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, once, output, own, own_input,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "OneAccess OneOS",
    reads: "`show interfaces`",
    is_flat: false,
    has_units: false,
    heads: &["{if} is {state}, line protocol is {link}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["IN: {in-list}"],
            way: Way::In,
            ..COUNTED
        },
        Section {
            titles: &["OUT: {out-list}"],
            way: Way::Out,
            ..COUNTED
        },
    ],
};

const COUNTED: Section = Section {
    cut: Cut::FigureFirst,
    words: &[WORDS],
    own: ["input {}", "output {}"],
    ..SECTION
};

static WORDS: &[Word] = &[
    both("packets", K::InputPackets, K::OutputPackets),
    both("bytes", K::InputBytes, K::OutputBytes),
    both("queue drops", K::InputQueueDrops, K::OutputDrops),
    both("errors", K::InputErrors, K::OutputErrors),
    both("discards", K::InputDiscards, K::OutputDrops),
    output("collisions", K::Collisions),
    own("broadcasts"),
    own("multicasts"),
    own_input("mac acl discards"),
    own_input("unknown protocols"),
];

static LINES: &[Rule] = &[
    once("Flags: {*}"),
    above("Description: {description}"),
    above("Promiscuous mode {*}"),
    above("Encapsulation: {*}, MTU {mtu} bytes"),
    above("Encapsulation: {*}MTU {mtu} bytes{*}"),
    above("Encapsulation: {*}"),
    above("MTU {mtu} bytes"),
    above("IPv4 MTU {mtu} bytes, {*}"),
    any("Shaper: {set shaper}"),
    above("IP address: {*}"),
    above("Internet address{*}"),
    above("Up-time {*}"),
    above("Down-time {*}"),
    above("Hardware address is {*}"),
    above("Auto-negotiation, {duplex}, {*}"),
    above("Auto-negotiation{*}"),
    above("Line speed {kbit} kbps"),
    above("Line speed {*}"),
    above(
        "Mean input/output rate {in-bits}/{out-bits} bits/s, {in-pps}/{out-pps} packets/s (over the last {over})",
    ),
    above("Mean input/output load {*}"),
    above(
        "Congestion Management Dropped packets: RX:{congestion drops RX}, CPU:{congestion drops CPU}, Total:{congestion drops}",
    ),
    above("Bridged to {*}"),
    above("Output queuing strategy{*}"),
    above("Reliability: {*}"),
    any("Last clearing of counters: {*}"),
];
