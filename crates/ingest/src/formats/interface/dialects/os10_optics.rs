//! Dell OS10 `show interface phy-eth`: what the memory of each module holds, its light by channel. A line of a module names its port, and one
//! of a channel does not.

use super::super::dialect::{Dialect, Rule, SECTION, Section, any, never};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Dell OS10, modules",
    reads: "`show interface phy-eth`: light by lane, temperature",
    is_flat: true,
    has_units: false,
    heads: &["SFP is present SFP{numbers} Serial Base ID fields"],
    rules: &[LINES],
    sections: &[
        Section {
            rules: &[never("SFP Tx power = {*}"), never("SFP Rx power = {*}")],
            ..SECTION
        },
        Section {
            titles: &["SFP Channel = {lane}"],
            rules: CHANNEL,
            ..SECTION
        },
    ],
};

static CHANNEL: &[Rule] = &[
    // A module that measures nothing holds zeros.
    any("SFP Tx power = 0.000000 dBm"),
    any("SFP Rx power = 0.000000 dBm"),
    any("SFP Tx power = {tx-dbm} dBm"),
    any("SFP Rx power = {rx-dbm} dBm"),
    any("SFP Tx power = no power"),
    any("SFP Rx power = no power"),
];

static LINES: &[Rule] = &[
    any("SFP{numbers} Temperature = 0.0C"),
    any("SFP{numbers} Temperature = {temperature}C"),
    any("SFP{numbers} Serial Extended ID fields"),
    any("SFP{numbers} Diagnostic Information"),
    any("SFP{numbers} {*}= {*}"),
    any("SFP Tx Bias Current = {*}"),
    any("SFP {*} flag = {*}"),
    any("SFP {*} state = {*}"),
    any("===={*}"),
    any("Pluggable optics cannot be read{*}"),
];
