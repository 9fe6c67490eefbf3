//! What fetches from web servers: curl's meter, wget, aria2, axel, and what they hand what they fetch to.

use super::disk::{DD, PV};
use super::tool::{PLAIN, Row, Tool, begins, ends, fails, format_of, part, passes, progress, sets, tells};
use super::typed::FETCHERS;
use crate::format::Format;
use crate::units::Kilo;

pub(crate) static FORMAT: Format = format_of!(
    TOOLS,
    name: "web downloads",
    reads: "curl's progress meter, wget in any language and wget2, aria2c, axel, apt, ab, wrk, h2load, with the command above where it is there",
    first: "%[*0-9DFgIacfhstwRT-"
);

static TOOLS: &[&Tool] = &[
    &CURL, &WGET, &ARIA, &AXEL, &AB, &WRK, &H2LOAD, &APT, &PIPED_PV, &PIPED_DD,
];

/// `curl -s URL | pv >/dev/null`
static PIPED_PV: Tool = Tool {
    programs: FETCHERS,
    is_guest: true,
    ..PV
};
static PIPED_DD: Tool = Tool {
    programs: FETCHERS,
    is_guest: true,
    ..DD
};

/// Options with which curl sends.
pub(crate) const CURL_UPLOADS: &[&str] = &[
    "-T",
    "--upload-file",
    "-d",
    "--data",
    "--data-binary",
    "-F",
    "--form",
];

/// `lib/progress.c`: `k` and `M` are powers of 1024; a number alone is in bytes.
static CURL: Tool = Tool {
    name: "curl",
    programs: &["curl"],
    kilo: Kilo::Binary,
    ends: |typed| typed.of_url(CURL_UPLOADS),
    mark: "%",
    rows: &[
        passes("% Total % Received % Xferd Average Speed Time Time Time Current").opening(),
        passes("Dload Upload Total Spent Left Speed"),
        part(
            "100 {_:size} 100 {down:size} {n} {up:size} {downrate:rate} {uprate:rate} {clock} {dur:clock} --:--:-- {_:size}",
        ),
        part(
            "100 {_:size} {n} {down:size} 100 {up:size} {downrate:rate} {uprate:rate} {clock} {dur:clock} --:--:-- {_:size}",
        ),
        // From 8.18 on: what is not known is left away, and so is all that a transfer of less than a second would show.
        part(
            "100 {_:size} 100 {down:size} {n} {up:size} {downrate:rate} {uprate:rate} {clock} {dur:clock} {_:size}",
        ),
        part(
            "100 {_:size} {n} {down:size} 100 {up:size} {downrate:rate} {uprate:rate} {clock} {dur:clock} {_:size}",
        ),
        part("100 {_:size} 100 {down:size} {n} {up:size} {downrate:rate} {uprate:rate} {_:size}"),
        part("100 {_:size} {n} {down:size} 100 {up:size} {downrate:rate} {uprate:rate} {_:size}"),
        progress(
            "{n} {_:size} {n} {down:size} {n} {up:size} {downrate:rate} {uprate:rate} {dur:clock} {_:size}",
        ),
        progress("{n} {_:size} {n} {down:size} {n} {up:size} {downrate:rate} {uprate:rate} {_:size}"),
        progress(
            "{n} {_:size} {n} {down:size} {n} {up:size} {downrate:rate} {uprate:rate} {clock} {dur:clock} {clock} {_:size}",
        ),
        fails("curl: ({n}) {*}"),
        passes("Warning: {*}"),
        // `-v`: what it does, sends and is told, in the midst of the meter, which is shown again behind it. Points of a list and quotes of a
        // mail begin so too.
        sets("* Trying {*}..."),
        sets("* Connected to {*}"),
        sets("* Established connection to {*}"),
        sets("* Connection #{n} to host {*}"),
        sets("* Host {*} was resolved."),
        sets("* IPv4: {*}"),
        sets("* IPv6: {*}"),
        sets("* ALPN{*}"),
        sets("* TLSv{*}"),
        sets("* SSL {*}"),
        sets("* Server certificate:"),
        sets("* subject: {*}"),
        sets("* start date: {*}"),
        sets("* expire date: {*}"),
        sets("* subjectAltName: {*}"),
        sets("* issuer: {*}"),
        sets("* Certificate level {*}"),
        sets("* CAfile: {*}"),
        sets("* CApath: {*}"),
        sets("* successfully set certificate {*}"),
        sets("* using HTTP/{*}"),
        sets("* [HTTP/{*}"),
        sets("* TCP_NODELAY set"),
        sets("* Mark bundle as {*}"),
        sets("* Request completely sent off"),
        sets("* upload completely sent off{*}"),
        sets("* We are completely uploaded and fine"),
        sets("* Closing connection{*}"),
        sets("> GET /{*}"),
        sets("> HEAD /{*}"),
        sets("> PUT /{*}"),
        sets("> POST /{*}"),
        sets("> Host: {*}"),
        sets("> User-Agent: {*}"),
        sets("> Accept{*}"),
        sets("> Authorization: {*}"),
        sets("> Content-{*}"),
        sets("> Expect: {*}"),
        sets("> Range: {*}"),
        sets("< HTTP/{*}"),
        sets("< {_:w}: {*}"),
        sets(">"),
        sets("<"),
        sets("{_:w} [{n} bytes data]"),
    ],
    ..PLAIN
};

