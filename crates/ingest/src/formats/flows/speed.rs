//! Tests against servers of the internet: speedtest.net, M-Lab, LibreSpeed, fast.com.

use super::tool::{Tool, begins, format_of, passes, progress, sets, tells};
use super::typed::Ends;
use crate::block::Format;
use crate::units::Kilo;
use evidence::Node;

pub(crate) static FORMAT: Format = format_of!(
    TOOLS,
    name: "speed tests",
    reads: "speedtest (Ookla), speedtest-cli (also --simple), ndt7-client, ndt5-client, librespeed-cli, fast; downloads come from the server",
    first: "SRPUDsdunlf0-9"
);

static TOOLS: &[&Tool] = &[&OOKLA, &NDT, &FAST];

fn local(typed: &super::typed::Typed<'_>) -> Ends {
    Ends {
        local: typed.device.map(Node::named).unwrap_or_default(),
        ..Ends::default()
    }
}

/// All count bits of 1000. Ookla's own, Sivel's speedtest-cli and LibreSpeed share their words.
static OOKLA: Tool = Tool {
    name: "speedtest",
    programs: &["speedtest", "speedtest-cli", "librespeed-cli"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    least_bytes: 1,
    needs_command: false,
    mark: "",
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
        sets("Hosted by {host:*} [{_:size}]: {_:size}"),
        sets("Selected server: {host:*} [{_:w}]"),
        passes("Using {*} server: {*}"),
        passes("You're testing from: {*}"),
        passes("ISP: {*}"),
        passes("Idle Latency: {*}"),
        passes("Latency: {*}"),
        passes("Ping: {_:f} ms{*}").opening(),
        passes("{_:f} ms (jitter: {*}"),
        tells("Download rate: {rate}").fetched().opening(),
        tells("Upload rate: {rate}").sent(),
        tells("Download: {rate} (data used: {size} )").fetched().opening(),
        tells("Download: {rate} (data used: {size}){*}")
            .fetched()
            .opening(),
        tells("Upload: {rate} (data used: {size}){*}").sent(),
        tells("Download: {rate}").fetched().opening(),
        tells("Upload: {rate}").sent().opening(),
        passes("Testing download speed{*}"),
        passes("Testing upload speed{*}"),
        passes("Packet Loss: {*}"),
        passes("Result URL: {*}"),
        passes("Share results: {*}"),
    ],
};

/// M-Lab: megabits of 1000^2.
static NDT: Tool = Tool {
    name: "ndt7",
    programs: &["ndt7-client", "ndt5-client", "ndt7"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    least_bytes: 1,
    needs_command: false,
    mark: "",
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
        // Of the download alone: where the line of that is lost it would be taken for the upload's.
        passes("Latency: {*}"),
        passes("MinRTT: {*}"),
        tells("Download: {rate}").fetched(),
        tells("Upload: {rate}").sent(),
        begins("Download").fetched(),
        begins("Upload").sent(),
        progress("Throughput: {rate}"),
        passes("Retransmission: {*}"),
        passes("DownloadRetrans: {*}"),
    ],
};

static FAST: Tool = Tool {
    name: "fast",
    programs: &["fast", "fast-cli"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: local,
    least_bytes: 1,
    needs_command: false,
    mark: "Mbps \u{2193}",
    speaks: false,
    rows: &[
        tells("{rate} \u{2193}").fetched().opening(),
        tells("{rate} \u{2193} / {_:rate} \u{2191}").fetched().opening(),
        tells("{rate} \u{2191}").sent(),
        tells("{rate}").fetched(),
    ],
};
