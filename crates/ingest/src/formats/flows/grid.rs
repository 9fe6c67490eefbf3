//! What moves data between storage sites: globus-url-copy, xrdcp, bbcp, bbftp, FDT, mdtmFTP.

use super::tool::{PLAIN, Tool, begins, ends, fails, format_of, part, passes, progress, sets};
use super::typed::Ends;
use crate::format::Format;
use crate::units::Kilo;
use evidence::Node;

pub(crate) static FORMAT: Format = format_of!(
    TOOLS,
    name: "bulk movers",
    reads: "globus-url-copy -vb, globus task show, xrdcp, bbcp, bbftp, FDT, mdtmFTP",
    first: "0-9SFLTgxbfm[>-"
);

static TOOLS: &[&Tool] = &[&GUC, &XRDCP, &BBCP, &BBFTP, &FDT, &GLOBUS];

const GUC_VALUES: &[&str] = &[
    "-p",
    "-cc",
    "-tcp-bs",
    "-bs",
    "-stripe-bs",
    "-f",
    "-len",
    "-off",
    "-concurrency",
    "-parallel",
    "-s",
    "-ss",
    "-ds",
];

/// `globus_url_copy.c`: MB and KB are powers of 1024. `avg` is over the file, `inst` the last interval.
static GUC: Tool = Tool {
    name: "globus-url-copy",
    programs: &["globus-url-copy", "guc", "mdtm-ftp-client"],
    kilo: Kilo::Binary,
    ends: |typed| typed.of_copy(GUC_VALUES),
    speaks: true,
    rows: &[
        begins("Source: {from:u}"),
        sets("Dest: {to:u}"),
        progress("{B} bytes {rate} avg {_:rate} inst").opening(),
        fails("error: {*}"),
        passes("Cancelling copy..."),
        // The name of a file, and the one that it gets.
        passes("{_:w}"),
        passes("{_:w} -> {_:w}"),
    ],
    ..PLAIN
};

/// `XrdClCopy.cc`: MB is 2^20.
static XRDCP: Tool = Tool {
    name: "xrdcp",
    programs: &["xrdcp", "xrdcopy"],
    kilo: Kilo::Binary,
    ends: |typed| {
        typed.of_copy(&[
            "-S",
            "--streams",
            "-t",
            "--tpc",
            "-y",
            "--sources",
            "-C",
            "--cksum",
            "-d",
        ])
    },
    mark: "[",
    rows: &[
        // A bar that is full is a file; of one that took no second it has no rate.
        part("[{size}/{_:size}][100%][{*}][{rate}]{*}").opening(),
        progress("[{size}/{_:size}][{pct}][{*}][{rate}]{*}").opening(),
        progress("[{size}/{_:size}][ {pct}][{*}][{rate}]{*}").opening(),
        fails("Run: [ERROR] {*}"),
        passes("[xrootd] Total {_:f} MB |{*}| {_:f} % [{_:rate}]{*}"),
    ],
    ..PLAIN
};

/// bbcp counts in powers of 1024.
static BBCP: Tool = Tool {
    name: "bbcp",
    programs: &["bbcp"],
    kilo: Kilo::Binary,
    ends: |typed| {
        typed.of_copy(&[
            "-P", "-s", "-w", "-b", "-B", "-C", "-d", "-i", "-I", "-l", "-L", "-m", "-N", "-S", "-T", "-t",
            "-u", "-U", "-W", "-x", "-Z", "-z",
        ])
    },
    rows: &[
        sets("Source {*}"),
        passes("bbcp: Creating {*}").opening(),
        passes("bbcp: {_:w} {_:w} {*}done; {_:rate}{*}").opening(),
        passes("bbcp: At {_:w} {_:w} copy {pct} complete; {_:rate}{*}").opening(),
        passes("bbcp: {*}"),
        sets("File {*} created; {shown:B} bytes at {shownrate:rate}").opening(),
        progress("{n} file copied at effectively {rate}").opening(),
        progress("{n} files copied at effectively {rate}").opening(),
    ],
    ..PLAIN
};

