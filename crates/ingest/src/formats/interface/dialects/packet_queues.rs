//! What the queues of a port sent and dropped, of makers that print a title for each queue or a row.
//! <https://www.h3c.com/en/d_202301/1750534_294551_0.htm>
//! <https://www.dell.com/support/manuals/en-us/dell-emc-smartfabric-os10/smartfabric-os-user-guide-10-5-0/show-queuing-statistics>

use super::super::dialect::{Dialect, Rule, SECTION, Section, any};

pub(super) static COMWARE: Dialect = Dialect {
    name: "HPE Comware, queues",
    reads: "`display qos queue-statistics interface`: packets and bytes that each queue forwarded and dropped",
    is_flat: false,
    has_units: false,
    heads: &["Interface: {ifword}"],
    rules: &[COMWARE_PORT],
    sections: &[
        SECTION,
        Section {
            titles: &["Queue {queue}"],
            is_of_group: true,
            rules: COMWARE_QUEUE,
            ..SECTION
        },
    ],
};

/// Without rates behind them the figures are those of all queues.
static COMWARE_PORT: &[Rule] = &[
    any("Direction: outbound"),
    any("Forwarded: {forwarded packets} packets, {forwarded bytes} bytes"),
    any("Dropped: {dropped packets} packets, {dropped bytes} bytes"),
];

static COMWARE_QUEUE: &[Rule] = &[
    any("Forwarded: {forwarded packets} packets, {forwarded bytes} bytes, {set forwarded rate}"),
    any("Forwarded: {forwarded packets} packets, {forwarded bytes} bytes"),
    any("Dropped: {dropped packets} packets, {dropped bytes} bytes"),
    any("Current queue length: {set length}"),
];

pub(super) static OS10: Dialect = Dialect {
    name: "Dell OS10, queues",
    reads: "`show queuing statistics interface`: packets and bytes that each queue sent and dropped",
    is_flat: true,
    has_units: false,
    heads: &["Interface {ifword}"],
    rules: &[],
    sections: &[
        SECTION,
        Section {
            titles: &["Queue Packets Bytes Dropped-Packets Dropped-Bytes"],
            rules: &[any(
                "{of-queue} {packets} {bytes} {dropped packets} {dropped bytes}",
            )],
            ..SECTION
        },
    ],
};
