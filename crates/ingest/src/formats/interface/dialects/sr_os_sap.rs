//! Nokia SR OS, `show service id ID sap SAP stats`: what an access point of a service dropped and passed, in packets and in octets.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Way, Word, any, once, own};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Nokia SR OS, access points",
    reads: "`show service id ID sap SAP stats`: packets and octets that were dropped and passed, by profile",
    is_flat: true,
    has_units: false,
    heads: &["Service Access Points(SAP)"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Forwarding Engine Stats"],
            own: ["engine {} packets", "engine {} octets"],
            words: &[ENGINE],
            ..COUNTS
        },
        // Each of its queues has the same below it.
        Section {
            titles: &["Ingress Queue {queue} ({*}", "Ingress Queue {queue}"],
            own: ["ingress {} packets", "ingress {} octets"],
            words: &[ENGINE, INGRESS],
            ..COUNTS
        },
        Section {
            titles: &["Egress Queue {queue} ({*}", "Egress Queue {queue}"],
            own: ["egress {} packets", "egress {} octets"],
            words: &[EGRESS],
            ..COUNTS
        },
        Section {
            titles: &["Queueing Stats(Ingress QoS Policy {n})"],
            own: ["ingress {} packets", "ingress {} octets"],
            words: &[INGRESS],
            ..COUNTS
        },
        Section {
            titles: &["Queueing Stats(Egress QoS Policy {n})"],
            own: ["egress {} packets", "egress {} octets"],
            words: &[EGRESS],
            ..COUNTS
        },
    ],
};

pub(super) static ROUTED: Dialect = Dialect {
    name: "Nokia SR OS, routed interfaces",
    reads: "`show router interface NAME statistics`: packets and bytes of each, and what was discarded",
    is_flat: true,
    has_units: false,
    heads: &["If Name: {port}"],
    rules: &[ROUTED_LINES],
    sections: &[SECTION],
};

static ROUTED_LINES: &[Rule] = &[
    any("===={*}"),
    any("----{*}"),
    once("Admin State: {*} Oper State: {state}"),
    once("Admin State: {*} Oper (v4/v6): {*}"),
    any("Rx Pkts: {InputPackets} Rx Bytes: {InputBytes}"),
    any("Tx Pkts: {OutputPackets} Tx Bytes: {OutputBytes}"),
    any("Rx V4 Pkts: {received IPv4 packets} Rx V4 Bytes: {received IPv4 bytes}"),
    any("Rx V6 Pkts: {received IPv6 packets} Rx V6 Bytes: {received IPv6 bytes}"),
    any("Tx V4 Pkts: {sent IPv4 packets} Tx V4 Bytes: {sent IPv4 bytes}"),
    any("Tx V6 Pkts: {sent IPv6 packets} Tx V6 Bytes: {sent IPv6 bytes}"),
    any("Tx V4 Discard Pkts: {discarded IPv4 packets} Tx V4 Discard Byt*: {discarded IPv4 bytes}"),
    any("Tx V6 Discard Pkts: {discarded IPv6 packets} Tx V6 Discard Byt*: {discarded IPv6 bytes}"),
    any(
        "Rx V4 Discard Pkts: {discarded received IPv4 packets} Rx V4 Discard Byt*: {discarded received IPv4 bytes}",
    ),
    any(
        "Rx V6 Discard Pkts: {discarded received IPv6 packets} Rx V6 Discard Byt*: {discarded received IPv6 bytes}",
    ),
];

/// Two columns, of which neither is a direction.
const COUNTS: Section = Section {
    way: Way::Both,
    cut: Cut::Columns(2),
    is_closed: true,
    ..SECTION
};

static ENGINE: &[Word] = &[
    own("Dropped"),
    own("Received Valid"),
    own("Off. HiPrio"),
    own("Off. LowPrio"),
    own("Off. Uncolor"),
    own("Off. Managed"),
    own("Off. Combined"),
];

static INGRESS: &[Word] = &[
    own("Dro. HiPrio"),
    own("Dro. LowPrio"),
    own("For. InProf"),
    own("For. OutProf"),
];

static EGRESS: &[Word] = &[
    own("Dro. InProf"),
    own("Dro. OutProf"),
    own("For. InProf"),
    own("For. OutProf"),
    own("Dro. In/InplusProf"),
    own("Dro. Out/ExcProf"),
    own("For. In/InplusProf"),
    own("For. Out/ExcProf"),
];

static LINES: &[Rule] = &[
    any("===={*}"),
    any("----{*}"),
    any("Service Id: {*}"),
    once("SAP: {port} Encap: {*}"),
    any("Sap Statistics"),
    any("Sap per Queue {*}"),
    any("Last Cleared Time: {*}"),
    any("Packets Octets"),
    any("CPM Ingress: {n} {n}"),
];
