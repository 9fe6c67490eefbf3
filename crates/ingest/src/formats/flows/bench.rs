//! What measures from memory to memory and prints a line or two: qperf, sockperf, uperf.

use super::esp::ESP;
use super::mpi::{OSU, OSU_LATENCY, UCX, UCX_LATENCY};
use super::tool::{
    PLAIN, Tool, begins, ends, fails, format_of, gathers, passes, probed, progress, sets, tells,
};
use super::typed::{Ends, Typed, Way};
use crate::format::Format;
use crate::host::host;
use crate::units::Kilo;
use evidence::Node;

pub(crate) static FORMAT: Format = format_of!(
    TOOLS,
    name: "memory to memory",
    reads: "qperf, sockperf (throughput, latency), uperf's total, ib_send_bw and its like (the largest message), ib_send_lat and its like (the smallest), OSU micro-benchmarks between two processes, ucx_perftest, lagscope, ttcp and nttcp, the iperf example of ESP-IDF",
    first: "qstuTBbiIlmnRSA#|"
);

static TOOLS: &[&Tool] = &[
    &QPERF,
    &SOCKPERF,
    &UPERF,
    &PERFTEST,
    &PERFTEST_LATENCY,
    &PERFTEST_READ_LATENCY,
    &OSU,
    &OSU_LATENCY,
    &UCX,
    &UCX_LATENCY,
    &TTCP,
    &NTTCP,
    &LAGSCOPE,
    &ESP,
];

/// Options of qperf that have a value (qperf(1)); a long one may have it behind `=`. Those of one end begin with `-l` or `-r`.
static OF_QPERF: &[&str] = &[
    "-ar",
    "-ap",
    "-ca",
    "-cp",
    "-e",
    "-H",
    "-i",
    "-ip",
    "-la",
    "-lca",
    "-li",
    "-lp",
    "-lsl",
    "-m",
    "-mt",
    "-n",
    "-nr",
    "-oo",
    "-p",
    "-ar",
    "-r",
    "-ra",
    "-rca",
    "-ri",
    "-rp",
    "-sb",
    "-sl",
    "-sp",
    "-sr",
    "-t",
    "-to",
    "-ws",
    "--access_recv",
    "--affinity",
    "--cpu_affinity",
    "--cq_poll",
    "--flip",
    "--host",
    "--id",
    "--ip_port",
    "--listen_port",
    "--loop",
    "--msg_size",
    "--mtu_size",
    "--no_msgs",
    "--poll_mode",
    "--port",
    "--precision",
    "--rate",
    "--rd_atomic",
    "--service_level",
    "--sock_buf_size",
    "--src_path_bits",
    "--static_rate",
    "--time",
    "--timeout",
    "--use_cm",
    "--wait_server",
];

