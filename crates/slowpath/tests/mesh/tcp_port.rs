//! A diagnosis without a far end, with whatever server listens at the other host.

use crate::far_ends::{program, up};
use serde_json::Value;
use std::net::TcpListener;

/// h9 stands behind the router that loses on its way to the core, h4 elsewhere. Nothing of ours runs at h4.
pub(crate) fn a_port_without_a_far_end_tells_where_a_loss_goes() {
    let lab = up("mesh-lossy-link");
    let listener = lab
        .inside("h4.example", || Ok(TcpListener::bind("0.0.0.0:7777").unwrap()))
        .unwrap();
    std::thread::spawn(move || listener.incoming().flatten().for_each(std::mem::forget));
    let directory = tempfile::tempdir().unwrap();
    let mut command = program(&lab, "h9.example");
    command
        .args([
            "diagnose",
            "h4.example",
            "--tcp",
            "7777",
            "--json-lines",
            "--max-time",
            "90",
            "--case",
        ])
        .arg(directory.path().join("one.case"));
    let output = command.output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let rows = lines
        .iter()
        .filter_map(|line| line["payload"]["rows"].as_array())
        .flatten();
    let one_way: Vec<(u64, u64)> = rows
        .filter(|row| row["way"] == "one-way")
        .map(|row| (row["sent"].as_u64().unwrap(), row["received"].as_u64().unwrap()))
        .collect();
    let [there, back] = one_way.as_slice() else {
        panic!("{text}")
    };
    assert!(
        there.0 >= 990 && there.0 > there.1,
        "1 % is lost on the way there: {one_way:?}"
    );
    assert_eq!(back.0, back.1, "and nothing on the way back: {one_way:?}");
    // Some ten packets are lost: how many decides whether that is sure enough for a finding, and not what it is.
    let verdict = &lines.last().unwrap()["rounds"][0];
    let findings = verdict["findings"].as_array().unwrap();
    let is_loss = |finding: &Value| finding["code"].as_str().unwrap().starts_with("LOSS");
    let is_likely = || {
        verdict["summary"]
            .as_str()
            .unwrap()
            .contains("packets lost on the path")
    };
    assert!(
        findings.iter().any(is_loss) || findings.is_empty() && is_likely(),
        "{verdict:#}"
    );
}
