//! Fortinet FortiGate: what its kernel counted, and what its ports negotiated.

use super::super::dialect::{Dialect, Rule, SECTION, above, any, sole};

pub(super) static NETLINK: Dialect = Dialect {
    name: "Fortinet FortiGate, kernel",
    reads: "`diagnose netlink interface list`",
    is_flat: true,
    has_units: false,
    heads: &["if={port} family={w} type={w} index={w} mtu={mtu} {*}"],
    rules: &[KERNEL],
    sections: &[SECTION],
};

static KERNEL: &[Rule] = &[
    sole("ref={n} state={w} present {state} fw_flags={*}"),
    sole("ref={*} flags={state}"),
    above("Qdisc={*}"),
    above("misc {*}"),
    above("input_type={*}"),
    above(
        "stat: rxp={InputPackets} txp={OutputPackets} rxb={InputBytes} txb={OutputBytes} rxe={InputErrors} txe={OutputErrors} rxd={InputDiscards} txd={OutputDrops} mc={multicast} collision={Collisions}",
    ),
    above(
        "stat: rxp={InputPackets} txp={OutputPackets} rxb={InputBytes} txb={OutputBytes} rxe={InputErrors} txe={OutputErrors} rxd={InputDiscards} txd={OutputDrops} mc={multicast} collision={Collisions} @ {*}",
    ),
    above(
        "re: rxl={receive length errors} rxo={InputOverrun} rxc={InputCrc} rxf={receive frame errors} rxfi={receive fifo errors} rxm={receive missed errors}",
    ),
    above(
        "te: txa={transmit aborted errors} txc={transmit carrier errors} txfi={transmit fifo errors} txh={transmit heartbeat errors} txw={transmit window errors}",
    ),
];

pub(super) static PHYSICAL: Dialect = Dialect {
    name: "Fortinet FortiGate, ports",
    reads: "`get system interface physical`",
    is_flat: false,
    has_units: false,
    heads: &["==[{port}]"],
    rules: &[PORTS],
    sections: &[SECTION],
};

static PORTS: &[Rule] = &[
    sole("mode: {*}"),
    above("ip: {*}"),
    above("ipv6: {*}"),
    sole("status: {state}"),
    sole("speed: {speed-duplex}"),
    above("FEC: {*}"),
    above("FEC_cap: {*}"),
];

pub(super) static SYSTEM: Dialect = Dialect {
    name: "Fortinet FortiGate, interfaces",
    reads: "`get system interface`: state",
    is_flat: true,
    has_units: false,
    heads: &["== [ {port} ]"],
    rules: &[INTERFACES],
    sections: &[SECTION],
};

static INTERFACES: &[Rule] = &[
    sole("name: {port} mode: {w} ip: {*} status: {state} {*}"),
    sole("name: {port} mode: {w} management-ip: {*} status: {state} {*}"),
    sole("name: {port} ip: {*} status: {state} {*}"),
    sole("name: {port} status: {state} {*}"),
    // A modem has no state. In a line that a screen broke the state may be missing where it has one.
    sole("name: {port} netbios-forward: {*}"),
    sole("name: {port} {*} netbios-forward: {*}"),
];

/// A port of a virtual machine: its driver is that of a Linux host.
/// <https://docs.fortinet.com/document/fortigate/7.6.6/administration-guide/306050>
pub(super) static VIRTUAL: Dialect = Dialect {
    name: "Fortinet FortiGate, virtual machine",
    reads: "`diagnose hardware deviceinfo nic` of a virtual machine",
    is_flat: false,
    has_units: false,
    heads: &["Name: {ifword}"],
    rules: &[DRIVER],
    sections: &[SECTION],
};

static DRIVER: &[Rule] = &[
    sole("Driver: {*}"),
    sole("Version: {*}"),
    above("FW version: {*}"),
    sole("Bus: {*}"),
    above("Firmware-version: {*}"),
    sole("Hwaddr: {*}"),
    sole("HWaddr: {*}"),
    sole("Permanent Hwaddr:{*}"),
    above("State: {w}"),
    sole("Link: {state}"),
    sole("Mtu: {mtu}"),
    above("Supported:{*}"),
    above("Advertised:{*}"),
    above("Speed: {speed-duplex}"),
    above("Auto: {*}"),
    above("RX Ring: {n}"),
    above("TX Ring: {n}"),
    any("Rx packets: {InputPackets}"),
    any("Rx bytes: {InputBytes}"),
    any("Rx compressed: {receive compressed}"),
    any("Rx dropped: {InputDiscards}"),
    any("Rx errors: {InputErrors}"),
    any("Rx Length err: {receive length errors}"),
    any("Rx Buf overflow: {InputOverrun}"),
    any("Rx Crc err: {InputCrc}"),
    any("Rx Frame err: {receive frame errors}"),
    any("Rx Fifo overrun: {receive fifo errors}"),
    any("Rx Missed packets: {receive missed errors}"),
    any("Tx packets: {OutputPackets}"),
    any("Tx bytes: {OutputBytes}"),
    any("Tx compressed: {transmit compressed}"),
    any("Tx dropped: {OutputDrops}"),
    any("Tx errors: {OutputErrors}"),
    any("Tx Aborted err: {transmit aborted errors}"),
    any("Tx Carrier err: {transmit carrier errors}"),
    any("Tx Fifo overrun: {transmit fifo errors}"),
    any("Tx Heartbeat err: {transmit heartbeat errors}"),
    any("Tx Window err: {transmit window errors}"),
    any("Multicasts: {multicast}"),
    any("Collisions: {Collisions}"),
];
