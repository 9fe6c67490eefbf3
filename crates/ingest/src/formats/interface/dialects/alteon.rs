//! Switches of Alteon's line (Nortel, Blade Network, IBM and Lenovo Flex, NEC): the statistics of one port, which each command prints
//! below a title of its own.

use super::super::dialect::{Cut, Dialect, SECTION, Section, Way, Word, both, input, output, own};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Alteon, BLADE OS, Lenovo",
    reads: "`/stats/port PORT/if`, `/ether`, `show interface port PORT interface-counters`, `ethernet-counters`",
    is_flat: true,
    has_units: false,
    heads: &["Interface statistics for port {port}:"],
    rules: &[],
    sections: &[
        SECTION,
        Section {
            titles: &["ifHCIn Counters ifHCOut Counters"],
            way: Way::Both,
            cut: Cut::Columns(2),
            words: &[WORDS],
            own: ["ifHCIn {}", "ifHCOut {}"],
            is_closed: true,
            ..SECTION
        },
    ],
};

/// What the MAC counted: the names of EtherLike-MIB.
pub(super) static ETHERNET: Dialect = Dialect {
    name: "Alteon, BLADE OS, Lenovo, errors",
    heads: &["Ethernet statistics for port {port}:"],
    rules: &[],
    sections: &[Section {
        way: Way::Unsaid,
        cut: Cut::NameFirst,
        words: &[MEDIUM],
        is_closed: true,
        ..SECTION
    }],
    ..DIALECT
};

static WORDS: &[Word] = &[
    both("Octets", K::InputBytes, K::OutputBytes),
    both("FlowCtrlPkts", K::InputPauses, K::OutputPauses),
    both("Discards", K::InputDiscards, K::OutputDrops),
    both("Errors", K::InputErrors, K::OutputErrors),
    own("UcastPkts"),
    own("BroadcastPkts"),
    own("MulticastPkts"),
];

static MEDIUM: &[Word] = &[
    input("dot3StatsAlignmentErrors", K::InputFraming),
    input("dot3StatsFCSErrors", K::InputCrc),
    input("dot3StatsFrameTooLongs", K::InputGiants),
    output("dot3StatsLateCollisions", K::LateCollisions),
    own("dot3StatsSingleCollisionFrames"),
    own("dot3StatsMultipleCollisionFrames"),
    own("dot3StatsExcessiveCollisions"),
    own("dot3StatsInternalMacTransmitErrors"),
    own("dot3StatsInternalMacReceiveErrors"),
    own("dot3StatsDeferredTransmissions"),
    own("dot3StatsCarrierSenseErrors"),
    own("dot3StatsSQETestErrors"),
    own("dot3StatsSymbolErrors"),
];
