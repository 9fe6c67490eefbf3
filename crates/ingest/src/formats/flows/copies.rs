//! What copies files between hosts: scp, sftp, rsync, and the clients of FTP.

use super::tool::{
    PLAIN, Tool, begins, ends, ends_afar, ends_untold, fails, format_of, named_part, passes, progress, sets,
    voids,
};
use super::typed::{Ends, Typed, Way, remote_of, surely_remote_of};
use crate::format::Format;
use crate::host::host;
use crate::units::Kilo;
use evidence::Node;

pub(crate) static FORMAT: Format = format_of!(
    TOOLS,
    name: "file copies",
    reads: "scp and sftp progress, rsync (--progress, --info=progress2, --stats), ftp of BSD, Linux and Windows, lftp, ncftp, robocopy to or from another host; which way the \
        data go is told by the command or the session",
    first: "!-Z[-~"
);

static TOOLS: &[&Tool] = &[&SCP, &SFTP, &RSYNC, &FTP, &LFTP, &ROBOCOPY];

const SSH_VALUES: &[&str] = &[
    "-P", "-i", "-o", "-c", "-F", "-J", "-S", "-l", "-D", "-X", "-b", "-B", "-R", "-s",
];

fn of_ssh(typed: &Typed<'_>) -> Ends {
    if typed.program != "sftp" {
        // `-3`, perhaps among other letters: from one host to another, by way of this one.
        let is_by_way = |word: &&str| {
            let letters = word.strip_prefix('-').unwrap_or_default();
            letters.contains('3') && letters.bytes().all(|letter| b"346ABCOTpqrv".contains(&letter))
        };
        return match typed.words.iter().any(is_by_way) {
            true => typed.of_copy_by(SSH_VALUES, surely_remote_of),
            false => typed.of_copy(SSH_VALUES),
        };
    }
    of_login(typed, SSH_VALUES)
}

/// A session on the host that the first word names, perhaps with a user; `valued` are options with a value.
fn of_login(typed: &Typed<'_>, valued: &[&str]) -> Ends {
    let remote = typed.plain(valued).into_iter().next().map(|word| {
        let bare = word.rsplit_once('@').map_or(word, |(_, rest)| rest);
        remote_of(word).unwrap_or_else(|| host(bare))
    });
    Ends {
        local: typed.device.map(Node::named).unwrap_or_default(),
        remote: remote.unwrap_or_default(),
        ..Ends::default()
    }
}

/// `progressmeter.c`: KB and MB are powers of 1024. The clock is the time left, in the last line the time it took, in whole seconds.
static SCP: Tool = Tool {
    name: "scp",
    programs: &["scp", "sftp", "pscp", "psftp"],
    kilo: Kilo::Binary,
    ends: of_ssh,
    mark: "%",
    rows: &[
        ends("{*} 100% {size} {rate} {dur:clock}").opening(),
        progress("{*} {pct} {size} {rate} {clock} ETA").opening(),
        progress("{*} {pct} {size} {rate} - stalled -").opening(),
        // PuTTY's pscp counts in kB of 1024.
        ends("{*} | {n} kB | {rate} | ETA: {clock} | 100%").opening(),
        progress("{*} | {n} kB | {rate} | ETA: {clock} | {pct}").opening(),
        sets("Connected to {host:w}."),
        sets("Uploading {*} to {*}").sent(),
        sets("Fetching {*} to {*}").fetched(),
        passes("sftp> {*}"),
        // With -v ssh counts what it carried in the whole session. Without a copy's command above, it may be any session.
        ends_untold("Transferred: sent {up:B}, received {down:B} bytes, in {dur}"),
        passes("Bytes per second: sent {*}"),
        passes("debug{*}"),
        passes("OpenSSH_{*}"),
        passes("Executing: program {*}"),
        passes("Authenticated to {*}"),
        passes("Sending file {*}"),
        passes("File mtime {*}"),
        passes("Sink: {*}"),
        fails("{_:w}: Connection {*}"),
        fails("lost connection"),
    ],
    ..PLAIN
};

/// A session of sftp without the command that began it: whose it is stands nowhere, and which way the data go is told.
static SFTP: Tool = Tool {
    name: "scp",
    programs: &[],
    kilo: Kilo::Binary,
    mark: "sftp>",
    rows: &[
        passes("sftp> {*}").opening(),
        sets("Uploading {*} to {*}").sent(),
        sets("Fetching {*} to {*}").fetched(),
        ends("{*} 100% {size} {rate} {dur:clock}"),
        progress("{*} {pct} {size} {rate} {clock} ETA"),
        progress("{*} {pct} {size} {rate} - stalled -"),
    ],
    ..PLAIN
};

fn of_rsync(typed: &Typed<'_>) -> Ends {
    typed.of_copy(&[
        "-e",
        "--rsh",
        "-f",
        "-T",
        "-B",
        "-M",
        "--exclude",
        "--include",
        "--bwlimit",
        "--files-from",
    ])
}

