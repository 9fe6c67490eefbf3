//! Bundles with their members below a line of their own: Huawei's Eth-Trunk, PAN-OS' aggregates, AlliedTelesis' aggregators.
//! <https://support.huawei.com/enterprise/en/doc/EDOC1100213083/2d5d1bd4/display-eth-trunk>

use super::super::dialect::{Dialect, Rule, SECTION, any, sole};

pub(super) static DIALECT: Dialect = Dialect {
    name: "members of bundles",
    reads: "Huawei `display eth-trunk`, PAN-OS `show lacp aggregate-ethernet all`, AlliedWare Plus `show etherchannel`: state, members and their \
            states, packets of LACP",
    is_flat: false,
    has_units: false,
    heads: &[
        "{if}'s state information is:",
        "AE group: {if}",
        "Aggregator {if} (IfIndex: {n})",
    ],
    rules: &[PAN_OS, HUAWEI, ALLIED],
    sections: &[SECTION],
};

static HUAWEI: &[Rule] = &[
    any("Local:"),
    any("Partner:"),
    any("{*}WorkingMode: {*}"),
    any("Preempt Delay: {*}"),
    any("System Priority: {*}"),
    any("Least Active-linknumber: {*}"),
    sole("Operate status: {state} Number Of Up Port In Trunk: {set ports up}"),
    any("------{*}"),
    any("PortName {*}"),
    any("ActorPortName {*}"),
    // What the other end says of itself.
    any("{member} {n} {w}-{w}-{w} {n} {n} {n} {n}"),
    any("{of-member} {set state} {w} {n} {n} {n} {n} {n}"),
    any("{of-member} {set state} {n}"),
];

static PAN_OS: &[Rule] = &[
    any("******{*}"),
    any("Members: {*}"),
    // These and those below stand at the left, and are told to be of a group by what ports are called.
    any("{of-member} yes {set receive state} {set mux state} {set selection}"),
    any("{of-member} no {set receive state} {set mux state} {set selection}"),
    any("Status: {*}"),
    any("Mode: {*}"),
    any("Rate: {*}"),
    any("Max-port: {*}"),
    any("Fast-failover: {*}"),
    any("Pre-negotiation: {*}"),
    any("Local: System Priority: {*}"),
    any("Partner: System Priority: {*}"),
    any("System MAC: {*}"),
    any("Key: {*}"),
    any("Port State"),
    any("Port Counters"),
    any("Interface {*}"),
    any("Number Priority {*}"),
    any("Sent Recv {*}"),
    any("{member} {n} {n} {w} {w} {n} 0x{w}"),
    any("Partner {n} {n} {w} {w} {n} 0x{w}"),
    any(
        "{of-member} {LACP packets out} {LACP packets in} {markers out} {markers in} {marker responses out} {marker responses in} \
         {unknown LACP packets in} {illegal LACP packets in}",
    ),
    any("ethernet{w} {n} {*}"),
];

static ALLIED: &[Rule] = &[
    any("Admin Key: {*}"),
    any("Mac address: {*}"),
    any("Receive link count: {*}"),
    any("Link: {of-member} (IfIndex: {n}) {set state}"),
];
