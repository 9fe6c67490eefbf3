//! Juniper Junos, `show interfaces queue`, `queue buffer-occupancy` and `voq`: the lines below the titles of a queue.
//! <https://www.juniper.net/documentation/us/en/software/junos/cos/topics/ref/command/show-interfaces-queue.html>

use super::super::dialect::{Rule, any, never};

/// What a queue was given. The rates stay in the device's words. Drops are told of what was sent alone: some switches count nothing here.
pub(super) static QUEUED: &[Rule] = &[
    never("Tail-dropped {*}"),
    never("RL-dropped {*}"),
    never("RED-dropped {*}"),
    never("Total-dropped {*}"),
    any("Packets: {packets} {set queued packet rate}"),
    any("Bytes: {bytes} {set queued rate}"),
    any("Packets: {packets}"),
    any("Bytes: {bytes}"),
];

/// What it sent and dropped; what is dropped by precedence is part of what stands above it.
pub(super) static TRANSMITTED: &[Rule] = &[
    any("Packets: {packets} {set transmitted packet rate}"),
    any("Bytes: {bytes} {set transmitted rate}"),
    any("Packets: {packets}"),
    any("Bytes: {bytes}"),
    any("Tail-dropped packets: {tail-dropped packets} {set tail-dropped packet rate}"),
    any("Tail-dropped packets: {tail-dropped packets}"),
    any("Tail-dropped bytes: {tail-dropped bytes} {set tail-dropped rate}"),
    any("RL-dropped packets: {RL-dropped packets} {set RL-dropped packet rate}"),
    any("RL-dropped packets: {RL-dropped packets}"),
    any("RL-dropped bytes: {RL-dropped bytes} {set RL-dropped rate}"),
    any("RL-dropped bytes: {RL-dropped bytes}"),
    any("RED-dropped packets: {RED-dropped packets} {set RED-dropped packet rate}"),
    any("RED-dropped packets: {RED-dropped packets}"),
    any("RED-dropped bytes: {RED-dropped bytes} {set RED-dropped rate}"),
    any("RED-dropped bytes: {RED-dropped bytes}"),
    any("Total-dropped packets: {total-dropped packets} {set total-dropped packet rate}"),
    any("Total-dropped bytes: {total-dropped bytes} {set total-dropped rate}"),
    any("Low: {n} {n} {w}"),
    any("Medium-low: {n} {n} {w}"),
    any("Medium-high: {n} {n} {w}"),
    any("High: {n} {n} {w}"),
];

/// How full it is: no counter.
pub(super) static DEPTH: &[Rule] = &[
    any("Average: {set depth in bytes, average}"),
    any("Current: {set depth in bytes, current}"),
    any("Peak: {set depth in bytes, peak}"),
    any("Maximum: {set depth in bytes, maximum}"),
];
