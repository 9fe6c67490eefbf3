//! Switches of Broadcom's FASTPATH: EdgeSwitch, Netgear's M series, older PowerConnects. A line a figure, with points up to it; the port
//! stands in the command alone.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Way, Word, any, input, output, own};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "FASTPATH",
    reads: "`show interface PORT`, `show interface ethernet PORT` of EdgeSwitch, Netgear and their like: counters, errors, rates",
    is_flat: true,
    has_units: false,
    heads: &[
        "Total Packets Received (Octets){points} {InputBytes}",
        "Packets Received Without Error{points} {InputPackets}",
        "Packets Received Without Errors{points} {InputPackets}",
    ],
    rules: &[LINES, SIZES],
    sections: &[Section {
        way: Way::Unsaid,
        cut: Cut::Columns(1),
        words: &[WORDS],
        is_closed: true,
        ..SECTION
    }],
};

static WORDS: &[Word] = &[
    input("Total Packets Received Without Errors", K::InputPackets),
    input("Total Packets Received with MAC Errors", K::InputErrors),
    input("Packets Received With Error", K::InputErrors),
    input("Packets Received With Errors", K::InputErrors),
    input("Receive Packets Discarded", K::InputDiscards),
    input("FCS Errors", K::InputCrc),
    input("Alignment Errors", K::InputFraming),
    input("Overruns", K::InputOverrun),
    output("Total Packets Transmitted Successfully", K::OutputPackets),
    output("Packets Transmitted Without Errors", K::OutputPackets),
    output("Packets Transmitted Without Error", K::OutputPackets),
    output("Total Transmit Errors", K::OutputErrors),
    output("Transmit Packet Errors", K::OutputErrors),
    output("Total Transmit Packets Discarded", K::OutputDrops),
    output("Transmit Packets Discarded", K::OutputDrops),
    own("Unicast Packets Received"),
    own("Multicast Packets Received"),
    own("Broadcast Packets Received"),
    own("Jabbers Received"),
    own("Fragments Received"),
    own("Undersize Received"),
    own("Fragments/Undersize Received"),
    own("Total Received Packets Not Forwarded"),
    own("Unacceptable Frame Type"),
    own("VLAN Membership Mismatch"),
    own("VLAN Viable Discards"),
    own("Multicast Tree Viable Discards"),
    own("Reserved Address Discards"),
    own("Upstream Threshold"),
    own("Unicast Packets Transmitted"),
    own("Multicast Packets Transmitted"),
    own("Broadcast Packets Transmitted"),
    own("Tx Oversized"),
    own("Underrun Errors"),
    own("Single Collision Frames"),
    own("Multiple Collision Frames"),
    own("Excessive Collision Frames"),
    own("Port Membership Discards"),
    own("Collision Frames"),
    own("Number of link down events"),
];

/// Names that hold sizes, and what is no counter.
static LINES: &[Rule] = &[
    any("Total Packets Transmitted (Octets){points} {OutputBytes}"),
    any("Packets Received 64 Octets{points} {packets received, 64 octets}"),
    any("Packets Received > 1518 Octets{points} {packets received, more than 1518 octets}"),
    any("Packets Received > 1522 Octets{points} {packets received, more than 1522 octets}"),
    any("Packets Transmitted > 1518 Octets{points} {packets sent, more than 1518 octets}"),
    // Of both directions together.
    any("Packets RX and TX {*}"),
    any("Max Frame Size{*}"),
    any("Maximum Transmit Unit{*}"),
    any("802.3x Pause Frames Received{points} {InputPauses}"),
    any("802.3x Pause Frames Transmitted{points} {OutputPauses}"),
    any("802.3x RX PAUSE Frames{points} {InputPauses}"),
    any("802.3x TX PAUSE Frames{points} {OutputPauses}"),
    any("Load Interval{points} {interval}"),
    any("Bits Per Second Received{points} {in-bits}"),
    any("Bits Per Second Transmitted{points} {out-bits}"),
    any("Packets Per Second Received{points} {in-pps}"),
    any("Packets Per Second Transmitted{points} {out-pps}"),
    any("Percent Utilization {*}"),
    any("GVRP {*}"),
    any("GMRP {*}"),
    any("STP BPDUs {*}"),
    any("RSTP BPDUs {*}"),
    any("MSTP BPDUs {*}"),
    any("SSTP BPDUs {*}"),
    any("EAPOL {*}"),
    any("Time Since Counters Last Cleared{points} {cleared}"),
];

/// Sizes that all who build on it count alike.
pub(super) static SIZES: &[Rule] = &[
    any("Packets Received 65-127 Octets{points} {packets received, 65-127 octets}"),
    any("Packets Received 128-255 Octets{points} {packets received, 128-255 octets}"),
    any("Packets Received 256-511 Octets{points} {packets received, 256-511 octets}"),
    any("Packets Received 512-1023 Octets{points} {packets received, 512-1023 octets}"),
    any("Packets Received 1024-1518 Octets{points} {packets received, 1024-1518 octets}"),
    any("Packets Transmitted 64 Octets{points} {packets sent, 64 octets}"),
    any("Packets Transmitted 65-127 Octets{points} {packets sent, 65-127 octets}"),
    any("Packets Transmitted 128-255 Octets{points} {packets sent, 128-255 octets}"),
    any("Packets Transmitted 256-511 Octets{points} {packets sent, 256-511 octets}"),
    any("Packets Transmitted 512-1023 Octets{points} {packets sent, 512-1023 octets}"),
    any("Packets Transmitted 1024-1518 Octets{points} {packets sent, 1024-1518 octets}"),
];
