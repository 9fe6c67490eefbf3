//! Brocade and Ruckus, `show statistics ethernet`: what was received and what was sent side by side.

use super::super::dialect::{Dialect, Rule, SECTION, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Brocade and Ruckus, statistics",
    reads: "`show statistics ethernet PORT` of FastIron and NetIron: counters, rates",
    is_flat: true,
    has_units: false,
    heads: &["Port {port} Counters:", "PORT {port} Counters:"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    any("InOctets {InputBytes} OutOctets {OutputBytes}"),
    any("InPkts {InputPackets} OutPkts {OutputPackets}"),
    any("InBroadcastPkts {InBcastPkts} OutBroadcastPkts {OutBcastPkts}"),
    any("InMulticastPkts {InMcastPkts} OutMulticastPkts {OutMcastPkts}"),
    any("InUnicastPkts {InUcastPkts} OutUnicastPkts {OutUcastPkts}"),
    any("InBadPkts {InBadPkts}"),
    any("InFragments {InFragments}"),
    any("InDiscards {InputDiscards} OutDiscards {OutputDrops}"),
    any("InDiscards {InputDiscards} OutErrors {OutputErrors}"),
    any("InErrors {InputErrors} OutErrors {OutputErrors}"),
    any("InErrors {InputErrors} LateCollisions {LateCollisions}"),
    any("CRC {InputCrc} Collisions {Collisions}"),
    any("InCollisions {InCollisions} OutCollisions {OutCollisions}"),
    any("OutLateCollisions {OutLateCollisions}"),
    any("Alignment {InputFraming} FCS {InputCrc}"),
    any("GiantPkts {GiantPkts} ShortPkts {ShortPkts}"),
    any("InGiantPkts {InGiantPkts}"),
    any("InShortPkts {InShortPkts}"),
    any("InJabber {InJabber}"),
    any("InFlowCtrlPkts {InputPauses} OutFlowCtrlPkts {OutputPauses}"),
    any("InBitsPerSec {in-bits} OutBitsPerSec {out-bits}"),
    any("InPktsPerSec {in-pps} OutPktsPerSec {out-pps}"),
    any("InUtilization {*}"),
];
