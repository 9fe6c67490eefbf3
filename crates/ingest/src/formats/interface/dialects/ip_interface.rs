//! Cisco `show ip interface` of NX-OS, and `show ipv4 interface` of IOS XR: state, and the MTU of IP.
//!
//! Addresses, lists and what else is set of IP are passed over; lines without figures are so anyhow.

use super::super::dialect::{Dialect, Rule, SECTION, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco, interfaces of IP",
    reads: "`show ip interface` of NX-OS, `show ipv4 interface` of IOS XR: state, MTU of IP",
    is_flat: false,
    has_units: false,
    heads: &[
        "{if} is {state}, ipv4 protocol is {link}",
        "{if} is {state}, ipv6 protocol is {link}",
        "{if}, Interface status: protocol-{state}/{*}",
    ],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    // That of the link is not that of IP.
    any("MTU is {n} ({mtu} is available to IP)"),
    any("MTU is {n} ({mtu} is available to IPv6)"),
    any("IP MTU: {mtu} bytes ({*}"),
    any("IPv6 MTU: {mtu} ({*}"),
    any("IP Interface Status for VRF {*}"),
    any("Internet protocol {unserved}"),
    any("Internet address is {*}"),
    any("Secondary address {*}"),
    any("Helper address{*}"),
    any("Multicast reserved {*}"),
    any("Outgoing {*}"),
    any("Inbound {*}"),
    any("IP address: {*} secondary{*}"),
    any("IP address: {*}"),
    any("IP broadcast address: {*}"),
    any("IP primary address {*}"),
    any("IP interface {*}"),
    any("IPv6 is {*}"),
    any("No global unicast {*}"),
    any("Global unicast {*}"),
    any("{w}, subnet is {*}"),
    any("Joined group {*}"),
    any("ICMP {*}"),
    any("ND {*}"),
    any("Hosts use {*}"),
    any("Dropped protocol request: {*}"),
    any("Dropped glean request: {*}"),
    any("Complete {*} adjacency: {*}"),
    any("Incomplete {*} adjacency: {*}"),
    any("IP unicast RPF check is {*}"),
    any("RPF mode {*}"),
    any("Vrf is {*}"),
    any("Table Id is {*}"),
    any("mti{*}"),
    any("IP multicast groups {*}"),
    any("IP outbound access list: {*}"),
    any("IP inbound access list: {*}"),
    any("ip interface statistics {*}"),
    any("Unnumbered interfaces of {*}"),
    // What the device itself sent, received and forwarded: few of those that passed the port.
    any("Unicast packets: {*}"),
    any("Unicast bytes: {*}"),
    any("Multicast packets: {*}"),
    any("Multicast bytes: {*}"),
    any("Broadcast packets: {*}"),
    any("Broadcast bytes: {*}"),
    any("Labeled packets: {*}"),
    any("Labeled bytes: {*}"),
    any("224.0.{*}"),
    any("239.{*}"),
];
