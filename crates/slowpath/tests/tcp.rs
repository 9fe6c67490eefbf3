//! `slowpath tcp` against a server on loopback. Loss in each direction is tried in the lab (`net`'s `path` tests).

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod common;

use common::Desk;
use serde_json::Value;
use std::io::Read;
use std::net::TcpListener;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A server that reads; gives its port, and how many bytes each connection brought.
fn server() -> (String, Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let (told, read) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let told = told.clone();
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stream.read_to_end(&mut bytes);
                let _ = told.send(bytes.len());
            });
        }
    });
    (port, read)
}

/// Whether this machine lets us open raw sockets, as the program itself says.
fn may_probe(seen: &Value) -> bool {
    let why = seen["not_measured"].as_str().unwrap_or("");
    if why.contains("CAP_NET_RAW") {
        println!("SKIPPED: {why}");
    }
    !why.contains("CAP_NET_RAW")
}

#[test]
fn each_direction_is_counted_and_becomes_evidence() {
    let desk = Desk::new();
    let (port, read) = server();
    let args = [
        "tcp",
        "127.0.0.1",
        "-p",
        &port,
        "-c",
        "200",
        "-i",
        "0.002",
        "--handshakes",
        "2",
    ];
    let run = desk.run(&[&args[..], &["--json", "--case", "c.case"]].concat());
    let seen: Value = serde_json::from_str(&run.exits(0).stdout).unwrap();
    assert_eq!(
        (&seen["handshakes"]["syns"], &seen["handshakes"]["answered"]),
        (&2.into(), &2.into())
    );
    if !may_probe(&seen) {
        return;
    }
    for way in ["forward", "reverse"] {
        assert_eq!(
            (&seen[way]["sent"], &seen[way]["received"]),
            (&200.into(), &200.into()),
            "{seen}"
        );
    }
    assert_eq!(
        (&seen["connections"], &seen["ended_early"]),
        (&1.into(), &Value::Null)
    );
    assert!(seen["offered_mss_bytes"].as_u64().unwrap() > 1_000, "{seen}");
    assert_eq!(seen["observations"].as_array().unwrap().len(), 4);
    let shown = desk.run(&["case", "show", "c.case", "--records"]);
    assert!(shown.stdout.contains("0 of 200"), "{}", shown.stdout);
    let text = desk.run(&args);
    for part in [
        "handshakes   2 of 2 SYNs answered",
        "forward      0 of 200 lost (95 %: 0 % to ",
        "reverse      0 of 200",
        "MSS ",
    ] {
        assert!(text.stdout.contains(part), "{part}: {}", text.stdout);
    }
    // Twice two handshakes and one connection of probes.
    let bytes: Vec<usize> = (0..6)
        .map(|_| read.recv_timeout(Duration::from_secs(20)).unwrap())
        .collect();
    assert_eq!(bytes, [0; 6], "the server's program gets nothing");
}

#[test]
fn without_rights_handshakes_are_told_and_what_is_missing() {
    let desk = Desk::new();
    let (port, _read) = server();
    // Without the capability in its bounding set no program gets it, whoever starts it.
    let dropped = [
        "--bounding-set=-net_raw",
        "--inh-caps=-net_raw",
        env!("CARGO_BIN_EXE_slowpath"),
    ];
    let args = ["tcp", "127.0.0.1", "-p", &port, "--handshakes", "2"];
    let run = Command::new("setpriv")
        .args(dropped)
        .args(args)
        .env("SLOWPATH_CONFIG", "/dev/null")
        .output();
    let Ok(run) = run else {
        println!("SKIPPED: no setpriv here (util-linux)");
        return;
    };
    let (text, told) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    if told.contains("setpriv:") {
        println!("SKIPPED: {told}");
        return;
    }
    assert_eq!(run.status.code(), Some(0), "{text}{told}");
    assert!(text.contains("2 of 2 SYNs answered; min "), "{text}");
    assert!(
        text.contains("loss         not known") && text.contains("CAP_NET_RAW"),
        "{text}"
    );
    assert!(text.contains("SACK, timestamps"), "{text}");
    drop(desk);
}

#[test]
fn what_is_wrong_is_said_with_the_next_step() {
    let desk = Desk::new();
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
        .to_string();
    let run = desk.run(&["tcp", "127.0.0.1", "-p", &closed]);
    run.exits(4);
    assert!(run.stderr.contains("it refuses"), "{}", run.stderr);
    for (args, part) in [
        (&["-c", "100000"][..], "more than a server is asked for"),
        (&["-i", "0.0001"], "from 0.002 to 1"),
        (&["-p", "0"], "0"),
    ] {
        let run = desk.run(&[&["tcp", "127.0.0.1"], args].concat());
        run.exits(2);
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let run = desk.run(&["diagnose", "https://127.0.0.1/x", "--tcp", "443"]);
    run.exits(2);
    assert!(run.stderr.contains("--tcp"), "{}", run.stderr);
}
