//! What forwards packets in routers of IOS XE: how many pass it, and how busy it is. Packets and bits of a class stand on two lines, of
//! which only the first says of which class they are.

use super::super::dialect::{Dialect, Rule, SECTION, Section, Way, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco QFP, utilization",
    reads: "`show platform hardware qfp active datapath utilization`: packets and bits a second, load",
    is_flat: true,
    has_units: false,
    heads: &["CPP {cpp} 5 secs 1 min 5 min 60 min"],
    rules: &[],
    sections: &[
        SECTION,
        Section {
            titles: &["Input: {in-held} (pps) {set packets a second over 5 s, 1, 5, 60 min}"],
            way: Way::In,
            rules: &[
                any("{in-held} (pps) {set packets a second over 5 s, 1, 5, 60 min}"),
                BITS,
            ],
            ..SECTION
        },
        Section {
            titles: &["Output: {out-held} (pps) {set packets a second over 5 s, 1, 5, 60 min}"],
            way: Way::Out,
            rules: &[
                any("{out-held} (pps) {set packets a second over 5 s, 1, 5, 60 min}"),
                BITS,
            ],
            ..SECTION
        },
        Section {
            titles: &["Processing: Load (pct) {set load in % over 5 s, 1, 5, 60 min}"],
            ..SECTION
        },
        Section {
            titles: &["Crypto/IO"],
            rules: CRYPTO,
            ..SECTION
        },
    ],
};

const BITS: Rule = any("{of-held}(bps) {set bits a second over 5 s, 1, 5, 60 min}");

static CRYPTO: &[Rule] = &[
    any("Crypto: Load (pct) {set crypto load in % over 5 s, 1, 5, 60 min}"),
    any("RX: Load (pct) {set receive load in % over 5 s, 1, 5, 60 min}"),
    any("TX: Load (pct) {set transmit load in % over 5 s, 1, 5, 60 min}"),
    any("Idle (pct) {set idle in % over 5 s, 1, 5, 60 min}"),
];
