//! Lines of Junos above its counters and between them.

use super::super::dialect::{Rule, above, any, never, once};

/// What only units have.
pub(super) static PHYSICAL: &[Rule] = &[
    never("Flags: {*} Encapsulation: {*}"),
    never("Flags: {*} Encapsulation {*}"),
];

pub(super) static UNITS: &[Rule] = &[
    // What only physical interfaces have.
    never("Interface index: {*}"),
    never("Link-level type: {*}"),
    never("Device flags: {*}"),
    never("Current address: {*}"),
    never("Last flapped: {*}"),
    any("Input packets: {InputPackets}"),
    any("Output packets: {OutputPackets}"),
];

pub(super) static TRAFFIC: &[Rule] = &[
    any("Input bytes: {InputBytes} {in-bits} bps"),
    any("Output bytes: {OutputBytes} {out-bits} bps"),
    any("Input packets: {InputPackets} {in-pps} pps"),
    any("Output packets: {OutputPackets} {out-pps} pps"),
    any("Input bytes: {InputBytes}"),
    any("Output bytes: {OutputBytes}"),
    any("Input packets: {InputPackets}"),
    any("Output packets: {OutputPackets}"),
];

pub(super) static BUNDLE: &[Rule] = &[
    any("Input: {InputPackets} {in-pps} {InputBytes} {in-bits}"),
    any("Output: {OutputPackets} {out-pps} {OutputBytes} {out-bits}"),
];

pub(super) static PARTS: &[Rule] = &[
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

pub(super) static QUEUES: &[Rule] = &[
    any("Queue counters: Queued packets Transmitted packets Dropped packets"),
    any("{of-queue} {n} {transmitted packets} {dropped packets}"),
    any("{of-queue} {w} {n} {transmitted packets} {dropped packets}"),
];

pub(super) static QUEUES_OF_NO_WAY: &[Rule] = &[any("{n} {n} {n} {n}"), any("{n} {w} {n} {n} {n}")];

pub(super) static TRANSIT: &[Rule] = &[
    any("Input bytes: {n} {set transit input rate}"),
    any("Output bytes: {n} {set transit output rate}"),
    any("Input packets: {n} {set transit input packet rate}"),
    any("Output packets: {n} {set transit output packet rate}"),
    any("Input bytes: {n}"),
    any("Output bytes: {n}"),
    any("Input packets: {n}"),
    any("Output packets: {n}"),
];

pub(super) static MEDIA: &[Rule] = &[any(
    "Input bytes: {Total octets received}, Input packets: {Total packets received}, \
     Output bytes: {Total octets sent}, Output packets: {Total packets sent}",
)];

pub(super) static FILTER: &[Rule] = &[
    any("Filtered packets: {n}, Padded packets: {n}, Output packet errors: {n}"),
    any("{w} packet {w} {n}"),
    any("{w} DA rejects {n}"),
    any("{w} SA rejects {n}"),
    any("Output packet pad count {n}"),
    any("Output packet error count {n}"),
    any("CAM destination filters: {*}"),
];

pub(super) static SETTINGS: &[Rule] = &[
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

pub(super) static LINES: &[Rule] = &[
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
