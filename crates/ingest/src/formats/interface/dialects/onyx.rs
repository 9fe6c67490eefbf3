//! Mellanox and NVIDIA Onyx (MLNX-OS).

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, input};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "NVIDIA Onyx, MLNX-OS",
    reads: "`show interfaces ethernet`, `port-channel`",
    is_flat: false,
    has_units: false,
    heads: &["{alone}:"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Rx:", "Rx"],
            way: Way::In,
            ..COUNTED
        },
        Section {
            titles: &["Tx:", "Tx"],
            way: Way::Out,
            ..COUNTED
        },
    ],
};

const COUNTED: Section = Section {
    cut: Cut::FigureFirst,
    words: &[WORDS],
    own: ["Rx {}", "Tx {}"],
    ..SECTION
};

static WORDS: &[Word] = &[
    both("packets", K::InputPackets, K::OutputPackets),
    both("bytes", K::InputBytes, K::OutputBytes),
    both("error packets", K::InputErrors, K::OutputErrors),
    both("discard packets", K::InputDiscards, K::OutputDrops),
    both("pause packets", K::InputPauses, K::OutputPauses),
    input("fcs errors", K::InputCrc),
    input("undersize packets", K::InputRunts),
    input("oversize packets", K::InputGiants),
];

static LINES: &[Rule] = &[
    above("Admin state: {*}"),
    above("Operational state: {state}"),
    above("Last change in operational status: {*}"),
    above("Boot delay time: {*}"),
    above("Description: N/A"),
    above("Description: {description}"),
    above("Mac address: {*}"),
    above("MTU: {mtu} bytes{*}"),
    above("Fec: {*}"),
    above("Operational Fec: {*}"),
    above("lacp-mode: {*}"),
    above("Flow-control: {*}"),
    above("Supported speeds: {*}"),
    above("Advertised speeds: {*}"),
    above("Supported flow-control{*}"),
    above("Actual speed: {speed}"),
    above("Auto-negotiation: {*}"),
    above("Width reduction mode: {*}"),
    above("DHCP client: {*}"),
    above("IP Address: {*}"),
    above("Switchport mode: {*}"),
    above("MAC learning mode: {*}"),
    above("Forwarding mode: {*}"),
    above("Telemetry {*}"),
    above("Last clearing of \"show interface\" counters: {cleared}"),
    above("Last clearing of \"show interface\" counters {cleared}"),
    above("{over} ingress rate: {in-bits} bits/sec, {*}, {in-pps} packets/sec"),
    above("{over} egress rate: {out-bits} bits/sec, {*}, {out-pps} packets/sec"),
    any("Members in this channel: {*}"),
];
