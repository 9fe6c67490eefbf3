//! dd and pv, where their data go over the network, and fio.
//!
//! What dd writes to a disk is no transfer between hosts: taken for one, a slow disk would be a slow path. So a transfer is
//! read only where the command shows that the data go through `nc`, `ssh` or `socat`; without it the figures are understood,
//! and it is told that nothing is recorded. fio measures storage alone.

use super::tool::{PLAIN, Tool, ends, format_of, passes, progress};
use super::typed::Ends;
use crate::format::Format;
use crate::units::Kilo;

pub(crate) static FORMAT: Format = format_of!(
    TOOLS,
    name: "dd, pv, fio",
    reads: "dd and pv (GNU, BSD, BusyBox, in any language) as transfers where the command sends them through nc, ssh or socat, else they \
        and fio are known to be about disks, and it is told that nothing is recorded",
    first: "!-Z[-~"
);

static TOOLS: &[&Tool] = &[&MBUFFER, &DD, &PV, &FIO, &PIPED_MBUFFER];

/// What a pipeline begins with of which they tell.
const PIPED: &[&str] = &[
    "dd", "nc", "ncat", "netcat", "ssh", "socat", "mbuffer", "pv", "tar", "cat", "zfs", "xfs_dump", "btrfs",
];

/// GNU: powers of 1000 unless the unit has an i; the bytes and the seconds are exact, so the rate is taken from those.
pub(super) const DD: Tool = Tool {
    name: "dd",
    programs: PIPED,
    kilo: Kilo::Thousand,
    ends: |typed| {
        let pipeline = typed.of_pipeline();
        let runs_dd = |part: &&str| {
            let mut words = part.split_ascii_whitespace();
            words.any(|word| word.trim_matches(['\'', '"']) == "dd")
        };
        let count = typed.parts().filter(runs_dd).count();
        Ends {
            stays: pipeline.stays || count == 0,
            is_told_by_both: count == 2,
            ..pipeline
        }
    },
    needs_command: true,
    // What stands elsewhere is `status=progress`.
    ends_below: Some("{n}+{n} {*}"),
    rows: &[
        passes("{n}+{n} records in").opening(),
        passes("{n}+{n} {*}"),
        ends("{B} {_:w} ({*}) {_:w}, {dur}, {_:rate}").opening(),
        ends("{B} {_:w} ({*}) {_:w} {_:w}, {dur}, {_:rate}").opening(),
        ends("{B} bytes ({*}) copied, {dur}, {_:rate}").opening(),
        ends("{B} bytes transferred in {dur} ({n} bytes/sec)").opening(),
        ends("{B} bytes transferred in {dur} ({f} bytes/sec)").opening(),
        ends("{B} bytes copied, {dur}, {_:rate}").opening(),
    ],
    ..PLAIN
};

pub(super) const PV: Tool = Tool {
    name: "pv",
    programs: PIPED,
    kilo: Kilo::Binary,
    ends: |typed| {
        let pipeline = typed.of_pipeline();
        Ends {
            stays: pipeline.stays || !typed.runs("pv"),
            ..pipeline
        }
    },
    needs_command: true,
    mark: "[",
    rows: &[
        progress("{size} {dur:clock} [{_:rate}] [{rate}] {*}").opening(),
        progress("{size} {dur:clock} [ {_:rate}] [ {rate}] {*}").opening(),
        progress("{size} {dur:clock} [~{_:rate}]{*}").opening(),
    ],
    ..PLAIN
};

/// Powers of 1024, with the i. It reads from one side and writes to the other, and either may be the network.
const MBUFFER: Tool = Tool {
    name: "mbuffer",
    programs: &["mbuffer"],
    kilo: Kilo::Binary,
    ends: |typed| typed.of_mbuffer(),
    needs_command: true,
    rows: &[
        ends("summary: {size} in {dur} - average of {rate}{*}").opening(),
        passes("in @ {*}").opening(),
    ],
    ..PLAIN
};
const PIPED_MBUFFER: Tool = Tool {
    programs: PIPED,
    ..MBUFFER
};

static FIO: Tool = Tool {
    name: "fio",
    programs: &["fio"],
    kilo: Kilo::Binary,
    ends: |_| Ends {
        stays: true,
        ..Ends::default()
    },
    needs_command: true,
    speaks: true,
    rows: &[
        passes("{*}: (g={n}): rw={*}").opening(),
        passes("{*}: (groupid={n}, jobs={n}): {*}").opening(),
        passes("fio-{*}").opening(),
        passes("Starting {n} {*}"),
        passes("Jobs: {n} {*}"),
        passes("{_:w}: Laying out IO file{*}"),
        passes("read: IOPS={*}"),
        passes("write: IOPS={*}"),
        passes("read : io={*}"),
        passes("write: io={*}"),
        passes("clat {*}"),
        passes("slat {*}"),
        passes("lat {*}"),
        passes("bw {*}"),
        passes("iops {*}"),
        passes("| {_:f}th{*}"),
        passes("cpu : {*}"),
        passes("IO depths : {*}"),
        passes("submit : {*}"),
        passes("complete : {*}"),
        passes("issued{*}: {*}"),
        passes("latency : {*}"),
        // Often all of it that is shown.
        passes("Run status group {n} {*}").opening(),
        ends("READ: {*}"),
        ends("WRITE: {*}"),
        ends("TRIM: {*}"),
        passes("Disk stats {*}"),
        passes("{_:w}: ios={*}"),
    ],
    ..PLAIN
};
