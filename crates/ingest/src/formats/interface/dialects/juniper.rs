//! Juniper Junos, from brief to extensive. Physical and logical interfaces are records of their own.

use super::super::dialect::{Cut, Dialect, SECTION, Section, Way, any};
use super::juniper_lines::{
    BUNDLE, FILTER, LINES, MEDIA, PARTS, PHYSICAL, QUEUES, QUEUES_OF_NO_WAY, SETTINGS, TRAFFIC, TRANSIT,
    UNITS,
};
use super::juniper_queues::{DEPTH, QUEUED, TRANSMITTED};
use super::juniper_words::{
    FEC, FLOW_ERRORS, INPUT, MAC, OUTPUT, PCS, SONET_LINE, SONET_PATH, SONET_PHY, SONET_SECTION,
};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Juniper Junos",
    reads: "`show interfaces`, brief to extensive: physical and logical interfaces, aggregates, MAC, PCS and SONET statistics; `show interfaces queue`",
    is_flat: false,
    has_units: true,
    heads: &[
        "Physical interface: {if}, {*}, Physical link is {state}",
        "Physical interface: {if}, Physical link is {state}",
        "Physical interface: {port}, {*}, Physical link is {state}",
    ],
    rules: &[PHYSICAL, LINES],
    sections: SECTIONS,
};

pub(super) static LOGICAL: Dialect = Dialect {
    name: "Juniper Junos, units",
    reads: "the logical interfaces of `show interfaces`",
    is_flat: false,
    has_units: false,
    heads: &[
        "Logical interface {if} (Index {n}) {*}",
        "Logical interface {if} (Index {n})",
        "Logical interface {if}",
        "Logical interface {port} (Index {n}) {*}",
    ],
    rules: &[UNITS, LINES],
    sections: SECTIONS,
};

