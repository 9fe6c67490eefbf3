//! The real `iperf3 -c` with our server over loopback: both say the same of every kind of test.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail here")]

use net::Watch;
use net::far_end::{Iperf3Clients, Limits, MetricsAt, Server, ServerConfig, Token};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

type Entries = Arc<Mutex<Vec<Value>>>;

/// A server on loopback that ends when dropped.
struct Serving {
    address: SocketAddr,
    directory: tempfile::TempDir,
    /// The audit.
    entries: Entries,
    cancel: CancellationToken,
    _runtime: tokio::runtime::Runtime,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// `None`, loudly, where there is no iperf3.
fn serve(test: &str, address: &str, allow: &str, limits: Limits) -> Option<Serving> {
    if Command::new("iperf3").arg("--version").output().is_err() {
        println!("SKIPPED {test}: iperf3 is not installed");
        return None;
    }
    let token = Token::read("slowpath_0d9e7f3b52c8461ab90e6d17f42c83a5b1d6e094d088cc29").unwrap();
    let listen: SocketAddr = SocketAddr::new(address.parse().unwrap(), 0);
    let directory = tempfile::tempdir().unwrap();
    let entries: Entries = Arc::default();
    let written = entries.clone();
    let config = ServerConfig {
        limits,
        iperf3: Some(Iperf3Clients {
            port: 0,
            allow: vec![allow.parse().unwrap()],
        }),
        audit: Some(Arc::new(move |entry| {
            written.lock().unwrap().push(serde_json::to_value(entry).unwrap());
        })),
        metrics: Some(MetricsAt::Unix(directory.path().join("metrics.sock"))),
        ..ServerConfig::new(vec![listen], token)
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = Server::bind(config).unwrap();
    let address = server.iperf3_addresses()[0];
    let cancel = CancellationToken::new();
    runtime.spawn(server.run(Watch::new(cancel.clone(), |told| {
        println!("server: {}", told.text)
    })));
    Some(Serving {
        address,
        directory,
        entries,
        cancel,
        _runtime: runtime,
    })
}

fn iperf3(serving: &Serving, args: &[&str]) -> Output {
    Command::new("iperf3")
        .args(["-J", "-c", &serving.address.ip().to_string()])
        .args(["-p", &serving.address.port().to_string()])
        .args(args)
        .output()
        .unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The document of a test that went well.
#[track_caller]
fn tested(serving: &Serving, args: &[&str]) -> Value {
    let output = iperf3(serving, args);
    let document = document(&output);
    assert!(document["error"].is_null(), "{args:?}: {}", document["error"]);
    document
}

fn sum(document: &Value, name: &str, figure: &str) -> f64 {
    document["end"][name][figure]
        .as_f64()
        .unwrap_or_else(|| panic!("{name} {figure} {:#}", document["end"]))
}

/// The most that one connection's buffers hold at both ends (tcp(7), `tcp_rmem` and `tcp_wmem`).
fn buffered_most() -> f64 {
    let most = |name: &str| -> f64 {
        let text = std::fs::read_to_string(format!("/proc/sys/net/ipv4/{name}")).unwrap();
        text.split_whitespace().last().unwrap().parse().unwrap()
    };
    most("tcp_rmem") + most("tcp_wmem")
}

/// What was received is what was sent, but for what stood in the buffers of loopback at the end.
#[track_caller]
fn agrees(document: &Value, least: f64, what: &str) {
    let (sent, received) = (
        sum(document, "sum_sent", "bytes"),
        sum(document, "sum_received", "bytes"),
    );
    let streams = document["start"]["test_start"]["num_streams"].as_f64().unwrap();
    assert!(
        received > least && received <= sent + 1.0 && sent - received <= streams * buffered_most(),
        "{what}: {sent} sent, {received} received"
    );
}

#[test]
fn tcp_tests_of_every_kind_are_served() {
    for address in ["127.0.0.1", "::1"] {
        let Some(serving) = serve("iperf3 -c, TCP", address, "any", Limits::default()) else {
            return;
        };
        for args in [
            &["-t", "1"][..],
            &["-t", "1", "-R"],
            &["-t", "1", "-P", "8"],
            &["-t", "1", "-P", "8", "-R"],
            &["-t", "1", "-w", "128K", "-M", "1200", "-C", "cubic"],
        ] {
            let document = tested(&serving, args);
            agrees(&document, 1e6, &args.join(" "));
            let sender = &document["end"]["sum_sent"]["retransmits"];
            assert!(sender.as_u64().is_some(), "{args:?}: {:#}", document["end"]);
        }
        // Each end leaves the beginning out by its own clock, and a busy machine's clocks are read late: rates are compared,
        // of a stream that is slower than any machine, so that they are the stream's and not the machine's of that moment.
        for args in [
            &["-t", "2", "-O", "1", "-b", "40M", "-R"][..],
            &["-t", "2", "-O", "1", "-b", "40M"],
        ] {
            let document = tested(&serving, args);
            let rate = |name| sum(&document, name, "bits_per_second");
            let (sent, received) = (rate("sum_sent"), rate("sum_received"));
            assert!(
                (0.7..1.4).contains(&(sent / received)),
                "{args:?}: {sent} {received}"
            );
        }
        let both = tested(&serving, &["-t", "1", "--bidir"]);
        agrees(&both, 1e6, "--bidir");
        assert!(sum(&both, "sum_received_bidir_reverse", "bytes") > 1e6);
    }
}

/// The page of metrics, from a socket in the file system.
fn metrics(serving: &Serving) -> String {
    let mut stream = UnixStream::connect(serving.directory.path().join("metrics.sock")).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn the_owner_reads_of_each_test() {
    let limits = Limits {
        max_duration_ms: 5_000,
        ..Limits::default()
    };
    let Some(serving) = serve("iperf3 -c, audit", "127.0.0.1", "any", limits) else {
        return;
    };
    let received = sum(
        &tested(&serving, &["-n", "20M", "-P", "2"]),
        "sum_received",
        "bytes",
    );
    tested(&serving, &["-t", "1", "-u", "-R", "-b", "5M"]);
    let refused = document(&iperf3(&serving, &["-t", "60"]));
    assert!(refused["error"].is_string(), "{refused}");
    // A line is written when a test is over here, and its client may be earlier.
    let until = Instant::now() + Duration::from_secs(60);
    while serving.entries.lock().unwrap().len() < 3 {
        assert!(Instant::now() < until, "{:?}", serving.entries);
        std::thread::sleep(Duration::from_millis(20));
    }
    let entries = serving.entries.lock().unwrap().clone();
    for entry in &entries {
        assert_eq!(
            (&entry["event"], &entry["holder"], &entry["from"]),
            (&"asked".into(), &"".into(), &"127.0.0.1".into())
        );
        assert!(
            entry["asked"]["client"]
                .as_str()
                .unwrap()
                .starts_with("iperf3 3."),
            "{entry}"
        );
    }
    let [tcp, udp, long] = &entries[..] else {
        panic!("{entries:?}")
    };
    assert_eq!(
        (&tcp["asked"]["test"], &tcp["asked"]["streams"], &tcp["outcome"]),
        (&"tcp".into(), &2.into(), &"granted".into())
    );
    let counted = tcp["bytes"].as_f64().unwrap();
    assert!((0.8..1.3).contains(&(counted / received)), "{counted} {received}");
    assert_eq!(
        (&udp["asked"]["test"], &udp["asked"]["far_end_sends"]),
        (&"udp".into(), &true.into())
    );
    assert_eq!(long["outcome"], "refused");
    assert!(long["why"].as_str().unwrap().contains("longer test"), "{long}");
    let page = metrics(&serving);
    for line in [
        "slowpath_tests_total{outcome=\"granted\"} 2",
        "slowpath_tests_total{outcome=\"refused\"} 1",
    ] {
        assert!(page.contains(line), "{page}");
    }
    let bytes = page
        .lines()
        .find_map(|line| line.strip_prefix("slowpath_iperf3_bytes_total "));
    assert!(bytes.unwrap().parse::<f64>().unwrap() > counted, "{page}");
}

#[test]
fn an_amount_is_counted_to_the_byte_by_both() {
    let Some(serving) = serve("iperf3 -c -n", "127.0.0.1", "any", Limits::default()) else {
        return;
    };
    for args in [&["-n", "20M"][..], &["-n", "20M", "-R"], &["-k", "100"]] {
        let document = tested(&serving, args);
        assert!(sum(&document, "sum_sent", "bytes") >= 13e6, "{args:?}");
        agrees(&document, 0.0, &args.join(" "));
    }
}

/// UDP packets that this machine dropped as their reader was late (`RcvbufErrors`).
fn dropped_here() -> f64 {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/net/{name}")).unwrap();
    let (snmp, snmp6) = (read("snmp"), read("snmp6"));
    let mut udp = snmp
        .lines()
        .filter_map(|line| line.strip_prefix("Udp: "))
        .map(str::split_whitespace);
    let (names, values) = (udp.next().unwrap(), udp.next().unwrap());
    let of_ipv4 = names.zip(values).find(|(name, _)| *name == "RcvbufErrors");
    let of_ipv6 = snmp6
        .lines()
        .find_map(|line| line.strip_prefix("Udp6RcvbufErrors"));
    [of_ipv4.unwrap().1, of_ipv6.unwrap()]
        .iter()
        .map(|count| count.trim().parse::<f64>().unwrap())
        .sum()
}

#[test]
fn udp_packets_are_counted_as_iperf3_counts_them() {
    for address in ["127.0.0.1", "::1"] {
        let Some(serving) = serve("iperf3 -c -u", address, "any", Limits::default()) else {
            return;
        };
        for args in [
            &["-u", "-b", "20M", "-t", "1", "-l", "1400"][..],
            &["-u", "-b", "20M", "-t", "1", "-l", "1400", "-R"],
            &["-u", "-b", "20M", "-t", "1", "-l", "1400", "-O", "1"],
            &["-u", "-b", "5M", "-t", "1", "-P", "3", "-l", "500"],
        ] {
            let dropped_before = dropped_here();
            let document = tested(&serving, args);
            let streams = args.iter().position(|arg| *arg == "-P").map_or(1.0, |_| 3.0);
            let rate: f64 = if args.contains(&"20M") { 20e6 } else { 5e6 };
            let told = sum(&document, "sum", "bits_per_second");
            // A sender that the machine kept waiting for long does not make up for it.
            assert!(told < 1.05 * rate * streams, "{args:?}: {told}");
            let lost = sum(&document, "sum", "lost_packets");
            assert!(
                lost <= dropped_here() - dropped_before,
                "{args:?}: {:#}",
                document["end"]["sum"]
            );
            assert!(sum(&document, "sum", "packets") > 100.0, "{args:?}");
        }
    }
}

#[test]
fn others_are_not_answered_and_a_second_one_is_told_that_it_is_busy() {
    let Some(serving) = serve(
        "iperf3 -c, strangers",
        "127.0.0.1",
        "127.0.0.1",
        Limits::default(),
    ) else {
        return;
    };
    let stranger = iperf3(&serving, &["-t", "1", "-B", "127.0.0.9"]);
    assert!(
        document(&stranger)["error"].is_string(),
        "{}",
        document(&stranger)
    );
    let mut first = Command::new("iperf3")
        .args(["-c", &serving.address.ip().to_string()])
        .args(["-p", &serving.address.port().to_string()])
        .args(["-t", "4", "-i", "0.1", "--forceflush"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    let under_way = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("bits/sec")));
    assert!(under_way.is_some());
    let busy = document(&iperf3(&serving, &["-t", "1"]))["error"].to_string();
    assert!(busy.contains("busy"), "{busy}");
    lines.for_each(drop);
    assert!(first.wait().unwrap().success());
    // A connection that says nothing, and one that says nonsense, keep nobody out.
    let _silent = TcpStream::connect(serving.address).unwrap();
    let mut nonsense = TcpStream::connect(serving.address).unwrap();
    nonsense.write_all(&[b'x'; 200]).unwrap();
    let began = Instant::now();
    while !document(&iperf3(&serving, &["-t", "1"]))["error"].is_null() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "nobody is served any more"
        );
    }
}

#[test]
fn limits_hold_for_stock_clients() {
    let limits = Limits {
        max_rate_bps: Some(50e6),
        max_duration_ms: 3_000,
        max_bytes: None,
    };
    let Some(serving) = serve("iperf3 -c, limits", "127.0.0.1", "any", limits) else {
        return;
    };
    for (args, told) in [
        (&["-t", "5"][..], "duration"),
        (&["-t", "1", "-P", "100"], "parallel streams"),
        (&["-u", "-b", "100M", "-t", "1"], "bandwidth"),
    ] {
        let output = iperf3(&serving, args);
        let error = document(&output)["error"].to_string();
        assert!(error.contains(told), "{args:?}: {error}");
    }
    for args in [&["-t", "2"][..], &["-t", "2", "-R"]] {
        let rate = sum(&tested(&serving, args), "sum_received", "bits_per_second");
        assert!((20e6..70e6).contains(&rate), "{args:?}: {rate}");
    }
}
