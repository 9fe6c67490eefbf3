//! Linux, `iw dev` and `iw dev NAME info`: what a radio's interface is set to. What its link counted is told by `iw … station dump`.

use super::super::dialect::{Dialect, Rule, SECTION, above, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Linux, radios",
    reads: "`iw dev`, `iw dev NAME info`: channel, width, power",
    is_flat: false,
    has_units: false,
    heads: &["Interface {ifword}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    above("ifindex {n}"),
    any("wdev {*}"),
    any("addr {*}"),
    any("ssid {set SSID}"),
    any("type {set type}"),
    any("wiphy {n}"),
    any("channel {set channel}"),
    any("txpower {set transmit power}"),
    any("4addr: {*}"),
    any("multicast TXQ:"),
    any("qsz-byt qsz-pkt flows drops marks overlmt hashcol tx-bytes tx-packets"),
    any("{n} {n} {n} {n} {n} {n} {n} {n} {n}"),
];
