//! Edgecore, and who sells its switches under other names: `show interfaces status`.

use super::super::dialect::{Dialect, Rule, SECTION, Section, any, once, sole};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Edgecore",
    reads: "`show interfaces status` of ports",
    is_flat: false,
    has_units: false,
    heads: &["Information of {if}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Current Status:"],
            rules: CURRENT,
            ..SECTION
        },
    ],
};

static CURRENT: &[Rule] = &[
    any("Link Status: {state}"),
    any("Operation Speed-duplex: {speed-duplex}"),
    any("Up Time: {*}"),
    any("Max Frame Size: {*}"),
    any("Flow Control Type: {*}"),
];

static LINES: &[Rule] = &[
    once("Mac Address: {*}"),
    sole("Port Admin: {*}"),
    any("Name: {description}"),
    any("Speed-duplex: {*}"),
    any("Layer 2 {*}"),
    any("802.1Q{*}"),
    any("Capabilities: {*}"),
    any("{w} Storm{*}"),
    any("{w} Threshold: {*}"),
    any("Ingress Rate Limit: {set ingress rate limit}"),
    any("Egress Rate Limit: {set egress rate limit}"),
    any("Max Frame Size: {*}"),
    any("Unknown Unicast Storm{*}"),
];
