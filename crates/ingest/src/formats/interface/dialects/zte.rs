//! ZTE ZXR10 and M6000 (ZXROS): names of one word, what the hardware counted and what its software did.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Word, above, any, input, once, output, own,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "ZTE ZXROS",
    reads: "`show interface` of physical ports, loopback, mgmt",
    is_flat: false,
    has_units: false,
    heads: &["{if} is {state}, ifindex: {n}", "{port} is {state}, ifindex: {n}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Rate period: {interval}"],
            rules: RATES,
            ..SECTION
        },
        Section {
            titles: &["Peak rate:"],
            rules: PEAKS,
            ..SECTION
        },
        Section {
            titles: &["HardwareCounters:"],
            cut: Cut::Alternating,
            words: &[WORDS],
            ..SECTION
        },
        Section {
            titles: &["StreamCounters:"],
            cut: Cut::Alternating,
            own: ["stream {}", "stream {}"],
            words: &[STREAMED],
            is_closed: true,
            ..SECTION
        },
    ],
};

static RATES: &[Rule] = &[
    any("Input: {in-bits} bit/s {in-pps} packet/s"),
    any("Output: {out-bits} bit/s {out-pps} packet/s"),
];

static PEAKS: &[Rule] = &[
    any("Input: {n} bit/s {*}"),
    any("Output: {n} bit/s {*}"),
    any("Intf utilization: {*}"),
];

static STREAMED: &[Word] = &[
    own("In_Bytes"),
    own("In_Packets"),
    own("E_Bytes"),
    own("E_Packets"),
];

static WORDS: &[Word] = &[
    input("In_Bytes", K::InputBytes),
    input("In_Packets", K::InputPackets),
    input("In_CRC_ERROR", K::InputCrc),
    output("E_Bytes", K::OutputBytes),
    output("E_Packets", K::OutputPackets),
];

static LINES: &[Rule] = &[
    above("The interface is configured shutdown"),
    above("Description: {description}"),
    above("Description:"),
    above("Line protocol is {link}, {*}"),
    above("detected status is {*}"),
    above("Last line protocol up time: {*}"),
    once("Hardware is {*}"),
    above("Internet address is {*}"),
    above("BW {bandwidth}"),
    above("IP MTU {n} bytes"),
    above("IPv6 MTU {n} bytes"),
    above("MTU {mtu} bytes"),
    above("MPLS MTU {n} bytes"),
    above("Fec-{*}"),
    above("ARP {*}"),
    above("Last Clear Time: {*}"),
];
