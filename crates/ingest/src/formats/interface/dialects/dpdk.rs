//! DPDK's testpmd, `show port stats` and what `stop` tells, and l2fwd's screen: ports that no kernel has. What is summed over all ports is no
//! port's.

use super::super::dialect::{Dialect, Rule, SECTION, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "DPDK, testpmd, l2fwd",
    reads: "`show port stats` and `show fwd stats` of a port, and what is told at the end: packets, bytes, errors, drops, rates",
    is_flat: true,
    has_units: false,
    heads: &[
        "######################## NIC statistics for {if} ########################",
        "---------------------- Forward statistics for {if} ----------------------",
        "Statistics for {if} ------------------------------",
    ],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    any("RX-packets: {InputPackets} RX-missed: {InputNoBuffer} RX-bytes: {InputBytes}"),
    any("RX-packets: {InputPackets} RX-dropped: {InputNoBuffer} RX-total: {*}"),
    any("RX-errors: {InputErrors}"),
    any("RX-error: {InputErrors}"),
    any("RX-nombuf: {RX-nombuf}"),
    any("RX-nombufs: {RX-nombuf}"),
    any("TX-packets: {OutputPackets} TX-errors: {OutputErrors} TX-bytes: {OutputBytes}"),
    any("TX-packets: {OutputPackets} TX-dropped: {OutputDrops} TX-total: {*}"),
    any("Packets sent: {OutputPackets}"),
    any("Packets received: {InputPackets}"),
    // What the port had no room for when it should be sent.
    any("Packets dropped: {OutputDrops}"),
    any("Aggregate statistics ={*}"),
    any("Total packets sent: {*}"),
    any("Total packets received: {*}"),
    any("Total packets dropped: {*}"),
    any("Bad-ipcsum: {Bad-ipcsum} Bad-l4csum: {Bad-l4csum} {*}"),
    any("Throughput (since last show)"),
    any("Rx-pps: {in-pps} Rx-bps: {in-bits}"),
    any("Tx-pps: {out-pps} Tx-bps: {out-bits}"),
    any("Rx-pps: {in-pps}"),
    any("Tx-pps: {out-pps}"),
];
