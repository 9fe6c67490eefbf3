//! Alcatel-Lucent OmniSwitch (AOS 6, 7 and 8).

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, both, input, once, output, own,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Alcatel-Lucent AOS",
    reads: "`show interfaces` of ports",
    is_flat: false,
    has_units: false,
    heads: &["Slot/Port {port}:", "Chassis/Slot/Port: {port}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Rx:"],
            way: Way::In,
            ..COUNTED
        },
        Section {
            titles: &["Tx:"],
            way: Way::Out,
            ..COUNTED
        },
    ],
};

const COUNTED: Section = Section {
    cut: Cut::NameFirst,
    words: &[WORDS],
    own: ["Rx {}", "Tx {}"],
    is_closed: true,
    ..SECTION
};

static WORDS: &[Word] = &[
    input("Bytes Received", K::InputBytes),
    output("Bytes Xmitted", K::OutputBytes),
    both("Error Frames", K::InputErrors, K::OutputErrors),
    input("CRC Error Frames", K::InputCrc),
    input("Alignments Err", K::InputFraming),
    output("Collided Frames", K::Collisions),
    output("Collisions", K::Collisions),
    output("Late collisions", K::LateCollisions),
    own("Unicast Frames"),
    own("Broadcast Frames"),
    own("M-cast Frames"),
    own("UnderSize Frames"),
    own("OverSize Frames"),
    own("Lost Frames"),
    own("Exc-Collisions"),
];

static LINES: &[Rule] = &[
    above("Operational Status: {state},{*}"),
    above("Port-Down/Violation Reason: {*}"),
    once("Last Time Link Changed: {*}"),
    above("Number of Status Change: {CarrierTransitions},"),
    above("Type: {*}"),
    above("SFP{*}"),
    above("Interface Type: {*}"),
    once("MAC address: {*}"),
    above("BandWidth (Megabits): {speed-mbit}, Duplex: {duplex},"),
    above("BandWidth (Megabits): - , Duplex: -,"),
    above("BandWidth (Megabits): -, Duplex: -,"),
    above("Autonegotiation: {*}"),
    above("Long Frame Size(Bytes): {n}"),
    above("Long Accept: {*}"),
    above("Runt Accept: {*}"),
    above("Inter Frame Gap(Bytes): {n}"),
];
