//! Cisco IOS XR, `show controllers PORT stats`: what the MAC counted, a counter a line; and without a further word, the state of the port with
//! the light of its module.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, any, input, output, own_input, own_output,
};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS XR, controllers",
    reads: "`show controllers PORT stats`: the counters of the MAC",
    is_flat: false,
    has_units: false,
    heads: &[
        "Statistics for interface {if} (cached values):",
        "Statistics for interface {if}:",
    ],
    rules: &[TITLES],
    sections: &[Section {
        way: Way::Unsaid,
        cut: Cut::Equated,
        words: &[WORDS],
        ..SECTION
    }],
};

/// The names of the counters below them tell the direction as well.
static TITLES: &[Rule] = &[any("Ingress:"), any("Egress:")];

static WORDS: &[Word] = &[
    input("Input total bytes", K::InputBytes),
    input("Input total packets", K::InputPackets),
    input("Input pause frames", K::InputPauses),
    input("Input drop overrun", K::InputOverrun),
    input("Input error giant", K::InputGiants),
    input("Input error runt", K::InputRunts),
    input("Input error CRC", K::InputCrc),
    input("Input error symbol", K::InputFraming),
    own_input("Input good bytes"),
    own_input("Input good pkts"),
    own_input("Input unicast pkts"),
    own_input("Input multicast pkts"),
    own_input("Input broadcast pkts"),
    own_input("Input drop abort"),
    own_input("Input drop invalid VLAN"),
    own_input("Input drop invalid DMAC"),
    own_input("Input drop invalid encap"),
    own_input("Input drop other"),
    own_input("Input error jabbers"),
    own_input("Input error fragments"),
    own_input("Input error collisions"),
    own_input("Input error other"),
    own_input("Input MIB giant"),
    own_input("Input MIB jabber"),
    own_input("Input MIB CRC"),
    output("Output total bytes", K::OutputBytes),
    output("Output total packets", K::OutputPackets),
    output("Output pause frames", K::OutputPauses),
    output("Output drop underrun", K::OutputUnderruns),
    output("Output error other", K::OutputErrors),
    own_output("Output good bytes"),
    own_output("Output good pkts"),
    own_output("Output unicast pkts"),
    own_output("Output multicast pkts"),
    own_output("Output broadcast pkts"),
    own_output("Output drop abort"),
    own_output("Output drop other"),
];

pub(super) static STATE: Dialect = Dialect {
    name: "Cisco IOS XR, state of a port",
    reads: "`show controllers PORT`: state, speed, light by lane, FEC and PFC",
    is_flat: false,
    has_units: false,
    heads: &["Operational data for interface {if}:"],
    rules: &[STATES],
    sections: &[SECTION],
};

macro_rules! class {
    ($class:literal in) => {
        any(concat!($class, " {w} {CoS ", $class, " PFC frames in}"))
    };
    ($class:literal both) => {
        any(concat!(
            $class,
            " {w} {CoS ",
            $class,
            " PFC frames in} {CoS ",
            $class,
            " PFC frames out}"
        ))
    };
}

macro_rules! watchdog {
    ($($class:literal)*) => {
        any(concat!("Total Dropped Packets:", $(" {CoS ", $class, " packets dropped by PFC watchdog}"),*))
    };
}

static STATES: &[Rule] = &[
    any("State:"),
    any("Administrative state: {*}"),
    any("Signal Fail: {*}"),
    any("Signal Degrade: {*}"),
    any("Operational state: {state}"),
    any("LED state: {*}"),
    any("Phy:"),
    any("Media type: {*}"),
    any("No optics present"),
    any("Optics:"),
    any("Vendor: {*}"),
    any("Part number: {*}"),
    any("Serial number: {*}"),
    any("Type: {*}"),
    any("Rev: {*}"),
    any("Wavelength{*}"),
    any("Digital Optical Monitoring:"),
    any("Transceiver Temp: {module-temperature} C"),
    any("Transceiver Voltage: {*}"),
    any("Alarms key: {*}"),
    any("(L) Alarm low, {*}"),
    any("Lane (nm) (dBm) (mW) (dBm) (mW) (mA)"),
    any("--{*}"),
    any("{of-lane} {w} {tx-dbm} {w} {rx-dbm} {w} {w}"),
    any("DOM alarms:"),
    any("No alarms"),
    any("Alarm Alarm Warning Warning Alarm"),
    any("Thresholds High High Low Low"),
    any("Transceiver Temp (C): {*}"),
    any("Transceiver Voltage (V): {*}"),
    any("Laser Bias (mA): {*}"),
    any("Transmit Power (mW): {*}"),
    any("Transmit Power (dBm): {*}"),
    any("Receive Power (mW): {*}"),
    any("Receive Power (dBm): {*}"),
    any("Statistics:"),
    any("FEC:"),
    any("Corrected Codeword Count: {FEC corrected codewords}"),
    any("Uncorrected Codeword Count: {FEC uncorrected codewords}"),
    any("MAC address information:"),
    any("Operational address: {*}"),
    any("Burnt-in address: {*}"),
    any("No unicast addresses in filter"),
    any("No multicast addresses in filter"),
    any("Operating in {*}"),
    any("Autonegotiation {*}"),
    any("Operational values:"),
    any("Speed: {speed}"),
    any("Duplex: {duplex}"),
    any("Flowcontrol: {*}"),
    any("Loopback: {*}"),
    any("MTU: {mtu}"),
    any("MRU: {*}"),
    any("Forward error correction: {set fec}"),
    any("Inter-packet gap: {*}"),
    any("Carrier delay ({*}"),
    any("BER monitoring:{*}"),
    any("Holdoff Time: {*}"),
    any("Priority flow control: {*}"),
    any("Priority flow control information for interface {if}:"),
    any("Priority Flow Control:"),
    any("Total Rx PFC Frames: {PFC frames in}"),
    any("Total Tx PFC Frames: {PFC frames out}"),
    watchdog!("0" "1" "2" "3" "4" "5" "6" "7"),
    // What it dropped lately is part of that.
    any("Dropped Packets: {*}"),
    any("Total Rx Dropped Data Frames: {data frames dropped by PFC}"),
    any("CoS Status Rx PFC Frames Tx PFC Frames"),
    any("CoS Status Rx PFC Frames"),
    any("Priority flow control watchdog {*}"),
    any("PFC {*}"),
    any("Watchdog {*}"),
    any("Configuration Item Global Interface Effective"),
    any("Poll interval: {*}"),
    any("Shutdown {*}"),
    any("Auto-restore multiplier: {*}"),
    any("Auto Restore Events: {*}"),
    any("SAR{*}"),
    any("Traffic Class: {*}"),
    any("(D): Default value"),
    any("U: Unconfigured"),
    any("{w} - Disabled"),
    any("{w} - Monitoring"),
    any("{w} - Waiting {*}"),
    any("7 6 5 4 3 2 1 0"),
    any("- - - - - - - -"),
    class!("0" in),
    class!("0" both),
    class!("1" in),
    class!("1" both),
    class!("2" in),
    class!("2" both),
    class!("3" in),
    class!("3" both),
    class!("4" in),
    class!("4" both),
    class!("5" in),
    class!("5" both),
    class!("6" in),
    class!("6" both),
    class!("7" in),
    class!("7" both),
];
