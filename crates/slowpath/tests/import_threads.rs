//! However many threads read a long text, they print the same of it, in the order of the text.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod common;

use common::Desk;
use std::fmt::Write as _;

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
