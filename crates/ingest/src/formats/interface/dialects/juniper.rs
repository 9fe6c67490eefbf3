//! Juniper Junos, from brief to extensive. Physical and logical interfaces are records of their own.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, either, input, never, once, output, own,
    own_input, own_output,
};
use super::juniper_queues::{DEPTH, DROPPED, QUEUED, TRANSMITTED};
use evidence::CounterKind as K;

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

/// What only units have.
static PHYSICAL: &[Rule] = &[
    never("Flags: {*} Encapsulation: {*}"),
    never("Flags: {*} Encapsulation {*}"),
];

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
        rules: FILTERED,
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
        titles: &["Dropped:"],
        own: ["transmitted {}", "transmitted {}"],
        is_of_group: true,
        rules: DROPPED,
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
        rules: FILTERED,
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
        rules: FILTERED,
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

static UNITS: &[Rule] = &[
    // What only physical interfaces have.
    never("Interface index: {*}"),
    never("Link-level type: {*}"),
    never("Device flags: {*}"),
    never("Current address: {*}"),
    never("Last flapped: {*}"),
    any("Input packets: {InputPackets}"),
    any("Output packets: {OutputPackets}"),
];

static TRAFFIC: &[Rule] = &[
    any("Input bytes: {InputBytes} {in-bits} bps"),
    any("Output bytes: {OutputBytes} {out-bits} bps"),
    any("Input packets: {InputPackets} {in-pps} pps"),
    any("Output packets: {OutputPackets} {out-pps} pps"),
    any("Input bytes: {InputBytes}"),
    any("Output bytes: {OutputBytes}"),
    any("Input packets: {InputPackets}"),
    any("Output packets: {OutputPackets}"),
];

static BUNDLE: &[Rule] = &[
    any("Input: {InputPackets} {in-pps} {InputBytes} {in-bits}"),
    any("Output: {OutputPackets} {out-pps} {OutputBytes} {out-bits}"),
];

static PARTS: &[Rule] = &[
    any("Input bytes: {*}"),
    any("Output bytes: {*}"),
    any("Input packets: {*}"),
    any("Output packets: {*}"),
    any("Input: {*}"),
    any("Output: {*}"),
    any("Adaptive {*}"),
    any("{w} {n} {n} {n} {n}"),
    any("{member}"),
];

static QUEUES: &[Rule] = &[
    any("Queue counters: Queued packets Transmitted packets Dropped packets"),
    any("{of-queue} {n} {transmitted packets} {dropped packets}"),
    any("{of-queue} {w} {n} {transmitted packets} {dropped packets}"),
];

static QUEUES_OF_NO_WAY: &[Rule] = &[
    any("{n} {n} {n} {n}"),
    any("{n} {w} {n} {n} {n}"),
    any("CRC/Align errors {InputCrc} {n}"),
    any("FIFO errors {InputOverrun} {OutputUnderruns}"),
];

/// Rows of the MAC's statistics without their title, as `| match error` leaves them: nothing else has two figures there.
static FILTERED: &[Rule] = &[
    any("CRC/Align errors {InputCrc} {n}"),
    any("FIFO errors {InputOverrun} {OutputUnderruns}"),
];

static TRANSIT: &[Rule] = &[
    any("Input bytes: {n} {set transit input rate}"),
    any("Output bytes: {n} {set transit output rate}"),
    any("Input packets: {n} {set transit input packet rate}"),
    any("Output packets: {n} {set transit output packet rate}"),
    any("Input bytes: {n}"),
    any("Output bytes: {n}"),
    any("Input packets: {n}"),
    any("Output packets: {n}"),
];

static MEDIA: &[Rule] = &[any(
    "Input bytes: {Total octets received}, Input packets: {Total packets received}, \
     Output bytes: {Total octets sent}, Output packets: {Total packets sent}",
)];

static FILTER: &[Rule] = &[
    any("Filtered packets: {n}, Padded packets: {n}, Output packet errors: {n}"),
    any("{w} packet {w} {n}"),
    any("{w} DA rejects {n}"),
    any("{w} SA rejects {n}"),
    any("Output packet pad count {n}"),
    any("Output packet error count {n}"),
    any("CAM destination filters: {*}"),
];

