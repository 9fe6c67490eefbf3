//! Check Point Gaia: settings, and below them what Linux counted.

use super::super::dialect::{Dialect, Rule, SECTION, Section, above, any, once};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Check Point Gaia",
    reads: "`show interfaces all`, `show interface NAME`",
    is_flat: false,
    has_units: false,
    // Of one interface, whose name stands in the command, its state stands first.
    heads: &["Interface {ifword}", "state on", "state off"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Statistics:"],
            rules: COUNTED,
            ..SECTION
        },
    ],
};

static COUNTED: &[Rule] = &[
    any(
        "TX bytes:{OutputBytes} packets:{OutputPackets} errors:{OutputErrors} dropped:{OutputDrops} overruns:{TX overruns} carrier:{TX carrier}",
    ),
    any(
        "RX bytes:{InputBytes} packets:{InputPackets} errors:{InputErrors} dropped:{InputDiscards} overruns:{InputOverrun} frame:{RX frame}",
    ),
];

static LINES: &[Rule] = &[
    above("state {*}"),
    once("mac-addr {*}"),
    above("type {*}"),
    above("link-state link {state}"),
    above("link-state {*}"),
    above("instance {*}"),
    above("monitor-mode {*}"),
    above("mtu {mtu}"),
    above("auto-negotiation {*}"),
    above("speed {speed}"),
    above("duplex {duplex}"),
    above("link-speed {*}"),
    above("comments {description}"),
    above("ipv4-address {*}"),
    above("ipv6-{*}"),
    above("rx-ringsize {*}"),
    above("tx-ringsize {*}"),
    above("vlan-id {*}"),
];
