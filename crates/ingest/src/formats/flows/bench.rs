//! What measures from memory to memory and prints a line or two: qperf, sockperf, uperf.

use super::tool::{PLAIN, Tool, begins, ends, fails, format_of, passes, probed, progress, sets, tells};
use super::typed::{Ends, Typed, Way};
use crate::format::Format;
use crate::host::host;
use crate::units::Kilo;
use evidence::Node;

pub(crate) static FORMAT: Format = format_of!(
    TOOLS,
    name: "memory to memory",
    reads: "qperf, sockperf (throughput, latency), uperf's total, ib_send_bw and its like (the largest message)",
    first: "qstuTbiRS#"
);

static TOOLS: &[&Tool] = &[&QPERF, &SOCKPERF, &UPERF, &PERFTEST];

/// The client sends; the server is the word that these options name, or the first that is none.
fn to_server(typed: &Typed<'_>, option: &str) -> Ends {
    let named = typed.words.iter().position(|word| *word == option);
    let behind = named.and_then(|place| typed.words.get(place + 1)).copied();
    let server = if option.is_empty() {
        typed.plain(&[]).into_iter().next()
    } else {
        behind
    };
    Ends {
        local: typed.device.map(Node::named).unwrap_or_default(),
        remote: server.map(host).unwrap_or_default(),
        way: Some(Way::Sent),
        ..Ends::default()
    }
}

/// qperf counts in powers of 1000. Its latency is of one way, half of what it measured.
static QPERF: Tool = Tool {
    name: "qperf",
    programs: &["qperf"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: |typed| to_server(typed, ""),
    rows: &[
        begins("tcp_bw:").sent(),
        begins("udp_bw:").sent(),
        begins("sctp_bw:").sent(),
        begins("rds_bw:").sent(),
        begins("tcp_lat:"),
        begins("udp_lat:"),
        tells("bw = {arrived:rate}"),
        sets("send_bw = {left:rate}"),
        tells("recv_bw = {arrived:rate}"),
        probed("latency = {half:dur}"),
        passes("latency = {*}"),
        passes("msg_rate = {*}"),
        passes("msg_size = {*}"),
        passes("time = {*}"),
        passes("timeout = {*}"),
        passes("send_cost = {*}"),
        passes("recv_cost = {*}"),
        passes("send_cpus_used = {*}"),
        passes("recv_cpus_used = {*}"),
        fails("qperf: {*}"),
        fails("failed to {*}"),
    ],
    ..PLAIN
};

/// `src/client.cpp`: MBps is 2^20 bytes; the bits in brackets are of the same, so the bytes are what counts.
static SOCKPERF: Tool = Tool {
    name: "sockperf",
    programs: &["sockperf"],
    is_application: false,
    kilo: Kilo::Binary,
    ends: |typed| to_server(typed, "-i"),
    mark: "sockperf",
    rows: &[
        begins("sockperf: == version {*}"),
        ends("sockperf: Summary: BandWidth is {left:rate} ({_:f} Mbps)")
            .sent()
            .opening(),
        ends("sockperf: Summary: BandWidth is {left:rate}")
            .sent()
            .opening(),
        // Without --full-rtt it is half of what a message took there and back.
        probed("sockperf: Summary: Latency is {half:dur}").opening(),
        probed("sockperf: Summary: Round trip is {echo:dur}").opening(),
        passes("sockperf: {*}").opening(),
        passes("sockperf[CLIENT] {*}").opening(),
        passes("[~{n}] IP = {*}"),
    ],
    ..PLAIN
};

/// perftest over RDMA. The mean over the run is the fourth column, in the unit that the heading tells: MB are 2^20 bytes. With `-a` each
/// size of message has a row, and small ones say what the card does with messages: the last, largest one stands.
static PERFTEST: Tool = Tool {
    name: "perftest",
    programs: &["ib_send_bw", "ib_write_bw", "ib_read_bw"],
    is_application: false,
    kilo: Kilo::Binary,
    ends: |typed| {
        let valued = [
            "-d",
            "-i",
            "-p",
            "-s",
            "-n",
            "-D",
            "-q",
            "-x",
            "-m",
            "-t",
            "-S",
            "-u",
            "-Q",
            "-l",
            "-R",
            "-c",
            "--ib-dev",
            "--ib-port",
            "--port",
            "--size",
            "--iters",
            "--duration",
            "--qp",
            "--gid-index",
            "--mtu",
            "--tx-depth",
            "--sl",
        ];
        let server = typed.plain(&valued).into_iter().next();
        let reads = typed.program == "ib_read_bw";
        Ends {
            local: typed.device.map(Node::named).unwrap_or_default(),
            remote: server.map(host).unwrap_or_default(),
            way: server.map(|_| if reads { Way::Fetched } else { Way::Sent }),
            stays: typed.has(&["-b", "--bidirectional"]),
            ..Ends::default()
        }
    },
    speaks: true,
    rows: &[
        begins("#bytes #iterations BW peak[{unit:w}] BW average[{_:w}] MsgRate[Mpps]"),
        begins("#bytes #iterations BW peak[{unit:w}] BW average[{_:w}]"),
        progress("{n} {n} {_:f} {amount:f} {_:f}"),
        passes("---{*}"),
        // `-b`: its rates are sums of both ways.
        sets("{both:w} Bidirectional BW Test").opening(),
        sets("{both:w} Bidirectional BW Test {*}").opening(),
        passes("{_:w} {_:w} BW Test"),
        passes("RDMA_{*} BW Test"),
        passes("Send BW Test"),
        passes("Dual-port : {*}"),
        passes("Number of qps : {*}"),
        passes("Connection type : {*}"),
        passes("TX depth : {*}"),
        passes("RX depth : {*}"),
        passes("CQ Moderation : {*}"),
        passes("Mtu : {*}"),
        passes("Link type : {*}"),
        passes("GID index : {*}"),
        passes("Max inline data : {*}"),
        passes("rdma_cm QPs : {*}"),
        passes("Data ex. method : {*}"),
        passes("local address: {*}"),
        passes("remote address: {*}"),
        passes("GID: {*}"),
        fails("Couldn't {*}"),
        fails("Unable to {*}"),
    ],
    ..PLAIN
};

static UPERF: Tool = Tool {
    name: "uperf",
    programs: &["uperf"],
    is_application: false,
    kilo: Kilo::Binary,
    ends: |_| Ends::default(),
    rows: &[
        passes("Starting {n} threads running profile:{*}"),
        passes("Txn{n} {size} / {s}(s) = {*}"),
        passes("---{*}"),
        ends("Total {size} / {s}(s) = {rate} {*}").opening(),
    ],
    ..PLAIN
};
