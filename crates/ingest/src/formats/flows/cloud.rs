//! What copies to and from object stores: aws s3, gsutil, gcloud storage, rclone, s3cmd.

use super::tool::{PLAIN, Tool, begins, ends, fails, format_of, passes, progress, sets};
use super::typed::{Ends, Typed, Way};
use crate::format::Format;
use crate::units::Kilo;
use evidence::Node;

pub(crate) static FORMAT: Format = format_of!(
    TOOLS,
    name: "object stores",
    reads: "aws s3 cp and sync, gsutil, gcloud storage, rclone (--stats), s3cmd, azcopy, mc of MinIO; a bucket stands in the place of the far host",
    first: "0-9CJudTAasgrm"
);

static TOOLS: &[&Tool] = &[&AWS, &GSUTIL, &RCLONE, &S3CMD, &AZCOPY, &MC];

/// The store is the host of the URL: a bucket. `rclone` names remotes of its own as `name:path`.
fn of_store(typed: &Typed<'_>) -> Ends {
    let verbs = [
        "s3", "cp", "sync", "mv", "copy", "move", "storage", "rsync", "put", "get", "copyto",
    ];
    let words: Vec<&str> = typed
        .words
        .iter()
        .copied()
        .filter(|word| !verbs.contains(word))
        .collect();
    let reduced = Typed {
        words,
        ..typed.clone()
    };
    reduced.of_copy(&[
        "--profile",
        "--region",
        "--endpoint-url",
        "--transfers",
        "--checkers",
        "-o",
        "--stats",
        "--bwlimit",
        "--storage-class",
    ])
}

/// s3transfer counts in powers of 1024 and writes the i.
static AWS: Tool = Tool {
    name: "aws s3",
    programs: &["aws", "s5cmd"],
    kilo: Kilo::Binary,
    ends: of_store,
    rows: &[
        progress("Completed {size}/{_:size} ({rate}) with {n} file(s) remaining{*}").opening(),
        progress("Completed {size}/~{_:size} ({rate}) with ~{n} file(s) remaining{*}").opening(),
        // Behind the progress, which is all that tells of the whole.
        progress("download: {from:u} to {*}").fetched().opening(),
        progress("upload: {*} to {to:u}").sent().opening(),
        fails("download failed: {*}"),
        fails("upload failed: {*}"),
    ],
    ..PLAIN
};

static GSUTIL: Tool = Tool {
    name: "gsutil",
    programs: &["gsutil", "gcloud"],
    kilo: Kilo::Binary,
    ends: of_store,
    rows: &[
        passes("Copying {*}").opening(),
        progress("{_:w} [{n} files][~{size}/~{_:size}] {pct} Done ~{rate}{*}"),
        progress("{_:w} [{n}/{n} files][~{size}/~{_:size}] {pct} Done ~{rate}{*}"),
        progress("{_:w} [{n} files][~{size}/~{_:size}] ~{rate}"),
        progress("[{n} files][~{size}/~{_:size}] {rate}"),
        passes("{_:w} [{n} files][{*}"),
        passes("{_:w} [{n}/{n} files][{*}"),
        passes("Operation completed over {n} objects/{_:size}."),
        progress("Completed files {n}/{n} | {size}/{_:size}"),
        progress("Completed files {n}/{n} | {size}/{_:size} | {_:rate}"),
        passes("Completed files {*}"),
        progress("Average throughput: {rate}").opening(),
    ],
    ..PLAIN
};

