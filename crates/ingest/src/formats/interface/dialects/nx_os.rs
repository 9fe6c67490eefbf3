//! Cisco NX-OS: a table received and one sent, with the same words.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, either, input, output, own, own_input,
    own_output,
};
use super::words::{COUNTERS, LINES};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco NX-OS",
    reads: "`show interface` of Ethernet, port-channel, mgmt, Vlan, loopback, tunnel, nve and subinterfaces",
    is_flat: false,
    has_units: false,
    heads: &["{ifname} is {bare}", "{if} is {state}, line protocol is {link}"],
    rules: &[CUT, LINES, OWN],
    sections: &[
        Section {
            cut: Cut::FigureFirst,
            words: &[TOP],
            is_closed: true,
            own: ["{}", "output {}"],
            ..SECTION
        },
        Section {
            titles: &["RX", "Rx"],
            way: Way::In,
            own: ["RX {}", "TX {}"],
            ..TABLE
        },
        Section {
            titles: &["TX", "Tx"],
            way: Way::Out,
            own: ["RX {}", "TX {}"],
            ..TABLE
        },
        Section {
            titles: &["L3 Switched:"],
            own: ["L3 {}", "L3 {}"],
            rules: ROUTED,
            ..SECTION
        },
        // Fibre Channel.
        Section {
            titles: &["{InputPackets} frames input, {InputBytes} bytes"],
            way: Way::In,
            cut: Cut::FigureFirst,
            words: &[FRAMES],
            is_closed: true,
            ..SECTION
        },
        Section {
            titles: &["{OutputPackets} frames output, {OutputBytes} bytes"],
            way: Way::Out,
            cut: Cut::FigureFirst,
            words: &[FRAMES],
            is_closed: true,
            ..SECTION
        },
        Section {
            titles: &["L3 in Switched:", "L3 Switched input:"],
            way: Way::In,
            own: ["L3 in {}", "L3 out {}"],
            rules: SWITCHED,
            ..SECTION
        },
        Section {
            titles: &["L3 out Switched:", "L3 Switched output:"],
            way: Way::Out,
            own: ["L3 in {}", "L3 out {}"],
            rules: SWITCHED,
            ..SECTION
        },
    ],
};

const TABLE: Section = Section {
    cut: Cut::FigureFirst,
    words: &[TABLES, COUNTERS],
    rules: SWITCHED,
    ..SECTION
};

static SWITCHED: &[Rule] = &[
    any(
        "ucast: {unicast packets} pkts, {unicast bytes} bytes - mcast: {multicast packets} pkts, {multicast bytes} bytes",
    ),
    any("ucast: {unicast packets} pkts, {unicast bytes} bytes"),
];

static ROUTED: &[Rule] = &[any(
    "input: {packets input} pkts, {bytes input} bytes - output: {packets output} pkts, {bytes output} bytes",
)];

static FRAMES: &[Word] = &[
    both("discards", K::InputDiscards, K::OutputDrops),
    both("errors", K::InputErrors, K::OutputErrors),
    input("CRC", K::InputCrc),
    input("CRC/FCS", K::InputCrc),
    input("too long", K::InputGiants),
    input("too short", K::InputRunts),
    own_input("unknown class"),
    own_input("invalid transmission words"),
];

/// Loopback has no tables.
static TOP: &[Word] = &[
    input("packets input", K::InputPackets),
    output("packets output", K::OutputPackets),
    both("bytes", K::InputBytes, K::OutputBytes),
    both("fifo", K::InputOverrun, K::OutputUnderruns),
    input("input errors", K::InputErrors),
    input("frame", K::InputFraming),
    input("overrun", K::InputOverrun),
    output("underruns", K::OutputUnderruns),
    output("output errors", K::OutputErrors),
    output("collisions", K::Collisions),
    own("multicast frames"),
    own("compressed"),
    own("out_carrier_errors"),
    either("interface resets", K::InterfaceResets),
];

static TABLES: &[Word] = &[
    own_input("Stomped CRC"),
    input("CRC/FCS", K::InputCrc),
    input("input packets", K::InputPackets),
    output("output packets", K::OutputPackets),
    input("input error", K::InputErrors),
    output("output error", K::OutputErrors),
    input("input discard", K::InputDiscards),
    output("output discard", K::OutputDrops),
    input("Rx pause", K::InputPauses),
    output("Tx pause", K::OutputPauses),
    // Both stand in the table of what is received.
    both("underrun", K::OutputUnderruns, K::OutputUnderruns),
    own_input("storm suppression packets"),
    own_input("storm suppression bytes"),
];

/// What may be words of people, or a line behind them that is cut.
static CUT: &[Rule] = &[above("Description: {*} MTU {n}")];

