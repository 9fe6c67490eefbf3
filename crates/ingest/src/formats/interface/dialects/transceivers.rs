//! What transceivers say of themselves, where a device prints a paragraph for each: light by lane, temperature, alarms that are
//! raised. Thresholds are passed over.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, any, once};

/// A title names the lane of the lines below it; none stands above the first one.
const fn lanes(titles: &'static [&'static str], rules: &'static [Rule]) -> Section {
    Section {
        titles,
        cut: Cut::No,
        rules,
        ..SECTION
    }
}

pub(super) static JUNIPER: Dialect = Dialect {
    name: "Juniper Junos, optics",
    reads: "`show interfaces diagnostics optics`: light by lane, temperature, alarms",
    is_flat: false,
    has_units: false,
    heads: &["Physical interface: {if}"],
    rules: &[JUNIPER_LINES],
    sections: &[SECTION, lanes(&["Lane {lane}"], &[])],
};

static JUNIPER_LINES: &[Rule] = &[
    any("Optical diagnostics: N/A"),
    any("{alarm}: On"),
    any("{*} alarm: Off"),
    any("{*} warning: Off"),
    any("{*} threshold: {*}"),
    any("Module temperature: {temperature} degrees C{*}"),
    any("Module voltage: {*}"),
    any("Laser bias current: {*}"),
    any("Laser temperature: {*}"),
    any("Laser output power: {*} / {tx-dbm} dBm"),
    any("Laser output power: {*}"),
    any("Laser receiver power: {*} / {rx-dbm} dBm"),
    any("Laser receiver power: {*}"),
    any("Laser rx power: {*} / {rx-dbm} dBm"),
    any("Laser rx power: {*}"),
    any("Receiver signal average optical power: {*} / {rx-dbm} dBm"),
    any("Receiver signal average optical power: {*}"),
];

pub(super) static NX_OS: Dialect = Dialect {
    name: "Cisco NX-OS, transceivers",
    reads: "`show interface transceiver`, `details`: light by lane, temperature, alarms",
    is_flat: false,
    has_units: false,
    heads: &["{alone}"],
    rules: &[NX_OS_LINES],
    sections: &[
        SECTION,
        lanes(&["Lane Number:{lane} {*}", "Lane Number: {lane} {*}"], &[]),
    ],
};

static NX_OS_LINES: &[Rule] = &[
    once("transceiver is {*}"),
    any("type is {set media type}"),
    any("name is {*}"),
    any("part number is {*}"),
    any("revision is {*}"),
    any("serial number is {*}"),
    any("nominal bitrate is {*}"),
    any("number of lanes {*}"),
    any("Link length {*}"),
    any("Nominal transmitter wavelength is {*}"),
    any("Wavelength tolerance is {*}"),
    any("host lane count is {*}"),
    any("media lane count is {*}"),
    any("max {*}"),
    any("min {*}"),
    any("vendor OUI is {*}"),
    any("date code is {*}"),
    any("clei code is {*}"),
    any("power class is {*}"),
    any("near-end lanes used {*}"),
    any("far-end lane code for {*}"),
    any("media interface {*}"),
    any("Advertising code is {*}"),
    any("Host electrical interface code is {*}"),
    any("firmware version is {*}"),
    any("cable type is {*}"),
    any("cisco {*}"),
    any("DOM is {*}"),
    any("SFP Detail Diagnostics Information {*}"),
    any("Current Alarms Warnings"),
    any("Measurement High Low High Low"),
    any("----{*}"),
    any("Temperature {module-temperature} C {*}"),
    any("Voltage {*}"),
    any("Current {*}"),
    any("Tx Power {tx-dbm} dBm {tx-flag} {*}"),
    any("Tx Power {tx-dbm} dBm {*}"),
    any("Tx Power N/A {*}"),
    any("Tx Power <{set dBm sent, less than} dBm {tx-flag} {*}"),
    any("Tx Power <{set dBm sent, less than} dBm {*}"),
    any("Rx Power <{set dBm received, less than} dBm {rx-flag} {*}"),
    any("Rx Power <{set dBm received, less than} dBm {*}"),
    any("Rx Power {rx-dbm} dBm {rx-flag} {*}"),
    any("Rx Power {rx-dbm} dBm {*}"),
    any("Rx Power N/A {*}"),
    any("Transmit Fault Count = {n}"),
    any("Note: ++ high-alarm;{*}"),
];

pub(super) static EOS_HARDWARE: Dialect = Dialect {
    name: "Arista EOS, transceivers",
    reads: "`show interfaces transceiver hardware`: which media a port has",
    is_flat: true,
    has_units: false,
    heads: &["Name: {ifword}"],
    rules: &[EOS_HARDWARE_LINES],
    sections: &[SECTION],
};

