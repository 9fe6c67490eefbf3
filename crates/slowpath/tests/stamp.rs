//! `slowpath stamp` against our own reflector on loopback, and against another implementation where there is one.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod common;

use common::Desk;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// `slowpath stamp --reflect` on a port that it chose, killed when dropped.
struct Reflector {
    process: Child,
    port: String,
}

impl Drop for Reflector {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A key of authenticated mode that all programs understand.
const KEY: &str = "00112233445566778899aabbccddeeff";

fn write_key(desk: &Desk, name: &str, key: &str) {
    desk.write(name, key);
    fs::set_permissions(desk.path(name), fs::Permissions::from_mode(0o600)).unwrap();
}

/// Free when asked: somebody else may take it before it is used, so nothing that can choose a port itself is given one.
fn free_port() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.local_addr().unwrap().port().to_string()
}

fn reflect(desk: &Desk, options: &[&str]) -> Reflector {
    let common = ["stamp", "--reflect", "--listen", "127.0.0.1", "--port", "0"];
    let mut process = desk
        .command(&[&common[..], options].concat())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // What was not given up is told first.
    let told = BufReader::new(process.stdout.take().unwrap()).lines();
    let port = told.map_while(Result::ok).find_map(|line| {
        let port = line.strip_prefix("reflecting on 127.0.0.1:")?;
        Some(port.strip_suffix(" (UDP)")?.to_owned())
    });
    Reflector {
        process,
        port: port.expect("a reflector tells its port"),
    }
}