/// bbftp prints kilobytes of 1024 and megabits of 1000^2; the bytes and the time are what counts.
static BBFTP: Tool = Tool {
    name: "bbftp",
    programs: &["bbftp"],
    kilo: Kilo::Binary,
    ends: |typed| {
        let plain = typed.plain(&["-u", "-p", "-e", "-i", "-b", "-f", "-w", "-L", "-S", "-E"]);
        Ends {
            remote: plain
                .last()
                .map(|word| crate::host::host(word))
                .unwrap_or_default(),
            way: match (typed.command.contains("get "), typed.command.contains("put ")) {
                (true, false) => Some(super::typed::Way::Fetched),
                (false, true) => Some(super::typed::Way::Sent),
                _ => None,
            },
            ..Ends::default()
        }
    },
    mark: "bytes",
    rows: &[
        ends("{B} bytes send in {dur} ({_:f} Kbytes/sec or {_:f} Mbits/s)")
            .sent()
            .opening(),
        ends("{B} bytes got in {dur} ({_:f} Kbytes/sec or {_:f} Mbits/s)")
            .fetched()
            .opening(),
        passes("get {*} OK"),
        passes("put {*} OK"),
        passes(">> {*}"),
    ],
    ..PLAIN
};

/// FDT counts bits of 1000.
static FDT: Tool = Tool {
    name: "fdt",
    programs: &["fdt", "fdt.jar"],
    kilo: Kilo::Thousand,
    // Without a host it is the server; `-pull` asks one to send.
    ends: |typed| {
        let asked = typed.words.iter().skip_while(|word| **word != "-c").nth(1);
        Ends {
            local: typed.device.map(Node::named).unwrap_or_default(),
            remote: asked.map(|word| crate::host::host(word)).unwrap_or_default(),
            ..Ends::default()
        }
    },
    mark: "Net ",
    rows: &[
        progress("{_:w} {_:w} Net Out: {_:rate} Avg: {rate}{*}")
            .sent()
            .opening(),
        progress("{_:w} {_:w} Net In: {_:rate} Avg: {rate}{*}")
            .fetched()
            .opening(),
        progress("{_:w} {_:w} Net Out: {_:rate} Avg: {rate}")
            .sent()
            .opening(),
        passes("FDT [ {*} ] STARTED ..."),
        passes("FDT{_:w}Session ( {*} ) / {*} final stats:"),
        passes("[ {*} ] FDT{_:w}Session ( {*} ) / {*} final stats:"),
        passes("Started: {*}"),
        passes("Ended: {*}"),
        sets("Transfer period: {dur:*}"),
        sets("TotalBytes: {B}"),
        passes("TotalNetworkBytes: {n}"),
        ends("Exit Status: {*}"),
    ],
    ..PLAIN
};

/// The Globus service: a task of files between two collections, which have names of their own and stand in the place of hosts.
static GLOBUS: Tool = Tool {
    name: "globus",
    programs: &["globus"],
    kilo: Kilo::Thousand,
    ends: |_| Ends::default(),
    // The names are padded to a column.
    mark: ":          ",
    rows: &[
        begins("Task ID: {_:w}"),
        sets("Label: {*}").opening(),
        sets("Bytes Transferred: {B}"),
        sets("Request Time: {at:w}"),
        progress("Bytes Per Second: {byterate:n}"),
        fails("Status: FAILED"),
        passes("Completion Time: {*}"),
        sets("Source Endpoint: {source:*}"),
        sets("Destination Endpoint: {destination:*}"),
        passes("Source {*}: {*}"),
        passes("Destination {*}: {*}"),
        passes("Subtasks {*}: {*}"),
        passes("Total Subtasks: {n}"),
        passes("Directories: {n}"),
        passes("Files{*}: {n}"),
        passes("Faults: {n}"),
        passes("Bytes {*}: {*}"),
        passes("{_:w}: {*}"),
        passes("{_:w} {_:w}: {*}"),
    ],
    ..PLAIN
};
