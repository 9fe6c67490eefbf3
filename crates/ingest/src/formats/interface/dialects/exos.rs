//! Extreme EXOS, `show ports PORT information detail`: settings and state of each port, below its number.

use super::super::dialect::{Dialect, Rule, SECTION, any, once};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Extreme EXOS",
    reads: "`show ports PORT information detail`: state, how often the link came and went, MTU, limits of rates",
    is_flat: true,
    has_units: false,
    heads: &["Port: {exos}", "Port: {exos}({*})", "Port: {exos}({*}):"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    any("Description String: {description}"),
    once("Link State: Active, {speed}, {duplex}"),
    any("Link State: {*}"),
    any("Link Ups: {link ups} Last: {*}"),
    any("Link Downs: {link downs} Last: {*}"),
    any("Jumbo: Enabled, MTU= {mtu}"),
    any("Egress Port Rate: {set egress rate}"),
    any("Broadcast Rate: {set broadcast rate}"),
    any("Multicast Rate: {set multicast rate}"),
    any("Unknown Dest Mac Rate: {set rate of unknown addresses}"),
    any("Virtual-router: {*}"),
    any("Type: {*}"),
    any("Admin state: {*}"),
    any("Name: {*}"),
    any("Port-specific VLAN ID: {*}"),
    any("{w}(enable), Tag={*}"),
    any("{w}(disable), Tag={*}"),
    any("Trunking: {*}"),
    any("Members: {*}"),
    any("algorithm"),
    any("Ingress {*}"),
    any("Egress {*} Replacement: {*}"),
    any("Egress {*} Examination: {*}"),
    any("IPFIX: {*}"),
    any("IPv4 Flow Key {*}"),
    any("IPv6 Flow Key {*}"),
    any("DIP: {*}"),
];
