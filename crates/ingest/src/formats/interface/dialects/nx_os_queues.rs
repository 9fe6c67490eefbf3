//! Cisco NX-OS, `show queuing interface`: packets and drops of each QoS group, what the port dropped as it came in, and pause frames by
//! priority.

use super::super::dialect::{Dialect, Rule, SECTION, Section, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco NX-OS, queues",
    reads: "`show queuing interface`: packets and drops of each QoS group, ingress drops, PFC",
    is_flat: true,
    has_units: false,
    heads: &["Egress Queuing for {if} [{w}]", "Egress Queuing for {if} [{w}]:"],
    rules: &[AROUND],
    sections: &[
        SECTION,
        Section {
            titles: &["| QOS GROUP {queue}"],
            is_of_group: true,
            rules: GROUP,
            ..SECTION
        },
        // Of the switch's own traffic, which has no number.
        Section {
            titles: &["| CONTROL QOS GROUP", "| SPAN QOS GROUP"],
            rules: PASSED,
            ..SECTION
        },
        Section {
            titles: &["Ingress Queuing for {if}"],
            rules: INGRESS,
            ..SECTION
        },
        Section {
            titles: &["Per Port Ingress Statistics"],
            rules: PORT,
            ..SECTION
        },
        Section {
            titles: &["Port Egress Statistics"],
            rules: EGRESS,
            ..SECTION
        },
        // Shared by the ports of a slice: not this port's.
        Section {
            titles: &["Per Slice Ingress Statistics"],
            rules: SLICE,
            ..SECTION
        },
        Section {
            titles: &["PFC Statistics"],
            rules: PAUSES,
            ..SECTION
        },
    ],
};

static AROUND: &[Rule] = &[
    any("---{*}"),
    any("+---{*}"),
    any("===={*}"),
    any("slot {n}"),
    any("QoS-Group# Bandwidth% PrioLevel Shape QLimit"),
    any("Min Max Units"),
    any("{n} {w} {w} {w} {w} {w} {w}"),
];

static GROUP: &[Rule] = &[
    any("| | Unicast |{*}"),
    any("| Tx Pkts | {unicast packets}| {multicast packets}"),
    any("| Tx Pkts | {unicast packets}| {multicast packets}|"),
    any("| Tx Byts | {unicast bytes}| {multicast bytes}"),
    any("| Tx Byts | {unicast bytes}| {multicast bytes}|"),
    any("| WRED/AFD & Tail Drop Pkts | {unicast packets dropped}| {multicast packets dropped}"),
    any("| WRED/AFD & Tail Drop Pkts | {unicast packets dropped}| {multicast packets dropped}|"),
    any("| WRED/AFD & Tail Drop Byts | {unicast bytes dropped}| {multicast bytes dropped}"),
    any("| WRED/AFD & Tail Drop Byts | {unicast bytes dropped}| {multicast bytes dropped}|"),
    any("| WRED/AFD Drop Pkts | {unicast packets dropped at random}| {multicast packets dropped at random}"),
    any("| WRED/AFD Drop Pkts | {unicast packets dropped at random}| {multicast packets dropped at random}|"),
    any("| WRED/AFD Drop Byts | {unicast bytes dropped at random}| {multicast bytes dropped at random}"),
    any("| WRED/AFD Drop Byts | {unicast bytes dropped at random}| {multicast bytes dropped at random}|"),
    any("| Tail Drop Pkts | {unicast packets dropped at the tail}| {multicast packets dropped at the tail}"),
    any("| Tail Drop Pkts | {unicast packets dropped at the tail}| {multicast packets dropped at the tail}|"),
    any("| Tail Drop Byts | {unicast bytes dropped at the tail}| {multicast bytes dropped at the tail}"),
    any("| Tail Drop Byts | {unicast bytes dropped at the tail}| {multicast bytes dropped at the tail}|"),
    any("| WD & Tail Drop Pkts | {n}| {n}"),
    any("| WD & Tail Drop Pkts | {n}| {n}|"),
    any("| Q Depth Byts | {n}| {n}"),
    any("| Q Depth Byts | {n}| {n}|"),
];

static PASSED: &[Rule] = &[
    any("| | Unicast |{*}"),
    any("| {*}| {n}| {n}"),
    any("| {*}| {n}| {n}|"),
];

static INGRESS: &[Rule] = &[
    any("QoS-Group# Pause"),
    any("Buff Size Pause Th Resume Th"),
    any("{n} {w} {w} {w}"),
];

static PORT: &[Rule] = &[
    any("Hi Priority Drop Pkts {input high priority drops}"),
    any("Low Priority Drop Pkts {input low priority drops}"),
    any("Ingress Overflow Drop Pkts {input overflow drops}"),
];

static EGRESS: &[Rule] = &[any("WRED Drop Pkts {output packets dropped at random}")];

static SLICE: &[Rule] = &[any("Ingress Overflow Drop Pkts {n}")];

static PAUSES: &[Rule] = &[
    any("TxPPP: {PFC frames sent}, RxPPP: {PFC frames received}"),
    any("PFC_COS QOS_Group TxPause TxCount RxPause RxCount"),
    any("{n} {n} {w} {n} {w} {n}"),
];