/// The client sends; the server is the word that this option names, or the first that is none.
fn to_server(typed: &Typed<'_>, option: &str) -> Ends {
    let named = typed.words.iter().position(|word| *word == option);
    let behind = named.and_then(|place| typed.words.get(place + 1)).copied();
    let server = if option.is_empty() {
        typed.server(OF_QPERF)
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
        passes("conf:"),
        passes("loc_{_:w} = {*}"),
        passes("rem_{_:w} = {*}"),
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

/// The client sends with `-t`; KB are of 1024.
static TTCP: Tool = Tool {
    name: "ttcp",
    programs: &["ttcp"],
    is_application: false,
    kilo: Kilo::Binary,
    ends: |typed| Ends {
        local: typed.device.map(Node::named).unwrap_or_default(),
        ..Ends::default()
    },
    rows: &[
        sets("ttcp-t: buflen={*} -> {host:w}").sent(),
        ends("ttcp-t: {B} bytes in {s} real seconds = {rate} {*}")
            .sent()
            .opening(),
        ends("ttcp-r: {B} bytes in {s} real seconds = {rate} {*}")
            .fetched()
            .opening(),
        passes("ttcp-t: {*}"),
        passes("ttcp-r: {*}"),
    ],
    ..PLAIN
};

/// Both ends tell of one transfer: `l` is here, `1` is there. Its columns have no unit but in their heading.
static NTTCP: Tool = Tool {
    name: "nttcp",
    programs: &["nttcp"],
    is_application: false,
    kilo: Kilo::Thousand,
    ends: |typed| Ends {
        // `-T` prints the title.
        way: Some(if typed.has(&["-r"]) {
            Way::Fetched
        } else {
            Way::Sent
        }),
        ..to_server(typed, "")
    },
    rows: &[
        passes("Bytes Real s CPU s Real-MBit/s CPU-MBit/s Calls Real-C/s CPU-C/s").opening(),
        ends("l~{B} {s} {_:f} {_:f} {_:f} {n} {_:f} {_:f}"),
        passes("1~{n} {_:f} {_:f} {_:f} {_:f} {n} {_:f} {_:f}"),
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
        // Each of several servers has its own account.
        begins("sockperf: ========= Printing statistics for {*}"),
        gathers(
            "sockperf: [Valid Duration] RunTime={_:f} sec; SentMessages={probes:n}; ReceivedMessages={answers:n}",
        ),
        ends("sockperf: Summary: BandWidth is {left:rate} ({_:f} Mbps)")
            .sent()
            .opening(),
        ends("sockperf: Summary: BandWidth is {left:rate}")
            .sent()
            .opening(),
        // Without --full-rtt it is half of what a message took there and back.
        gathers("sockperf: Summary: Latency is {half:dur}").opening(),
        gathers("sockperf: Summary: Round trip is {echo:dur}").opening(),
        // The same, above it.
        gathers("sockperf: ====> avg-rtt=~{echo_us:f} (std-dev{*}"),
        gathers("sockperf: ====> avg-lat=~{half_us:f} (std-dev{*}"),
        gathers("sockperf: ---> <MAX> observation = {high:f}"),
        gathers("sockperf: ---> <MIN> observation = {low:f}"),
        // Newer ones.
        gathers("sockperf: ---> MAX observation = {high:f}"),
        gathers("sockperf: ---> MIN observation = {low:f}"),
        gathers("sockperf: ---> percentile 50.000 = {p50:f}"),
        gathers("sockperf: ---> percentile 90.000 = {p90:f}"),
        gathers("sockperf: ---> percentile 99.000 = {p99:f}"),
        passes("sockperf: {*}").opening(),
        passes("sockperf[CLIENT] {*}").opening(),
        sets("[~{n}] IP = {host:w} PORT = {*}"),
        passes("[~{n}] IP = {*}"),
    ],
    ..PLAIN
};

/// Options of perftest that have a value.
static OF_PERFTEST: &[&str] = &[
    "-A",
    "-D",
    "-I",
    "-Q",
    "-S",
    "-T",
    "-c",
    "-d",
    "-i",
    "-l",
    "-m",
    "-n",
    "-o",
    "-p",
    "-q",
    "-r",
    "-s",
    "-t",
    "-u",
    "-w",
    "-x",
    "-y",
    "--connection",
    "--duration",
    "--gid-index",
    "--ib-dev",
    "--ib-port",
    "--iters",
    "--mtu",
    "--port",
    "--qp",
    "--rx-depth",
    "--size",
    "--sl",
    "--tx-depth",
];

/// The host that perftest's client names, and where the data go.
fn of_perftest(typed: &Typed<'_>, way: Way) -> Ends {
    let server = typed.server(OF_PERFTEST);
    // Options without a value may share a dash: `-ab`.
    let is_glued = |word: &str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        letters.contains('b') && letters.bytes().all(|letter| b"CFHNRUVabehz".contains(&letter))
    };
    Ends {
        local: typed.device.map(Node::named).unwrap_or_default(),
        remote: server.map(host).unwrap_or_default(),
        way: server.map(|_| way),
        is_sum: typed.has(&["--bidirectional"]) || typed.words.iter().any(|word| is_glued(word)),
        ..Ends::default()
    }
}

/// Rows of one of perftest's tools, and those that all of them have: what was set, and why nothing came of it.
macro_rules! perftest {
    ($($row:expr),* $(,)?) => {
        &[
            $($row,)*
            passes("---{*}"),
            passes("Dual-port : {*}"),
            passes("Number of qps : {*}"),
            passes("Connection type : {*}"),
            passes("PCIe relax order: {*}"),
            passes("ibv_wr* API : {*}"),
            passes("Outstand reads : {*}"),
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
            passes("CQE Poll Batch : {*}"),
            passes("Post List : {*}"),
            passes("Conflicting CPU frequency values detected: {*}"),
            passes("WARNING: {*}"),
            fails("Couldn't {*}"),
            fails("Unable to {*}"),
        ]
    };
}

/// perftest over RDMA. The mean over the run is the fourth column, in the unit that the heading tells: MB are 2^20 bytes. With `-a` each
/// size of message has a row, and small ones say what the card does with messages: the last, largest one stands.
static PERFTEST: Tool = Tool {
    name: "perftest",
    programs: &["ib_send_bw", "ib_write_bw", "ib_read_bw"],
    is_application: false,
    kilo: Kilo::Binary,
    ends: |typed| {
        let reads = typed.program == "ib_read_bw";
        of_perftest(typed, if reads { Way::Fetched } else { Way::Sent })
    },
    speaks: true,
    measures: true,
    may_sum: true,
    rows: perftest![
        begins("#bytes {_:w} BW peak[{unit:w}] BW average[{_:w}] MsgRate[Mpps]"),
        begins("#bytes {_:w} BW peak[{unit:w}] BW average[{_:w}]"),
        progress("{message:n} {n} {_:f} {amount:f} {_:f}"),
        // `-b`: its rates are sums of both ways.
        sets("{both:w} Bidirectional BW Test").opening(),
        sets("{both:w} Bidirectional BW Test {*}").opening(),
        sets("{both:w} Bidirectional Post List BW Test").opening(),
        sets("{single:w} BW Test").opening(),
        sets("{single:w} Post List BW Test").opening(),
    ],
    ..PLAIN
};

/// perftest's latencies are half of a round trip. With `-a` each size of message has a row: the first, smallest one tells most of the
/// path.
static PERFTEST_LATENCY: Tool = Tool {
    programs: &["ib_send_lat", "ib_write_lat"],
    rows: perftest![
        begins("RDMA_Write Latency Test"),
        begins("Send Latency Test"),
        passes("#bytes {_:w} t_{*}"),
        probed("{n} {n} {_:f} {_:f} {_:f} {half_us:f} {_:f} {_:f} {_:f}"),
        probed("{n} {n} {half_us:f} {_:f}"),
    ],
    ..LATENCY
};

/// One end reads the other's memory or changes it: that takes a whole round trip.
static PERFTEST_READ_LATENCY: Tool = Tool {
    programs: &["ib_read_lat", "ib_atomic_lat"],
    rows: perftest![
        begins("RDMA_Read Latency Test"),
        begins("Atomic {*} Latency Test"),
        passes("#bytes {_:w} t_{*}"),
        probed("{n} {n} {_:f} {_:f} {_:f} {echo_us:f} {_:f} {_:f} {_:f}"),
        probed("{n} {n} {echo_us:f} {_:f}"),
    ],
    ..LATENCY
};

/// <https://github.com/microsoft/lagscope>: a message there and back over TCP, again and again.
static LAGSCOPE: Tool = Tool {
    name: "lagscope",
    programs: &["lagscope"],
    is_application: false,
    ends: |typed| to_server(typed, "-s"),
    rows: &[
        begins("lagscope {_:w}"),
        passes("---{*}"),
        gathers("{_:clock} INFO: Number of successful Pings: {answers:n}"),
        gathers("{_:clock} INFO: Minimum = {low:f}us, Maximum = {high:f}us, Average = {echo:dur}"),
        sets("{_:clock} INFO: Ping statistics for {host:w}:"),
        passes("{_:clock} INFO: {*}"),
        passes("Percentile Latency(us)"),
        gathers("50% {p50:f}"),
        gathers("90% {p90:f}"),
        gathers("99% {p99:f}"),
        passes("{pct} {f}"),
    ],
    ..PLAIN
};

const LATENCY: Tool = Tool {
    name: "perftest",
    is_application: false,
    ends: |typed| of_perftest(typed, Way::Sent),
    speaks: true,
    measures: true,
    smallest_first: true,
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
