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
    any("Last Cleared Time: {*}"),
    any("Packets Octets"),
    any("CPM Ingress: {n} {n}"),
];
