//! Citrix ADC (NetScaler): counters with their figures in brackets.
//! <https://docs.netscaler.com/en-us/citrix-adc/current-release/networking/interfaces/configuring-network-interfaces.html>

use super::super::dialect::{Dialect, Rule, SECTION, any, once};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Citrix ADC",
    reads: "`show interface PORT`: state, speed, packets, bytes, errors, drops, stalls",
    is_flat: false,
    has_units: false,
    heads: &["{n}) Interface {port} ({*}) #{n}", "Interface {port} ({*}) #{n}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    once("flags={*}"),
    any("MTU={mtu}, {*}"),
    any("Requested: {*}"),
    any("throughput {*}"),
    any("Actual: media {w} speed {speed-mbit}, duplex {duplex}, {*}"),
    any("Actual: {*}"),
    any("LLDP Mode: {*}"),
    any("LACP {*}"),
    any("LR Priority: {*}"),
    any(
        "RX: Pkts({InputPackets}) Bytes({InputBytes}) Errs({InputErrors}) Drops({InputDiscards}) Stalls({receive stalls})",
    ),
    any(
        "TX: Pkts({OutputPackets}) Bytes({OutputBytes}) Errs({OutputErrors}) Drops({OutputDrops}) Stalls({transmit stalls})",
    ),
    any(
        "NIC: InDisc({input discarded by the card}) OutDisc({output discarded by the card}) Fctls({flow control frames}) Stalls({card stalls}) Hangs({card hangs}) Muted({card mutings})",
    ),
    any("Bandwidth thresholds {*}"),
];
