//! Brocade and Ruckus: FastIron (ICX), NetIron (MLX, CES).

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, above, any};
use super::words::{COUNTERS, LINES, SHORT};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Brocade and Ruckus FastIron, NetIron",
    reads: "`show interfaces` of ICX, FCX, MLX, CES",
    is_flat: false,
    has_units: false,
    heads: &[
        "{if} is {state}, line protocol is {link}",
        "Lag {if} is {state}, line protocol is {link}",
    ],
    rules: &[OWN, LINES],
    sections: &[
        Section {
            cut: Cut::FigureFirst,
            words: &[COUNTERS, SHORT],
            own: ["{}", "output {}"],
            ..SECTION
        },
        Section {
            titles: &["Egress queues:"],
            rules: QUEUES,
            ..SECTION
        },
        Section {
            titles: &["UC Egress queues:"],
            own: ["unicast {}", "unicast {}"],
            rules: QUEUES,
            ..SECTION
        },
        Section {
            titles: &["MC Egress queues:"],
            own: ["multicast {}", "multicast {}"],
            rules: QUEUES,
            ..SECTION
        },
        Section {
            titles: &["Oversubscribed ingress drop counters:"],
            rules: OVERSUBSCRIBED,
            ..SECTION
        },
    ],
};

static OVERSUBSCRIBED: &[Rule] = &[
    any("High priority drop {Oversubscribed ingress high priority drops}"),
    any("Low priority drop {Oversubscribed ingress low priority drops}"),
    any("Total drop {Oversubscribed ingress drops}"),
];

static QUEUES: &[Rule] = &[
    any("Queue counters Queued packets Dropped Packets"),
    any("{of-queue} {packets queued} {packets dropped}"),
];

static OWN: &[Rule] = &[
    above("Untagged member of {*}"),
    above("Tagged member of {*}"),
    above("Member of {*}"),
    above("Priority force {*}"),
    above("Port state change time: {*}"),
    above("Openflow{*}"),
    above("Cluster {*}"),
    above("EEE {*}"),
    above("Port up for {*}"),
    above("Port down for {*}"),
    above("Port name is {description}"),
    above("Configured speed {*}, actual {speed}, configured duplex {*}, actual {duplex}"),
    above("Configured fiber speed {*}, actual {speed}, configured fiber {*}, actual {duplex}"),
    above("Configured mdi mode {*}"),
    any("Member of {*}"),
    any("Not member of {*}"),
    any("STP configured to {*}"),
    any("BPDU guard is {*}"),
    any("Link Error Dampening {*}"),
    any("Link OAM {*}"),
    any("IPG {*}"),
    any("IP MTU {*}"),
    any("Internet address is {w}, MTU {mtu} bytes, {*}"),
    any("Internet address is {*}"),
    any("Mirror {*}"),
    any("mirror {*}"),
    any("Inline power {*}"),
    any("No Inline power {*}"),
    any("Inter-Packet Gap {*}"),
    above("Interface type is {*}"),
    above("Type is Vlan {*}"),
    above("Stacking Port, {*}"),
    above("Stacking port, {*}"),
    above("Port is not enabled {*}"),
    above("MMU Mode is {*}"),
    any("Port is {*}"),
    any("Received from CPU {Received from CPU packets} packets{*}"),
    any("{over} input rate: {in-bits} bits/sec, {in-pps} packets/sec, {n} utilization"),
    any("{over} output rate: {out-bits} bits/sec, {out-pps} packets/sec, {n} utilization"),
    any("{over} input rate: {in-bits} bits/sec, {in-pps} packets/sec"),
    any("{over} output rate: {out-bits} bits/sec, {out-pps} packets/sec"),
    any("NP received {NP received packets} packets, Sent to TM {Sent to TM packets} packets"),
    any("NP Ingress dropped {NP Ingress dropped packets} packets"),
    any(
        "NP transmitted {NP transmitted packets} packets, Received from TM {Received from TM packets} packets",
    ),
];