/// A short session with a reflector, as JSON.
fn session(desk: &Desk, port: &str, options: &[&str]) -> Value {
    let common = [
        "stamp",
        "127.0.0.1",
        "--port",
        port,
        "-c",
        "100",
        "-i",
        "0.002",
        "--json",
    ];
    let run = desk.run(&[&common[..], options].concat());
    run.exits(0);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn each_direction_is_counted_and_becomes_evidence() {
    let desk = Desk::new();
    let reflector = reflect(&desk, &["--allow", "127.0.0.0/8"]);
    let seen = session(
        &desk,
        &reflector.port,
        &["--case", "c.case", "--size", "500", "--dscp", "AF11"],
    );
    assert_eq!(seen["counting"], "stateful");
    for way in ["forward", "reverse"] {
        assert_eq!(seen[way]["counts"]["sent"], 100, "{seen}");
        assert_eq!(seen[way]["counts"]["received"], 100, "{seen}");
    }
    assert_eq!(
        (&seen["size_bytes"], &seen["arrived_dscp"]),
        (&500.into(), &10.into())
    );
    assert_eq!(seen["observations"].as_array().unwrap().len(), 3);
    assert_eq!(seen["understood_tlvs"].as_array().unwrap().len(), 4, "{seen}");
    let shown = desk.run(&["case", "show", "c.case", "--records"]);
    assert!(shown.stdout.contains("0 of 100"), "{}", shown.stdout);
}

#[test]
fn people_and_spreadsheets_get_it_too() {
    let desk = Desk::new();
    let reflector = reflect(&desk, &["--allow", "127.0.0.1"]);
    let common = [
        "stamp",
        "127.0.0.1",
        "-p",
        &reflector.port,
        "-c",
        "50",
        "-i",
        "0.002",
    ];
    let run = desk.run(&common);
    let text = &run.exits(0).stdout;
    for part in [
        "forward      0 of 50 lost (95 %: 0 % to ",
        "reverse      0 of 50",
        "RTT",
        "stateful",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let run = desk.run(&[&common[..], &["--csv"]].concat());
    let csv = &run.exits(0).stdout;
    assert_eq!(csv.lines().count(), 51);
    assert!(csv.starts_with("sequence,reflector_sequence,"), "{csv}");
}

#[test]
fn with_a_key_only_holders_of_it_are_answered() {
    let desk = Desk::new();
    write_key(&desk, "ours.key", KEY);
    write_key(&desk, "other.key", "words that are no secret");
    let reflector = reflect(&desk, &["--allow", "127.0.0.1", "--key-file", "ours.key"]);
    let seen = session(&desk, &reflector.port, &["--key-file", "ours.key"]);
    assert_eq!(seen["forward"]["counts"]["received"], 100, "{seen}");
    assert!(seen["understood_tlvs"].to_string().contains("HMAC"), "{seen}");
    for options in [&["--key-file", "other.key"][..], &[]] {
        let common = ["stamp", "127.0.0.1", "-p", &reflector.port, "-c", "5"];
        let run = desk.run(&[&common[..], options].concat());
        run.exits(4);
        assert!(run.stderr.contains("key"), "{}", run.stderr);
    }
}

#[test]
fn strangers_get_no_more_than_they_send() {
    let desk = Desk::new();
    let reflector = reflect(&desk, &["--any", "--max-pps", "20"]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(format!("127.0.0.1:{}", reflector.port)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let mut buffer = [0; 4_096];
    socket.send(&[0; 43]).unwrap();
    for size in [44, 45, 48, 1_000] {
        socket.send(&vec![0; size]).unwrap();
        assert_eq!(
            socket.recv(&mut buffer).unwrap(),
            size,
            "and none came for 43 bytes"
        );
    }
    // An answer, sent back, draws none.
    let answer = buffer[..1_000].to_vec();
    socket.send(&answer).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert!(socket.recv(&mut buffer).is_err());
    // 20 a second, ten at once: a flood of 500 draws no 500.
    for _ in 0..500 {
        socket.send(&[0; 44]).unwrap();
    }
    let answered = (0..500).take_while(|_| socket.recv(&mut buffer).is_ok()).count();
    assert!((1..100).contains(&answered), "{answered}");
}

#[test]
fn a_reflector_keeps_no_capability_and_is_confined() {
    let desk = Desk::new();
    let reflector = reflect(&desk, &["--allow", "127.0.0.1"]);
    let status = fs::read_to_string(format!("/proc/{}/status", reflector.process.id())).unwrap();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or("").trim().to_owned()
    };
    for set in ["CapInh:", "CapPrm:", "CapEff:"] {
        assert_eq!(field(set).trim_matches('0'), "", "{status}");
    }
    assert_eq!(
        (field("NoNewPrivs:").as_str(), field("Seccomp:").as_str()),
        ("1", "2"),
        "{status}"
    );
}

#[test]
fn what_is_wrong_is_said_with_the_next_step() {
    let desk = Desk::new();
    let run = desk.run(&["stamp", "--reflect"]);
    run.exits(2);
    assert!(run.stderr.contains("--allow"), "{}", run.stderr);
    desk.run(&["stamp"]).exits(2);
    let run = desk.run(&["stamp", "127.0.0.1", "-p", "0"]);
    run.exits(2);
    assert!(run.stderr.contains("--port 0"), "{}", run.stderr);
    desk.run(&["stamp", "127.0.0.1", "--allow", "192.0.2.0/24"])
        .exits(2);
    let run = desk.run(&["stamp", "127.0.0.1", "-p", &free_port(), "-c", "3"]);
    run.exits(4);
    assert!(
        run.stderr.contains("nothing listens on that port"),
        "{}",
        run.stderr
    );
    let run = desk.run(&["stamp", "127.0.0.1", "--size", "74", "-c", "3"]);
    run.exits(2);
    assert!(run.stderr.contains("76"), "{}", run.stderr);
}

/// `stamp-suite` (crates.io) is another implementation: `cargo install stamp-suite`.
fn has_peer() -> bool {
    let mut asked = Command::new("stamp-suite");
    asked.arg("--help").stdout(Stdio::null()).stderr(Stdio::null());
    let found = asked.status().is_ok();
    if !found {
        println!("SKIPPED interoperability: stamp-suite is not installed (cargo install stamp-suite)");
    }
    found
}

/// The options with which each program is told of a key, if there is one.
fn keys(desk: &Desk, authenticated: bool) -> (Vec<String>, Vec<String>) {
    if !authenticated {
        return (vec![], vec![]);
    }
    write_key(desk, "both.key", KEY);
    let key = desk.path("both.key").display().to_string();
    let ours = ["--key-file", &key].map(str::to_owned);
    let theirs = ["-A", "A", "--hmac-key-file", &key].map(str::to_owned);
    (ours.into(), theirs.into())
}

/// `stamp-suite` as a reflector. It is given a port, which another may have taken meanwhile: then on another one.
fn peer_reflector(desk: &Desk, theirs: &[&str], ours: &[&str]) -> Reflector {
    let started = |_| {
        let port = free_port();
        let mut peer = Command::new("stamp-suite");
        peer.args(["-i", "--local-addr", "127.0.0.1", "--local-port", &port])
            .args(theirs);
        peer.stdout(Stdio::null()).stderr(Stdio::null());
        let mut probe = desk.command(&[&["stamp", "127.0.0.1", "-p", &port, "-c", "2"][..], ours].concat());
        probe.stdout(Stdio::null()).stderr(Stdio::null());
        let process = peer.spawn().unwrap();
        let reflector = Reflector { process, port };
        let mut answers = |_| probe.status().is_ok_and(|status| status.success());
        (0..20).any(&mut answers).then_some(reflector)
    };
    (0..3).find_map(started).expect("stamp-suite does not answer")
}

#[test]
fn another_reflector_answers_us() {
    if !has_peer() {
        return;
    }
    let desk = Desk::new();
    for (authenticated, options, counting) in [
        (false, &[][..], "stateless"),
        (false, &["--stateful-reflector"], "stateful"),
        (true, &["--stateful-reflector"], "stateful"),
    ] {
        let (ours, theirs) = keys(&desk, authenticated);
        let [ours, theirs] =
            [&ours, &theirs].map(|options| options.iter().map(String::as_str).collect::<Vec<_>>());
        let peer = peer_reflector(&desk, &[options, &theirs[..]].concat(), &ours);
        let seen = session(&desk, &peer.port, &ours);
        assert_eq!(seen["counting"], counting, "{seen}");
        assert_eq!(seen["round_trip"]["counts"]["received"], 100, "{seen}");
    }
}

#[test]
fn another_sender_is_answered_by_ours() {
    if !has_peer() {
        return;
    }
    let desk = Desk::new();
    for authenticated in [false, true] {
        let (ours, theirs) = keys(&desk, authenticated);
        let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
        let reflector = reflect(&desk, &[&["--allow", "127.0.0.1"][..], &ours].concat());
        let output = Command::new("stamp-suite")
            .args(["-r", "127.0.0.1", "-p", &reflector.port])
            .args(["-c", "50", "-d", "5", "-L", "1", "--output-format", "json"])
            .args(theirs)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        let summary = told.lines().find(|line| line.contains("\"summary\"")).unwrap();
        let summary: Value = serde_json::from_str(summary).unwrap();
        assert_eq!(summary["packets_received"], 50, "{summary}");
        assert_eq!(
            summary["measurements"]["last_reflector_sequence"], 49,
            "{summary}"
        );
    }
}
