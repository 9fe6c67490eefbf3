//! Where a record was made: found in its text, asked for where it cannot be found, and corrected without rewriting anything.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Desk, TRACE_FROM_A};
use serde_json::json;

const SOCKETS: &str = "State Recv-Q Send-Q Local Address:Port Peer Address:Port\n\
    ESTAB 0 0 192.0.2.1:35526 198.51.100.2:5201\n\t cubic rtt:20.054/5.713 cwnd:10\n";

#[test]
fn the_prompt_above_an_output_says_where_it_was_made() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("ss.txt", &format!("admin@a.example:~$ ss -tin\n{SOCKETS}"));
    let run = desk.run(&["case", "add", "x.case", "ss.txt"]);
    run.exits(0).out("; made at a.example (192.0.2.1)");
    assert!(!run.stdout.contains("is not known"), "{}", run.stdout);
}

#[test]
fn a_place_is_asked_for_only_where_it_cannot_be_found() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("ss.txt", SOCKETS);
    let run = desk.run(&["case", "add", "x.case", "ss.txt"]);
    run.exits(0)
        .out("where some were made is not known: `slowpath case amend x.case ");
}

#[test]
fn a_correction_stands_in_the_place_of_what_it_corrects() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("trace.txt", TRACE_FROM_A);
    let add = [
        "case",
        "add",
        "x.case",
        "trace.txt",
        "--place",
        "wrong.example",
        "--now",
        "2003-09-01",
    ];
    desk.run(&add).exits(0).out("; made at wrong.example");
    let before = desk.read("x.case/observations.jsonl");

    let amend = [
        "case",
        "amend",
        "x.case",
        "o1",
        "--place",
        "a.example",
        "--at",
        "2003-08-27 06:05",
    ];
    desk.run(&amend)
        .exits(0)
        .out("; made at a.example (192.0.2.1)")
        .out("in place of ");
    let after = desk.read("x.case/observations.jsonl");
    assert!(after.starts_with(&before), "nothing is rewritten");
    let [old, new] = &desk.observations("x.case")[..] else {
        panic!("{after}");
    };
    assert_eq!(new["provenance"]["supersedes"], old["id"]);
    assert_eq!(new["payload"], old["payload"]);
    assert_eq!(
        new["provenance"]["vantage"],
        json!({"name": "a.example", "address": "192.0.2.1"})
    );
    assert_eq!(
        new["provenance"]["at_is_import_time"],
        json!(null),
        "somebody told the time"
    );

    let shown = desk.run(&["case", "show", "--records", "x.case"]);
    shown.exits(0);
    assert!(!shown.stdout.contains("wrong.example"), "{}", shown.stdout);
    desk.run(&add).exits(0).out("0 added, 1 there already");
    desk.run(&amend).exits(0).out("it says so already");
}

#[test]
fn what_cannot_be_corrected_is_refused() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("ss.txt", SOCKETS);
    desk.run(&["case", "add", "x.case", "ss.txt"]).exits(0);
    let before = desk.tree("x.case");
    for (arguments, why) in [
        (&["o1"][..], "nothing to correct"),
        (&["o7", "--place", "a.example"], "no observation o7 in this case"),
        (&["zz", "--place", "a.example"], "no observation zz in this case"),
        (&["o1", "--to", "a.example"], "--to does not fit"),
    ] {
        desk.run(&[&["case", "amend", "x.case"], arguments].concat())
            .exits(2)
            .err(why);
    }
    assert_eq!(desk.tree("x.case"), before);
}
