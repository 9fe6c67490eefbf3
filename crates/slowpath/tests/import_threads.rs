//! However many threads read a long text, they print the same of it, in the order of the text; and to add it to a case takes no
//! more memory than a short one.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod common;

use common::Desk;
use std::fmt::Write as _;
use std::process::Stdio;

/// Runs of ping, longer ones now and then so that not all lines take as long to make, and what nobody understands.
fn runs(count: u32) -> String {
    let mut text = String::new();
    for run in 0..count {
        let replies = if run % 97 == 0 { 400 } else { 2 };
        let _ = writeln!(text, "\nPING h{run}.example (192.0.2.1) 56(84) bytes of data.");
        for reply in 1..=replies {
            let _ = writeln!(
                text,
                "64 bytes from h{run}.example (192.0.2.1): icmp_seq={reply} ttl=57 time=4.{} ms",
                run % 10
            );
        }
        if run % 1_000 == 7 {
            let _ = writeln!(text, "\nWhat is said {run} times is worth 5 ms.");
        }
    }
    text
}

/// A walk that is one block, longer than several parts.
fn walk(count: u32) -> String {
    let mut text = String::new();
    for index in 1..=count {
        for (object, figure) in [("ifHCInOctets", 7), ("ifHCOutOctets", 5)] {
            let _ = writeln!(text, "IF-MIB::{object}.{index} = Counter64: {}", figure * index);
        }
    }
    text
}

#[test]
fn threads_print_the_same() {
    let desk = Desk::new();
    for (name, text) in [
        ("runs.txt", runs(14_000)),
        ("walk.txt", walk(60_000)),
        ("both.txt", runs(7_000) + &walk(60_000) + &runs(7_000)),
    ] {
        assert!(text.len() > 5_000_000, "{name}: {}", text.len());
        desk.write(name, &text);
        for form in [&[][..], &["--json"]] {
            let said = ["1", "2", "3"].map(|threads| {
                let run = desk.run(&[&["import", name, "--threads", threads][..], form].concat());
                run.exits(0);
                (run.stdout, run.stderr)
            });
            let are_same = said.iter().all(|one| *one == said[0]);
            assert!(are_same, "{name} {form:?}: not the same");
            assert!(said[0].0.lines().count() > 10_000, "{name} {form:?}");
            assert_eq!(
                said[0].1.contains("no format"),
                name != "walk.txt",
                "{}",
                said[0].1
            );
        }
    }
}

/// Adds `name` to a new case; tells the most memory that this took, KiB.
fn peak_of_adding(desk: &Desk, case: &str, name: &str) -> u64 {
    let new = ["case", "new", case, "--from", "a.example", "--to", "b.example"];
    desk.run(&new).exits(0);
    let mut adding = desk
        .command(&["case", "add", case, name])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let peak = common::peak_kib(&mut adding);
    assert!(adding.wait().unwrap().success());
    peak
}

#[test]
fn adding_keeps_nothing_of_a_record_but_its_id() {
    let desk = Desk::new();
    for (name, count) in [("short.txt", 14_000), ("long.txt", 70_000)] {
        desk.write(name, &runs(count));
    }
    let short = peak_of_adding(&desk, "short.case", "short.txt");
    let long = peak_of_adding(&desk, "long.case", "long.txt");
    // A record as JSON takes more than 600 bytes, and in memory more than that.
    assert!(
        long < short + 56_000 * 200 / 1024,
        "{long} KiB, and {short} KiB of a fifth"
    );

    // Once each, in the order of the text, and none a second time.
    let lines = desk.read("long.case/observations.jsonl");
    let first_lines = lines.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["provenance"]["raw_lines"][0].as_u64().unwrap()
    });
    assert!(first_lines.is_sorted());
    assert_eq!(lines.lines().count(), 70_000);
    let again = desk.run(&["case", "add", "long.case", "long.txt"]);
    again.exits(0);
    assert!(
        again.stdout.contains("0 added, 70000 there already"),
        "{}",
        again.stdout
    );
    assert!(lines == desk.read("long.case/observations.jsonl"));
}
