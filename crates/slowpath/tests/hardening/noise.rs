//! Files that are all noise: complaints end, and their number is told.

use crate::common::Desk;
use std::fmt::Write as _;

/// Pairs of a line that no format knows and a line that begins like a ping but holds nothing of it: so many blocks, so many complaints.
fn all_noise(blocks: usize) -> String {
    (0..blocks).fold(String::new(), |mut text, number| {
        let _ = writeln!(
            text,
            "PING h{number}.example (192.0.2.1) 56(84) bytes of data.\nnoise"
        );
        text
    })
}

fn told(stderr: &str) -> usize {
    stderr
        .lines()
        .filter(|line| line.contains("noise.txt, line"))
        .count()
}

#[test]
fn a_hostile_file_fills_no_screen() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("noise.txt", &all_noise(10_000));
    let all = told(&desk.run(&["import", "--json", "noise.txt"]).exits(4).stderr);
    assert_eq!(all, 1_000);
    for command in [
        &["import", "noise.txt"][..],
        &["case", "add", "x.case", "noise.txt"],
    ] {
        let run = desk.run(command);
        run.exits(4).err("slowpath: ... and 9,980 more");
        assert_eq!(told(&run.stderr), 20, "{command:?}");
        assert!(run.stderr.lines().count() < 30, "{command:?}");
    }
    desk.run(&["import", "--json", "noise.txt"])
        .err("... and 9,000 more");
    desk.write("noise.txt", &all_noise(10));
    let run = desk.run(&["import", "noise.txt"]);
    assert_eq!(told(&run.stderr), 10);
    run.not_err("more");
}

#[test]
fn a_hostile_case_fills_no_screen() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.append("x.case/observations.jsonl", &"{\"broken\n".repeat(5_000));
    for name in 0..50 {
        desk.write(&format!("x.case/raw/{name}"), "");
    }
    for command in ["show", "report", "note"] {
        let text: &[&str] = if command == "note" { &["seen"] } else { &[] };
        let run = desk.run(&[&["case", command, "x.case"], text].concat());
        run.err("slowpath: ... and 4,980 more");
        assert!(run.stderr.lines().count() < 50, "{command}: {}", run.stderr);
    }
    desk.run(&["case", "show", "--records", "x.case"])
        .err("... and 30 more");
}
