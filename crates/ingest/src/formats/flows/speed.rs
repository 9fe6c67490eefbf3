//! Tests against servers of the internet: speedtest.net, M-Lab, LibreSpeed, fast.com.

use super::bandwidth_test::BANDWIDTH_TEST;
use super::tool::{
    PLAIN, Tool, adds, begins, format_of, passes, probed, probed_idle, probed_under_load, progress, sets,
    tells, tells_both,
};
use super::typed::{Ends, Way};
use crate::format::Format;
use crate::units::Kilo;
use evidence::Node;

pub(crate) static FORMAT: Format = format_of!(
    TOOLS,
    name: "speed tests",
    reads: "speedtest (Ookla), speedtest-cli (also --simple, its lines joined), speedtest-go, ndt7-client, ndt5-client, librespeed-cli, fast, speed-cloudflare-cli, networkQuality of macOS, goresponsiveness, speed-test, RouterOS `/tool bandwidth-test`; downloads come from the server",
    first: "=SRPUDIOWCsdunlfrt0-9\u{1F60A}✓"
);

static TOOLS: &[&Tool] = &[
    &SPEEDTEST_GO,
    &OOKLA,
    &NDT,
    &FAST,
    &NETWORK_QUALITY,
    &GORESPONSIVENESS,
    &SPEED_TEST,
    &CLOUDFLARE,
    &BANDWIDTH_TEST,
    &CHECK_PING,
];

fn local(typed: &super::typed::Typed<'_>) -> Ends {
    Ends {
        local: typed.device.map(Node::named).unwrap_or_default(),
        ..Ends::default()
    }
}

/// What Nagios' `check_ping` and `check_icmp` found out: their own pings, of which the last line alone is printed.
static CHECK_PING: Tool = Tool {
    name: "check_ping",
    programs: &["check_ping", "check_icmp", "check_fping"],
    is_application: false,
    ends: |typed| {
        let named = typed.words.iter().position(|word| *word == "-H");
        let remote = named.and_then(|at| typed.words.get(at + 1));
        Ends {
            remote: remote.map(|word| crate::host::host(word)).unwrap_or_default(),
            way: Some(Way::Sent),
            ..local(typed)
        }
    },
    rows: &[
        probed("PING {_:w} - Packet loss = {lost:pct}, RTA = {echo_ms:f} ms|{*}").opening(),
        probed("PING {_:w} - Packet loss = {lost:pct}, RTA = {echo_ms:f} ms").opening(),
        probed("PING {_:w} - Packet loss = {lost:pct}|{*}").opening(),
        probed("PING {_:w} - DUPLICATES FOUND! Packet loss = {lost:pct}, RTA = {echo_ms:f} ms|{*}").opening(),
        probed("{_:w} - {host:w}: rta {echo_ms:f}ms, lost {lost:pct}|{*}").opening(),
        probed("{_:w} - {host:w} rta {echo_ms:f}ms, lost {lost:pct}|{*}").opening(),
        probed("{_:w} - {host:w}: rta nan, lost {lost:pct}|{*}").opening(),
    ],
    ..PLAIN
};

