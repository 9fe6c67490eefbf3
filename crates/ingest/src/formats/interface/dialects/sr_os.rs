//! Nokia SR OS: pages of two columns, then tables received and sent. The name stands inside, below the title of a page.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, input, once, output, own,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Nokia SR OS",
    reads: "`show port PORT`, `detail`, `optical`: state, traffic, errors, optics",
    is_flat: true,
    has_units: false,
    heads: &["Ethernet Interface", "Optical Interface"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Traffic Statistics"],
            ..TABLE
        },
        Section {
            titles: &["Port Statistics"],
            ..TABLE
        },
        Section {
            titles: &["Ethernet-like Medium Statistics"],
            way: Way::Unsaid,
            cut: Cut::NameFirst,
            words: &[MEDIUM],
            rules: RULERS,
            ..SECTION
        },
        Section {
            titles: &["Ethernet Statistics"],
            way: Way::Unsaid,
            cut: Cut::NameFirst,
            own: ["Ethernet {}", "Ethernet {}"],
            rules: SIZES,
            ..SECTION
        },
        Section {
            titles: &[
                "Digital Diagnostic Monitoring (DDM), Internally Calibrated",
                "Transceiver Digital Diagnostic Monitoring (DDM), Internally Calibrated",
                "Transceiver Digital Diagnostic Monitoring (DDM), Externally Calibrated",
                "Transceiver Digital Diagnostic Monitoring (DDM)",
                "Transceiver Data",
            ],
            rules: LIGHT,
            ..SECTION
        },
    ],
};

const TABLE: Section = Section {
    way: Way::Both,
    cut: Cut::Columns(2),
    words: &[WORDS],
    own: ["Input {}", "Output {}"],
    rules: RULERS,
    ..SECTION
};

static WORDS: &[Word] = &[
    both("Octets", K::InputBytes, K::OutputBytes),
    both("Packets", K::InputPackets, K::OutputPackets),
    both("Errors", K::InputErrors, K::OutputErrors),
    both("Discards", K::InputDiscards, K::OutputDrops),
    own("Unicast Packets"),
    own("Multicast Packets"),
    own("Broadcast Packets"),
    own("Unknown Proto Discards"),
];

static MEDIUM: &[Word] = &[
    input("Alignment Errors", K::InputFraming),
    input("FCS Errors", K::InputCrc),
    input("Too long Frames", K::InputGiants),
    input("In Pause Frames", K::InputPauses),
    output("Out Pause Frames", K::OutputPauses),
    output("Late Collisions", K::LateCollisions),
];

static RULERS: &[Rule] = &[
    any("===={*}"),
    any("----{*}"),
    any("Input Output"),
    any("Utilization ({*}"),
];

/// Names with figures inside.
static SIZES: &[Rule] = &[
    any("===={*}"),
    any("----{*}"),
    any("Packets of 64 Octets: {packets of 64 octets}"),
    any("Packets of 65 to 127 Octets: {packets of 65 to 127 octets}"),
    any("Packets of 128 to 255 Octets: {packets of 128 to 255 octets}"),
    any("Packets of 256 to 511 Octets: {packets of 256 to 511 octets}"),
    any("Packets of 512 to 1023 Octets: {packets of 512 to 1023 octets}"),
    any("Packets of 1024 to 1518 Octets: {packets of 1024 to 1518 octets}"),
    any("Packets of 1519 or more Octets: {packets of 1519 or more octets}"),
];

static LIGHT: &[Rule] = &[
    any("===={*}"),
    any("----{*}"),
    any("Value High Alarm High Warn Low Warn Low Alarm"),
    any("Temperature (C) {temperature} {*}"),
    any("Supply Voltage (V) {*}"),
    any("Tx Bias Current (mA) {*}"),
    any("Tx Output Power (dBm) {tx-dbm} {*}"),
    any("Rx Optical Power (avg dBm) {rx-dbm} {*}"),
    any("Transceiver {*}"),
    // Of lanes: the thresholds of all, then a row for each. A value that raises an alarm has it behind it.
    any("High Alarm High Warn Low Warn Low Alarm"),
    any("Lane {*}"),
    any("{of-lane} {w} {w} {tx-dbm}/{tx-flag} {rx-dbm}/{rx-flag}"),
    any("{of-lane} {w} {w} {tx-dbm}/{tx-flag} {rx-dbm}"),
    any("{of-lane} {w} {w} {tx-dbm} {rx-dbm}/{rx-flag}"),
    any("{of-lane} {w} {w} {tx-dbm} {rx-dbm}"),
    any("Number of Lanes: {*}"),
    any("TX Laser Wavelength{*}"),
    any("Model Number{*}"),
    any("Optical Compliance{*}"),
    any("Connector Code{*}"),
    any("Manufacture date{*}"),
    any("Serial Number{*}"),
    any("Part Number{*}"),
    any("Link Length support{*}"),
    any("Media{*}"),
];

