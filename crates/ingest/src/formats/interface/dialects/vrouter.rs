//! Contrail's and Tungsten Fabric's vRouter, `vif --list`: what each interface of a host's router counted, at the port, at the queue of its
//! cores, and as a whole.

use super::super::dialect::{Dialect, Rule, SECTION, above, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Contrail vRouter",
    reads: "`vif --list`, `vif --get`: packets, errors, queues of each interface",
    is_flat: false,
    has_units: false,
    heads: &["vif0/{n} {w}: {port}", "vif0/{n} {w}: {port} {*}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    above("Type:{*}"),
    above("Vrf:{w} {*} MTU:{mtu} {*}"),
    above("Vrf:{w} MTU:{mtu} {*}"),
    any("RX packets:{InputPackets} bytes:{InputBytes} errors:{InputErrors}"),
    any("TX packets:{OutputPackets} bytes:{OutputBytes} errors:{OutputErrors}"),
    any("RX device packets:{set RX device packets} bytes:{*} errors:{set RX device errors}"),
    any("TX device packets:{set TX device packets} bytes:{*} errors:{set TX device errors}"),
    any("RX port packets:{set RX port packets} errors:{set RX port errors} syscalls:{n}"),
    any("RX port packets:{set RX port packets} errors:{set RX port errors}"),
    any("TX port packets:{set TX port packets} errors:{set TX port errors} syscalls:{n}"),
    any("TX port packets:{set TX port packets} errors:{set TX port errors}"),
    any("RX queue packets:{set RX queue packets} errors:{set RX queue errors}"),
    any("TX queue packets:{set TX queue packets} errors:{set TX queue errors}"),
    any("RX queue errors to lcore {set RX queue errors of each core}"),
    any("Drops:{set drops}"),
    any("Vlan Id:{*}"),
    any("Parent:{*}"),
    any("{w} {w} VRF:{*}"),
];
