//! Cisco IOS XR, `show controllers PORT stats`: what the MAC counted, a counter a line.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, any, input, output, own_input, own_output,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS XR, controllers",
    reads: "`show controllers PORT stats`: the counters of the MAC",
    is_flat: false,
    has_units: false,
    heads: &[
        "Statistics for interface {if} (cached values):",
        "Statistics for interface {if}:",
    ],
    rules: &[TITLES],
    sections: &[Section {
        way: Way::Unsaid,
        cut: Cut::Equated,
        words: &[WORDS],
        ..SECTION
    }],
};

/// The names of the counters below them tell the direction as well.
static TITLES: &[Rule] = &[any("Ingress:"), any("Egress:")];

static WORDS: &[Word] = &[
    input("Input total bytes", K::InputBytes),
    input("Input total packets", K::InputPackets),
    input("Input pause frames", K::InputPauses),
    input("Input drop overrun", K::InputOverrun),
    input("Input error giant", K::InputGiants),
    input("Input error runt", K::InputRunts),
    input("Input error CRC", K::InputCrc),
    input("Input error symbol", K::InputFraming),
    own_input("Input good bytes"),
    own_input("Input good pkts"),
    own_input("Input unicast pkts"),
    own_input("Input multicast pkts"),
    own_input("Input broadcast pkts"),
    own_input("Input drop other"),
    own_input("Input error other"),
    output("Output total bytes", K::OutputBytes),
    output("Output total packets", K::OutputPackets),
    output("Output pause frames", K::OutputPauses),
    output("Output drop underrun", K::OutputUnderruns),
    output("Output error other", K::OutputErrors),
    own_output("Output good bytes"),
    own_output("Output good pkts"),
    own_output("Output unicast pkts"),
    own_output("Output multicast pkts"),
    own_output("Output broadcast pkts"),
    own_output("Output drop other"),
];
