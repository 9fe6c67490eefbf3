//! NVIDIA Cumulus Linux, `nv show interface PORT counters` and `link stats`: the port stands in the command alone. Newer releases print bytes
//! as `1.49 MB`, which no counter is exactly.
//! <https://docs.nvidia.com/networking-ethernet-software/nvue-reference/Show-Commands/Interface/>

use super::super::dialect::{Dialect, Rule, SECTION, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "NVIDIA Cumulus Linux",
    reads: "`nv show interface PORT`, `link`, `counters`, `link stats`: state, speed, packets, bytes, errors and drops",
    is_flat: true,
    has_units: false,
    heads: &[
        "operational",
        "operational applied",
        "operational applied pending",
    ],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    any("---{*}"),
    // What is configured stands behind what is.
    any("speed {speed} {w}"),
    any("speed {speed}"),
    any("mtu {mtu} {n}"),
    any("mtu {mtu}"),
    any("duplex {duplex} {w}"),
    any("duplex {duplex}"),
    any("state {state}"),
    any("oper-status {state}"),
    any("admin-status {*}"),
    any("auto-negotiate {*}"),
    any("fec {*}"),
    any("ifindex {n}"),
    any("mac {*}"),
    any("mac-address {*}"),
    any("last-change {*}"),
    any("protodown {*}"),
    any("type {*}"),
    any("description {description}"),
    any("vrf {*}"),
    any("net-stats"),
    any("carrier-transitions {CarrierTransitions}"),
    any("carrier-down-count {carrier down}"),
    any("carrier-up-count {carrier up}"),
    any("in-bytes {InputBytes}"),
    // Rounded: "1.23 GB".
    any("in-bytes {set received}"),
    any("in-drops {InputDiscards}"),
    any("in-drops {InputDiscards} packets"),
    any("in-errors {InputErrors}"),
    any("in-errors {InputErrors} packets"),
    any("in-pkts {InputPackets}"),
    any("in-pkts {InputPackets} packets"),
    any("out-bytes {OutputBytes}"),
    any("out-bytes {set sent}"),
    any("out-drops {OutputDrops}"),
    any("out-drops {OutputDrops} packets"),
    any("out-errors {OutputErrors}"),
    any("out-errors {OutputErrors} packets"),
    any("out-pkts {OutputPackets}"),
    any("out-pkts {OutputPackets} packets"),
];