static LINES: &[Rule] = &[
    any("===={*}"),
    any("----{*}"),
    above("Description: {description}"),
    once("Interface: {port} Oper Speed: {speed}"),
    above("Link-level: {*}"),
    above("Admin State: {w} Oper Duplex: {duplex}"),
    above("Oper State: {state} - {*}"),
    above("Oper State: {state} Config Duplex: {*}"),
    above("Oper State: {state} Config Duplex"),
    above("Physical Link: {*} MTU: {mtu}"),
    above("Single Fiber Mode: {*}"),
    above("IfIndex: {*}"),
    above("Last State Change: {*}"),
    above("Last Cleared Time: {cleared} DDM Events: {*}"),
    above("Last Cleared Time: {*}"),
    above("Phys State Chng Cnt: {CarrierTransitions}"),
    above("Phys State Chng Cnt: {CarrierTransitions} {*}"),
    above("Configured Mode: {*}"),
    above("Dot1Q Ethertype: {*}"),
    above("PBB Ethertype: {*}"),
    above("Ing. Pool {*}"),
    above("Egr. Pool {*}"),
    above("Net. Egr. Queue {*}"),
    above("Egr. Sched. {*}"),
    above("Auto-negotiate: {*}"),
    above("Oper Phy-tx-clock: {*}"),
    above("Accounting Policy: {*}"),
    above("Acct Plcy {*}"),
    above("Egress Rate: {set egress rate} Ingress Rate: {set ingress rate}"),
    above("Egress Rate: {set egress rate}"),
    above("Load-balance-algo{*}"),
    above("LACP Tunnel{*}"),
    above("Down-when-looped{*}"),
    above("Loop Detected{*}"),
    above("Use Broadcast Addr{*}"),
    above("Sync. Status Msg.{*}"),
    above("Tx DUS/DNU{*}"),
    above("SSM Code Type{*}"),
    above("Down On Int. Error{*}"),
    above("CRC Mon {*}"),
    above("Symbol Mon {*}"),
    above("EFM OAM{*}"),
    above("Hold time{*}"),
    above("Encap Type: {*}"),
    above("Min Frame Length: {*}"),
    above("Configured Address: {*}"),
    above("Hardware Address: {*}"),
    above("Hardware Address"),
    above("Cfg Address: {*}"),
    above("Access Bandwidth: {*}"),
    above("Access Available BW: {*}"),
    above("Access Booked BW: {*}"),
    above("Sflow: {*}"),
    above("Discard Unpaused: {*}"),
    above("Suppress Threshold: {*}"),
    above("Max Penalties: {*}"),
    above("Half Life: {*}"),
    above("Ing. Rate: {*}"),
    above("Transceiver {*}"),
];

/// What counts up from the first look on is of no use beside it; rates are told by themselves.
pub(super) static MONITOR: Dialect = Dialect {
    name: "Nokia SR OS, monitor",
    reads: "`monitor port PORT`, also with `rate`: traffic, errors, rates",
    is_flat: true,
    has_units: false,
    heads: &["Monitor statistics for Port {port}"],
    rules: &[RULERS],
    sections: &[
        SECTION,
        Section {
            titles: &["At time t = 0 sec (Base Statistics)"],
            ..TABLE
        },
        Section {
            titles: &["At time t = {n} sec (Mode: Rate)"],
            rules: RATES,
            ..SECTION
        },
        Section {
            titles: &["At time t = {n} sec (Mode: Delta)"],
            rules: DELTAS,
            ..SECTION
        },
    ],
};

static RATES: &[Rule] = &[
    any("----{*}"),
    any("Octets {n} {n}"),
    any("Packets {in-pps} {out-pps}"),
    any("Errors {n} {n}"),
    any("Bits {in-bits} {out-bits}"),
    any("Utilization ({*}"),
];

static DELTAS: &[Rule] = &[
    any("----{*}"),
    any("Octets {n} {n}"),
    any("Packets {n} {n}"),
    any("Errors {n} {n}"),
    any("Bits {n} {n}"),
    any("Utilization ({*}"),
];
