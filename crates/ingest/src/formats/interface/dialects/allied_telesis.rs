//! Allied Telesis AlliedWare Plus.

use super::super::dialect::{Dialect, Rule, SECTION, Section, above, any, once};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Allied Telesis AlliedWare Plus",
    reads: "`show interface` of ports, vlan, lo, eth",
    is_flat: false,
    has_units: false,
    heads: &["Interface {ifword}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &[
                "input packets {InputPackets}, bytes {InputBytes}, dropped {InputDiscards}, multicast packets {input multicast packets}",
            ],
            rules: BELOW,
            ..SECTION
        },
    ],
};

static BELOW: &[Rule] = &[
    any(
        "output packets {OutputPackets}, bytes {OutputBytes}, multicast packets {output multicast packets}, broadcast packets {output broadcast packets}",
    ),
    any(
        "output packets {OutputPackets}, bytes {OutputBytes}, multicast packets {output multicast packets} broadcast packets {output broadcast packets}",
    ),
    any("input average rate: {over} seconds {in-rate}, {*}"),
    any("output average rate: {over} seconds {out-rate}, {*}"),
    any("input peak rate {*}"),
    any("output peak rate {*}"),
    any("Time since last state change: {*}"),
];

static LINES: &[Rule] = &[
    above("Scope: {*}"),
    above("Link is {state}, administrative state is {*}"),
    above("Status {*}"),
    above("Hardware is {*}"),
    above("Description: {description}"),
    once("index {n} metric {n}"),
    above("Bandwidth {bandwidth}"),
    once("index {n} metric {n} mru {n}"),
    once("index {n} metric {n} mtu {mtu}"),
    above("current duplex {duplex}, current speed {speed-mbit}, current polarity {*}"),
    above("current duplex {*}"),
    above("configured duplex {*}"),
    above("Egress Rate Limit {*}"),
    above("arp ageing timeout {n}"),
    above("IPv4 address {*}"),
    above("IPv6 address {*}"),
    above("VRF Binding: {*}"),
    above("Router Advertisement {*}"),
];