/// <https://github.com/showwin/speedtest-go>: bits of 1000. The times beside a rate are of probes under its load.
static SPEEDTEST_GO: Tool = Tool {
    name: "speedtest-go",
    programs: &["speedtest-go"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    rows: &[
        begins("speedtest-go v{*}"),
        begins("\u{1F60A} speedtest-go v{*}"),
        passes("✓ ISP: {*}"),
        passes("✓ Found {*}"),
        begins("✓ Test Server: [{_:n}] {_:w} {*} by {host:*}"),
        begins("✓ Test Server: {*}"),
        probed_idle("✓ Latency: {echo:dur} Jitter: {_:dur} Min: {low:dur} Max: {high:dur}"),
        passes("✓ Packet Loss Analyzer: {*}"),
        tells("✓ Download: {rate} (Used: {size}) (Latency: {echo:dur} Jitter: {_:dur} Min: {low:dur} Max: {high:dur})")
            .fetched()
            .with_probes(),
        tells("✓ Upload: {rate} (Used: {size}) (Latency: {echo:dur} Jitter: {_:dur} Min: {low:dur} Max: {high:dur})")
            .sent()
            .with_probes(),
        tells("✓ Download: {rate} (Used: {size})").fetched(),
        tells("✓ Upload: {rate} (Used: {size})").sent(),
        // Up to 1.6.
        tells("✓ Download: {rate} (used: {size}) (latency: {echo:dur} jitter: {_:dur} min: {low:dur} max: {high:dur})")
            .fetched()
            .with_probes(),
        tells("✓ Upload: {rate} (used: {size}) (latency: {echo:dur} jitter: {_:dur} min: {low:dur} max: {high:dur})")
            .sent()
            .with_probes(),
        tells("✓ Download: {rate} (used: {size})").fetched(),
        tells("✓ Upload: {rate} (used: {size})").sent(),
        probed("✓ Packet Loss: {lost:pct} (Sent: {*}"),
        passes("✓ Packet Loss: {*}"),
    ],
    ..PLAIN
};

/// All count bits of 1000. Ookla's own, Sivel's speedtest-cli and LibreSpeed share their words.
static OOKLA: Tool = Tool {
    name: "speedtest",
    programs: &["speedtest", "speedtest-cli", "librespeed-cli"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    speaks: true,
    rows: &[
        passes("Speedtest by Ookla").opening(),
        begins("Retrieving speedtest.net configuration..."),
        begins("Retrieving server information from librespeed.org"),
        begins("Retrieving server list from {*}"),
        passes("Retrieving speedtest.net server list..."),
        passes("Testing from {*}"),
        passes("Selecting best server based on {*}"),
        begins("Server: {host:*} (id: {n})"),
        begins("Server: {host:*} (id = {n})"),
        probed("Hosted by {host:*} [{_:size}]: {echo:dur}"),
        // As it prints names that are no ASCII under Python 2.
        probed("b'Hosted by {host:*} [{_:size}]: {echo:dur}'"),
        sets("Selected server: {host:*} [{_:w}]"),
        passes("Using {*} server: {*}"),
        passes("You're testing from: {*}"),
        passes("ISP: {*}"),
        probed_idle("Idle Latency: {echo:dur} (jitter: {_:dur}, low: {low:dur}, high: {high:dur})").opening(),
        probed_idle("Idle Latency: {echo:dur} (jitter: {*}").opening(),
        probed_idle("Latency: {echo:dur} (jitter: {*}"),
        probed_idle("Latency: {echo:dur} ({_:dur} jitter)"),
        passes("Latency: {*}"),
        // The lines of `--simple` in one, as scripts join them for a log, with what they know of it in front.
        tells_both("Ping: {echo:dur} Download: {downrate:rate} Upload: {uprate:rate}")
            .with_probes()
            .opening()
            .first(),
        tells_both("{*}Ping: {echo:dur},~Download: {downrate:rate},~Upload: {uprate:rate}")
            .with_probes()
            .opening()
            .first(),
        // `--simple` begins with it, and names no server.
        probed_idle("Ping: {echo:dur}").opening().first(),
        probed_idle("Ping: {echo:dur} Jitter: {*}").opening(),
        // SpeedTest++ ends a sentence.
        probed_idle("Ping: {echo:dur}.").opening().first(),
        passes("Jitter: {*}"),
        passes("Determine line type {*}"),
        passes("{*} line type detected: {*}"),
        // In somebody's own words.
        tells("Down: {rate}").fetched(),
        tells("Up: {rate}").sent(),
        probed_under_load("{echo:dur} (jitter: {_:dur}, low: {low:dur}, high: {high:dur})"),
        probed_under_load("{echo:dur} (jitter: {*}"),
        tells("Download rate: {rate}").fetched().opening(),
        tells("Upload rate: {rate}").sent(),
        tells("Download: {rate} (data used: {size}~){*}")
            .fetched()
            .opening(),
        tells("Upload: {rate} (data used: {size}~){*}").sent().opening(),
        tells("Download: {rate}").fetched().opening(),
        tells("Upload: {rate}").sent().opening(),
        passes("Testing download speed{*}"),
        passes("Testing upload speed{*}"),
        probed("Packet Loss: {lost:pct}"),
        passes("Packet Loss: {*}"),
        passes("Result URL: {*}"),
        passes("Share results: {*}"),
    ],
    ..PLAIN
};

/// M-Lab: megabits of 1000^2.
static NDT: Tool = Tool {
    name: "ndt7",
    programs: &["ndt7-client", "ndt5-client", "ndt7"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    speaks: true,
    rows: &[
        passes("download in progress with {host:w}").opening(),
        passes("upload in progress with {host:w}").opening(),
        passes("Avg. speed : {_:rate}"),
        passes("download: complete"),
        passes("upload: complete"),
        passes("Test results"),
        begins("Server: {host:w}"),
        sets("Client: {local:w}"),
        // The shortest round trip that TCP saw while data were fetched.
        probed("Latency: {low:dur}"),
        probed("MinRTT: {low:dur}"),
        tells("Download: {rate}").fetched(),
        tells("Upload: {rate}").sent(),
        begins("Download").fetched(),
        begins("Upload").sent(),
        progress("Throughput: {rate}"),
        passes("Retransmission: {*}"),
        passes("DownloadRetrans: {*}"),
    ],
    ..PLAIN
};

/// macOS: the round trips under load are told by how many of them fit into a minute, one behind the other.
static NETWORK_QUALITY: Tool = Tool {
    name: "networkQuality",
    programs: &["networkQuality", "networkquality"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    speaks: true,
    rows: &[
        passes("==== SUMMARY ====").opening(),
        passes("Current download capacity: {*}"),
        tells("Uplink capacity: {rate}").sent().opening(),
        tells("Uplink capacity: {rate} ({*}").sent().opening(),
        tells("Downlink capacity: {rate}").fetched().opening(),
        tells("Downlink capacity: {rate} ({*}").fetched().opening(),
        tells("Upload capacity: {rate}").sent().opening(),
        tells("Download capacity: {rate}").fetched().opening(),
        probed_under_load("Responsiveness: {_:w} ({rpm:n} RPM){*}"),
        probed_under_load("Uplink Responsiveness: {_:w} ({rpm:n} RPM){*}"),
        probed_under_load("Downlink Responsiveness: {_:w} ({rpm:n} RPM){*}"),
        probed_under_load("Responsiveness: {_:w} ({_:dur} | {rpm:n} RPM){*}"),
        probed_under_load("Uplink Responsiveness: {_:w} ({_:dur} | {rpm:n} RPM){*}"),
        probed_under_load("Downlink Responsiveness: {_:w} ({_:dur} | {rpm:n} RPM){*}"),
        probed_idle("Idle Latency: {echo:dur}"),
        probed_idle("Idle Latency: {echo:dur} ({*}"),
        probed_idle("Idle Latency: {echo:dur} | {*}"),
        passes("Interface: {*}"),
        adds("Uplink bytes transferred: {size}").sent(),
        adds("Downlink bytes transferred: {size}").fetched(),
        passes("Uplink Flow count: {*}"),
        passes("Downlink Flow count: {*}"),
        // macOS 12 and 13.
        probed_idle("Base RTT: {echo_ms:f}"),
        passes("Upload flows: {n}"),
        passes("Download flows: {n}"),
        passes("Start: {*}"),
        passes("End: {*}"),
        passes("OS Version: {*}"),
    ],
    ..PLAIN
};

/// <https://github.com/network-quality/goresponsiveness>: what it moves is in bits and, in brackets, in bytes.
static GORESPONSIVENESS: Tool = Tool {
    name: "goresponsiveness",
    programs: &["goresponsiveness"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    rows: &[
        begins("{_:w} {_:clock} UTC Go Responsiveness to {host:w}:{n}..."),
        tells("Download: {rate} (~{_:rate}, {*}").fetched(),
        tells("Download: {rate} (~{_:rate}), {*}").fetched(),
        tells("Upload: {rate} (~{_:rate}, {*}").sent(),
        tells("Upload: {rate} (~{_:rate}), {*}").sent(),
        passes("Total RTTs measured: {n}"),
        probed_under_load("Total RPM: {rpm:n}"),
        probed_under_load("RPM: {rpm:n}"),
    ],
    ..PLAIN
};

/// <https://github.com/sindresorhus/speed-test>: its names stand to the right, without colons.
static SPEED_TEST: Tool = Tool {
    name: "speed-test",
    programs: &["speed-test"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    rows: &[
        probed_idle("Ping {echo:dur}").opening().first(),
        tells("Download {rate}").fetched(),
        tells("Upload {rate}").sent(),
        passes("Server {_:w}"),
        passes("Location {*}"),
        passes("Distance {*}"),
    ],
    ..PLAIN
};

static FAST: Tool = Tool {
    name: "fast",
    programs: &["fast", "fast-cli"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    mark: "Mbps \u{2193}",
    rows: &[
        tells("{rate} \u{2193}").fetched().opening(),
        tells_both("{downrate:rate} \u{2193} / {uprate:rate} \u{2191}").opening(),
        tells("{rate} \u{2191}").sent(),
        tells("{rate}").fetched(),
    ],
    ..PLAIN
};

/// <https://github.com/KNawm/speed-cloudflare-cli>: bits of 1000. The rate of a way is a quantile of those by size; what it calls latency
/// begins before the name is looked up, and is no round trip.
static CLOUDFLARE: Tool = Tool {
    name: "speed-cloudflare-cli",
    programs: &["speed-cloudflare-cli"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    rows: &[
        begins("Server location: {*} ({_:w})"),
        passes("Your IP: {*}"),
        passes("Latency: {_:dur}"),
        passes("Jitter: {_:dur}"),
        tells("Download speed: {rate}").fetched(),
        tells("Upload speed: {rate}").sent(),
        passes("{_:w} speed: {_:rate}"),
    ],
    ..PLAIN
};