/// `src/progress.c`, `src/utils.c`: K and M are powers of 1024, with `--report-speed=bits` of bits of 1000.
static WGET: Tool = Tool {
    name: "wget",
    programs: &["wget", "wget2"],
    kilo: Kilo::Binary,
    ends: |typed| typed.of_url(&["--post-file", "--post-data", "--body-file"]),
    speaks: true,
    rows: &[
        begins("--{at:*}-- {url:u}").fetched(),
        begins("--{at:*}-- {url:u} {*}").fetched(),
        ends("{_date:w} {_time:w} ({rate}) - {*} [{B}/{n}]").opening(),
        ends("{_date:w} {_time:w} ({rate}) - {*} [{B}]").opening(),
        // The Chinese of 1.20 and 1.21.
        ends("{_date:w} {_time:w} ({rate}) - {*} [{B}/{n}])").opening(),
        passes("{_date:w} {_time:w} ERROR {n}: {*}"),
        passes("{_date:w} {_time:w} URL:{*} [{*}] -> {*}"),
        // What was there before: the length of the file is not what was moved.
        sets("{*}100%[+{resumed:*}] {_:size} {_:rate} {*}"),
        sets("{*}100%[+{resumed:*}] {_:size} {_:rate}"),
        sets("{_:w}~: {n} ({*}), {remaining:n} ({*}) {*}"),
        sets("{*}100%[{*}] {shown:size} {shownrate:rate} {_:w} {dur}"),
        // `in 4m 51s`: from a minute on it is two words.
        sets("{*}100%[{*}] {shown:size} {shownrate:rate} {_:w} {dur:*}"),
        sets("{*}100%[{*}] {shown:size} {shownrate:rate}"),
        // What is over within a blink has no rate of its own there: `--.-KB/s`.
        sets("{*}100%[{*}] {shown:size} --.-{_:w} {_:w} {dur}"),
        sets("{*}100%[{*}] {shown:size} --.-{_:w}"),
        sets("{*} 100% [{*}] {shown:size} {shownrate:rate}"),
        progress("{*} {pct} [{*}] {size} {rate}"),
        progress("{*} {pct}[{*}] {size} {rate} {*}"),
        progress("{*} {pct}[{*}] {size} {rate}"),
        // Up to 1.15 no name stands before it.
        progress("{pct}[{*}] {size} {rate} {*}"),
        sets("{n}K {*} 100% {_:span}={dur}"),
        sets("{n}K {*} {_:span}={dur}"),
        sets("[ skipping {resumed:w} ]"),
        progress("{n}K {*} {pct} {so_far:w} {*}"),
        passes("{n}K {*}"),
        passes("{*} ({*})|{*}|:{n}{*}"),
        passes("{*}|{*}|:{n}{*}"),
        passes("{*} {_:w}:{n}... {*}"),
        passes("{*}... {n} {*}"),
        // `Resolving a.example... 192.0.2.1`, without what old versions do not repeat.
        passes("{*}... {_:w}"),
        passes("{*}... {_:w}, {*}"),
        passes("{*}\u{2026} {n} {*}"),
        passes("{*} ({_:w})... {*}"),
        passes("{*} ({_:w})\u{2026} {*}"),
        passes("{_:w}~: {n} ({*}){*}"),
        passes("{_:w}~: {n} [{*}]"),
        passes("Saving to: {*}"),
        // A wide colon is a part of the word, with a blank behind it or none.
        passes("{_:w}\u{ff1a}{n} ({*}){*}"),
        passes("{_:w} {n} ({*}) [{*}]"),
        passes("{*} \"{*}\""),
        passes("{*} '{*}'"),
        passes("{*} \u{bb}{*}\u{ab}{*}"),
        passes("{*} \u{ab}{*}\u{bb}{*}"),
        // What follows is another host's. curl prints such lines too.
        Row {
            opens: false,
            ..begins("Location: {url:u} {*}").fetched()
        },
        passes("Location: {*}"),
        passes("FINISHED --{*}--"),
        passes("Total wall clock time: {*}"),
        passes("Downloaded: {n} files, {*}"),
        passes("HTTP response {n} {*}"),
        passes("HTTP ERROR response {n} {*}"),
        passes("[{n}] Downloading {*}"),
        passes("Saving {*}"),
        ends("[Files: {n} Bytes: {size} [{rate}] {*}"),
    ],
    ..PLAIN
};

