//! Dell (Force10) OS9 and OS10.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, either, input, own_input, own_output,
};
use super::words::{COUNTERS, LINES, SHORT};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Dell OS9, OS10",
    reads: "`show interfaces` with input and output statistics",
    is_flat: false,
    has_units: false,
    heads: &["{if} is {state}, line protocol is {link}"],
    rules: &[OWN, LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Input Statistics:", "Input statistics:"],
            way: Way::In,
            ..STATISTICS
        },
        Section {
            titles: &["Output Statistics:", "Output statistics:"],
            way: Way::Out,
            rules: NO_FIGURE,
            ..STATISTICS
        },
        Section {
            titles: &[
                "Rate info (interval {interval}):",
                "Rate Info(interval {interval}):",
                "Rate info(interval {interval}):",
            ],
            rules: RATES,
            ..SECTION
        },
    ],
};

const STATISTICS: Section = Section {
    cut: Cut::FigureFirst,
    words: &[WORDS, COUNTERS, SHORT],
    own: ["Input {}", "Output {}"],
    ..SECTION
};

static WORDS: &[Word] = &[
    both("packets", K::InputPackets, K::OutputPackets),
    both("discarded", K::InputDiscards, K::OutputDrops),
    either("Collisions", K::Collisions),
    own_input("64-byte-drops"),
    own_output("wreddrops"),
    own_output("wred drops"),
    input("overrun", K::InputOverrun),
];

/// OS10 prints the name alone where the hardware does not count.
static NO_FIGURE: &[Rule] = &[any("{out-list}, wred drops")];

static RATES: &[Rule] = &[
    any("Input {in-rate}, {in-pps} packets/sec, {n} of line{*}"),
    any("Output {out-rate}, {out-pps} packets/sec, {n} of line{*}"),
];

static OWN: &[Rule] = &[
    above("Current address is {*}"),
    above("Address is {*}"),
    above("Virtual-IP {*}"),
    above("Pluggable media {*}"),
    above("Medium is {*}"),
    above("Wavelength is {*}"),
    any("SFP{*}receive power reading is {rx-dbm}"),
    any("SFP{*}transmit power reading is {tx-dbm}"),
    any("Receive power reading is {rx-dbm} dBm"),
    any("Receive power reading is {rx-dbm}dBm"),
    any("SFP{*}reading is {*}"),
    any("QSFP{*}reading is {*}"),
    above("Server Port AdminState is {*}"),
    above("Interface index is {*}"),
    above("Port is {*}"),
    above("Mode of IPv4 Address Assignment{*}"),
    above("Interface IPv6 {*}"),
    above("DHCP Client-ID{*}"),
    above("MTU {mtu} bytes, IP MTU {n} bytes"),
    above("LineSpeed {speed}, {*}"),
    above("LineSpeed {speed}"),
    above("Flowcontrol {*}"),
    above("FEC is {*}"),
    any("Configured FEC {*}"),
    any("Members in this channel: {*}"),
    // Of the port for management, which has no titles.
    any("Input {InputPackets} packets, {InputBytes} bytes, {input multicast} multicast"),
    any("Received {InputErrors} errors, {InputDiscards} discarded"),
    any("Output {OutputPackets} packets, {OutputBytes} bytes, {output multicast} multicast"),
    any("Output {OutputErrors} errors, {output invalid protocol} invalid protocol"),
    // Cut behind a word: of which way it is, is not told.
    any("Input {n} packets{*}"),
    any("Received {n} errors{*}"),
    any("Output {n} packets{*}"),
    any("Output {n} errors{*}"),
    any("Time since last interface status change: {*}"),
    any("Current state: {*}"),
];