/// `progress.c` divides by 1024; the summary counts bytes, with `-h` in powers of 1000. The rate of the summary is of the bytes
/// of both ways over the time of the session.
static RSYNC: Tool = Tool {
    name: "rsync",
    programs: &["rsync"],
    kilo: Kilo::Binary,
    ends: of_rsync,
    least_bytes: 65_536,
    rows: &[
        begins("sending incremental file list").sent(),
        begins("receiving incremental file list").fetched(),
        begins("building file list ...{*}").sent(),
        begins("receiving file list ...{*}").fetched(),
        // openrsync, which macOS has for rsync.
        begins("Transfer starting: {n} files{*}"),
        passes("{n} files to consider"),
        passes("{n} file to consider"),
        passes("{n} files..."),
        named_part("{B} 100% {rate} {dur:clock} (xfr#{*})").opening(),
        named_part("{B} 100% {rate} {dur:clock} (xfer#{*})").opening(),
        // Up to 2.6.0, and without `xfer`.
        named_part("{B} 100% {rate} {dur:clock} ({n}, {pct} of {n})").opening(),
        progress("{B} 100% {rate} {dur:clock}").opening(),
        progress("{B} {pct} {rate} {clock} (xfr#{*})").opening(),
        progress("{B} {pct} {rate} {clock} (xfer#{*})").opening(),
        progress("{B} {pct} {rate} {clock}").opening(),
        // With -h sizes are in powers of 1000, and rates are not.
        named_part("{size10:size} 100% {rate} {dur:clock} (xfr#{*})"),
        progress("{size10:size} {pct} {rate} {dur:clock} (xfr#{*})"),
        progress("{size10:size} {pct} {rate} {clock}"),
        // Also below the progress of files, which it sums up.
        passes("Number of files: {*}").opening(),
        passes("Number of {*} files: {*}"),
        passes("Number of {*} transferred: {*}"),
        passes("Total file size: {*}"),
        passes("Total transferred file size: {*}"),
        passes("Literal data: {*}"),
        passes("Matched data: {*}"),
        passes("File list {*}: {*}"),
        sets("Total bytes sent: {up:B}"),
        sets("Total bytes received: {down:B}"),
        sets("Total bytes sent: {up10:size}"),
        sets("Total bytes received: {down10:size}"),
        sets("sent {up:B} bytes received {down:B} bytes {byterate:f} bytes/sec").opening(),
        sets("sent {up10:size} bytes received {down:B} bytes {rate10:size} bytes/sec").opening(),
        sets("sent {up:B} bytes received {down10:size} bytes {rate10:size} bytes/sec").opening(),
        sets("sent {up10:size} bytes received {down10:size} bytes {rate10:size} bytes/sec").opening(),
        ends("total size is {_:w} speedup is {_:w}").opening(),
        voids("total size is {_:w} speedup is {_:w} (DRY RUN)").opening(),
        passes("{_:w}"),
        fails("rsync error: {*}"),
        fails("rsync: {*}"),
    ],
    ..PLAIN
};

/// netkit and BSD count kilobytes of 1024.
static FTP: Tool = Tool {
    name: "ftp",
    programs: &["ftp", "tnftp", "ncftp", "ncftpget", "ncftpput"],
    kilo: Kilo::Binary,
    ends: |typed| of_login(typed, &[]),
    rows: &[
        begins("Connected to {host:w}."),
        ends("{B} bytes received in {dur} ({rate})").fetched().opening(),
        ends("{B} bytes received in {dur:clock} ({rate})")
            .fetched()
            .opening(),
        ends("{B} bytes sent in {dur} ({rate})").sent().opening(),
        ends("{B} bytes sent in {dur:clock} ({rate})").sent().opening(),
        // Windows: kilobytes of 1000, so the bytes and the time are what counts.
        ends("ftp: {B} bytes received in {dur} {_:f}Kbytes/sec.")
            .fetched()
            .opening(),
        ends("ftp: {B} bytes sent in {dur} {_:f}Kbytes/sec.")
            .sent()
            .opening(),
        passes("local: {*} remote: {*}"),
        sets("ftp> get {*}").fetched(),
        sets("ftp> put {*}").sent(),
        passes("ftp> {*}"),
        passes("{pct} |{*}| {*}"),
        passes("100% |{*}| {*}"),
        passes("220{*}"),
        passes("200 {*}"),
        passes("229 {*}"),
        passes("227 {*}"),
        passes("230{*}"),
        passes("331 {*}"),
        passes("150{*}"),
        passes("125 {*}"),
        passes("213 {*}"),
        passes("215 {*}"),
        passes("221 {*}"),
        passes("250{*}"),
        passes("226{*}").opening(),
        fails("421 {*}"),
        fails("426 {*}"),
        fails("550 {*}"),
        passes("Name {*}"),
        passes("Password:"),
        passes("Remote system type is {*}"),
        passes("Using binary mode to transfer files."),
    ],
    ..PLAIN
};