static EOS_HARDWARE_LINES: &[Rule] = &[
    once("Media type: {set media type}"),
    any("Module presence: {*}"),
    any("Maximum module power (W): {*}"),
    any("Maximum slot power (W): {*}"),
    any("Wavelength (nm): {*}"),
    any("Power class: {*}"),
];

pub(super) static IOS_MODULES: Dialect = Dialect {
    name: "Cisco IOS XE, transceivers of modules",
    reads: "`show hw-module subslot 0/0 transceiver 0 status`: light, temperature",
    is_flat: false,
    has_units: false,
    heads: &["The Transceiver in {slot} is {w}."],
    rules: &[IOS_MODULE_LINES],
    sections: &[SECTION],
};

static IOS_MODULE_LINES: &[Rule] = &[
    any("Module temperature = {temperature} C"),
    any("Module temperature = {temperature} C [{*}"),
    any("Transceiver Tx power = {tx-dbm} dBm [{*}"),
    any("Transceiver Rx optical power = {rx-dbm} dBm [{*}"),
    // What is received and sent in all stands above the lanes.
    any("Tx power Network Lane[{of-lane}] = {tx-dbm} dBm {*}"),
    any("Rx power Network Lane[{of-lane}] = {rx-dbm} dBm {*}"),
    any("Tx bias Network Lane[{n}] = {*}"),
    any("Transceiver Tx supply voltage = {*}"),
    any("Transceiver Tx bias current = {*}"),
    any("Transceiver Tx power = {tx-dbm} dBm"),
    any("Transceiver Rx optical power = {rx-dbm} dBm"),
];

pub(super) static AOS_CX: Dialect = Dialect {
    name: "Aruba AOS-CX, transceivers",
    reads: "`show interface dom detail`, `show interface PORT transceiver detail`: light, temperature, alarms",
    is_flat: false,
    has_units: false,
    heads: &["Transceiver in {port}"],
    rules: &[AOS_CX_LINES],
    sections: &[
        SECTION,
        lanes(&["Channel {lane}", "Channel {lane}:"], &[]),
        Section {
            titles: &["Recent Alarms:"],
            rules: &[any("{alarm}")],
            ..SECTION
        },
    ],
};

static AOS_CX_LINES: &[Rule] = &[
    once("Type: {*}"),
    any("Interface Name: {*}"),
    any("Connector Type: {*}"),
    any("Wavelength: {*}"),
    any("Transfer Distance: {*}"),
    any("Diagnostic Support: {*}"),
    any("Product Number: {*}"),
    any("Vendor {*}"),
    any("Status"),
    any("Recent Errors:{*}"),
    any("% No DOM information available"),
    any("{alarm}: On"),
    any("{*} alarm: Off"),
    any("{*} warning: Off"),
    any("{*} threshold: {*}"),
    any("Temperature: {temperature}C"),
    any("Voltage: {*}"),
    any("Tx Bias: {*}"),
    // A row for each lane.
    any("Channel Tx Bias Rx Power Tx Power"),
    any("Channel # Tx Bias Rx Power Tx Power"),
    any("(mA) (mW/dBm) (mW/dBm)"),
    any("----{*}"),
    any("{of-lane} {w} {w}, {rx-dbm} {w}, {tx-dbm}"),
    any("{of-lane} {w} {*}{w}mW, {rx-dbm}dBm {w}mW, {tx-dbm}dBm"),
    any("Rx Power: {*}mW, {rx-dbm}dBm"),
    any("Rx Power: {*} mW / {rx-dbm} dBm"),
    any("Rx Power: {rx-mw}mW"),
    any("Tx Power: {*}mW, {tx-dbm}dBm"),
    any("Tx Power: {*} mW / {tx-dbm} dBm"),
    any("Tx Power: {tx-mw}mW"),
];

pub(super) static ONYX: Dialect = Dialect {
    name: "NVIDIA Onyx, transceivers",
    reads: "`show interfaces ethernet PORT transceiver`, `diagnostics`: light by lane, temperature, which module",
    is_flat: false,
    has_units: false,
    heads: &["Port {eth} state", "Port {eth} transceiver diagnostic data:"],
    rules: &[ONYX_LINES],
    sections: &[SECTION],
};

static ONYX_LINES: &[Rule] = &[
    once("identifier: {set module}"),
    once("cable/module type: {set cable}"),
    any("ethernet speed and type: {set media type}"),
    any("vendor: {*}"),
    any("cable length: {*}"),
    any("part number: {*}"),
    any("revision: {*}"),
    any("serial number: {*}"),
    any("Temperature: {temperature} C"),
    any("Voltage: {*}"),
    any("Temperature ({*}"),
    any("Voltage ({*}"),
    any("Tx Bias Current ({*}"),
    any("Tx Power ({*}"),
    any("Rx Power ({*}"),
    any("Ch{of-lane} Tx Current: {*}"),
    any("Ch{of-lane} Tx Power: {*} mW / {tx-dbm} dBm"),
    any("Ch{of-lane} Rx Power: {*} mW / {rx-dbm} dBm"),
    any("Hi {*} Thresh: {*}"),
    any("Low {*} Thresh: {*}"),
    any("{*} Alarm: None"),
    any("{*} Alarm: {alarm}"),
];

