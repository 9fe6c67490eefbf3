//! HPE Comware, H3C: what is received and sent in all, and how much of it is sound.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, input, once, output, own, own_input,
    own_output,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "HPE Comware, H3C",
    reads: "`display interface` of versions 5 and 7",
    is_flat: true,
    has_units: false,
    heads: &["{alone}", "{if} current state: {state}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Input (total): {InputPackets} packets, {InputBytes} bytes"],
            way: Way::In,
            own: ["Input (total) {}", "Output (total) {}"],
            words: &[TOTAL],
            is_closed: true,
            ..COUNTED
        },
        Section {
            titles: &["Input (normal): {packets} packets, {bytes} bytes"],
            way: Way::In,
            own: ["Input (normal) {}", "Output (normal) {}"],
            words: &[SOUND],
            is_closed: true,
            ..COUNTED
        },
        // Switches count traffic above it, and errors below: no casts.
        Section {
            titles: &[
                "Input: {InputErrors} input errors, {in-list}",
                "input: {InputErrors} input errors,{in-list}",
            ],
            way: Way::In,
            own: ["Input {}", "Output {}"],
            words: &[WORDS, ERRORS],
            is_closed: true,
            ..COUNTED
        },
        Section {
            titles: &["Input: {in-list}", "input: {in-list}", "Input:"],
            way: Way::In,
            own: ["Input {}", "Output {}"],
            words: &[WORDS, ERRORS, ROUTED],
            is_closed: true,
            ..COUNTED
        },
        Section {
            titles: &["Output (total): {OutputPackets} packets, {OutputBytes} bytes"],
            way: Way::Out,
            own: ["Input (total) {}", "Output (total) {}"],
            words: &[TOTAL],
            is_closed: true,
            ..COUNTED
        },
        Section {
            titles: &["Output (normal): {packets} packets, {bytes} bytes"],
            way: Way::Out,
            own: ["Input (normal) {}", "Output (normal) {}"],
            words: &[SOUND],
            is_closed: true,
            ..COUNTED
        },
        Section {
            titles: &[
                "Output: {OutputErrors} output errors, {out-list}",
                "output: {OutputErrors} output errors,{out-list}",
            ],
            way: Way::Out,
            own: ["Input {}", "Output {}"],
            words: &[WORDS, ERRORS],
            is_closed: true,
            ..COUNTED
        },
        Section {
            titles: &[
                "Output: {out-list}",
                "Output:{out-list}",
                "output: {out-list}",
                "Output:",
            ],
            way: Way::Out,
            own: ["Input {}", "Output {}"],
            words: &[WORDS, ERRORS, ROUTED],
            is_closed: true,
            ..COUNTED
        },
        // Parts of the traffic that is counted below.
        Section {
            titles: &["IPv4 traffic statistics:", "IPv6 traffic statistics:"],
            rules: PARTS,
            ..SECTION
        },
    ],
};

const COUNTED: Section = Section {
    cut: Cut::FigureFirst,
    words: &[WORDS],
    ..SECTION
};

/// What is sound of it is part of the total.
static SOUND: &[Word] = &[
    own("unicasts"),
    own("broadcasts"),
    own("multicasts"),
    own("pauses"),
];

static TOTAL: &[Word] = &[
    own("unicasts"),
    own("broadcasts"),
    own("multicasts"),
    both("pauses", K::InputPauses, K::OutputPauses),
];

static WORDS: &[Word] = &[
    own("aborts"),
    both("pauses", K::InputPauses, K::OutputPauses),
    both("packets", K::InputPackets, K::OutputPackets),
    both("bytes", K::InputBytes, K::OutputBytes),
    both("drops", K::InputDiscards, K::OutputDrops),
    input("input errors", K::InputErrors),
    input("runts", K::InputRunts),
    input("giants", K::InputGiants),
    input("CRC", K::InputCrc),
    input("frame", K::InputFraming),
    input("overruns", K::InputOverrun),
    input("ignored", K::InputIgnored),
    input("no buffers", K::InputNoBuffer),
    output("output errors", K::OutputErrors),
    output("underruns", K::OutputUnderruns),
    output("collisions", K::Collisions),
    output("late collisions", K::LateCollisions),
    own_output("buffer failures"),
    own_output("deferred"),
    own_output("lost carrier"),
    own_output("no carrier"),
];

/// Further errors of either direction.
static ERRORS: &[Word] = &[
    own_input("throttles"),
    own_input("parity errors"),
    own_input("dribbles"),
];

/// Routers count everything below one title.
static ROUTED: &[Word] = &[
    own("unicasts"),
    own("broadcasts"),
    own("multicasts"),
    both("errors", K::InputErrors, K::OutputErrors),
    input("align errors", K::InputFraming),
    input("frame errors", K::InputFraming),
    own_output("lost carriers"),
];

static PARTS: &[Rule] = &[
    any("Last {over} input rate: {*}"),
    any("Last {over} output rate: {*}"),
    any("Input: {*}"),
    any("Output: {*}"),
];

