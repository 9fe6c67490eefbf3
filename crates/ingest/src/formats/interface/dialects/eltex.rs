//! Eltex MES.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both, input, once, output, own, own_output,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Eltex MES",
    reads: "`show interfaces PORT`: counters, errors, queues",
    is_flat: false,
    has_units: false,
    heads: &["{ifname} is {bare}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["{InputPackets} packets input, {InputBytes} bytes received"],
            way: Way::In,
            ..COUNTED
        },
        Section {
            titles: &["{OutputPackets} packets output, {OutputBytes} bytes sent"],
            way: Way::Out,
            ..COUNTED
        },
        Section {
            titles: &["Output queues: (queue #: packets passed/packets dropped)"],
            rules: QUEUES,
            ..SECTION
        },
    ],
};

const COUNTED: Section = Section {
    cut: Cut::FigureFirst,
    words: &[WORDS],
    own: ["input {}", "output {}"],
    is_closed: true,
    ..SECTION
};

static QUEUES: &[Rule] = &[any("{of-queue}: {packets passed}/{packets dropped}")];

static WORDS: &[Word] = &[
    input("input errors", K::InputErrors),
    input("FCS", K::InputCrc),
    input("alignment", K::InputFraming),
    input("pause frames received", K::InputPauses),
    output("output errors", K::OutputErrors),
    output("collisions", K::Collisions),
    output("late collisions", K::LateCollisions),
    output("pause frames transmitted", K::OutputPauses),
    both("dropped", K::InputDiscards, K::OutputDrops),
    own("broadcasts"),
    own("multicasts"),
    own("oversize"),
    own("internal MAC"),
    own_output("excessive collisions"),
    own_output("symbol errors"),
    own_output("carrier"),
    own_output("SQE test error"),
];

static LINES: &[Rule] = &[
    once("Interface index is {n}"),
    once("Hardware is {*}"),
    above("Description: {description}"),
    above("Interface MTU is {mtu}"),
    above("{duplex}, {speed}, link type is {*}"),
    above("Link is {state} for {*}"),
    above("Advertised link modes: {*}"),
    above("Flow control is {*}"),
    above("FEC is {*}"),
    above("Link aggregation type is {*}"),
    above("No. of members in this port-channel: {*}"),
    above("{*}-duplex, LACP {*}"),
    above("{*}-duplex, {*}active)"),
    above("Active bandwidth is {bandwidth}"),
    above("{over} input rate is {in-rate}"),
    above("{over} output rate is {out-rate}"),
    any("------------------ show {*}"),
];
