//! Arista EOS.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, above, any};
use super::words::{COUNTERS, LINES, SHORT};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Arista EOS",
    reads: "`show interfaces` of Ethernet, Port-Channel, Management, Vlan, Loopback",
    is_flat: false,
    has_units: false,
    heads: &["{if} is {state}, line protocol is {link}"],
    rules: &[OWN, LINES],
    sections: &[Section {
        cut: Cut::FigureFirst,
        words: &[COUNTERS, SHORT],
        own: ["{}", "output {}"],
        ..SECTION
    }],
};

static OWN: &[Rule] = &[
    above("IP MTU {mtu} bytes{*}, BW {kbit} kbit"),
    above("IP MTU {mtu} bytes{*}"),
    above("Ethernet MTU {mtu} bytes{*}, BW {kbit} kbit"),
    above("Ethernet MTU {mtu} bytes{*}"),
    above("Broadcast address is {*}"),
    above("Member of {*}"),
    any("Up {n} {*}"),
    any("Down {n} {*}"),
    any("Active members in this channel: {*}"),
    any("... {*}"),
    any("Fallback {*}"),
    any("Loopback Mode{*}"),
    any("Source interface is {*}"),
    any("Listening on {*}"),
    any("[{*}"),
    any("Static V{*}"),
    any("Dynamic V{*}"),
    any("{CarrierTransitions} link status changes since last clear"),
    any("{over} input rate {in-rate} ({*} with framing overhead), {in-pps} packets/sec"),
    any("{over} output rate {out-rate} ({*} with framing overhead), {out-pps} packets/sec"),
    any("{over} input rate {in-rate}, {in-pps} packets/sec"),
    any("{over} output rate {out-rate}, {out-pps} packets/sec"),
];
