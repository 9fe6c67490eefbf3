//! Cases as people make them of other tools' records, pass them on and get them back damaged: a clear error or
//! complaint each time, and nothing lost.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Desk, HISTORY, TRACE_FROM_A};
use serde_json::Value;

#[test]
fn import_shows_what_it_understands_and_complains_about_the_rest() {
    let desk = Desk::new();
    desk.write("records.txt", &format!("{HISTORY}\nthis line is no record\n"));
    let run = desk.run(&["import", "records.txt"]);
    run.exits(0)
        .out("records.txt, lines 1 to 3: route history, 2003-08-27 13:05:05 UTC: ");
    run.err("records.txt, line 4: no format that slowpath knows");

    let run = desk.run(&["import", "--json", "--from", "a.example", "records.txt"]);
    let line: Value = serde_json::from_str(run.exits(0).stdout.trim()).unwrap();
    assert_eq!(line["payload"]["type"], "route-history");
    assert_eq!(line["payload"]["from"]["name"], "a.example");
    assert_eq!(line["lines"], serde_json::json!([1, 3]));

    let run = desk.run_with_input(&["import", "-"], HISTORY);
    run.exits(0).out("standard input, lines 1 to 2: route history");
    desk.run(&["import", "--formats"]).exits(0).out("route history");
}

#[test]
fn import_says_when_nothing_was_understood() {
    let desk = Desk::new();
    desk.write("prose.txt", "Dear colleagues,\nit is slow again.\n");
    desk.run(&["import", "prose.txt"])
        .exits(4)
        .err("prose.txt, lines 1 to 2")
        .err("--formats");
    desk.run(&["import", "absent.txt"]).exits(2).err("absent.txt");
    desk.run(&["import", "."]).exits(2).err("directory");
    desk.run(&["import"]).exits(2).err("FILES");
    desk.run(&["import", "prose.txt", "--at", "noon"])
        .exits(2)
        .err("`noon` is no time");
    desk.run(&["import", "prose.txt", "--utc-offset", "PDT"])
        .exits(2)
        .err("+02:00");
}

#[test]
fn a_case_is_opened_once() {
    let desk = Desk::new();
    desk.new_case("x.case");
    let header: Value = serde_json::from_str(&desk.read("x.case/case.json")).unwrap();
    assert_eq!(
        header["from"],
        serde_json::json!({"name": "a.example", "address": "192.0.2.1"})
    );
    assert_eq!(header["expected_bps"], 2e9);
    assert_eq!(header["opened_at"], 1_061_942_400_000_000_000_i64);

    let before = desk.tree("x.case");
    let again = [
        "case",
        "new",
        "x.case",
        "--from",
        "c.example",
        "--to",
        "b.example",
    ];
    desk.run(&again).exits(2).err("there is a case already");
    assert_eq!(desk.tree("x.case"), before);

    desk.write("thesis/chapter1.tex", "");
    let among = ["case", "new", "thesis", "--from", "a", "--to", "b"];
    desk.run(&among).exits(2).err("no case");
    assert!(!desk.exists("thesis/case.json"));
    desk.run(&["case", "new", "y.case", "--from", "a=b", "--to", "c"])
        .exits(2)
        .err("`b` is no IP address");
    assert!(!desk.exists("y.case"));
}

