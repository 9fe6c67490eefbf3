//! HPE Aruba with AOS-CX: columns received and sent, and before 10.5 two lists.

use super::super::dialect::{
    Cut, Dialect, Meaning, Rule, SECTION, Section, Way, Word, above, any, both, either, input, output, own,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Aruba AOS-CX",
    reads: "`show interface` of ports, lag, vlan, loopback, mgmt, with `queues` too",
    is_flat: false,
    has_units: false,
    heads: &[
        "Interface {port} is {state} (Administratively {w}",
        "Interface {port} is {sole-state}",
        "Aggregate {port} is {state}",
    ],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Rate RX TX Total (RX+TX)", "Rate RX TX Total"],
            rules: RATES,
            ..SECTION
        },
        Section {
            titles: &[
                "Statistic RX TX Total (RX+TX)",
                "Statistic RX TX Total",
                "Statistics RX TX Total",
            ],
            way: Way::Both,
            cut: Cut::Columns(3),
            words: &[COLUMNS],
            own: ["{} received", "{} sent"],
            rules: RULERS,
            ..SECTION
        },
        // `show interface PORT queues`
        Section {
            titles: &["Tx Bytes Tx Packets Tx Drops"],
            rules: QUEUES,
            ..SECTION
        },
        Section {
            titles: &["RX", "Rx"],
            way: Way::In,
            cut: Cut::FigureFirst,
            words: &[LISTS],
            own: ["Rx {}", "Tx {}"],
            ..SECTION
        },
        Section {
            titles: &["TX", "Tx"],
            way: Way::Out,
            cut: Cut::FigureFirst,
            words: &[LISTS],
            own: ["Rx {}", "Tx {}"],
            ..SECTION
        },
    ],
};

const fn only_received(name: &'static str, kind: K) -> Word {
    Word {
        output: Some(Meaning::Own),
        ..input(name, kind)
    }
}

static COLUMNS: &[Word] = &[
    both("Packets", K::InputPackets, K::OutputPackets),
    both("Bytes", K::InputBytes, K::OutputBytes),
    both("Dropped", K::InputDiscards, K::OutputDrops),
    both("Pause Frames", K::InputPauses, K::OutputPauses),
    both("Errors", K::InputErrors, K::OutputErrors),
    either("Collision", K::Collisions),
    either("Collisions", K::Collisions),
    only_received("CRC/FCS", K::InputCrc),
    only_received("Runts", K::InputRunts),
    only_received("Giants", K::InputGiants),
];

static LISTS: &[Word] = &[
    both("total packets", K::InputPackets, K::OutputPackets),
    both("total bytes", K::InputBytes, K::OutputBytes),
    both("errors", K::InputErrors, K::OutputErrors),
    own("unicast packets"),
    own("multicast packets"),
    own("broadcast packets"),
    input("input packets", K::InputPackets),
    output("output packets", K::OutputPackets),
    both("bytes", K::InputBytes, K::OutputBytes),
    both("dropped", K::InputDiscards, K::OutputDrops),
    both("input error", K::InputErrors, K::OutputErrors),
    output("output error", K::OutputErrors),
    input("CRC/FCS", K::InputCrc),
    input("short frame", K::InputRunts),
    output("collision", K::Collisions),
];

static QUEUES: &[Rule] = &[any(
    "Q{of-queue} {transmitted bytes} {transmitted packets} {dropped packets}",
)];

static RULERS: &[Rule] = &[any("----{*}")];

static RATES: &[Rule] = &[
    any("----{*}"),
    any("Mbits / sec {in-mbits} {out-mbits} {n}"),
    any("Mbits/sec {in-mbits} {out-mbits} {n}"),
    any("KPkts / sec {in-kpps} {out-kpps} {n}"),
    any("KPkts/sec {in-kpps} {out-kpps} {n}"),
    any("Unicast {n} {n} {n}"),
    any("Multicast {n} {n} {n}"),
    any("Broadcast {n} {n} {n}"),
    any("Utilization % {*}"),
    any("Utilization {*}"),
];

/// The command alone names the port.
pub(super) static MANAGEMENT: Dialect = Dialect {
    name: "Aruba AOS-CX, management",
    reads: "`show interface mgmt`: state",
    is_flat: true,
    has_units: false,
    heads: &["Address Mode: {*}"],
    rules: &[&[
        any("Admin State: {*}"),
        any("Link State: {state}"),
        any("Mac Address: {*}"),
        any("IPv4 address/subnet-mask:{*}"),
        any("IPv6 address/prefix:{*}"),
        any("IPv6 link local address/prefix:{*}"),
        any("Default gateway {*}"),
        any("{w} Nameserver:{*}"),
    ]],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    any("L3:"),
    above("Admin state is {*}"),
    above("State information: {*}"),
    above("Link state: {state}"),
    above("Link transitions: {CarrierTransitions}"),
    above("Description: {description}"),
    above("Description:"),
    above("Persona: {*}"),
    above("Hardware: {*}"),
    above("MAC Address: {*}"),
    above("MTU {mtu}"),
    above("IP MTU {n}"),
    above("Type {*}"),
    above("{duplex}-duplex"),
    above("qos trust {*}"),
    above("rate-limit broadcast {set rate-limit broadcast}"),
    above("rate-limit multicast {set rate-limit multicast}"),
    above("rate-limit {*}"),
    above("active-gateway {*}"),
    above("Speed {speed}"),
    above("Auto-negotiation is {*}"),
    above("Auto-Negotiation is {*}"),
    above("Energy-Efficient Ethernet is {*}"),
    above("Flow-control: {*}"),
    above("Flow-control is {*}"),
    above("Error-control: {*}"),
    above("L3 Counters: {*}"),
    above("MDI mode: {*}"),
    above("Leader-follower mode: {*}"),
    above("VLAN Mode: {*}"),
    above("Native VLAN: {*}"),
    above("Access VLAN: {*}"),
    above("Allowed VLAN List: {*}"),
    above("IPv4 address {*}"),
    above("IPv6 address {*}"),
    above("Aggregated-interfaces: {*}"),
    above("Aggregation-key: {*}"),
    above("Aggregate mode: {*}"),
    above("Speed: {*}"),
    above("VRF: {*}"),
    above("Rate collection interval: {interval}"),
    above("Rates collection interval: {interval}"),
];
