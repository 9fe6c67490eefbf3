//! Juniper, `monitor interface PORT`: a screen that is drawn again and again, with what was counted since the last time in brackets.

use super::super::dialect::{Dialect, Rule, SECTION, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Juniper Junos, monitor",
    reads: "`monitor interface PORT`: counters and rates as the screen shows them",
    is_flat: true,
    has_units: false,
    heads: &["Interface: {if}, {w}, Link is {state}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    // What stands above the next drawing.
    any("{w} Seconds: {n} Time: {*}"),
    any("Delay: {*}"),
    any("Next='n', {*}"),
    any("Encapsulation: {*}, Speed: {speed}"),
    any("Encapsulation: {*}"),
    any("Traffic statistics: Current delta"),
    any("Traffic statistics:"),
    any("Error statistics:"),
    any("Input bytes: {InputBytes} ({in-rate}) [{n}]"),
    any("Output bytes: {OutputBytes} ({out-rate}) [{n}]"),
    any("Input packets: {InputPackets} ({in-pps}) [{n}]"),
    any("Output packets: {OutputPackets} ({out-pps}) [{n}]"),
    any("Input errors: {InputErrors} [{n}]"),
    any("Input drops: {InputDiscards} [{n}]"),
    any("Input framing errors: {InputFraming} [{n}]"),
    any("Policed discards: {policed discards} [{n}]"),
    any("L3 incompletes: {L3 incompletes} [{n}]"),
    any("L2 channel errors: {L2 channel errors} [{n}]"),
    any("L2 mismatch timeouts: {L2 mismatch timeouts} [{n}]"),
    any("Carrier transitions: {CarrierTransitions} [{n}]"),
    any("Output errors: {OutputErrors} [{n}]"),
    any("Output drops: {OutputDrops} [{n}]"),
    any("Aged packets: {aged packets} [{n}]"),
    any("Active alarms: {*}"),
    any("Active defects: {*}"),
];