#[test]
fn raw_bytes_are_kept_and_the_same_file_adds_nothing() {
    let desk = Desk::new();
    desk.new_case("x.case");
    let text = format!("{HISTORY}\nthis line is no record\n");
    desk.write("records.txt", &text);
    let add = [
        "case",
        "add",
        "x.case",
        "records.txt",
        "--from",
        "A.example",
        "--to",
        "b.example",
    ];
    let run = desk.run(&add);
    run.exits(0)
        .out("records.txt: 1 added; round 1, raw/")
        .err("records.txt, line 4");

    let observations = desk.observations("x.case");
    let provenance = &observations[0]["provenance"];
    let raw = format!("x.case/raw/{}", provenance["raw_sha256"].as_str().unwrap());
    assert_eq!(
        desk.read(&raw),
        text,
        "the whole file, what was not understood included"
    );
    assert_eq!(
        provenance["vantage"],
        serde_json::json!({"name": "a.example", "address": "192.0.2.1"}),
        "the record starts at the sender"
    );
    assert_eq!(provenance["raw_lines"], serde_json::json!([1, 3]));
    assert_eq!(provenance["at"], 1_061_989_505_000_000_000_i64);
    assert_eq!(
        observations[0]["payload"]["from"],
        serde_json::json!({"name": "a.example", "address": "192.0.2.1"}),
        "a party is known by its address as well"
    );

    let before = desk.tree("x.case");
    desk.run(&add).exits(0).out("0 added, 1 there already");
    assert_eq!(desk.tree("x.case"), before);
}

#[test]
fn a_routing_loop_is_called_one() {
    let desk = Desk::new();
    desk.new_case("x.case");
    let hop = |ttl: usize| match ttl {
        1 => " 1  gw.a.example (192.0.2.254)  0.310 ms  0.305 ms  0.301 ms\n".to_owned(),
        ttl => {
            let (name, last) = [("ams", 7), ("fra", 9)][ttl % 2];
            format!("{ttl:2}  {name}.isp.example (203.0.113.{last})  4.1{ttl} ms  4.118 ms  4.101 ms\n")
        }
    };
    let head = "traceroute to b.example (198.51.100.2), 30 hops max, 60 byte packets\n";
    let looping = (1..=30).fold(head.to_owned(), |text, ttl| text + &hop(ttl));
    desk.write("loop.txt", &looping);
    let named = "a routing loop: hops 2 to 30 are ams.isp.example (203.0.113.7) and fra.isp.example (203.0.113.9) in turn";
    desk.run(&["import", "loop.txt"]).exits(0).out(named);
    desk.run(&["case", "add", "x.case", "loop.txt", "--from", "a.example"])
        .exits(0);
    let verdict = desk.run(&["case", "show", "--json", "x.case"]);
    verdict.out("the path behind a routing loop").out(named);
    let html = desk.run(&["case", "report", "--format", "html", "x.case"]);
    html.out(named);

    desk.new_case("y.case");
    desk.write("trace.txt", TRACE_FROM_A);
    desk.run(&["case", "add", "y.case", "trace.txt"]).exits(0);
    let other = desk.run(&["case", "show", "--records", "y.case"]);
    assert!(!other.stdout.contains("loop"), "{}", other.stdout);
}

#[test]
fn a_record_without_a_time_says_so_and_keeps_its_name() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("trace.txt", TRACE_FROM_A);
    let add = ["case", "add", "x.case", "trace.txt", "--place", "chi-pt1.es.net"];
    desk.run(&[&add[..], &["--now", "2003-09-01"]].concat()).exits(0);
    let observations = desk.observations("x.case");
    let provenance = &observations[0]["provenance"];
    assert_eq!(provenance["at_is_import_time"], true);
    assert_eq!(
        provenance["vantage"],
        serde_json::json!({"name": "chi-pt1.es.net"})
    );

    let before = desk.tree("x.case");
    desk.run(&[&add[..], &["--now", "2003-09-02"]].concat())
        .exits(0)
        .out("0 added, 1 there already");
    assert_eq!(desk.tree("x.case"), before, "the first time of adding stays");
}

#[test]
fn a_file_that_says_nothing_is_not_taken() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("prose.txt", "it is slow\n");
    desk.write("history.txt", HISTORY);
    desk.run(&["case", "add", "x.case", "prose.txt", "history.txt"])
        .exits(4)
        .err("prose.txt: nothing in it was understood; nothing was added")
        .out("history.txt: 1 added");
    assert_eq!(desk.read("prose.txt"), "it is slow\n");
    assert_eq!(desk.names("x.case/raw").len(), 1);
}

