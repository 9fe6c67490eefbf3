//! Cisco IOS XR `show policy-map interface`: a head for each direction, and packets with bytes behind a stroke.

use super::super::dialect::{Dialect, Rule, SECTION, Section, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS XR, policies",
    reads: "`show policy-map interface`: packets, bytes and drops of each class",
    is_flat: false,
    has_units: false,
    heads: &[
        "{if} input: {policy-in}",
        "{if} output: {policy-out}",
        "{if} direction {absent}",
    ],
    rules: &[],
    sections: &[
        SECTION,
        // When the counters were read.
        Section {
            titles: &["Policy Bag Stats time: {*}"],
            ..SECTION
        },
        Section {
            titles: &["Class {group}", "Policy {group}"],
            is_of_group: true,
            rules: CLASS,
            ..SECTION
        },
    ],
};

static CLASS: &[Rule] = &[
    any("Classification statistics{*}"),
    any("Policing statistics{*}"),
    any("Queueing statistics{*}"),
    any("Matched: {matched packets}/{matched bytes} {n}"),
    any("Transmitted: {transmitted packets}/{transmitted bytes} {n}"),
    any("Transmitted: N/A"),
    any("Total Dropped: {dropped packets}/{dropped bytes} {n}"),
    any("Total Dropped: N/A"),
    any("Policed(conform): {conformed packets}/{conformed bytes} {n}"),
    any("Policed(exceed): {exceeded packets}/{exceeded bytes} {n}"),
    any("Policed(violate): {violated packets}/{violated bytes} {n}"),
    any("Policed and dropped: {policed and dropped packets}/{policed and dropped bytes}"),
    any("WRED profile for {*}"),
    any("Queue ID: {*}"),
    any("High watermark{*}"),
    any("Inst-queue-len{*}"),
    any("Avg-queue-len{*}"),
    any("Taildropped(packets/bytes): {tail dropped packets}/{tail dropped bytes}"),
    any("Queue(conform): {queued packets}/{queued bytes} {n}"),
    any("Queue(exceed): {queued exceeding packets}/{queued exceeding bytes} {n}"),
    any("RED random drops(packets/bytes): {random dropped packets}/{random dropped bytes}"),
    any("RED maxthreshold drops(packets/bytes): {threshold dropped packets}/{threshold dropped bytes}"),
];
