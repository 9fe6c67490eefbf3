//! Cisco `show policy-map interface`: what each class of each policy matched and dropped. Names of counters stand behind
//! those of their policy and class, with its direction.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Way, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco, policies",
    reads: "`show policy-map interface`: packets, bytes and drops of each class",
    is_flat: false,
    heads: &["{alone}"],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Class-map: {group} ({*})"],
            way: Way::Unsaid,
            cut: Cut::FigureFirst,
            rules: CLASS,
            ..SECTION
        },
    ],
};

static LINES: &[Rule] = &[
    any("Service-policy input: {policy-in}"),
    any("Service-policy output: {policy-out}"),
    any("Service-policy: {*}"),
    any("Counters last updated {*}"),
    any("queue stats for all priority classes:"),
];

static CLASS: &[Rule] = &[
    any("{packets} packets, {bytes} bytes"),
    any("{over} offered rate {*}"),
    any("Match: {*}"),
    any("queue limit {*}"),
    any("Queueing"),
    any("(queue depth/total drops/no-buffer drops) {n}/{total drops}/{no-buffer drops}"),
    any("(depth/total drops/no-buffer drops) {n}/{total drops}/{no-buffer drops}"),
    any("(pkts output/bytes output) {packets output}/{bytes output}"),
    any("(pkts matched/bytes matched) {packets matched}/{bytes matched}"),
    any("(total drops) {total drops}"),
    any("(bytes output) {bytes output}"),
    any("bandwidth {*}"),
    any("Priority: {*}, b/w exceed drops: {exceed drops}"),
    any("Priority: {*}"),
    any("shape {*}"),
    any("target shape rate {*}"),
    any("police:"),
    any("rate {*}"),
    any("cir {*}"),
    any("pir {*}"),
    any("conformed {conformed packets} packets, {conformed bytes} bytes; action{*}"),
    any("exceeded {exceeded packets} packets, {exceeded bytes} bytes; action{*}"),
    any("violated {violated packets} packets, {violated bytes} bytes; action{*}"),
    any("conformed {n} bps, {*}"),
    any("QoS Set"),
    any("dscp {*}"),
    any("Marker statistics: {*}"),
    any("Fair-queue: {*}"),
    any("Exp-weight-constant: {*}"),
];