#[test]
fn an_intervention_opens_a_round() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("before.txt", HISTORY);
    desk.write("after.txt", &HISTORY.replace("134.79.135.15", "134.79.135.16"));
    desk.run(&["case", "add", "x.case", "before.txt"]).exits(0);
    desk.run(&["case", "note", "x.case", "mailed the NOC", "--who", "les"])
        .exits(0);
    let intervention = [
        "--network",
        "CENIC",
        "--at",
        "2003-10-02 12:00",
        "--intervention",
        "--who",
        "noc",
    ];
    desk.run(&[&["case", "note", "x.case", "moved the route"][..], &intervention].concat())
        .exits(0)
        .out("round 2");
    desk.run(&["case", "add", "x.case", "after.txt"])
        .exits(0)
        .out("round 2");
    desk.run(&["case", "add", "x.case", "before.txt"])
        .exits(0)
        .out("there already; round 1");

    let rounds: Vec<_> = desk
        .observations("x.case")
        .iter()
        .map(|o| o["provenance"]["round"].clone())
        .collect();
    assert_eq!(rounds, [1, 2]);
    let journal = desk.lines("x.case/journal.jsonl");
    assert_eq!(journal[0]["before_round"], Value::Null);
    assert_eq!(journal[1]["before_round"], 2);
    assert_eq!(journal[1]["network"], "CENIC");
    assert_eq!(journal[1]["at"], 1_065_096_000_000_000_000_i64);
    desk.run(&["case", "note", "x.case", "  "]).exits(2).err("empty");
}

#[test]
fn what_is_no_case_is_refused_by_every_command() {
    let desk = Desk::new();
    desk.write("history.txt", HISTORY);
    desk.write("dir/other.txt", "");
    desk.write("newer.case/case.json", "{\"schema\": 999}");
    let commands: [&[&str]; 4] = [
        &["case", "add", "DIR", "history.txt"],
        &["case", "note", "DIR", "text"],
        &["case", "show", "DIR"],
        &["case", "report", "DIR"],
    ];
    let before = desk.tree(".");
    for (dir, named) in [
        ("dir", "no case"),
        ("absent", "no such case"),
        ("history.txt", "no case"),
        ("newer.case", "newer"),
    ] {
        for command in commands {
            let args: Vec<&str> = command
                .iter()
                .map(|a| if *a == "DIR" { dir } else { a })
                .collect();
            desk.run(&args).exits(2).err(named);
        }
    }
    assert_eq!(desk.tree("."), before);
}

#[test]
fn damage_is_named_and_costs_itself_only() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("history.txt", HISTORY);
    desk.run(&["case", "add", "x.case", "history.txt"]).exits(0);
    let name = desk.names("x.case/raw").remove(0);
    let whole = desk.read("x.case/observations.jsonl");
    desk.write(
        "x.case/observations.jsonl",
        &format!("{whole}{}", &whole[..whole.len() / 2]),
    );
    desk.run(&["case", "show", "--records", "x.case"])
        .exits(0)
        .err("observations.jsonl, line 2")
        .out("o1");

    desk.replace(&format!("x.case/raw/{name}"), "something else");
    desk.write("x.case/raw/notes.txt", "");
    desk.run(&["case", "show", "--records", "x.case"])
        .exits(0)
        .err(&format!("raw/{name}: content does not match its name"))
        .err("raw/notes.txt: no raw record");
    let before = desk.tree("x.case");
    desk.run(&["case", "add", "x.case", "history.txt"])
        .exits(2)
        .err("altered");
    assert_eq!(
        desk.tree("x.case"),
        before,
        "nothing was added to a damaged record"
    );

    desk.remove(&format!("x.case/raw/{name}"));
    desk.run(&["case", "show", "--records", "x.case"])
        .exits(0)
        .err("missing; an observation came from it");
    desk.run(&["case", "add", "x.case", "history.txt"])
        .exits(0)
        .out("0 added, 1 there already");
    desk.run(&["case", "show", "--records", "x.case"])
        .exits(0)
        .not_err("missing");
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    let desk = Desk::new();
    desk.new_case("x.case");
    let text = format!("{HISTORY}\u{1b}[2J\u{202e} gnp.exe\n\u{0}\u{1}\n");
    desk.write("x\u{1b}[31m.txt", &text);
    let run = desk.run(&[
        "case",
        "add",
        "x.case",
        "x\u{1b}[31m.txt",
        "--place",
        "\u{1b}]0;owned\u{7}",
    ]);
    run.exits(0);
    let note = desk.run(&[
        "case",
        "note",
        "x.case",
        "\u{9b}2J cleared",
        "--who",
        "\u{202e}cba",
    ]);
    note.exits(0);
    let shown = desk.run(&["case", "show", "--records", "x.case"]);
    for run in [run, note, shown] {
        run.exits(0);
        let hidden = |c: &char| matches!(c, '\u{1b}' | '\u{9b}' | '\u{7}' | '\u{202e}' | '\0');
        assert_eq!(run.stdout.chars().chain(run.stderr.chars()).find(hidden), None);
    }
}

