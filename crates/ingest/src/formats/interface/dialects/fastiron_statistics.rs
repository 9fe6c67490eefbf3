//! Brocade and Ruckus, `show statistics ethernet`: what was received and what was sent side by side, each with a name of one word that
//! tells the way.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Word, any, either, input, output};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Brocade and Ruckus, statistics",
    reads: "`show statistics ethernet PORT` of FastIron and NetIron: counters, rates",
    is_flat: true,
    has_units: false,
    heads: &["Port {port} Counters:", "PORT {port} Counters:"],
    rules: &[],
    sections: &[Section {
        cut: Cut::Alternating,
        words: &[WORDS],
        rules: RATES,
        ..SECTION
    }],
};

static WORDS: &[Word] = &[
    input("InOctets", K::InputBytes),
    input("InPkts", K::InputPackets),
    input("InDiscards", K::InputDiscards),
    input("InErrors", K::InputErrors),
    input("InGiantPkts", K::InputGiants),
    input("GiantPkts", K::InputGiants),
    input("InShortPkts", K::InputRunts),
    input("ShortPkts", K::InputRunts),
    input("InFlowCtrlPkts", K::InputPauses),
    input("Alignment", K::InputFraming),
    input("CRC", K::InputCrc),
    input("FCS", K::InputCrc),
    output("OutOctets", K::OutputBytes),
    output("OutPkts", K::OutputPackets),
    output("OutDiscards", K::OutputDrops),
    output("OutErrors", K::OutputErrors),
    output("OutFlowCtrlPkts", K::OutputPauses),
    either("Collisions", K::Collisions),
    either("OutCollisions", K::Collisions),
    either("LateCollisions", K::LateCollisions),
    either("OutLateCollisions", K::LateCollisions),
];

static RATES: &[Rule] = &[
    any("InBitsPerSec {in-bits} OutBitsPerSec {out-bits}"),
    any("InPktsPerSec {in-pps} OutPktsPerSec {out-pps}"),
    any("InUtilization {*}"),
];