static SETTINGS: &[Rule] = &[
    any("Self packets: {n}"),
    any("ICMP packets: {n}"),
    any("VPN packets: {n}"),
    any("Multicast packets: {n}"),
    any("Bytes permitted by policy: {n}"),
    any("Connections established: {n}"),
    any("Generation: {*}"),
    any("Policer: {*}"),
    any("Flags: {*}"),
    any("Addresses, {*}"),
    any("Destination: {*}"),
    any("Max nh cache: {*}"),
    any("Negotiation status: {*}"),
    any("Link partner: {*}"),
    any("Link partner:"),
    any("Local resolution:"),
    any("Link mode: {*}"),
    any("Flow control: {*}"),
    any("Local resolution: {*}"),
    any("Direction : {*}"),
    any("Direction: {*}"),
    any("CoS transmit queue {*}"),
    any("Traffic Class Received Packets {*}"),
    any("real-time {n} {n} {n}"),
    any("network-control {n} {n} {n}"),
    any("best-effort {n} {n} {n}"),
    any("{n} {w} {n} {n} {n} {*}"),
    any("Bandwidth {*}"),
    any("% bps {*}"),
    any("Destination slot: {*}"),
    any("Link Monitoring {*}"),
    any("{n} {w}{*}"),
    any("{member} {*}"),
    any("Broadcast: {*}"),
    any("Input Filters: {*}"),
    any("Output Filters: {*}"),
];

static INPUT: &[Word] = &[
    // "Drops" are those of the input queue, "Resource errors" a want of buffers.
    input("Drops", K::InputQueueDrops),
    input("Errors", K::InputErrors),
    input("FIFO errors", K::InputOverrun),
    input("Framing errors", K::InputFraming),
    input("Giants", K::InputGiants),
    input("Resource errors", K::InputNoBuffer),
    input("Runts", K::InputRunts),
    own_output("Carrier transitions"),
    own_output("Collisions"),
    own_output("Aged packets"),
    own_output("MTU errors"),
    own_output("HS link CRC errors"),
];

static OUTPUT: &[Word] = &[
    output("Carrier transitions", K::CarrierTransitions),
    output("Collisions", K::Collisions),
    output("Drops", K::OutputDrops),
    output("Errors", K::OutputErrors),
    output("FIFO errors", K::OutputUnderruns),
    own_input("Framing errors"),
    own_input("Runts"),
    own_input("Giants"),
    own_input("Policed discards"),
    own_input("L3 incompletes"),
];

static FLOW_ERRORS: &[Word] = &[
    own("Address spoofing"),
    own("Authentication failed"),
    own("Incoming NAT errors"),
    own("Invalid zone received packet"),
    own("Multiple user authentications"),
    own("Multiple incoming NAT"),
    own("No parent for a gate"),
    own("No one interested in self packets"),
    own("No minor session"),
    own("No more sessions"),
    own("No NAT gate"),
    own("No route present"),
    own("No SA for incoming SPI"),
    own("No tunnel found"),
    own("No session for a gate"),
    own("No zone or NULL zone binding"),
    own("Policy denied"),
    own("Security association not active"),
    own("TCP sequence number out of window"),
    own("Syn-attack protection"),
    own("User authentication errors"),
];

static FEC: &[Word] = &[
    own("FEC Corrected Errors"),
    own("FEC Uncorrected Errors"),
    own("FEC Corrected Errors Rate"),
    own("FEC Uncorrected Errors Rate"),
    own("FEC Mode"),
];

static PCS: &[Word] = &[
    own("Bit errors"),
    own("Errored blocks"),
    own("Bit errors seconds"),
    own("Errored blocks seconds"),
];

static SONET_PHY: &[Word] = &[
    own("PLL Lock"),
    own("PHY Light"),
    own("PLL Lock seconds"),
    own("PHY Light seconds"),
];

static SONET_SECTION: &[Word] = &[
    own("BIP-B1"),
    own("SEF"),
    own("LOS"),
    own("LOF"),
    own("ES-S seconds"),
    own("SES-S seconds"),
    own("SEFS-S seconds"),
];

static SONET_LINE: &[Word] = &[
    own("BIP-B2"),
    own("REI-L"),
    own("RDI-L"),
    own("AIS-L"),
    own("BERR-SF"),
    own("BERR-SD"),
    own("ES-L seconds"),
    own("SES-L seconds"),
    own("UAS-L seconds"),
    own("ES-LFE seconds"),
    own("SES-LFE seconds"),
    own("UAS-LFE seconds"),
];