/// A transfer from a to b in a round.
fn transfer(round: u32, rate_bps: f64) -> String {
    let record = evidence::Transfer {
        from: evidence::Node::named("a.example"),
        to: evidence::Node::named("b.example"),
        protocol: Some(evidence::Transport::Tcp),
        received_bps: Some(evidence::RateBps(rate_bps)),
        ..Default::default()
    };
    let at = evidence::Timestamp(1_061_989_505_000_000_000 + i64::from(round));
    let provenance = evidence::Provenance::measured(evidence::Node::named("a.example"), at, round, "iperf3");
    let payload = record.into();
    evidence::to_json_line(&evidence::Observation::new(provenance, payload))
}

#[test]
fn before_and_after_an_intervention_are_compared() {
    let desk = Desk::new();
    desk.new_case("x.case");
    let verify = ["case", "verify", "x.case"];
    desk.run(&verify).exits(4).err("nothing was measured");
    desk.append("x.case/observations.jsonl", &transfer(1, 17e6));
    desk.run(&verify).exits(4).err("round 1 is the first");
    desk.run(&["case", "note", "x.case", "raised the MTU", "--intervention"])
        .exits(0);
    desk.run(&verify).exits(4).err("round 2 is empty");

    desk.append("x.case/observations.jsonl", &transfer(2, 34e6));
    let run = desk.run(&verify);
    run.out("raised the MTU").out("17 Mbit/s").out("34 Mbit/s");
    let judged = desk.run(&["case", "show", "x.case", "--json"]);
    let verdicts: Value = serde_json::from_str(&judged.exits(0).stdout).unwrap();
    let code = match verdicts["rounds"][1]["state"].as_str().unwrap() {
        "ok" => 0,
        "slow" => 1,
        "inconclusive" => 3,
        other => panic!("{other}"),
    };
    assert_ne!(code, 0, "34 Mbit/s are not the 2 Gbit/s that were expected");
    run.exits(code);
    let json = desk.run(&[&verify[..], &["--json"]].concat());
    let comparison: Value = serde_json::from_str(&json.exits(code).stdout).unwrap();
    assert_eq!(comparison["rates"][0]["factor"], 2.0);

    desk.append("x.case/observations.jsonl", &transfer(3, 68e6));
    desk.run(&[&verify[..], &["--json"]].concat())
        .out("\"before\":1,\"after\":3");
    desk.run(&[&verify[..], &["--before", "2", "--json"]].concat())
        .out("\"before\":2,\"after\":3");
    desk.run(&[&verify[..], &["--before", "7"]].concat())
        .exits(2)
        .err("there is no round 7; the case has 1, 2, 3");
    desk.run(&[&verify[..], &["--before", "3", "--after", "1"]].concat())
        .exits(2)
        .err("not before");
}

#[test]
fn the_power_of_step_detection_is_a_table() {
    let desk = Desk::new();
    let table = desk.run(&["power", "--series", "2"]);
    table.exits(0).out("50 %");
    assert_eq!(
        desk.run(&["power", "--series", "2"]).stdout,
        table.stdout,
        "seeded"
    );
    desk.run(&["power", "--series", "0"]).exits(2);
}
