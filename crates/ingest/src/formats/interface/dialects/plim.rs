//! Cisco IOS XE, `show platform hardware port PORT plim statistics`: what passed between the port and the forwarding processor.

use super::super::dialect::{Dialect, Rule, SECTION, Section, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS XE, PLIM",
    reads: "`show platform hardware port PORT plim statistics`: packets, drops and errors by priority",
    is_flat: false,
    has_units: false,
    heads: &["Interface {numbers}"],
    rules: &[&[]],
    sections: &[
        SECTION,
        priority(&["RX Low Priority"], ["RX low priority {}"; 2], RX),
        priority(&["TX Low Priority"], ["TX low priority {}"; 2], TX),
        priority(&["RX High Priority"], ["RX high priority {}"; 2], RX),
        priority(&["TX High Priority"], ["TX high priority {}"; 2], TX),
    ],
};

const fn priority(
    titles: &'static [&'static str],
    own: [&'static str; 2],
    rules: &'static [Rule],
) -> Section {
    Section {
        titles,
        own,
        rules,
        ..SECTION
    }
}

static RX: &[Rule] = &[
    any("RX Pkts {packets} Bytes {bytes}"),
    any("RX Drop Pkts {dropped packets} Bytes {dropped bytes}"),
    any("RX Err Pkts {packets in error} Bytes {bytes in error}"),
];

static TX: &[Rule] = &[
    any("TX Pkts {packets} Bytes {bytes}"),
    any("TX Drop Pkts {dropped packets} Bytes {dropped bytes}"),
    any("TX Err Pkts {packets in error} Bytes {bytes in error}"),
];