static SECTIONS: &[Section] = &[
    Section {
        titles: &["Traffic statistics:"],
        rules: TRAFFIC,
        ..SECTION
    },
    Section {
        titles: &["Input errors:"],
        way: Way::In,
        cut: Cut::NameFirst,
        words: &[INPUT],
        own: ["Input {}", "Output {}"],
        ..SECTION
    },
    Section {
        titles: &["Output errors:"],
        way: Way::Out,
        cut: Cut::NameFirst,
        words: &[OUTPUT],
        own: ["Input {}", "Output {}"],
        ..SECTION
    },
    Section {
        titles: &["MAC statistics: Receive Transmit"],
        way: Way::Both,
        cut: Cut::Columns(2),
        words: &[MAC],
        is_closed: true,
        own: ["{} received", "{} sent"],
        ..SECTION
    },
    // The local figures, and those of IPv6, are part of the traffic counted above them.
    Section {
        titles: &[
            "IPv6 transit statistics:",
            "Local statistics:",
            "Label-switched interface (LSI) traffic statistics:",
            "Dropped traffic statistics due to STP State:",
            "Adaptive Statistics:",
            "Link:",
        ],
        rules: PARTS,
        ..SECTION
    },
    // Of units the only rates: those of what passes through, without what the router itself sent and took.
    Section {
        titles: &["Transit statistics:"],
        rules: TRANSIT,
        ..SECTION
    },
    Section {
        titles: &["Ingress queues: {*}"],
        own: ["ingress {}", "ingress {}"],
        rules: QUEUES,
        ..SECTION
    },
    Section {
        titles: &["Egress queues: {*}"],
        own: ["egress {}", "egress {}"],
        rules: QUEUES,
        ..SECTION
    },
    // Which way its queues go is not told.
    Section {
        titles: &["Queue counters: Queued packets Transmitted packets Dropped packets"],
        rules: QUEUES_OF_NO_WAY,
        ..SECTION
    },
    // Of a unit of an aggregate, where its links are told below it.
    Section {
        titles: &["Bundle:"],
        rules: BUNDLE,
        ..SECTION
    },
    // `show interfaces queue`, and `voq`, which counts what each forwarding engine sends to a queue.
    Section {
        titles: &["Queue: {queue}, Forwarding classes: {*}"],
        ..SECTION
    },
    Section {
        titles: &["FPC number: {FPC}", "PFE: {PFE}"],
        is_of_group: true,
        ..SECTION
    },
    Section {
        titles: &["Queued:"],
        own: ["queued {}", "queued {}"],
        is_of_group: true,
        rules: QUEUED,
        in_pairs: true,
        ..SECTION
    },
    Section {
        titles: &["Transmitted:"],
        own: ["transmitted {}", "transmitted {}"],
        is_of_group: true,
        rules: TRANSMITTED,
        ..SECTION
    },
    Section {
        // `| match drop` leaves the first row without the title above it.
        titles: &[
            "Dropped:",
            "Tail-dropped packets: {tail-dropped packets} {set tail-dropped packet rate}",
        ],
        own: ["transmitted {}", "transmitted {}"],
        is_of_group: true,
        rules: TRANSMITTED,
        ..SECTION
    },
    Section {
        titles: &["Queue-depth bytes:"],
        is_of_group: true,
        rules: DEPTH,
        ..SECTION
    },
    // `show interfaces media` of switches
    Section {
        titles: &["MAC statistics:"],
        rules: MEDIA,
        ..SECTION
    },
    Section {
        titles: &["Filter statistics:"],
        way: Way::Unsaid,
        rules: FILTER,
        ..SECTION
    },
    Section {
        // `| match error` leaves the first row without the title.
        titles: &[
            "Ethernet FEC statistics Errors",
            "Ethernet FEC statistics",
            "FEC Corrected Errors {FEC Corrected Errors}",
        ],
        cut: Cut::Columns(1),
        words: &[FEC],
        is_closed: true,
        own: ["{}", "{}"],
        ..SECTION
    },
    Section {
        titles: &[
            "PCS statistics Seconds Count",
            "PCS statistics Seconds",
            "PCS statistics: Seconds Count",
            "Bit errors {Bit errors seconds}",
        ],
        cut: Cut::Seconds,
        words: &[PCS],
        is_closed: true,
        own: ["PCS {}", "PCS {}"],
        ..SECTION
    },
    Section {
        titles: &["SONET PHY: Seconds Count State"],
        cut: Cut::Seconds,
        words: &[SONET_PHY],
        is_closed: true,
        own: ["SONET PHY {}", "SONET PHY {}"],
        ..SECTION
    },
    Section {
        titles: &["SONET section: Seconds Count State", "SONET section:"],
        cut: Cut::Seconds,
        words: &[SONET_SECTION],
        is_closed: true,
        own: ["SONET section {}", "SONET section {}"],
        ..SECTION
    },
    Section {
        titles: &["SONET line: Seconds Count State", "SONET line:"],
        cut: Cut::Seconds,
        words: &[SONET_LINE],
        is_closed: true,
        own: ["SONET line {}", "SONET line {}"],
        ..SECTION
    },
    Section {
        titles: &["SONET path: Seconds Count State", "SONET path:"],
        cut: Cut::Seconds,
        words: &[SONET_PATH],
        is_closed: true,
        own: ["SONET path {}", "SONET path {}"],
        ..SECTION
    },
    // Of SRX: why packets of flows were dropped.
    Section {
        titles: &["Flow error statistics (Packets dropped due to):"],
        cut: Cut::NameFirst,
        words: &[FLOW_ERRORS],
        is_closed: true,
        own: ["flow dropped: {}", "flow dropped: {}"],
        rules: &[any(
            "No zone or NULL zone binding {flow dropped: No zone or NULL zone binding}",
        )],
        ..SECTION
    },
    Section {
        titles: &[
            "Autonegotiation information:",
            "CoS information:",
            "Packet Forwarding Engine configuration:",
            "Link Degrade:",
            "Preclassifier statistics:",
            "LACP info:{*}",
            "LACP Statistics:{*}",
            "Marker Statistics:{*}",
            "Aggregate member links: {*}",
            "List-Type Status",
            "Addresses, {*}",
            "Addresses",
            "Security: {*}",
            "Flow Statistics:",
            "Flow Input statistics:",
            "Flow Output statistics:",
            "Queue number: {*}",
            "Protocol {w}, MTU: {first-mtu}{*}",
            "Protocol {*}",
        ],
        rules: SETTINGS,
        ..SECTION
    },
];
