//! HPE Comware, H3C: what is received and sent in all, and how much of it is sound.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, input, once, output, own, own_input, own_output,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "HPE Comware, H3C",
    reads: "`display interface` of versions 5 and 7",
    is_flat: true,
    heads: &["{alone}", "{if} current state: {state}"],
    rules: &[LINES],
    sections: &[
        Section {
            words: &[VIRTUAL],
            is_closed: true,
            ..COUNTED
        },
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
        Section {
            titles: &[
                "Input: {InputPackets} packets, {InputBytes} bytes, {in-list}",
                "Input: {InputPackets} packets, {InputBytes} bytes",
                "input: {InputPackets} packets, {InputBytes} bytes",
                "Input:",
            ],
            way: Way::In,
            words: &[CASTS, WORDS],
            own: ["Input {}", "Output {}"],
            ..COUNTED
        },
        Section {
            titles: &["Input: {in-list}", "input: {in-list}"],
            way: Way::In,
            own: ["Input {}", "Output {}"],
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
                "Output: {OutputPackets} packets, {OutputBytes} bytes, {out-list}",
                "Output: {OutputPackets} packets, {OutputBytes} bytes",
                "Output:{OutputPackets} packets, {OutputBytes} bytes",
                "output: {OutputPackets} packets, {OutputBytes} bytes",
                "Output:",
            ],
            way: Way::Out,
            words: &[CASTS, WORDS],
            own: ["Input {}", "Output {}"],
            ..COUNTED
        },
        Section {
            titles: &["Output: {out-list}", "output: {out-list}"],
            way: Way::Out,
            own: ["Input {}", "Output {}"],
            is_closed: true,
            ..COUNTED
        },
        // Of all that is counted above a part.
        Section {
            titles: &["IPv4 traffic statistics:", "IPv6 traffic statistics:"],
            rules: OF_A_FAMILY,
            ..SECTION
        },
    ],
};

const COUNTED: Section = Section {
    cut: Cut::FigureFirst,
    words: &[WORDS],
    ..SECTION
};

static OF_A_FAMILY: &[Rule] = &[
    any("Last {over} input rate: {*}"),
    any("Last {over} output rate: {*}"),
    any("Input: {*}"),
    any("Output: {*}"),
];

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

/// Interfaces without a port count little, and say the direction with each figure.
static VIRTUAL: &[Word] = &[
    input("packets input", K::InputPackets),
    output("packets output", K::OutputPackets),
    both("bytes", K::InputBytes, K::OutputBytes),
    both("drops", K::InputDiscards, K::OutputDrops),
    input("input error", K::InputErrors),
    output("output error", K::OutputErrors),
];

static CASTS: &[Word] = &[own("unicasts"), own("broadcasts"), own("multicasts")];

static WORDS: &[Word] = &[
    both("pauses", K::InputPauses, K::OutputPauses),
    both("packets", K::InputPackets, K::OutputPackets),
    both("bytes", K::InputBytes, K::OutputBytes),
    both("drops", K::InputDiscards, K::OutputDrops),
    both("errors", K::InputErrors, K::OutputErrors),
    input("align errors", K::InputFraming),
    input("frame errors", K::InputFraming),
    own_input("throttles"),
    own_input("parity errors"),
    own_input("dribbles"),
    own("aborts"),
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

static LINES: &[Rule] = &[
    above("Interface index: {n}"),
    once("Current state: {state}"),
    above("Line protocol state: {link}"),
    above("Line protocol current state: {link}"),
    above("IP Packet Frame Type:{*}"),
    above("IP packet frame type:{*}"),
    above("IPv6 Packet Frame Type:{*}"),
    above("IPv6 packet frame type:{*}"),
    above("Description: {description}"),
    above("Bandwidth: {kbit} kbps"),
    above("Bandwidth: {kbit}kbps"),
    above("Maximum transmission unit: {mtu}"),
    above("The Maximum Transmit Unit is {mtu}"),
    above("Maximum Transmit Unit: {mtu}"),
    above("Maximum frame length: {n}"),
    above("Maximum frame length:{n}"),
    above("The maximum frame length is {n}"),
    above("Known-unicast max-ratio: {*}"),
    above("Unknown-unicast max-ratio: {*}"),
    above("Unknown-multicast max-ratio: {*}"),
    above("Known-multicast max-ratio: {*}"),
    above("Media type: {*}"),
    above("Output flow-control is {*}"),
    above("Input flow-control is {*}"),
    above("flow-control: {*}"),
    above("{speed}-speed mode , {duplex} mode"),
    above("{speed}, {duplex}, link type is {*}"),
    above("{speed}, {duplex}, link type: {*}"),
    above("Output queue - Urgent queuing: Size/Length/Discards {n}/{n}/{Urgent queue discards}"),
    above("Output queue: (Urgent queuing: Size/Length/Discards) {n}/{n}/{Urgent queue discards}"),
    above("Output queue - Protocol queuing: Size/Length/Discards {n}/{n}/{Protocol queue discards}"),
    above("Output queue: (Protocol queuing: Size/Length/Discards) {n}/{n}/{Protocol queue discards}"),
    above("Output queue - FIFO queuing: Size/Length/Discards {n}/{n}/{FIFO queue discards}"),
    above("Output queue: (FIFO queuing: Size/Length/Discards) {n}/{n}/{FIFO queue discards}"),
    above("Tunnel bandwidth {*}"),
    above("Tunnel {*}"),
    above("Physical layer: {*}"),
    above("Physical: {*}"),
    above("Phy-mru: {n}"),
    above("Transfer time: {*}"),
    above("UnTagged VLANs: {*}"),
    above("UnTagged Vlan: {*}"),
    above("UnTagged VLAN ID: {*}"),
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
    above("Unknown-speed mode, unknown-duplex mode"),
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
    above("PVID: {*}"),
    above("MDI type: {*}"),
    above("Mdi type: {*}"),
    above("Port link-type: {*}"),
    above("Tagged VLANs: {*}"),
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
    above("Last {over} input: {in-bytes} bytes/sec, {in-pps} packets/sec"),
    above("Last {over} output: {out-bytes} bytes/sec, {out-pps} packets/sec"),
    above("Last {over} input rate {in-bytes} bytes/sec, {*}, {in-pps} packets/sec"),
    above("Last {over} output rate {out-bytes} bytes/sec, {*}, {out-pps} packets/sec"),
    above("Last {over} input rate: {in-bytes} bytes/sec, {*}, {in-pps} packets/sec"),
    above("Last {over} output rate: {out-bytes} bytes/sec, {*}, {out-pps} packets/sec"),
];