/// `fs/accounting/stats.go`: binary, with the i in the unit; older versions leave it away. The rate is the mean over the run.
static RCLONE: Tool = Tool {
    name: "rclone",
    programs: &["rclone"],
    kilo: Kilo::Binary,
    ends: of_store,
    mark: "Transferred:",
    rows: &[
        // Its rate is one of the last minutes.
        progress("{*}Transferred: {size} / {_:size}, {pct}, {nowrate:rate}, ETA {*}").opening(),
        progress("{*}Transferred: {size} / {_:size}, {pct}, {nowrate:rate}").opening(),
        progress("{*}Transferred: {size} ({nowrate:rate})").opening(),
        passes("{*}Transferred: {n} / {n}, {pct}"),
        passes("Transferred: {n}"),
        passes("Errors: {*}"),
        passes("Checks: {*}"),
        passes("Deleted: {*}"),
        passes("Renamed: {*}"),
        progress("Elapsed time: {dur}"),
        progress("Elapsed time: {dur:span}"),
        passes("Transferring:"),
        passes("* {*}"),
        passes("{_:w} {_:w} INFO {*}"),
        passes("{_:w} {_:w} NOTICE: {*}"),
        passes("{_:w} {_:w} DEBUG : {*}"),
    ],
    ..PLAIN
};

/// Its throughput is of the last two seconds: the rate is that of all bytes over all the time, which is told in minutes.
static AZCOPY: Tool = Tool {
    name: "azcopy",
    programs: &["azcopy"],
    kilo: Kilo::Binary,
    ends: of_store,
    rows: &[
        passes("INFO: {*}"),
        passes("Job {_:w} has started"),
        passes("Log file is located at: {*}"),
        passes("{pct}, {n} Done, {*}"),
        passes("{_:f} %, {n} Done, {*}"),
        begins("Job {_:w} summary"),
        sets("Elapsed Time (Minutes): {minutes:f}"),
        ends("Total Number of Bytes Transferred: {B}"),
        ends("TotalBytesTransferred: {B}"),
        passes("Number of {*}: {n}"),
        passes("Total Number of {*}: {n}"),
        passes("Total Number Of {*}: {n}"),
        passes("Final Job Status: {*}"),
    ],
    ..PLAIN
};

static S3CMD: Tool = Tool {
    name: "s3cmd",
    programs: &["s3cmd"],
    kilo: Kilo::Binary,
    ends: |_| Ends::default(),
    mark: "'s3://",
    rows: &[
        sets("upload: '{*}' -> '{to:u}' [{*}]").sent().opening(),
        sets("download: '{from:u}' -> '{*}' [{*}]").fetched().opening(),
        ends("{B} of {n} 100% in {dur} {rate} done"),
        ends("{B} of {n} 100% in {dur} {rate}"),
        progress("{B} of {n} {pct} in {dur} {rate}"),
    ],
    ..PLAIN
};

/// MinIO's client: powers of 1024 with their `i`; an alias of its own names the far end, `minio1/bucket/`.
static MC: Tool = Tool {
    name: "mc",
    programs: &["mc", "mcli"],
    kilo: Kilo::Binary,
    ends: |typed| {
        let paths: Vec<&str> = typed.plain(&[]);
        let is_far = |path: &str| !path.starts_with(['/', '.', '~']) && path.contains('/');
        let alias = |path: &str| crate::host::host(path.split('/').next().unwrap_or_default());
        let (way, far) = match paths.as_slice() {
            [.., from, to] if is_far(to) && !is_far(from) => (Way::Sent, *to),
            [.., from, to] if is_far(from) && !is_far(to) => (Way::Fetched, *from),
            _ => return Ends::default(),
        };
        Ends {
            local: typed.device.map(Node::named).unwrap_or_default(),
            remote: alias(far),
            way: Some(way),
            ..Ends::default()
        }
    },
    rows: &[
        progress("{*}: {size} / {_:size} \u{2501}{*} {rate} {dur}"),
        progress("{*}: {size} / {_:size} \u{2501}{*} {rate}"),
        progress("{*}: {size} / {_:size} [{*}] {pct} {rate} {dur}"),
        ends("Total: {_:size}, Transferred: {size}, Speed: {rate}"),
        passes("\u{250c}{*}"),
        passes("\u{2514}{*}"),
        passes("\u{251c}{*}"),
        passes("\u{2502} Total \u{2502} Transferred \u{2502} Duration \u{2502} Speed \u{2502}"),
        ends("\u{2502} {_:size} \u{2502} {size} \u{2502} {_:w} \u{2502} {rate} \u{2502}"),
        fails("mc: <ERROR> {*}"),
    ],
    ..PLAIN
};
