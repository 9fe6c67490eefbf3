//! Nokia SR OS, `show service id ID sap SAP stats`: what an access point of a service dropped and passed, in packets and in octets.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Way, any, once};

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
            ..COUNTS
        },
        Section {
            titles: &["Queueing Stats(Ingress QoS Policy {n})"],
            own: ["ingress {} packets", "ingress {} octets"],
            ..COUNTS
        },
        Section {
            titles: &["Queueing Stats(Egress QoS Policy {n})"],
            own: ["egress {} packets", "egress {} octets"],
            ..COUNTS
        },
    ],
};

/// Two columns, of which neither is a direction.
const COUNTS: Section = Section {
    way: Way::Both,
    cut: Cut::Columns(2),
    ..SECTION
};

static LINES: &[Rule] = &[
    any("===={*}"),
    any("----{*}"),
    any("Service Id: {*}"),
    once("SAP: {port} Encap: {*}"),
    any("Sap Statistics"),
    any("Last Cleared Time: {*}"),
    any("Packets Octets"),
    any("CPM Ingress: {n} {n}"),
];
