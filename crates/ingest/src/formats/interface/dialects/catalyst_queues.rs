//! Queues of Catalyst switches. `show platform hardware fed switch active qos queue stats interface PORT` counts what each queue took in and
//! dropped at each of its thresholds, in bytes or in frames as the switch is set to, which the heading of the columns tells; the port
//! stands in the command alone. `show mls qos interface PORT statistics` of older ones counts packets.

use super::super::dialect::{Dialect, Rule, SECTION, Section, any};
use evidence::CounterKind as K;

pub(super) static FED: Dialect = Dialect {
    name: "Cisco Catalyst, queues",
    reads: "`show platform hardware fed … qos queue stats interface PORT`: what each queue took in and dropped, by threshold",
    is_flat: true,
    has_units: false,
    heads: &[
        "DATA Port:{n} Enqueue Counters",
        "Asic:{n} Core:{n} DATA Port:{n} Hardware Enqueue Counters",
        "Asic:{n} Core:{n} Port:{n} Hardware Enqueue Counters",
        "VOQ Stats For: {if} [ {w} ]",
        "Multicast OQ stats for: {if}, oq_id:{queue}",
    ],
    rules: &[AROUND],
    sections: &[
        Section {
            rules: OUTPUT,
            ..SECTION
        },
        Section {
            titles: &[
                "(Count) (Bytes) (Bytes) (Bytes) (Bytes)",
                "(Count) (Bytes) (Bytes) (Bytes)",
            ],
            rules: BYTES_TAKEN,
            ..SECTION
        },
        Section {
            titles: &[
                "(Count) (Frames) (Frames) (Frames) (Frames)",
                "(Count) (Frames) (Frames) (Frames)",
            ],
            rules: FRAMES_TAKEN,
            ..SECTION
        },
        Section {
            titles: &[
                "(Bytes) (Bytes) (Bytes) (Bytes) (Bytes) (Bytes)",
                "(Bytes) (Bytes) (Bytes) (Bytes) (Bytes)",
            ],
            rules: BYTES_DROPPED,
            ..SECTION
        },
        Section {
            titles: &[
                "(Frames) (Frames) (Frames) (Frames) (Frames) (Frames)",
                "(Frames) (Frames) (Frames) (Frames) (Frames)",
            ],
            rules: FRAMES_DROPPED,
            ..SECTION
        },
        // Of those whose packets wait at the port that they come in by.
        Section {
            titles: &["VOQ ID |{*}"],
            is_of_group: true,
            rules: VOQ,
            ..SECTION
        },
    ],
};

/// Of the one queue that the head names.
static OUTPUT: &[Rule] = &[
    any("| Enqueued | {enqueued packets} | {enqueued bytes}"),
    any("| Dropped | {dropped packets} | {dropped bytes}"),
    any("| Total | {n} | {n}"),
    any("| | {*}"),
    any("|--{*}"),
];

/// How much waits now, by slice, is no count.
static VOQ: &[Rule] = &[
    any("{queue} | Enqueued | {enqueued packets} | {enqueued bytes}"),
    any("| Dropped | {dropped packets} | {dropped bytes}"),
    any("| Total | {n} | {n}"),
    any("|--{*}"),
    any("| |{*}"),
    any("| Slice |{*}"),
    any("| Asic | {*}"),
    any("|SMS {*}"),
    any("|HBM {*}"),
];

static AROUND: &[Rule] = &[
    any("---{*}"),
    any("===={*}"),
    any("- ---{*}"),
    any("-- ---{*}"),
    any("DATA Port:{n} Drop Counters"),
    any("Asic:{n} Core:{n} Port:{n} Hardware Drop Counters"),
    any("Asic:{n} Core:{n} DATA Port:{n} Hardware Drop Counters"),
    any("Q Buffers Enqueue-TH0 Enqueue-TH1 Enqueue-TH2 Qpolicer"),
    any("Q Buffers Enqueue-TH0 Enqueue-TH1 Enqueue-TH2"),
    any("Q Drop-TH0 Drop-TH1 Drop-TH2 SBufDrop QebDrop QpolicerDrop"),
    any("Q Drop-TH0 Drop-TH1 Drop-TH2 SBufDrop QebDrop"),
];

