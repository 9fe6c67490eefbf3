//! Both ends work with what is left to them.

use crate::server::{NOBODY, Server, is_root, value};
use evidence::{Ask, Node, Payload, ProbeProtocol, RateBps};
use net::Watch;
use net::far_end::{FarEnd, Side};
use serde_json::Value;
use std::fs;
use std::process::{Child, Stdio};
use std::time::Duration;

/// `CAP_NET_RAW` (linux/capability.h).
const RAW: u64 = 1 << 13;
/// `CAP_NET_ADMIN`.
const ADMIN: u64 = 1 << 12;

fn nodes(vantage: Side) -> (Node, Node) {
    let (here, there) = (Node::named("here"), Node::named("there"));
    match vantage {
        Side::Here => (here, there),
        Side::There => (there, here),
    }
}

async fn perform(far: &FarEnd, ask: &Ask, vantage: Side) -> Payload {
    let done = far.perform(ask, vantage, &Watch::quiet()).await;
    done.unwrap_or_else(|error| panic!("{ask:?}: {error}")).remove(0)
}

async fn transfers_both_ways(far: &FarEnd) {
    for sender in [Side::Here, Side::There] {
        let (from, to) = nodes(sender);
        let tcp = Ask::TcpThroughput {
            from: from.clone(),
            to: to.clone(),
            streams: 2,
            mss_bytes: None,
            socket_buffer_bytes: Some(1 << 20),
            congestion_control: Some("reno".to_owned()),
            max_time_ms: 300,
            max_bytes: None,
            watch_hops: false,
        };
        let udp = Ask::UdpStream {
            from,
            to,
            size_bytes: 1_400,
            rate_bps: RateBps(20e6),
            duration_ms: 300,
        };
        for ask in [tcp, udp] {
            match perform(far, &ask, sender).await {
                // A stream counts packets, a connection bytes.
                Payload::Transfer(transfer) => {
                    let arrived = transfer.packets_received.or(transfer.bytes_received);
                    assert!(arrived > Some(0), "{ask:?}: {arrived:?}");
                }
                other => panic!("{ask:?}: {other:?}"),
            }
        }
    }
}

/// Path probes from the far end: TCP ones exist as raw sockets only.
async fn probes_from_there(far: &FarEnd) {
    let mut protocols = vec![ProbeProtocol::Udp];
    if is_root() {
        protocols.extend([ProbeProtocol::Icmp, ProbeProtocol::TcpSyn]);
    } else {
        println!("SKIPPED raw probes from the far end: not root");
    }
    for protocol in protocols {
        let (from, to) = nodes(Side::There);
        let route = Ask::Route {
            from,
            to,
            protocol,
            flows: 1,
        };
        match perform(far, &route, Side::There).await {
            Payload::Trace(trace) => assert_eq!(trace.reached, Some(true), "{protocol:?}: {trace:?}"),
            other => panic!("{other:?}"),
        }
    }
}

/// Both ends are this host: the restricted one sees of it what this process sees.
async fn the_same_host_from_there(far: &FarEnd) {
    let there = perform(
        far,
        &Ask::HostFacts {
            at: nodes(Side::There).0,
        },
        Side::There,
    )
    .await;
    let Payload::HostFacts(there) = there else {
        panic!("{there:?}");
    };
    let here = net::host::facts([127, 0, 0, 2].into(), None).await.unwrap();
    assert_eq!(there.hostname, here.hostname);
    assert_eq!(there.kernel, here.kernel);
    assert_eq!(there.sysctls, here.sysctls);
    assert_eq!(there.congestion_control, here.congestion_control);
    assert!(there.counters.keys().eq(here.counters.keys()));
    let [there_by, here_by] = [&there.interface, &here.interface].map(|one| one.as_ref().unwrap());
    assert_eq!(there_by.name, here_by.name);
    assert_eq!(there_by.offloads, here_by.offloads);
    assert_eq!(there_by.driver, here_by.driver);
    assert!(there_by.counters.keys().eq(here_by.counters.keys()));
    let [there_cpu, here_cpu] = [&there.cpu, &here.cpu].map(|one| one.as_ref().unwrap());
    assert_eq!(
        (there_cpu.online, &there_cpu.model),
        (here_cpu.online, &here_cpu.model)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restricted_far_end_measures_as_before() {
    let server = Server::start();
    let far = server.client().await;
    transfers_both_ways(&far).await;
    probes_from_there(&far).await;
    the_same_host_from_there(&far).await;
    // Threads came and went meanwhile: those that are there now have what the first was left with.
    let all = |field: &str, wanted: &str| {
        let values = server.of_all_threads(field);
        assert!(values.len() >= 3, "{values:?}");
        assert!(values.iter().all(|value| value == wanted), "{field}: {values:?}");
    };
    all("NoNewPrivs", "1");
    all("Seccomp", "2");
    if is_root() {
        all("Uid", &[NOBODY; 4].map(|id| id.to_string()).join("\t"));
        all("Groups", "");
        all("CapBnd", "0000000000000000");
        all("CapEff", &format!("{RAW:016x}"));
        all("CapPrm", &format!("{RAW:016x}"));
    }
}

/// What the kernel shows of a client while it measures.
fn status_while_measuring(client: &mut Child) -> String {
    let path = format!("/proc/{}/status", client.id());
    loop {
        let status = fs::read_to_string(&path).unwrap();
        if value(&status, "Seccomp") == "2" {
            return status;
        }
        assert!(
            client.try_wait().unwrap().is_none(),
            "it ended unfiltered: {status}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn clients_measure_and_keep_a_case_with_few_rights() {
    let server = Server::start();
    let mut client = server
        .command(&["throughput", "127.0.0.2", "--max-time", "1"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = status_while_measuring(&mut client);
    assert!(client.wait().unwrap().success());
    assert_eq!(value(&status, "NoNewPrivs"), "1");
    if is_root() {
        assert_eq!(value(&status, "CapBnd"), "0000000000000000");
        assert_eq!(value(&status, "CapEff"), format!("{:016x}", RAW | ADMIN));
        assert_eq!(
            value(&status, "Uid").split('\t').next(),
            Some("0"),
            "a client stays the user's"
        );
    }

    let diagnose = [
        "diagnose",
        "127.0.0.2",
        "--max-time",
        "4",
        "--expect",
        "1Mbit/s",
        "--case",
        "a.case",
    ];
    for round in 1..=2 {
        let output = server.command(&diagnose).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{round}: {said}");
    }
    let case = server.directory.path().join("a.case");
    let observations = fs::read_to_string(case.join("observations.jsonl")).unwrap();
    for kind in ["host-facts", "trace", "transfer"] {
        assert!(
            observations.contains(&format!("\"type\":\"{kind}\"")),
            "no {kind} in {observations:.2000}"
        );
    }
    let verdict: Value = serde_json::from_slice(&fs::read(case.join("verdict.json")).unwrap()).unwrap();
    assert_eq!(verdict["rounds"].as_array().unwrap().len(), 2, "{verdict}");
    assert!(case.join("report.html").exists());
}