/// `src/util.cc` abbrevSize: binary, with the i in the unit. The lines in brackets say how far it is.
static ARIA: Tool = Tool {
    name: "aria2c",
    programs: &["aria2c"],
    kilo: Kilo::Binary,
    ends: |typed| typed.of_url(&[]),
    rows: &[
        passes("Download Results:").opening(),
        passes("{_:w}:"),
        passes("gid |stat|avg speed |path/URI").opening(),
        passes("======+{*}"),
        tells("{_:w}|OK~|~{rate}|{*}").fetched(),
        passes("{_:w}|ERR~|{*}"),
        passes("{_:w}|INPR|{*}"),
        passes("Status Legend:"),
        passes("(OK):{*}"),
        passes("(ERR):{*}"),
        progress("[#{_:span} {size}/{_:size}({pct}) CN:{streams:n} DL:{downrate:rate} ETA:{*}")
            .fetched()
            .opening(),
        progress("[#{_:span} {size}/{_:size}({pct}) CN:{streams:n} DL:{downrate:rate}]")
            .fetched()
            .opening(),
        passes("[#{_:span} {size}/{_:size}({pct}) CN:{n}]").opening(),
        passes("{_:w} {_:clock} [NOTICE] {*}").opening(),
        fails("{_:w} {_:clock} [ERROR] {*}"),
        passes("*** Download Progress Summary as of {*} ***").opening(),
        passes("==={*}"),
        passes("---{*}"),
        passes("FILE: {*}"),
    ],
    ..PLAIN
};

/// `apt-pkg/contrib/strutl.cc` SizeToStr: powers of 1000. Which of its sources the files came from is told of each, and how fast of all.
static APT: Tool = Tool {
    name: "apt",
    programs: &["apt", "apt-get", "aptitude"],
    rows: &[
        passes("Get:{n} {*}"),
        passes("Hit:{n} {*}"),
        passes("Ign:{n} {*}"),
        ends("Fetched {size} in {dur} ({rate})").fetched().opening(),
        fails("E: {*}"),
    ],
    speaks: true,
    ..PLAIN
};

/// `src/text.c`: kilobytes and megabytes of 1024.
static AXEL: Tool = Tool {
    name: "axel",
    programs: &["axel"],
    kilo: Kilo::Binary,
    ends: |typed| typed.of_url(&[]),
    rows: &[
        begins("Initializing download: {url:u}").fetched(),
        sets("File size: {*} ({B} bytes)"),
        passes("File size: {*}"),
        passes("Opening output file {*}"),
        passes("Starting download"),
        passes("State file found: {*}"),
        ends("Downloaded {_:size}(s) in {dur}(s). ({rate})")
            .fetched()
            .opening(),
        ends("Downloaded {_:size}(s) in {dur}. ({rate})")
            .fetched()
            .opening(),
        ends("Downloaded {_:size} in {dur}. ({rate})").fetched().opening(),
        progress("[{_:f}%] {*} [ {rate}]"),
        passes("[{_:f}%] {*}"),
        passes(",{*}"),
        passes("Connection {n} finished"),
    ],
    ..PLAIN
};