static SONET_PATH: &[Word] = &[
    own("BIP-B3"),
    own("REI-P"),
    own("LOP-P"),
    own("AIS-P"),
    own("RDI-P"),
    own("UNEQ-P"),
    own("PLM-P"),
    own("TIM-P"),
    own("ES-P seconds"),
    own("SES-P seconds"),
    own("UAS-P seconds"),
    own("ES-PFE seconds"),
    own("SES-PFE seconds"),
    own("UAS-PFE seconds"),
];

static MAC: &[Word] = &[
    own("Total octets"),
    own("Total packets"),
    own("Unicast packets"),
    own("Broadcast packets"),
    own("Multicast packets"),
    own("MAC control frames"),
    own("Jabber frames"),
    own("Fragment frames"),
    own("VLAN tagged frames"),
    own("Code violations"),
    own("Total errors"),
    Word {
        output: Some(super::super::dialect::Meaning::Own),
        ..input("CRC/Align errors", K::InputCrc)
    },
    super::super::dialect::both("FIFO errors", K::InputOverrun, K::OutputUnderruns),
    super::super::dialect::both("MAC pause frames", K::InputPauses, K::OutputPauses),
    Word {
        output: Some(super::super::dialect::Meaning::Own),
        ..input("Oversized frames", K::InputGiants)
    },
    either("Carrier transitions", K::CarrierTransitions),
];

static LINES: &[Rule] = &[
    once("Interface index: {*}"),
    any("Description: {description}"),
    above("Link-level type: {*}, MTU: {mtu}, {*}Link-mode: {duplex}, Speed: {speed}, {*}"),
    above("Link-level type: {*}, MTU: {mtu}, {*}Link-mode: {duplex}, Speed: {speed}"),
    above("Link-level type: {*}, MTU: {mtu}, Speed: {speed}, {*}Link-mode: {duplex}, {*}"),
    above("Link-level type: {*}, MTU: {mtu}, {*}Speed: {speed}, Duplex: {duplex}, {*}"),
    above("Link-level type: {*}, MTU: {mtu}, Speed: {speed}, {*}"),
    above("Link-level type: {*}, MTU: {mtu}, Speed: {speed}"),
    above("Link-level type: {*}, MTU: {mtu}, {*}, Speed: {speed}, {*}"),
    above("Link-level type: {*}, MTU: {mtu}, {*}, Speed: {speed},"),
    above("Link-level type: {*}, MTU: {mtu}{*}"),
    above("Type: {*}, Link-level type: {*}, MTU: {mtu}, {*}Speed: {speed}, {*}"),
    above("Type: {*}, Link-level type: {*}, MTU: {mtu}{*}"),
    above("Type: {*}"),
    once("Device flags: {*}"),
    above("Interface flags: {*}"),
    above("Link flags: {*}"),
    above("CoS queues: {*}"),
    above("Schedulers: {*}"),
    above("Hold-times: {*}"),
    above("Damping: {*}"),
    once("Current address: {*}"),
    above("Last flapped: {*}"),
    above("Statistics last cleared: {cleared}"),
    above("Input rate: {in-bits} bps ({in-pps} pps)"),
    above("Output rate: {out-bits} bps ({out-pps} pps)"),
    any("Active alarms: {*}"),
    any("Active defects: {*}"),
    any("Input errors: {InputErrors}, Output errors: {OutputErrors}"),
    any("(Generation {*}"),
    any("Local: {*}"),
    any("Forwarding classes: {*}"),
    any("Curr {*}"),
    any("Max nh cache: {*}"),
    any("Generation: {*}"),
    above("Speed: {speed}"),
    above("Speed: {speed}, {*}"),
    above("Link-mode: {duplex}, Speed: {speed}, {*}"),
    above("Link-mode: {duplex}, Speed: {speed}"),
    above("Physical info: {*}"),
    any("SONET alarms: {sonet-alarms}"),
    any("SONET defects: {sonet-defects}"),
    any("Interface transmit statistics: {*}"),
    any("PRBS Mode{*}"),
    any("PRBS Statistics{*}"),
    any("Flags: {*}"),
    any("Minimum links needed: {*}"),
    any("BPDU Error: {*}"),
    any("MAC-REWRITE Error: {*}"),
    any("Fec Codeword Rate{*}"),
    any("Ethernet Link Speed{*}"),
    any("Security: {*}"),
    any("inet {n}"),
    any("inet6 {n}"),
    any("iso"),
    any("Bandwidth: {*}"),
    any("Traffic statistics: {*}"),
    any("Statistics Packets pps Bytes bps"),
];