static OWN: &[Rule] = &[
    any("{InputPackets} packets input, {over} input rate {in-pps} packets/sec"),
    any("{OutputPackets} packets output, {over} output rate {out-pps} packets/sec"),
    above("{n}/{n}"),
    any("{broadcast packets} broadcast packets {n} packets/sec"),
    any("{over} input rate {in-bits} bits/sec, {n} bytes/sec, {in-pps} frames/sec"),
    any("{over} output rate {out-bits} bits/sec, {n} bytes/sec, {out-pps} frames/sec"),
    // Of some management ports, without a comma.
    any("Load-Interval #{n} is {*}"),
    any("{over} input rate {in-bits} bits/sec {in-pps} packets/sec"),
    any("{over} output rate {out-bits} bits/sec {out-pps} packets/sec"),
    any("{over} input rate {in-bits} bits/sec"),
    any("{over} output rate {out-bits} bits/sec"),
    any("{over} input rate {in-bits} bits/sec,"),
    any("{over} output rate {out-bits} bits/sec,"),
    any("last clearing of \"show interface\" counters {cleared}"),
    any("{n} input OLS, {*}"),
    any("{n} output OLS, {*}"),
    any("{n} receive B2B credit {*}"),
    any("{n} transmit B2B credit {*}"),
    any("{n} low priority transmit B2B credit {*}"),
    above("Port description is {description}"),
    above("Operating Speed is {speed}"),
    above("Port {*}"),
    above("Receive {*}"),
    above("Transmit B2B {*}"),
    above("B2B State {*}"),
    above("Admin Speed is {*}"),
    above("Peer port WWN is {*}"),
    above("Trunk vsans {*}"),
    above("Rate mode is {*}"),
    any("Interface last changed {*}"),
    any("Bound interface is {*}"),
    above("Internet address(es):"),
    above("Admin State: {*}"),
    above("Last link flapped{*}"),
    above("admin state is {*}"),
    above("IP MTU {*}"),
    any("EtherType is {*}"),
    any("Belongs to {*}"),
    any("Members in this channel: {*}"),
    any("vPC Status: {*}"),
    any("Load-Interval #{n}: {*} ({interval})"),
    any("Load-Interval #{n}: {interval}"),
    any("Tunnel{*}"),
    any("Parent Interface{*}"),
    any("Vlan {*}"),
    any("Port mode is {*}"),
    any("fec {*}"),
    any("FEC mode is {*}"),
];

/// `show interface counters detailed`: a counter a line, below the name of the port. What goes by size is left out: it says nothing that
/// the packets do not.
/// `show vlan counters`
pub(super) static VLAN: Dialect = Dialect {
    name: "Cisco NX-OS, VLANs",
    reads: "`show vlan counters`: packets and octets by kind of address",
    is_flat: true,
    has_units: false,
    heads: &["Vlan Id:{vlan}"],
    rules: &[],
    sections: &[Section {
        cut: Cut::NameFirst,
        ..SECTION
    }],
};

pub(super) static DETAILED: Dialect = Dialect {
    name: "Cisco NX-OS, counters",
    reads: "`show interface counters detailed`: packets, bytes, errors and discards",
    is_flat: true,
    has_units: false,
    heads: &["{alone}"],
    rules: &[BY_SIZE],
    sections: &[Section {
        way: Way::Unsaid,
        cut: Cut::NameFirst,
        words: &[EACH],
        ..SECTION
    }],
};

static BY_SIZE: &[Rule] = &[
    any("Rx Packets from {*}"),
    any("Tx Packets from {*}"),
    any("Rx Trunk Packets: {*}"),
    any("Tx Trunk Packets: {*}"),
];

static EACH: &[Word] = &[
    input("Rx Packets", K::InputPackets),
    input("Rx Bytes", K::InputBytes),
    own_input("Rx Unicast Packets"),
    own_input("Rx Multicast Packets"),
    own_input("Rx Broadcast Packets"),
    own_input("Rx Jumbo Packets"),
    input("Rx CRC Errors", K::InputCrc),
    input("Rx Input Errors", K::InputErrors),
    input("Rx Input Discards", K::InputDiscards),
    output("Tx Packets", K::OutputPackets),
    output("Tx Bytes", K::OutputBytes),
    own_output("Tx Unicast Packets"),
    own_output("Tx Multicast Packets"),
    own_output("Tx Broadcast Packets"),
    own_output("Tx Jumbo Packets"),
    own_output("Tx CRC Errors"),
    output("Tx Output Errors", K::OutputErrors),
    output("Tx Output Discards", K::OutputDrops),
];
