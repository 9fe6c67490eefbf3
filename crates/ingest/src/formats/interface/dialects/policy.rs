//! Cisco `show policy-map interface`: what each class of each policy matched and dropped. Names of counters stand behind
//! those of their policy and class, with its direction.

use super::super::dialect::{Dialect, Rule, SECTION, Section, any, never};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco, policies",
    reads: "`show policy-map interface` and `control-plane`: packets, bytes, drops, rates and limits of each class, policies in classes",
    is_flat: false,
    has_units: false,
    heads: &[
        "{alone}",
        "Interface {if} <--> {*}",
        "Control {plane}",
        "{if}: Service Group {n}",
    ],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["Class-map:{group} ({*})", "Class-map (qos): {group} ({*})"],
            is_of_group: true,
            rules: CLASS,
            ..SECTION
        },
        // NX-OS
        Section {
            titles: &["Class-map (queuing): {group} ({*})"],
            is_of_group: true,
            rules: QUEUING,
            ..SECTION
        },
        Section {
            titles: &["queue stats for all {group} classes:"],
            is_of_group: true,
            rules: QUEUES,
            ..SECTION
        },
    ],
};

static LINES: &[Rule] = &[
    any("Service-policy input:{policy-in}"),
    any("Service-policy output:{policy-out}"),
    any("Service-policy queueing input:{policy-in}"),
    any("Service-policy queueing output:{policy-out}"),
    any("Service-policy queueing: {policy}"),
    any("Service-policy: {policy}"),
    // NX-OS
    any("Service-policy (qos) input: {policy-in}"),
    any("Service-policy (qos) output: {policy-out}"),
    any("Service-policy (queuing) input: {policy-in}"),
    any("Service-policy (queuing) output: {policy-out}"),
    any("SNMP Policy Index: {*}"),
    any("Counters last updated {*}"),
];

/// They are those of all classes of priority: what a class has is not theirs.
static QUEUES: &[Rule] = &[
    any("Queueing"),
    any("priority level {level}"),
    any("queue limit {set queue limit}"),
    any("(queue depth/total drops/no-buffer drops) {n}/{total drops}/{no-buffer drops}"),
    any("(depth/total drops/no-buffer drops) {n}/{total drops}/{no-buffer drops}"),
    any("(pkts output/bytes output) {packets output}/{bytes output}"),
    any("(pkts queued/bytes queued) {packets queued}/{bytes queued}"),
    any("(total drops) {total drops}"),
    any("(bytes output) {bytes output}"),
    never("{n} packets{*}"),
];

/// There each class is a queue of its own, and says its level itself. What is set of it stands above its counters, where nothing tells
/// that the line of its name is gone.
static QUEUING: &[Rule] = &[
    any("{packets} packets, {bytes} bytes"),
    any("{packets} packets"),
    any("Match:{match}"),
    any("priority level {*}"),
    any("bandwidth {*}"),
    any("shape {*}"),
    any("queue-limit {*}"),
    any("random-detect {*}"),
    any("congestion-control {*}"),
    any("queue dropped pkts: {total drops}"),
    any("queue depth in bytes: {*}"),
    any("queue transmit pkts: {packets output} queue transmit bytes: {bytes output}"),
    any("queue dropped pkts: {total drops} queue dropped bytes: {dropped bytes}"),
];

