//! OpenWrt, `swconfig dev switch0 show`: what each port of a switch within a router counted. Atheros and Realtek have names of their own.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, any, input, output, own, own_input, own_output,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "OpenWrt, swconfig",
    reads: "`swconfig dev switch0 show`: counters of each port",
    is_flat: true,
    has_units: false,
    // Some drivers name the port in the title above alone.
    heads: &["mib: Port {port} MIB counters", "Port {port}:"],
    rules: &[LINES],
    sections: &[Section {
        way: Way::Unsaid,
        cut: Cut::NameFirst,
        words: &[WORDS],
        ..SECTION
    }],
};

static LINES: &[Rule] = &[
    any("RxGoodByte: {InputBytes} ({*})"),
    any("TxByte: {OutputBytes} ({*})"),
    any("pvid: {*}"),
    any("link: port:{itself} link:{state} {*}"),
    any("link: port:{itself} link:{state}"),
    any("enable_{*}"),
    any("mib: Port {itself} MIB counters"),
    any("igmp_{*}"),
    any("vlan_{*}"),
    any("mib: MIB counters"),
    any("mib: ???"),
];

static WORDS: &[Word] = &[
    input("RxGoodByte", K::InputBytes),
    input("RxFcsErr", K::InputCrc),
    input("RxAlignErr", K::InputFraming),
    input("RxRunt", K::InputRunts),
    input("RxTooLong", K::InputGiants),
    input("RxOverFlow", K::InputOverrun),
    input("RxPause", K::InputPauses),
    output("TxByte", K::OutputBytes),
    output("TxPause", K::OutputPauses),
    output("TxUnderRun", K::OutputUnderruns),
    output("TxCollision", K::Collisions),
    output("TxLateCol", K::LateCollisions),
    own_input("RxBroad"),
    own_input("RxMulti"),
    own_input("RxFragment"),
    own_input("Rx64Byte"),
    own_input("Rx128Byte"),
    own_input("Rx256Byte"),
    own_input("Rx512Byte"),
    own_input("Rx1024Byte"),
    own_input("Rx1518Byte"),
    own_input("RxMaxByte"),
    own_input("RxBadByte"),
    own("Filtered"),
    own_output("TxBroad"),
    own_output("TxMulti"),
    own_output("Tx64Byte"),
    own_output("Tx128Byte"),
    own_output("Tx256Byte"),
    own_output("Tx512Byte"),
    own_output("Tx1024Byte"),
    own_output("Tx1518Byte"),
    own_output("TxMaxByte"),
    own_output("TxOverSize"),
    own_output("TxAbortCol"),
    own_output("TxMultiCol"),
    own_output("TxSingleCol"),
    own_output("TxExcDefer"),
    own_output("TxDefer"),
    input("IfInOctets", K::InputBytes),
    input("Dot3StatsFCSErrors", K::InputCrc),
    input("Dot3InPauseFrames", K::InputPauses),
    output("IfOutOctets", K::OutputBytes),
    output("Dot3OutPauseFrames", K::OutputPauses),
];
