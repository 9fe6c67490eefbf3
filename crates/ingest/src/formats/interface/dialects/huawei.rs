//! Huawei VRP (routers, switches; NE, AR, CE, S).

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, input, once, output, own_output,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Huawei VRP",
    reads: "`display interface` of physical ports, Eth-Trunk, Vlanif, LoopBack",
    is_flat: false,
    heads: &[
        "{if} current state: {state} (ifindex: {n})",
        "{if} current state: {state}",
    ],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Input: {InputPackets} packets, {InputBytes} bytes"],
            way: Way::In,
            ..COUNTED
        },
        Section {
            titles: &["Output: {OutputPackets} packets, {OutputBytes} bytes"],
            way: Way::Out,
            ..COUNTED
        },
    ],
};

const COUNTED: Section = Section {
    cut: Cut::NameFirst,
    words: &[WORDS],
    own: ["Input {}", "Output {}"],
    rules: LIGHT,
    ..SECTION
};

static WORDS: &[Word] = &[
    both("Discard", K::InputDiscards, K::OutputDrops),
    both("Total Error", K::InputErrors, K::OutputErrors),
    both("Pause", K::InputPauses, K::OutputPauses),
    input("CRC", K::InputCrc),
    input("Giants", K::InputGiants),
    input("Runts", K::InputRunts),
    input("Alignments", K::InputFraming),
    input("Frame", K::InputFraming),
    input("Overrun", K::InputOverrun),
    input("Overruns", K::InputOverrun),
    input("Ignoreds", K::InputIgnored),
    input("No buffer", K::InputNoBuffer),
    output("Collisions", K::Collisions),
    output("Collision", K::Collisions),
    output("Late Collisions", K::LateCollisions),
    output("LateCollisions", K::LateCollisions),
    output("Underruns", K::OutputUnderruns),
    output("Underrun", K::OutputUnderruns),
    own_output("ExcessiveCollisions"),
    own_output("Deferreds"),
    own_output("Deferred"),
    own_output("Buffers Purged"),
    own_output("Lost Carriers"),
];

/// The share of the time that it is busy, below the counters.
static LIGHT: &[Rule] = &[
    any("Input bandwidth utilization threshold: {*}"),
    any("Output bandwidth utilization threshold: {*}"),
    any("Input bandwidth utilization: {*}"),
    any("Output bandwidth utilization: {*}"),
    any("Last {over} input utility rate: {*}"),
    any("Last {over} output utility rate: {*}"),
];

static LINES: &[Rule] = &[
    above("Line protocol current state: {link}"),
    above("Last line protocol up time: {*}"),
    above("Description:{description}"),
    above("Description:"),
    above("Switch Port, {*}The Maximum Frame Length is {mtu}"),
    above("Route Port,{*}The Maximum Transmit Unit is {mtu}{*}"),
    above("Switch Port, {*}The Maximum Transmit Unit is {mtu}{*}"),
    above("Route Port,{*}The Maximum Transmit Unit is {mtu}"),
    above("{*}Hash arithmetic{*}"),
    above("Internet protocol processing: {*}"),
    above("Internet Address is {*}"),
    above("IP Sending Frames' Format is {*}"),
    above("The Vendor PN is {*}"),
    above("The Vendor Name is {*}"),
    above("Port BW: {speed}, Transceiver max BW: {*}"),
    above("Transceiver Mode: {*}"),
    above("WaveLength: {*}"),
    any("Rx Power: {rx-dbm}, Tx Power: {tx-dbm}"),
    any("Rx Power: {rx-dbm}, Warning range: {*}"),
    any("Tx Power: {tx-dbm}, Warning range: {*}"),
    above("Loopback: {*}"),
    above("Loopback:{*}"),
    above("Last physical up time: {*}"),
    above("Last physical down time: {*}"),
    above("Current system time: {*}"),
    above("Port Mode: {*}"),
    once("Hardware address is {*}"),
    above("Speed: {speed-mbit}, Loopback: {*}"),
    above("Speed: AUTO, Loopback: {*}"),
    above("Duplex: {duplex}, Negotiation: {*}"),
    above("Mdi: {*}"),
    above("Flow-control: {*}"),
    above("Current BW: {speed}, {*}"),
    above("Current BW: {speed}"),
    above("Maximal BW: {*}"),
    above("Media type: {*}"),
    above("Statistics last cleared:{cleared}"),
    above("Last {over} input rate: {in-bits} bits/sec, {in-pps} packets/sec"),
    above("Last {over} output rate: {out-bits} bits/sec, {out-pps} packets/sec"),
    above("Last {over} input rate {in-bits} bits/sec, {in-pps} packets/sec"),
    above("Last {over} output rate {out-bits} bits/sec, {out-pps} packets/sec"),
    above("Input peak rate{*}"),
    above("Output peak rate{*}"),
    any("PortName Status Weight"),
    any("The Number of Ports in Trunk: {*}"),
    any("The Number of UP Ports in Trunk: {*}"),
    any("{if} UP {n}"),
    any("{if} DOWN {n}"),
];
