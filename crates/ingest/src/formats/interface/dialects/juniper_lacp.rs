//! Junos, `show lacp interfaces` and `show lacp statistics interfaces`: the members of an aggregate, by the state in which each is to pass
//! traffic, and the packets of the protocol.
//! <https://www.juniper.net/documentation/us/en/software/junos/cli-reference/topics/ref/command/show-lacp-interfaces.html>

use super::super::dialect::{Dialect, Rule, SECTION, any, sole};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Juniper, members of aggregates",
    reads: "`show lacp interfaces`, `show lacp statistics interfaces`: members with the state of their multiplexer, packets of LACP",
    is_flat: false,
    has_units: false,
    heads: &["Aggregated interface: {if}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    // What either end says of itself is summed up by the state below.
    sole("LACP state: {*}"),
    any("{member} Actor {*}"),
    any("{member} Partner {*}"),
    any("LACP protocol: {*}"),
    any("{of-member} {set receive state} Fast periodic {set mux state}"),
    any("{of-member} {set receive state} Slow periodic {set mux state}"),
    any("{of-member} {set receive state} No periodic {set mux state}"),
    sole("LACP Statistics: LACP Rx LACP Tx Unknown Rx Illegal Rx"),
    any(
        "{of-member} {LACP packets in} {LACP packets out} {unknown LACP packets in} {illegal LACP packets in}",
    ),
];