/// ApacheBench: one of its requests after the other on each connection. Its Kbytes are of 1024; bytes and time are what counts.
static AB: Tool = Tool {
    name: "ab",
    programs: &["ab"],
    kilo: Kilo::Binary,
    ends: |typed| typed.of_url(&["-p", "-u"]),
    rows: &[
        begins("This is ApacheBench, Version {*}"),
        sets("Server Hostname: {host:w}"),
        sets("Concurrency Level: {streams:n}"),
        sets("Time taken for tests: {dur}"),
        sets("Total transferred: {B} bytes"),
        // With -p and -u what was sent stands below it.
        tells("Transfer rate: {_:f} [Kbytes/sec] received").fetched(),
        passes("Server {*}: {*}"),
        passes("Document {*}: {*}"),
        passes("SSL/TLS Protocol: {*}"),
        passes("TLS Server Name: {*}"),
        passes("HTML transferred: {*}"),
        passes("Total body sent: {*}"),
        passes("{_:f} kb/s {_:w}"),
        passes("{_:w} requests: {n}"),
        passes("Non-2xx responses: {n}"),
        passes("Write errors: {n}"),
        passes("Requests per second: {*}"),
        passes("Time per request: {*}"),
        passes("Copyright {n} Adam Twiss{*}"),
        passes("Licensed to The Apache {*}"),
        passes("Benchmarking {*}"),
        passes("Completed {n} requests"),
        passes("Finished {n} requests"),
        passes("(Connect: {n}, {*}"),
        passes("Connection Times (ms)"),
        passes("min mean[+/-sd] median max"),
        passes("{_:w}: {n} {n} {_:f} {n} {n}"),
        passes("Percentage of the requests {*}"),
        passes("{pct} {n}"),
        passes("{pct} {n} (longest request)"),
    ],
    ..PLAIN
};

/// `src/h2load.cc`: powers of 1024, and beside them all bytes.
static H2LOAD: Tool = Tool {
    name: "h2load",
    programs: &["h2load"],
    kilo: Kilo::Binary,
    ends: |typed| typed.of_url(&["-n", "-c", "-m", "-t", "-D", "-T", "-w", "-W", "-d", "-i"]),
    rows: &[
        begins("starting benchmark..."),
        sets("finished in {dur}, {_:f} req/s, {_:w}").opening(),
        tells("traffic: {_:w} ({B}) total, {*}").fetched(),
        passes("spawning thread #{n}: {*}"),
        passes("progress: {*}"),
        passes("TLS Protocol: {*}"),
        passes("Cipher: {*}"),
        passes("Server Temp Key: {*}"),
        passes("Application protocol: {*}"),
        passes("requests: {n} total, {*}"),
        passes("status codes: {*}"),
        passes("UDP datagram: {*}"),
        passes("min max mean{*}"),
        passes("time for {*}"),
        passes("time to {*}"),
        passes("req/s {*}"),
    ],
    ..PLAIN
};

/// `src/units.c`: powers of 1024. It counts what came back, heads and bodies.
static WRK: Tool = Tool {
    name: "wrk",
    programs: &["wrk", "wrk2"],
    kilo: Kilo::Binary,
    ends: |typed| typed.of_url(&[]),
    rows: &[
        begins("Running {_:w} test @ {url:u}").fetched(),
        sets("{n} threads and {streams:n} connections"),
        tells("{n} requests in {dur}, {size} read"),
        passes("Thread Stats Avg Stdev Max +/- Stdev"),
        passes("Latency Distribution{*}"),
        passes("Latency {*}"),
        passes("Req/Sec {*}"),
        passes("{pct} {_:w}"),
        passes("Socket errors: {*}"),
        passes("Non-2xx or 3xx responses: {n}"),
        passes("Requests/sec: {*}"),
        passes("Transfer/sec: {*}"),
    ],
    ..PLAIN
};