/// Kilobytes of 1024. Of two local folders it copies from disk to disk.
static ROBOCOPY: Tool = Tool {
    name: "robocopy",
    programs: &["robocopy"],
    kilo: Kilo::Binary,
    ends: |typed| {
        // From where, to where, and perhaps which files.
        let mut paths = typed.plain(&[]).into_iter().filter(|word| !word.starts_with('/'));
        let share = |path: &str| path.strip_prefix(r"\\")?.split('\\').next().map(host);
        let (from, to) = (paths.next().and_then(share), paths.next().and_then(share));
        let way = match (&from, &to) {
            (Some(_), None) => Some(Way::Fetched),
            (None, Some(_)) => Some(Way::Sent),
            _ => None,
        };
        let pair = from.clone().zip(to.clone());
        Ends {
            local: typed.device.map(Node::named).unwrap_or_default(),
            remote: from.or(to).filter(|_| way.is_some()).unwrap_or_default(),
            way,
            pair,
            ..Ends::default()
        }
    },
    rows: &[
        begins("ROBOCOPY :: {*}"),
        passes("---{*}"),
        passes("Started : {*}"),
        sets(r"Source : \\{host:w}\{*}").fetched(),
        sets(r"Quelle : \\{host:w}\{*}").fetched(),
        sets(r"Origen : \\{host:w}\{*}").fetched(),
        sets(r"Dest : \\{host:w}\{*}").sent(),
        sets(r"Ziel : \\{host:w}\{*}").sent(),
        sets(r"Destino : \\{host:w}\{*}").sent(),
        passes(r"{_:w} : {_:w}:\{*}"),
        passes("Files : {*}"),
        passes("{_:w}~: *.*"),
        passes("Exc Files : {*}"),
        passes("Exc Dirs : {*}"),
        passes("Options : {*}"),
        passes("{_:w}~: {*} /R:{n} /W:{n}"),
        passes(r"{n} {*}\"),
        passes("New Dir {*}"),
        passes("New File {*}"),
        passes("Newer {*}"),
        passes("Older {*}"),
        passes("*EXTRA {*}"),
        passes("{pct}{*}"),
        passes("Total Copied Skipped Mismatch FAILED Extras"),
        passes("{*} Extras"),
        passes("Dirs : {*}"),
        sets("Bytes : {_:size} {size} {*}"),
        // In other languages the shape tells: folders, files and small sums of bytes have whole numbers, larger sums their unit, times colons.
        passes("{_:w}~: {n} {n} {n} {n} {n} {n}"),
        sets("{_:w}~: {_:n}:{n}:{n} {dur:clock} {*}"),
        sets("{_:w}~: {_:size} {size} {_:size} {_:size} {_:size} {_:size}"),
        ends_afar("{_:w}~: {byterate:f} Bytes/{_:w}"),
        ends_afar("{_:w}~: {byterate:f} Byte/{_:w}"),
        ends_afar("{_:w}~: {byterate:f} Octets/{_:w}"),
        ends_afar("{_:w}~: {byterate:f} octets/{_:w}"),
        passes("{_:w}~: {f} {_:w}/{_:w}"),
        // When it began and ended.
        passes("Ended : {*}"),
        passes("{_:w}~: {*} 20{n} {n}:{n}:{n}"),
        fails("{_:w} {_:clock} ERROR {*}"),
    ],
    ..PLAIN
};

static LFTP: Tool = Tool {
    name: "lftp",
    programs: &["lftp", "lftpget"],
    kilo: Kilo::Binary,
    ends: |typed| {
        let said = typed.of_url(&[]);
        let mut words = typed.command.split(['\'', '"', ';', ' ']);
        let sends = words.any(|word| matches!(word, "put" | "mput"));
        let mirrors_back = typed.command.contains("mirror -R");
        let fetches = typed
            .command
            .split(['\'', '"', ';', ' '])
            .any(|word| matches!(word, "get" | "pget" | "mget"));
        let way = match (sends || mirrors_back, fetches) {
            (true, false) => Some(Way::Sent),
            (false, true) => Some(Way::Fetched),
            _ => None,
        };
        // The prompt of its session names the other end: `lftp anna@ftp.example:/pub> get …`.
        let session = typed.command.split_once("> ").map(|(prompt, _)| prompt);
        let remote = session.and_then(|prompt| remote_of(prompt.rsplit(' ').next()?));
        Ends {
            way,
            remote: remote.unwrap_or(said.remote),
            ..said
        }
    },
    mark: "bytes transferred",
    rows: &[
        ends("{B} bytes transferred in {dur} ({rate})").opening(),
        ends("{B} bytes transferred").opening(),
        progress("`{*}' at {n} ({pct}) {rate} eta:{*} [{*}]"),
        passes("Total: {*}"),
    ],
    ..PLAIN
};
