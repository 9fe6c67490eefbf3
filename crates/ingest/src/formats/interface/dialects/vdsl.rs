//! Cisco IOS, `show controllers vdsl`: a line of DSL, a column for each direction as the end that receives counts it (XTU-R downstream, XTU-C
//! upstream).
//! <https://www.cisco.com/c/en/us/td/docs/routers/access/1100/software/configuration/xe-17/cisco_1100_series_swcfg_xe_17_x.html>

use super::super::dialect::{Dialect, Rule, SECTION, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS, VDSL",
    reads: "`show controllers vdsl`: state, rates, attainable rates, noise margin, attenuation, errors and errored seconds, both ways",
    is_flat: true,
    has_units: false,
    heads: &["Controller {controller} is {state}"],
    rules: &[LINES],
    sections: &[SECTION],
};

macro_rules! both_ways {
    ($said:literal $name:literal) => {
        any(concat!(
            $said,
            ": {",
            $name,
            " downstream} {",
            $name,
            " upstream}"
        ))
    };
}

macro_rules! of_channels {
    ($said:literal $what:literal) => {
        any(concat!(
            $said,
            ": NA {",
            $what,
            " downstream} NA {",
            $what,
            " upstream}"
        ))
    };
}

static LINES: &[Rule] = &[
    any("Daemon Status: {*}"),
    any("XTU-R (DS) XTU-C (US)"),
    any("Chip {*}"),
    any("Modem {*}"),
    any("Serial Number {*}"),
    any("DSL Config Mode: {*}"),
    any("Trained Mode: {set mode}"),
    any("TC Mode: {*}"),
    any("Selftest Result: {*}"),
    any("DELT {*}"),
    any("Failed full inits: {failed full inits}"),
    any("Short inits: {short inits}"),
    any("Failed short inits: {failed short inits}"),
    any("Firmware {*}"),
    any("Line {n}:"),
    any("Trellis: {*}"),
    any("SRA: {*}"),
    any("SRA count: {*}"),
    any("SRA Previous Speed: {*}"),
    any("Bit swap: {*}"),
    any("Bit swap count: {*}"),
    any("Line Attenuation: {set attenuation downstream, dB} dB {set attenuation upstream, dB} dB"),
    any("Line Attenuation: {set attenuation downstream, dB} dB dB"),
    any("Noise Margin: {set noise margin downstream, dB} dB {set noise margin upstream, dB} dB"),
    any(
        "Attainable Rate: {set attainable rate downstream, kbit/s} kbits/s {set attainable rate upstream, kbit/s} kbits/s",
    ),
    any("Line Attenuation(dB): {*}"),
    any("Signal Attenuation{*}"),
    any("Noise Margin(dB): {*}"),
    any("Actual Power: {*}"),
    any("Per Band Status: {*}"),
    both_ways!("Total FECC" "FEC corrected codewords"),
    both_ways!("Total ES" "errored seconds"),
    both_ways!("Total SES" "severely errored seconds"),
    both_ways!("Total LOSS" "seconds without signal"),
    both_ways!("Total UAS" "unavailable seconds"),
    both_ways!("Total LPRS" "losses of power"),
    both_ways!("Total LOFS" "losses of frame"),
    both_ways!("Total LOLS" "losses of link"),
    any("DS Channel1 DS Channel0 US Channel1 US Channel0"),
    any("Speed (kbps): NA {set rate downstream, kbit/s} NA {set rate upstream, kbit/s}"),
    of_channels!("Reed-Solomon EC" "Reed-Solomon corrections"),
    of_channels!("CRC Errors" "CRC errors"),
    of_channels!("Header Errors" "header errors"),
    any("Previous Speed: {*}"),
    any("Total Cells: {*}"),
    any("User Cells: {*}"),
    any("Interleave (ms): {*}"),
    any("Actual INP: {*}"),
    any("Training Log: {*}"),
    any("Training Log Filename: {*}"),
];
