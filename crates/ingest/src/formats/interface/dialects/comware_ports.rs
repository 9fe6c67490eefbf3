//! What Comware and VRP print of a port besides `display interface`: what the switch dropped and why, and the light in its transceiver.
//! <https://www.h3c.com/en/d_202301/1750534_294551_0.htm>
//! <https://support.huawei.com/enterprise/en/doc/EDOC1100213083/7a0d0aa7/display-transceiver>

use super::super::dialect::{Dialect, Rule, SECTION, Section, any};

pub(super) static DROPS: Dialect = Dialect {
    name: "HPE Comware, drops and members of bundles",
    reads: "`display packet-drop interface`: what was dropped, by reason; `display link-aggregation member-port`: which bundle a port is in, \
            packets of LACP",
    is_flat: false,
    has_units: false,
    heads: &["{alone}:"],
    rules: &[REASONS, MEMBER],
    sections: &[
        SECTION,
        Section {
            titles: &["Local:"],
            rules: &[any("Flag: {set LACP flags}")],
            ..SECTION
        },
        Section {
            titles: &["Remote:"],
            rules: &[any("Flag: {set LACP flags of the partner}")],
            ..SECTION
        },
    ],
};

static MEMBER: &[Rule] = &[
    any("Aggregate Interface: {set bundle}"),
    any("Aggregation Interface: {set bundle}"),
    any("Port Number: {*}"),
    any("Port Priority: {*}"),
    any("Oper-Key: {*}"),
    any("System ID: {*}"),
    any("Received LACP Packets: {LACP packets in} packet(s)"),
    any("Illegal: {illegal LACP packets in} packet(s)"),
    any("Sent LACP Packets: {LACP packets out} packet(s)"),
];

static REASONS: &[Rule] = &[
    any(
        "Packets dropped due to full GBP or insufficient bandwidth: {dropped packets, full buffer or bandwidth}",
    ),
    any("Packets dropped due to insufficient bandwidth: {dropped packets, bandwidth}"),
    any("Packets dropped due to full GBP: {dropped packets, full buffer}"),
    any("Packets dropped due to Fast Filter Processor (FFP): {dropped packets, filter}"),
    any("Packets dropped due to STP non-forwarding state: {dropped packets, STP state}"),
    any(
        "Packets dropped due to insufficient data buffer. Input dropped: {input packets dropped, data buffer} \
         Output dropped:{output packets dropped, data buffer}",
    ),
    any("Packets of ECN marked: {ECN marked packets}"),
    // As Comware writes it.
    any("Packets of WRED droped: {WRED dropped packets}"),
    any("Packets of WRED dropped: {WRED dropped packets}"),
];

pub(super) static OPTICS: Dialect = Dialect {
    name: "HPE Comware, transceivers",
    reads: "`display transceiver diagnosis interface`: light by channel, temperature",
    is_flat: false,
    has_units: false,
    heads: &["{if} transceiver diagnostic information:"],
    rules: &[DIAGNOSIS],
    sections: &[SECTION],
};

static DIAGNOSIS: &[Rule] = &[
    any("Current diagnostic parameters:"),
    any("Alarm thresholds:"),
    any("[module] {*}"),
    any("[channel] {*}"),
    any("Temp.(C) {*}"),
    any("Temp({*}"),
    any("High {*}"),
    any("Low {*}"),
    any("{module-temperature} {w} {w} {rx-dbm} {tx-dbm}"),
    any("{lane} {w} {rx-dbm} {tx-dbm}"),
    any("{module-temperature} {w}"),
];

pub(super) static HUAWEI_OPTICS: Dialect = Dialect {
    name: "Huawei VRP, transceivers",
    reads: "`display transceiver interface PORT verbose`: light, temperature",
    is_flat: true,
    has_units: false,
    heads: &["{if} transceiver information:"],
    rules: &[VERBOSE],
    sections: &[SECTION],
};

static VERBOSE: &[Rule] = &[
    any("---{*}"),
    any("Common information:"),
    any("Manufacture information:"),
    any("Alarm information:"),
    any("Diagnostic information:"),
    any("Transceiver Type:{*}"),
    any("Connector Type:{*}"),
    any("Wavelength{*}"),
    any("Transfer Distance{*}"),
    any("Digital Diagnostic Monitoring:{*}"),
    any("Vendor {*}"),
    any("Ordering Name:{*}"),
    any("Manu. {*}"),
    any("Manufacturing {*}"),
    any("Temperature(°C):{module-temperature}"),
    any("Temperature(Celsius):{module-temperature}"),
    any("Temperature(degree C):{module-temperature}"),
    any("Temperature (Celsius):{module-temperature}"),
    any("Temp {*}"),
    any("Voltage{*}"),
    any("Volt {*}"),
    any("Bias {*}"),
    any("RX Power(dBm):{rx-dbm}"),
    any("RX Power(dBM):{rx-dbm}"),
    any("RX Power (dBm):{rx-dbm}"),
    any("Current RX Power (dBm):{rx-dbm}"),
    any("RX Power {*}"),
    any("Default RX Power {*}"),
    any("TX Power(dBm):{tx-dbm}"),
    any("TX Power(dBM):{tx-dbm}"),
    any("TX Power (dBm):{tx-dbm}"),
    any("Current TX Power (dBm):{tx-dbm}"),
    any("TX Power {*}"),
    any("Default TX Power {*}"),
];

pub(super) static HUAWEI_DIAGNOSIS: Dialect = Dialect {
    name: "Huawei VRP, diagnosis of transceivers",
    reads: "`display transceiver diagnosis interface`: light, temperature",
    is_flat: true,
    has_units: false,
    heads: &["Port {port} transceiver diagnostic information:"],
    rules: &[CURRENT],
    sections: &[SECTION],
};

static CURRENT: &[Rule] = &[
    any("---{*}"),
    any("Parameter {*}"),
    any("Value Threshold{*}"),
    any("TxPower(dBm) {tx-dbm} {*}"),
    any("RxPower(dBm) {rx-dbm} {*}"),
    any("Current(mA) {*}"),
    any("Temp(C) {module-temperature} {*}"),
    any("Temp.(C) {module-temperature} {*}"),
    any("Voltage(V) {*}"),
];
