//! Cisco IOS XR, `monitor interface PORT`: a screen that is drawn again and again, with what was counted since the last time behind
//! each counter.
//! <https://www.cisco.com/c/en/us/td/docs/routers/asr9000/software/asr9k-r6-1/general/command/reference/b-system-management-cr-asr9000.html>

use super::super::dialect::{Dialect, Rule, SECTION, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS XR, monitor",
    reads: "`monitor interface PORT`: counters and rates as the screen shows them",
    is_flat: false,
    has_units: false,
    heads: &["{if} is {state}, line protocol is {link}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    any("Encapsulation {*}"),
    any("Traffic Stats:({interval} rates) Delta"),
    any("Traffic Stats:{*}"),
    any("Errors Stats:{*}"),
    any("Input Packets: {InputPackets} {n}"),
    any("Input pps: {in-pps}"),
    any("Input Bytes: {InputBytes} {n}"),
    any("Input Total Drops: {InputDiscards} {n}"),
    any("Input Kbps (rate): {in-kbits} ({*})"),
    any("Output Packets: {OutputPackets} {n}"),
    any("Output pps: {out-pps}"),
    any("Output Bytes: {OutputBytes} {n}"),
    any("Output Total Drops: {OutputDrops} {n}"),
    any("Output Kbps (rate): {out-kbits} ({*})"),
    any("Input Total: {InputErrors} {n}"),
    any("Input CRC: {InputCrc} {n}"),
    any("Input Frame: {InputFraming} {n}"),
    any("Input Overrun: {InputOverrun} {n}"),
    any("Output Total: {OutputErrors} {n}"),
    any("Output Underrun: {output underruns} {n}"),
    any("Output Underrun: {output underruns}"),
    // The keys of the screen.
    any("Quit='q', {*}"),
    any("Next='n', {*}"),
    any("Brief='b', {*}"),
    any("General='g', {*}"),
];
