//! Extreme SLX-OS and Brocade NOS (VDX).

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, input, once, output, own, own_input,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Extreme SLX-OS, Brocade NOS",
    reads: "`show interface` with receive and transmit statistics",
    is_flat: false,
    has_units: false,
    heads: &["{if} is {state}, line protocol is {link}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Receive Statistics:"],
            way: Way::In,
            ..COUNTED
        },
        Section {
            titles: &["Transmit Statistics:"],
            way: Way::Out,
            ..COUNTED
        },
        Section {
            titles: &["Rate info:", "Rate info (interval {interval}):"],
            rules: RATES,
            ..SECTION
        },
    ],
};

const COUNTED: Section = Section {
    cut: Cut::Either,
    words: &[WORDS],
    own: ["Receive {}", "Transmit {}"],
    is_closed: true,
    ..SECTION
};

static WORDS: &[Word] = &[
    both("packets", K::InputPackets, K::OutputPackets),
    both("bytes", K::InputBytes, K::OutputBytes),
    both("Errors", K::InputErrors, K::OutputErrors),
    both("Discards", K::InputDiscards, K::OutputDrops),
    input("CRC", K::InputCrc),
    input("Runts", K::InputRunts),
    input("Overruns", K::InputOverrun),
    output("Underruns", K::OutputUnderruns),
    own_input("Jabbers"),
    own("Unicasts"),
    own("Multicasts"),
    own("Broadcasts"),
    own("64-byte pkts"),
    own("Over 64-byte pkts"),
    own("Over 127-byte pkts"),
    own("Over 255-byte pkts"),
    own("Over 511-byte pkts"),
    own("Over 1023-byte pkts"),
    own("Over 1518-byte pkts(Jumbo)"),
];

static RATES: &[Rule] = &[
    any("Input {in-rate}, {in-pps} packets/sec, {n} of line{*}"),
    any("Output {out-rate}, {out-pps} packets/sec, {n} of line{*}"),
];

static LINES: &[Rule] = &[
    once("Hardware is {*}"),
    above("Current address is {*}"),
    above("Pluggable media {*}"),
    above("Description: {description}"),
    once("Interface index (ifindex) is {*}"),
    above("MTU {mtu} bytes"),
    above("IP MTU {n} bytes"),
    above("1G Interface"),
    above("10G Interface"),
    above("25G Interface"),
    above("40G Interface"),
    above("100G Interface"),
    above("Forward LACP PDU: {*}"),
    above("Route Only: {*}"),
    above("AGGREGATOR {*}"),
    above("Number of {*}"),
    above("Member{*}"),
    above("FEC Mode: {*}"),
    above("Eth Speed {*}"),
    above("LineSpeed Actual: {speed}"),
    above("LineSpeed Configured: {*}"),
    above("LineSpeed: {speed}, Duplex: {duplex}"),
    above("Priority Tag {*}"),
    above("IFG {*}"),
    above("Tracking {*}"),
    above("Internet address {*}"),
    above("Last clearing of show interface counters: {cleared}"),
    above("Queueing strategy: {*}"),
    above("FEC Mode - {*}"),
    any("Route-Only Packets Dropped: {*}"),
    any("Time since last interface status change: {*}"),
];
