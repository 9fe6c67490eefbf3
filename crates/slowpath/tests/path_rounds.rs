//! `slowpath path --report` and `--live`: on the loopback, and in the lab on paths of which the truth is known.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::Value;
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_slowpath");

fn run(args: &[&str]) -> Output {
    Command::new(PROGRAM).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// `None` where this machine does not let us send probes, or bring up networks.
fn report(output: &Output) -> Option<Value> {
    let complaints = text(&output.stderr);
    if output.status.code() == Some(4) {
        println!("SKIPPED: {complaints}");
        return None;
    }
    assert!(output.status.success(), "{complaints}");
    Some(serde_json::from_slice(&output.stdout).expect(&complaints))
}

#[test]
fn without_a_terminal_the_view_names_the_report() {
    let output = run(&["path", "127.0.0.1", "--live"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--report"), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn what_does_not_go_together_is_said() {
    for (args, expected) in [
        (&["--live", "--report"][..], "cannot be used with"),
        (&["--live", "--json"], "cannot be used with"),
        (&["--asn"], "--live or --report"),
        (&["--report", "--asn-table", "/nowhere"], "/nowhere"),
        (&["--count", "3"], "--report"),
        (&["--csv"], "--report"),
        (&["--report", "--interval", "0.01"], "at least 0.1"),
        (&["--report", "--interval", "NaN"], "at least 0.1"),
        (&["--interval", "1"], "--live or --report"),
    ] {
        let output = run(&[&["path", "127.0.0.1"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{args:?}: {output:?}");
    }
}

#[test]
fn the_loopback_as_json_csv_and_text() {
    let args = [
        "path",
        "127.0.0.1",
        "--report",
        "--count",
        "4",
        "--interval",
        "0.1",
    ];
    let Some(seen) = report(&run(&[&args[..], &["--json"]].concat())) else {
        return;
    };
    let hops = seen["hops"].as_array().unwrap();
    assert_eq!(hops.len(), 1, "{seen}");
    assert_eq!(hops[0]["is_destination"], true);
    assert_eq!((&hops[0]["sent"], &hops[0]["answered"]), (&4.into(), &4.into()));
    assert_eq!(hops[0]["loss_ratio"], 0.0);
    assert!(hops[0]["mean_ms"].as_f64().unwrap() < 100.0);
    assert_eq!(seen["interval_ms"], 100.0);
    assert_eq!(seen["rounds"], 4);

    let csv = text(&run(&[&args[..], &["--csv"]].concat()).stdout);
    assert!(
        csv.lines().nth(1).unwrap().starts_with("1,true,127.0.0.1,"),
        "{csv}"
    );
    let table = text(&run(&args).stdout);
    assert!(table.contains("4 rounds, every 0.1 s"), "{table}");
    assert!(!table.contains('\u{1b}'), "no colours into a pipe: {table:?}");
}

/// The hops of a report from the scenario's sender to its receiver.
fn in_the_lab(scenario: &str, count: &str) -> Option<Vec<Value>> {
    let lab = ["lab", "exec", scenario, "sender.example", "--", PROGRAM];
    let path = [
        "path",
        "receiver.example",
        "--report",
        "--json",
        "--interval",
        "0.1",
        "--count",
        count,
    ];
    let seen = report(&run(&[&lab[..], &path].concat()))?;
    println!("{seen:#}");
    Some(seen["hops"].as_array().unwrap().clone())
}

fn marks(hops: &[Value]) -> Vec<&str> {
    hops.iter()
        .map(|hop| hop["mark"].as_str().unwrap_or(""))
        .collect()
}

#[test]
fn in_the_lab_a_hop_that_answers_seldom_is_no_loss() {
    let Some(hops) = in_the_lab("healthy-red-herrings", "60") else {
        return;
    };
    assert_eq!(marks(&hops), ["", "", "answers-limited", "", "", ""]);
    assert_eq!(hops[1]["answered"], 0, "hop 2 never answers");
}

#[test]
fn in_the_lab_loss_is_marked_where_it_begins() {
    let Some(hops) = in_the_lab("near-miss-reverse-loss-heavy", "90") else {
        return;
    };
    assert_eq!(marks(&hops), ["", "", "loss-from-here", "", ""]);
}

#[test]
fn in_the_lab_flows_take_the_equal_routes_and_systems_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let table = directory.path().join("systems");
    std::fs::write(&table, "198.18.0.0/15 64496\n").unwrap();
    let lab = ["lab", "exec", "near-miss-ecmp", "sender.example", "--", PROGRAM];
    let path = [
        "path",
        "receiver.example",
        "--report",
        "--json",
        "--interval",
        "0.1",
        "--count",
        "2",
        "--flows",
        "24",
    ];
    let output = run(&[&lab[..], &path, &["--asn-table", table.to_str().unwrap()]].concat());
    let Some(flows) = report(&output) else { return };
    let flows = flows.as_array().unwrap();
    assert_eq!((flows.len(), &flows[0]["interval_ms"]), (24, &2_400.0.into()));
    let hops = flows.iter().flat_map(|flow| flow["hops"].as_array().unwrap());
    let answered = hops.filter(|hop| hop["address"].is_string() && hop["answered"] != 0);
    assert!(answered.clone().all(|hop| hop["asn"] == 64_496), "{flows:#?}");
    // Ports are chance: that all take the same of two routes happens once in eight million times.
    let mut addresses: Vec<(u64, &str)> = answered
        .map(|hop| (hop["hop"].as_u64().unwrap(), hop["address"].as_str().unwrap()))
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    let length = flows[0]["hops"].as_array().unwrap().len();
    println!("{addresses:?}");
    assert!(addresses.len() > length, "equal routes: {addresses:?}");
}