pub(super) static EOS_DOM: Dialect = Dialect {
    name: "Arista EOS, light of transceivers",
    reads: "`show interfaces PORT transceiver dom`: light by lane, temperature, errors before FEC",
    is_flat: true,
    has_units: false,
    heads: &["Port {ethernet}"],
    rules: &[EOS_DOM_LINES],
    sections: &[SECTION],
};

static EOS_DOM_LINES: &[Rule] = &[
    once("Last update: {*}"),
    any("Value"),
    any("----{*}"),
    any("Case temperature {temperature} C"),
    any("Supply voltage {*}"),
    any("Laser temperature {*}"),
    any("Ch {of-lane} TX bias {*}"),
    any("Ch {of-lane} TX power {tx-dbm} dBm"),
    any("Ch {of-lane} RX power {rx-dbm} dBm"),
    any("TX bias {*}"),
    any("TX power {tx-dbm} dBm"),
    any("RX power {rx-dbm} dBm"),
    any("RX total power {rx-dbm} dBm"),
    any("Pre-FEC BER {set pre-FEC BER}"),
    any("Post-FEC errored frames ratio {set post-FEC errored frames ratio}"),
    any("Chromatic dispersion {*}"),
    any("Differential group delay {*}"),
    any("SOPMD {*}"),
    any("Polarization dependent loss {*}"),
    any("Received OSNR estimate {set OSNR}"),
    any("Carrier frequency offset {*}"),
    any("SNR media {*}"),
];

/// The command reference of SONiC: <https://github.com/sonic-net/sonic-utilities/blob/master/doc/Command-Reference.md>
pub(super) static SONIC: Dialect = Dialect {
    name: "SONiC, transceivers",
    reads: "`show interfaces transceiver eeprom --dom`: light by lane, temperature",
    is_flat: false,
    has_units: false,
    heads: &["{if}: SFP EEPROM detected", "{if}: SFP detected", "{alone}:"],
    // The names of the channels tell themselves, also where a filter took the title away.
    rules: &[SONIC_LINES, SONIC_CHANNELS],
    sections: &[
        SECTION,
        lanes(&["ChannelMonitorValues:"], &[]),
        lanes(&["ModuleMonitorValues:", "MonitorData:"], SONIC_MODULE),
        lanes(
            &[
                "ChannelThresholdValues:",
                "ModuleThresholdValues:",
                "ThresholdData:",
            ],
            &[any("{*}Alarm: {*}"), any("{*}Warning: {*}")],
        ),
    ],
};

/// Who made it, and what it can do.
static SONIC_LINES: &[Rule] = &[
    any("Active Firmware{*}"),
    any("Active application {*}"),
    any("Application Advertisement:{*}"),
    any("{n}: {*}"),
    any("CMIS Rev{*}"),
    any("Connector:{*}"),
    any("Encoding:{*}"),
    any("Extended {*}"),
    any("Hardware Rev{*}"),
    any("Host {*}"),
    any("Identifier:{*}"),
    any("Implemented Memory Pages:"),
    any("Bank {*}"),
    any("Diagnostic Pages {*}"),
    any("Page {*}"),
    any("Inactive Firmware{*}"),
    any("Length{*}"),
    any("Lane {*}"),
    any("Media {*}"),
    any("Module {*}"),
    any("Nominal Bit Rate{*}"),
    any("Revision Compliance:{*}"),
    any("Specification compliance:{*}"),
    any("{*} Compliance Code{*}"),
    any("{*} Compliance{*}"),
    // `show interfaces transceiver status`: flags, by lane or of the module.
    any("{*}: True"),
    any("{*}: False"),
    any("Disabled TX channels: {*}"),
    any("Fibre Channel{*}"),
    any("Supported {*}"),
    any("Vendor {*}"),
];

static SONIC_CHANNELS: &[Rule] = &[
    any("RX{of-lane}Power: {rx-dbm}dBm"),
    any("TX{of-lane}Power: {tx-dbm}dBm"),
    any("RXPower: {rx-dbm}dBm"),
    any("TXPower: {tx-dbm}dBm"),
    any("RX{of-lane}Power: N/A"),
    any("TX{of-lane}Power: N/A"),
    any("TX{n}Bias: {*}"),
    any("TXBias: {*}"),
];

static SONIC_MODULE: &[Rule] = &[
    any("RXPower: {rx-dbm}dBm"),
    any("TXPower: {tx-dbm}dBm"),
    any("TXBias: {*}"),
    any("Temperature: {module-temperature}C"),
    any("Vcc: {*}"),
];
