//! Cisco IOS, IOS XE and IOS XR: counters below the rates, in words that tell the direction.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, above, any};
use super::words::{COUNTERS, LINES};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS, IOS XE, IOS XR",
    reads: "`show interfaces` of physical ports, port channels, bundles, Vlan, BVI, tunnels, dialers and subinterfaces",
    is_flat: false,
    heads: &["{if} is {state}, line protocol is {link}", "{ifname} is {bare}"],
    rules: &[LINES, OWN],
    sections: &[Section {
        cut: Cut::FigureFirst,
        words: &[COUNTERS],
        own: ["{}", "output {}"],
        ..SECTION
    }],
};

static OWN: &[Rule] = &[
    above("Duplex unknown, {*}"),
    above("Set of tunnels {*}"),
    // XR prints it above everything else.
    any("Interface state transitions: {Interface state transitions}"),
    above("Layer 1 Transport Mode is {*}"),
    above("Layer 2 Transport Mode{*}"),
    above("{n} TX buffers, {n} RX buffers,{*}"),
    above("{n} maximum active VCs, {*}"),
    above("VC idle disconnect time: {*}"),
    any("{n} carrier delay{*}"),
    any("Carrier delay{*}"),
    any("Asymmetric Carrier-Delay{*}"),
    any("Tunnel{*}"),
    any("Key {*}"),
    any("Checksumming of packets {*}"),
    any("Fast tunneling {*}"),
    any("Interface is bound to {*}"),
    any("Bound to {*}"),
    any("DTR is pulsed for {*}"),
    any("Interface is unnumbered. Using address of {*}"),
    any("No. of {*}"),
    any("Members in this channel: {*}"),
    any("Member {n} : {*}"),
    any("Member {n}: {*}"),
    any("{w} Full-duplex {*}"),
    any("input flow-control is {*}"),
    any("Conversations {*}"),
    any("Reserved Conversations {*}"),
    any("Available Bandwidth {*}"),
    any("Time since {*}"),
    any("loopback not set{*}"),
    any("Damping {*}"),
    any("dampening {*}"),
];
