//! SONiC, `show interfaces counters detailed PORT`: a counter a line, with points up to the figure; the port stands in the command alone.
//! And `rif PORT`: a figure a line, below each direction.
//! <https://github.com/sonic-net/sonic-utilities/blob/master/doc/Command-Reference.md>

use super::super::dialect::{Dialect, Rule, SECTION, Section, any};
use super::fastpath::SIZES;

pub(super) static DIALECT: Dialect = Dialect {
    name: "SONiC, counters",
    reads: "`show interfaces counters detailed PORT`: packets sent and received, by size too, what WRED dropped",
    is_flat: true,
    has_units: false,
    heads: &["Packets Received 64 Octets{points} {packets received, 64 octets}"],
    rules: &[LINES, SIZES],
    sections: &[SECTION],
};

pub(super) static ROUTED: Dialect = Dialect {
    name: "SONiC, a routed interface",
    reads: "`show interfaces counters rif PORT`: packets, bytes, errors",
    is_flat: false,
    has_units: false,
    heads: &["{alone}"],
    rules: &[&[any("------{*}")]],
    sections: &[
        SECTION,
        Section {
            titles: &["RX:"],
            rules: &[
                any("{InputPackets} packets"),
                any("{InputBytes} bytes"),
                any("{InputErrors} error packets"),
                any("{input error bytes} error bytes"),
            ],
            ..SECTION
        },
        Section {
            titles: &["TX:"],
            rules: &[
                any("{OutputPackets} packets"),
                any("{OutputBytes} bytes"),
                any("{OutputErrors} error packets"),
                any("{output error bytes} error bytes"),
            ],
            ..SECTION
        },
    ],
};

static LINES: &[Rule] = &[
    any("Packets Received 1519-2047 Octets{points} {packets received, 1519-2047 octets}"),
    any("Packets Received 2048-4095 Octets{points} {packets received, 2048-4095 octets}"),
    any("Packets Received 4096-9216 Octets{points} {packets received, 4096-9216 octets}"),
    any("Packets Received 9217-16383 Octets{points} {packets received, 9217-16383 octets}"),
    any("Packets Transmitted 1519-2047 Octets{points} {packets sent, 1519-2047 octets}"),
    any("Packets Transmitted 2048-4095 Octets{points} {packets sent, 2048-4095 octets}"),
    any("Packets Transmitted 4096-9216 Octets{points} {packets sent, 4096-9216 octets}"),
    any("Packets Transmitted 9217-16383 Octets{points} {packets sent, 9217-16383 octets}"),
    any("Total Packets Received Without Errors.......... {InputPackets}"),
    any("Unicast Packets Received....................... {Unicast Packets Received}"),
    any("Multicast Packets Received..................... {Multicast Packets Received}"),
    any("Broadcast Packets Received..................... {Broadcast Packets Received}"),
    any("Jabbers Received............................... {Jabbers Received}"),
    any("Fragments Received............................. {Fragments Received}"),
    any("Undersize Received............................. {Undersize Received}"),
    any("Overruns Received.............................. {Overruns Received}"),
    any("Total Packets Transmitted Successfully......... {OutputPackets}"),
    any("Unicast Packets Transmitted.................... {Unicast Packets Transmitted}"),
    any("Multicast Packets Transmitted.................. {Multicast Packets Transmitted}"),
    any("Broadcast Packets Transmitted.................. {Broadcast Packets Transmitted}"),
    any("WRED Green Dropped Packets..................... {WRED Green Dropped Packets}"),
    any("WRED Yellow Dropped Packets.................... {WRED Yellow Dropped Packets}"),
    any("WRED Red Dropped Packets....................... {WRED Red Dropped Packets}"),
    any("WRED Total Dropped Packets..................... {WRED Total Dropped Packets}"),
    any("Trimmed Packets................................ {Trimmed Packets}"),
    any("Trimmed Sent Packets........................... {Trimmed Sent Packets}"),
    any("Trimmed Dropped Packets........................ {Trimmed Dropped Packets}"),
    // What a platform does not count.
    any("Jabbers Received{points} N/A"),
    any("Fragments Received{points} N/A"),
    any("Undersize Received{points} N/A"),
    any("Overruns Received{points} N/A"),
    any("Time Since Counters Last Cleared{*}"),
];
