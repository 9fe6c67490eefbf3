//! FRRouting, which Cumulus, VyOS and SONiC route with: what its shell says of the kernel's interfaces. It counts how often a link went up
//! and down, and no traffic. <https://docs.frrouting.org/en/latest/zebra.html>

use super::super::dialect::{Dialect, Rule, SECTION, above, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "FRRouting",
    reads: "`show interface` of vtysh: state, MTU, speed, how often a link went up and down",
    is_flat: false,
    has_units: false,
    heads: &[
        "Interface {port} is {state}, line protocol is {link}",
        "Interface {port} is {sole-state}",
    ],
    rules: &[LINES],
    sections: &[SECTION],
};

/// Of a speed that it does not know it says 0, or the greatest number that there is place for.
static LINES: &[Rule] = &[
    above("Link ups: {Link ups} last: {*}"),
    above("Link downs: {Link downs} last: {*}"),
    above("index {n} metric {n} mtu {mtu} speed 0"),
    above("index {n} metric {n} mtu {mtu} speed 0 {*}"),
    above("index {n} metric {n} mtu {mtu} speed 4294967295"),
    above("index {n} metric {n} mtu {mtu} speed 4294967295 {*}"),
    above("index {n} metric {n} mtu {mtu} speed {speed-mbit} txqlen {n}"),
    above("index {n} metric {n} mtu {mtu} speed {speed-mbit}"),
    above("index {n} metric {n} mtu {mtu}"),
    above("Description: {description}"),
    above("OS Description: {*}"),
    any("PTM status: {*}"),
    any("vrf: {*}"),
    any("flags: <{*}>"),
    any("flags: {*}"),
    any("Ignore all v4 routes with linkdown"),
    any("Ignore all v6 routes with linkdown"),
    any("Type: {*}"),
    any("HWaddr: {*}"),
    any("bandwidth {*}"),
    any("inet {*}"),
    any("inet6 {*}"),
    any("Interface Type {*}"),
    any("Interface Slave Type {*}"),
    any("Master interface: {*}"),
    any("Master (bridge) ifindex {*}"),
    any("Parent interface: {*}"),
    any("Parent ifindex: {*}"),
    any("VLAN Id {*}"),
    any("VNI Id: {*}"),
    any("VxLAN Id {*}"),
    any("Link ifindex {*}"),
    any("protodown: {*}"),
    any("MPLS enabled"),
    any("ND {*}"),
    any("Hosts use {*}"),
    any("Neighbor address(s):"),
];