static BYTES_TAKEN: &[Rule] = &[
    any(
        "{of-queue} {n} {enqueued bytes, threshold 0} {enqueued bytes, threshold 1} {enqueued bytes, threshold 2} {policed bytes}",
    ),
    any(
        "{of-queue} {n} {enqueued bytes, threshold 0} {enqueued bytes, threshold 1} {enqueued bytes, threshold 2}",
    ),
];

static FRAMES_TAKEN: &[Rule] = &[
    any(
        "{of-queue} {n} {enqueued frames, threshold 0} {enqueued frames, threshold 1} {enqueued frames, threshold 2} {policed frames}",
    ),
    any(
        "{of-queue} {n} {enqueued frames, threshold 0} {enqueued frames, threshold 1} {enqueued frames, threshold 2}",
    ),
];

static BYTES_DROPPED: &[Rule] = &[
    any(
        "{of-queue} {dropped bytes, threshold 0} {dropped bytes, threshold 1} {dropped bytes, threshold 2} {dropped bytes, shared buffer} {dropped bytes, queue engine} {dropped bytes, policer}",
    ),
    any(
        "{of-queue} {dropped bytes, threshold 0} {dropped bytes, threshold 1} {dropped bytes, threshold 2} {dropped bytes, shared buffer} {dropped bytes, queue engine}",
    ),
];

static FRAMES_DROPPED: &[Rule] = &[
    any(
        "{of-queue} {dropped frames, threshold 0} {dropped frames, threshold 1} {dropped frames, threshold 2} {dropped frames, shared buffer} {dropped frames, queue engine} {dropped frames, policer}",
    ),
    any(
        "{of-queue} {dropped frames, threshold 0} {dropped frames, threshold 1} {dropped frames, threshold 2} {dropped frames, shared buffer} {dropped frames, queue engine}",
    ),
];

pub(super) static MLS: Dialect = Dialect {
    name: "Cisco Catalyst, MLS QoS",
    reads: "`show mls qos interface PORT statistics`: packets that each output queue took in and dropped, by threshold",
    is_flat: true,
    has_units: false,
    heads: &["{if} (All statistics are in packets)"],
    rules: &[MLS_LINES],
    sections: &[
        SECTION,
        Section {
            titles: &[
                "dscp: incoming",
                "dscp: outgoing",
                "cos: incoming",
                "cos: outgoing",
            ],
            rules: MARKS,
            ..SECTION
        },
        Section {
            titles: &["output queues enqueued:"],
            rules: QUEUED,
            ..SECTION
        },
        Section {
            titles: &["output queues dropped:"],
            rules: DROPPED,
            sums: &[(K::OutputDrops, ALL_DROPPED)],
            ..SECTION
        },
    ],
};

static MLS_LINES: &[Rule] = &[
    any("---{*}"),
    any("queue: threshold1 threshold2 threshold3"),
    any("Policer: Inprofile: {policed in profile} OutofProfile: {policed out of profile}"),
];

/// Packets by how they are marked, of no queue.
static MARKS: &[Rule] = &[any("{n} - {n}: {*}")];

static QUEUED: &[Rule] = &[any(
    "queue {of-queue}: {enqueued, threshold 1} {enqueued, threshold 2} {enqueued, threshold 3}",
)];

static DROPPED: &[Rule] = &[any(
    "queue {of-queue}: {dropped, threshold 1} {dropped, threshold 2} {dropped, threshold 3}",
)];

/// There are four queues.
const ALL_DROPPED: &[&str] = &[
    "queue 0 dropped, threshold 1",
    "queue 0 dropped, threshold 2",
    "queue 0 dropped, threshold 3",
    "queue 1 dropped, threshold 1",
    "queue 1 dropped, threshold 2",
    "queue 1 dropped, threshold 3",
    "queue 2 dropped, threshold 1",
    "queue 2 dropped, threshold 2",
    "queue 2 dropped, threshold 3",
    "queue 3 dropped, threshold 1",
    "queue 3 dropped, threshold 2",
    "queue 3 dropped, threshold 3",
];