static CLASS: &[Rule] = &[
    any("{packets} packets, {bytes} bytes"),
    any("{packets} packets"),
    any("{over} offered rate {set offered rate}, drop rate {set drop rate}"),
    any("{over} offered rate {set offered rate}"),
    // Of one match of several.
    any("{over} rate {n} bps"),
    any("Match:{match}"),
    any("queue limit {set queue limit}"),
    any("queue-limit {set queue limit}"),
    // Below the title of the queues only.
    never("priority level {*}"),
    any("Priority Level: {*}"),
    any("Queueing"),
    any("(queue depth/total drops/no-buffer drops) {n}/{total drops}/{no-buffer drops}"),
    any(
        "(queue depth/total drops/no-buffer drops/flowdrops) {n}/{total drops}/{no-buffer drops}/{flow drops}",
    ),
    any("(depth/total drops/no-buffer drops) {n}/{total drops}/{no-buffer drops}"),
    any("(pkts output/bytes output) {packets output}/{bytes output}"),
    any("(pkts queued/bytes queued) {packets queued}/{bytes queued}"),
    any("(pkts matched/bytes matched) {packets matched}/{bytes matched}"),
    any("(total drops) {total drops}"),
    any("(bytes output) {bytes output}"),
    any("bandwidth remaining"),
    any("bandwidth remaining {set bandwidth remaining}"),
    any("bandwidth {set bandwidth}"),
    any("Bandwidth {set bandwidth}"),
    any("Output Queue: Conversation {*}"),
    any("Weighted Fair Queueing"),
    any("Priority: {set priority}, b/w exceed drops: {exceed drops}"),
    any("Priority: {set priority}"),
    any("queue-buffers {set queue-buffers}"),
    any("shape {set shape}"),
    any("target shape rate {set target shape rate}"),
    any("police:"),
    any("police:{set police}"),
    any("{n} bps, {n} limit, {*}"),
    // A share of the rate stands above what it comes to.
    any("rate {set police rate share} %"),
    any("cir {set police cir share} %"),
    any("pir {set police pir share} %"),
    any("rate {set police rate}"),
    any("cir {set police cir}"),
    any("pir {set police pir}"),
    any("police {set police}"),
    any("conformed {conformed packets} packets, {conformed bytes} bytes; action{*}"),
    any("exceeded {exceeded packets} packets, {exceeded bytes} bytes; action{*}"),
    any("violated {violated packets} packets, {violated bytes} bytes; action{*}"),
    any("conformed {conformed bytes} bytes; action{*}"),
    any("exceeded {exceeded bytes} bytes; action{*}"),
    any("violated {violated bytes} bytes; action{*}"),
    any("conformed {set conformed rate}, exceeded {set exceeded rate}, violated {set violated rate}"),
    any("conformed {set conformed rate}, exceeded {set exceeded rate}"),
    any("conformed {set conformed rate}, exceed {set exceeded rate}, violate {set violated rate}"),
    any("conformed {set conformed rate}, exceed {set exceeded rate}"),
    // NX-OS: conformed, violated, and what the queue held.
    any("Aggregate forwarded:"),
    any("set {*}"),
    any("conformed {conformed bytes} bytes, {set conformed rate} action: {*}"),
    any("exceeded {exceeded bytes} bytes, {set exceeded rate} action: {*}"),
    any("violated {violated bytes} bytes, {set violated rate} action: {*}"),
    any("queue dropped pkts: {total drops}"),
    any("queue depth in bytes: {*}"),
    any("QoS Set"),
    any("dscp {*}"),
    any("ip dscp {*}"),
    any("ip precedence {*}"),
    any("precedence {*}"),
    any("cos {*}"),
    any("qos-group {*}"),
    any("traffic-class {*}"),
    any("mpls experimental {*}"),
    any("set-{*}"),
    any("Packets marked {packets marked}"),
    any("Marker statistics: {*}"),
    any("Fair-queue: {set fair-queue}"),
    any("Overhead Accounting {*}"),
    // Weighted random early detection, a row each mark: sent, dropped at random, dropped as the queue was full.
    any("Exp-weight-constant: {*}"),
    any("exponential weight: {*}"),
    any("mean queue depth: {*}"),
    any("Mean queue depth: {*}"),
    any(
        "{mark} {packets output}/{bytes output} {random drops}/{random dropped bytes} {tail drops}/{tail dropped bytes} {n} {n} {n}",
    ),
    any(
        "{mark} {packets output}/{bytes output} {random drops}/{random dropped bytes} {tail drops}/{tail dropped bytes} {n} {n}",
    ),
    any("{w} {n} {n} {n} {n} {n} {n}"),
    any("AFD WRED {*}"),
    any("Virtual Class {*}"),
    // The packets of a class stand on the line below its bytes.
    any("{held-mark} {n} / {n} (Byte){bytes output} {random dropped bytes} {n}"),
    any("{of-held}(Pkts){packets output} {random drops}"),
    any("dscp: {*}"),
    any("Total Drops(Bytes): {Total Drops(Bytes)}"),
    any("Total Drops(Packets): {Total Drops(Packets)}"),
];
