//! VMware ESXi: what a physical adapter of the host counted.

use super::super::dialect::{Dialect, Rule, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "VMware ESXi",
    reads: "`esxcli network nic stats get -n NAME`",
    is_flat: false,
    has_units: false,
    heads: &["NIC statistics for {if}"],
    rules: &[LINES],
    sections: &[],
};

static LINES: &[Rule] = &[
    any("Packets received: {InputPackets}"),
    any("Packets sent: {OutputPackets}"),
    any("Bytes received: {InputBytes}"),
    any("Bytes sent: {OutputBytes}"),
    any("Receive packets dropped: {InputDiscards}"),
    any("Transmit packets dropped: {OutputDrops}"),
    any("Multicast packets received: {Multicast packets received}"),
    any("Broadcast packets received: {Broadcast packets received}"),
    any("Multicast packets sent: {Multicast packets sent}"),
    any("Broadcast packets sent: {Broadcast packets sent}"),
    any("Total receive errors: {InputErrors}"),
    any("Receive length errors: {Receive length errors}"),
    any("Receive over errors: {InputOverrun}"),
    any("Receive CRC errors: {InputCrc}"),
    any("Receive frame errors: {Receive frame errors}"),
    any("Receive FIFO errors: {Receive FIFO errors}"),
    any("Receive missed errors: {InputNoBuffer}"),
    any("Total transmit errors: {OutputErrors}"),
    any("Transmit aborted errors: {Transmit aborted errors}"),
    any("Transmit carrier errors: {Transmit carrier errors}"),
    any("Transmit FIFO errors: {Transmit FIFO errors}"),
    any("Transmit heartbeat errors: {Transmit heartbeat errors}"),
    any("Transmit window errors: {Transmit window errors}"),
];