static LINES: &[Rule] = &[
    above("Interface index: {n}"),
    once("Current state: {state}"),
    // That of IP: it is down without an address, and the port carries all the same.
    above("Line protocol state: {*}"),
    above("Line protocol current state: {*}"),
    above("IP Packet Frame Type:{*}"),
    above("IP packet frame type: {*}"),
    above("IPv6 Packet Frame Type:{*}"),
    above("IPv6 packet frame type: {*}"),
    above("Description: {description}"),
    above("Bandwidth: {kbit} kbps"),
    above("Bandwidth: {kbit}kbps"),
    above("Maximum transmission unit: {mtu}"),
    above("The Maximum Transmit Unit is {mtu}"),
    above("Maximum Transmit Unit: {mtu}"),
    above("The maximum frame length is {*}"),
    above("Maximum frame length:{*}"),
    above("The Maximum Frame Length is {n}"),
    above("Allow jumbo frames{*}"),
    above("Allow jumbo frame{*}"),
    above("Internet protocol processing: {*}"),
    above("Internet address: {*}"),
    above("Internet Address is {*}"),
    above("Loopback is {*}"),
    above("Media type is {*}"),
    above("media type is {*}"),
    above("Port hardware type is {*}"),
    above("{speed}-speed mode, {duplex} mode"),
    above("{speed}-speed mode , {duplex} mode"),
    above("Unknown-speed mode, {*}"),
    above("{speed}, {duplex}, link type{*}"),
    above("Link speed type is {*}"),
    above("Link delay is {*}"),
    above("Flow-control is {*}"),
    above("The Maximum Frame{*}"),
    above("Broadcast max-ratio: {*}"),
    above("Multicast max-ratio: {*}"),
    above("Unicast max-ratio: {*}"),
    above("Broadcast MAX-ratio: {*}"),
    above("Multicast MAX-ratio: {*}"),
    above("Unicast MAX-ratio: {*}"),
    above("{w} max-ratio: {*}"),
    above("{w} MAX-ratio: {*}"),
    above("{w} Max-ratio: {*}"),
    above("{w} max-pps: {*}"),
    above("{w} max-kbps: {*}"),
    above("Output queue - Urgent queuing: Size/Length/Discards {n}/{n}/{Urgent queue discards}"),
    above("Output queue: (Urgent queuing: Size/Length/Discards) {n}/{n}/{Urgent queue discards}"),
    above("Output queue - Protocol queuing: Size/Length/Discards {n}/{n}/{Protocol queue discards}"),
    above("Output queue: (Protocol queuing: Size/Length/Discards) {n}/{n}/{Protocol queue discards}"),
    above("Output queue - FIFO queuing: Size/Length/Discards {n}/{n}/{FIFO queue discards}"),
    above("Output queue: (FIFO queuing: Size/Length/Discards) {n}/{n}/{FIFO queue discards}"),
    above("Output queue{*}"),
    above("Tunnel {*}"),
    above("GRE {*}"),
    above("Checksumming {*}"),
    above("Encapsulation is {*}"),
    above("Media type: {*}"),
    above("Physical: {*}"),
    above("Physical layer: {*}"),
    above("Phy-mru: {*}"),
    above("Transfer time: {*}"),
    above("Output flow-control {*}"),
    above("flow-control: {*}"),
    above("Flow-control: {*}"),
    above("PVID: {*}"),
    above("MDI type: {*}"),
    above("Mdi type: {*}"),
    above("Port link-type: {*}"),
    above("Tagged VLANs: {*}"),
    above("UnTagged VLANs: {*}"),
    above("Tagged Vlan: {*}"),
    above("UnTagged Vlan: {*}"),
    above("Tagged VLAN: {*}"),
    above("Untagged VLAN: {*}"),
    above("UnTagged VLAN{*}"),
    above("Tagged VLAN ID: {*}"),
    above("Untagged VLANs: {*}"),
    above("Untagged VLAN ID: {*}"),
    above("VLAN passing: {*}"),
    above("VLAN Passing: {*}"),
    above("VLAN permitted: {*}"),
    above("Trunk port encapsulation: {*}"),
    above("Port priority: {*}"),
    above("Last link flapping: {*}"),
    above("Last clearing of counters: {cleared}"),
    above("Current system time:{*}"),
    above("Last time when physical state changed {*}"),
    above("Peak value of {*}"),
    above("Peak input rate: {*}"),
    above("Peak output rate: {*}"),
    above("Last {over} input: {in-pps} packets/sec {in-bytes} bytes/sec {*}%"),
    above("Last {over} output: {out-pps} packets/sec {out-bytes} bytes/sec {*}%"),
    above("Last {over} input: {in-pps} packets/sec {in-bytes} bytes/sec"),
    above("Last {over} output: {out-pps} packets/sec {out-bytes} bytes/sec"),
    above("Last {over} input rate: {*} bytes/sec, {in-bits} bits/sec, {in-pps} packets/sec"),
    above("Last {over} output rate: {*} bytes/sec, {out-bits} bits/sec, {out-pps} packets/sec"),
    above("Last {over} input rate {*} bytes/sec, {in-bits} bits/sec, {in-pps} packets/sec"),
    above("Last {over} output rate {*} bytes/sec, {out-bits} bits/sec, {out-pps} packets/sec"),
    above("Last {over} input rate: {in-bytes} bytes/sec, {in-pps} packets/sec"),
    above("Last {over} output rate: {out-bytes} bytes/sec, {out-pps} packets/sec"),
    above("Last {over} input: {in-bytes} bytes/sec, {in-pps} packets/sec"),
    above("Last {over} output: {out-bytes} bytes/sec, {out-pps} packets/sec"),
    any("{InputPackets} packets input, {InputBytes} bytes"),
    any("{OutputPackets} packets output, {OutputBytes} bytes"),
    any("{InputErrors} input error"),
    any("{OutputErrors} output error"),
    any("{InputPackets} packets input, {InputBytes} bytes, {InputDiscards} drops"),
    any("{OutputPackets} packets output, {OutputBytes} bytes, {OutputDrops} drops"),
];
