//! Copies of a case that went different ways: joined without loss, and what they contradict each other in is shown.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Desk, HISTORY};
use serde_json::Value;

/// An observation in a case's own words: what `case add` would have written, of a kind that it cannot read from text.
fn chain(at: i64, packets: u64) -> evidence::Observation {
    let point = |network: &str, packets| evidence::CounterPoint {
        network: network.to_owned(),
        description: "in -> out".to_owned(),
        packets: Some(packets),
    };
    let chain = evidence::CounterChain {
        label: "test 4".to_owned(),
        points: vec![point("ESnet", 5_076_088), point("GEANT", packets)],
        ..Default::default()
    };
    let mut provenance = evidence::Provenance::measured(
        evidence::Node::named("a.example"),
        evidence::Timestamp(at),
        1,
        "t",
    );
    provenance.at_is_import_time = true;
    evidence::Observation::new(provenance, evidence::Payload::CounterChain(chain))
}

fn two_copies(desk: &Desk) {
    for name in ["ours.case", "theirs.case"] {
        desk.new_case(name);
    }
    desk.write("one.txt", HISTORY);
    desk.write("two.txt", &HISTORY.replace("134.79.135.15", "134.79.135.16"));
    desk.run(&["case", "add", "ours.case", "one.txt"]).exits(0);
    desk.run(&["case", "add", "theirs.case", "one.txt", "two.txt"])
        .exits(0);
    let note = [
        "case",
        "note",
        "theirs.case",
        "swapped the fibre",
        "--at",
        "2003-10-02",
        "--who",
        "noc",
    ];
    desk.run(&note).exits(0);
}

#[test]
fn copies_are_joined_line_by_line() {
    let desk = Desk::new();
    two_copies(&desk);
    let newer = |line: &str| {
        // A version to come adds a field, and a kind that this version does not know.
        let mut value: Value = serde_json::from_str(line).unwrap();
        value["payload"]["type"] = "of-a-version-to-come".into();
        value["payload"]["colour"] = "green".into();
        value["id"] = "".into();
        value
    };
    let mut unknown = newer(
        desk.read("theirs.case/observations.jsonl")
            .lines()
            .next()
            .unwrap(),
    );
    unknown["id"] = id_of(&unknown).into();
    desk.append(
        "theirs.case/observations.jsonl",
        &format!("{unknown}\n{{\"half\": \n"),
    );
    let theirs = desk.tree("theirs.case");
    let before = desk.read("ours.case/observations.jsonl");

    desk.run(&["case", "merge", "ours.case", "theirs.case"])
        .exits(0)
        .out("added 2 observations, 1 journal entry, 1 raw record")
        .out("1 observation is of kinds that this version does not know")
        .err("theirs.case: observations.jsonl, line 4");
    let after = desk.read("ours.case/observations.jsonl");
    assert!(after.starts_with(&before));
    assert!(after.contains(&unknown.to_string()), "copied to the letter");
    assert_eq!(desk.names("ours.case/raw"), desk.names("theirs.case/raw"));
    assert_eq!(
        desk.lines("ours.case/journal.jsonl"),
        desk.lines("theirs.case/journal.jsonl")
    );
    assert_eq!(desk.tree("theirs.case"), theirs, "the other copy stays as it is");

    let joined = desk.tree("ours.case");
    desk.run(&["case", "merge", "ours.case", "theirs.case"])
        .exits(0)
        .out("added 0 observations, 0 journal entries, 0 raw records");
    assert_eq!(desk.tree("ours.case"), joined);
}

fn id_of(observation: &Value) -> String {
    use sha2::Digest;
    let mut content = serde_json::json!({
        "payload": observation["payload"], "provenance": observation["provenance"],
    });
    content.sort_all_objects();
    let digest = sha2::Sha256::digest(content.to_string());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn what_copies_say_differently_is_shown() {
    let desk = Desk::new();
    two_copies(&desk);
    let (ours, theirs) = (chain(1, 5_074_727), chain(2, 5_074_728));
    desk.append("ours.case/observations.jsonl", &evidence::to_json_line(&ours));
    desk.append("theirs.case/observations.jsonl", &evidence::to_json_line(&theirs));
    let merge = ["case", "merge", "ours.case", "theirs.case"];
    let run = desk.run(&merge);
    run.exits(0)
        .out("CONTRADICTION")
        .out("\"test 4\"")
        .out("counted at GEANT: in -> out");
    for (value, id) in [("5074727", &ours.id), ("5074728", &theirs.id)] {
        run.out(&format!("{value} [{id}]"));
    }
    assert_eq!(run.stdout.matches("CONTRADICTION").count(), 1, "{}", run.stdout);

    let json = desk.run(&[&merge[..], &["--json"]].concat());
    let merged: Value = serde_json::from_str(&json.exits(0).stdout).unwrap();
    assert_eq!(merged["contradictions"][0]["further"], 0);
    assert_eq!(desk.observations("ours.case").len(), 4, "both stay");
}

#[test]
fn one_record_added_to_two_copies_without_a_time_is_pointed_out() {
    let desk = Desk::new();
    two_copies(&desk);
    let mut ours = chain(1, 5);
    ours.provenance.raw_sha256 = Some("0".repeat(64));
    ours.provenance.raw_lines = Some((1, 9));
    let mut theirs = ours.clone();
    theirs.provenance.at = evidence::Timestamp(2);
    for (case, o) in [("ours.case", ours), ("theirs.case", theirs)] {
        let named = evidence::Observation::new(o.provenance, o.payload);
        desk.append(
            &format!("{case}/observations.jsonl"),
            &evidence::to_json_line(&named),
        );
    }
    let run = desk.run(&["case", "merge", "ours.case", "theirs.case"]);
    run.exits(0).out("SAME RECORD");
    assert!(!run.stdout.contains("CONTRADICTION"), "{}", run.stdout);
}

#[test]
fn cases_with_different_questions_are_not_joined() {
    let desk = Desk::new();
    two_copies(&desk);
    desk.run(&[
        "case",
        "new",
        "other.case",
        "--from",
        "b.example",
        "--to",
        "a.example",
    ])
    .exits(0);
    let before = desk.tree(".");
    desk.run(&["case", "merge", "ours.case", "theirs.case", "other.case"])
        .exits(2)
        .err("ours.case is about a.example (192.0.2.1) -> b.example (198.51.100.2)")
        .err("other.case is about b.example -> a.example");
    assert_eq!(
        desk.tree("."),
        before,
        "nothing is changed, not even by the copy that would fit"
    );
    desk.run(&["case", "merge", "ours.case", "absent.case"])
        .exits(2)
        .err("no such case");
    desk.write("newer.case/case.json", "{\"schema\": 999}");
    desk.run(&["case", "merge", "ours.case", "newer.case"])
        .exits(2)
        .err("newer");
    desk.remove("newer.case/case.json");
}

#[test]
fn a_raw_record_that_was_altered_is_not_copied() {
    let desk = Desk::new();
    two_copies(&desk);
    let ours = desk.names("ours.case/raw");
    let theirs = desk.names("theirs.case/raw");
    let new = theirs.iter().find(|name| !ours.contains(name)).unwrap();
    desk.replace(&format!("theirs.case/raw/{new}"), "altered");
    desk.run(&["case", "merge", "ours.case", "theirs.case"])
        .exits(0)
        .err(&format!(
            "theirs.case: raw/{new}: content does not match its name; not copied"
        ))
        .err(&format!(
            "ours.case: raw/{new}: missing; an observation came from it"
        ));
    assert_eq!(desk.names("ours.case/raw"), ours);
}
