//! Text that lies to the eye, wherever strangers can put it.

use crate::common::{Desk, Run};

/// One of each kind: an escape sequence, C1, direction overrides and isolates, marks, zero-width characters, line separators.
pub(crate) const LYING: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{8}\u{7f}\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\
    \u{61c}\u{200b}\u{200c}\u{200d}\u{feff}\u{2028}\u{2029}";

/// Nothing in it but line feeds acts without being seen.
#[track_caller]
pub(crate) fn is_honest(text: &str) {
    let lies = |c: &char| c.is_control() && *c != '\n' || LYING.contains(*c) && !c.is_ascii();
    let found: Vec<char> = text.chars().filter(lies).collect();
    assert!(found.is_empty(), "{found:?} in {text:?}");
}

#[track_caller]
fn honest(run: &Run) -> &Run {
    is_honest(&run.stdout);
    is_honest(&run.stderr);
    run
}

#[test]
fn an_imported_file_cannot_lie_on_the_terminal() {
    let desk = Desk::new();
    desk.new_case("x.case");
    // In a name of a hop, in the error that a tool prints, and in the name of the file itself.
    let trace = format!(
        "traceroute to b.example (198.51.100.2), 30 hops max, 60 byte packets\n \
         1  gw{LYING}.example (192.0.2.254)  0.310 ms  0.305 ms  0.301 ms\n \
         2  b.example (198.51.100.2)  9.912 ms  9.902 ms  9.899 ms\n\n\
         iperf3: error - unable to connect{LYING}\nno record {LYING}\n"
    );
    let file = "records\u{202e}\u{1b}[31m\n.txt";
    desk.write(file, &trace);
    honest(desk.run(&["import", file]).exits(0)).out("trace");
    let run = desk.run(&["import", "--json", file]);
    honest(run.exits(0));
    let line: serde_json::Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
    let name = &line["payload"]["flows"][0]["hops"][0]["answers"][0]["node"]["name"];
    is_honest(name.as_str().unwrap());
    assert!(name.as_str().unwrap().ends_with(".example"), "{name}");
    honest(desk.run(&["case", "add", "x.case", file]).exits(0));
    for command in [
        &["case", "show", "--records", "x.case"][..],
        &["case", "show", "--json", "x.case"],
        &["case", "report", "--format", "markdown", "x.case"],
        &["case", "report", "--format", "html", "x.case"],
        &["case", "plan", "x.case"],
        &["case", "plan", "--json", "x.case"],
        &["import", "absent\u{1b}[31m\u{202e}.txt"],
    ] {
        honest(&desk.run(command));
    }
}

#[test]
fn the_question_of_a_case_cannot_lie_on_the_terminal() {
    let desk = Desk::new();
    let from = format!("a{}.example", LYING.replace('=', ""));
    let question = [
        "--from",
        &from,
        "--to",
        "b.example",
        "--since",
        LYING,
        "--said-by",
        LYING,
    ];
    for name in ["x.case", "copy.case"] {
        desk.run(&[&["case", "new", name][..], &question].concat())
            .exits(0);
    }
    desk.run(&["case", "note", "x.case", LYING, "--who", LYING])
        .exits(0);
    desk.new_case("other.case");
    for command in [
        &["case", "show", "--records", "x.case"][..],
        &["case", "report", "--format", "markdown", "x.case"],
        &["case", "report", "--format", "html", "x.case"],
        &["case", "report", "--format", "json", "x.case"],
        &["case", "merge", "x.case", "copy.case"],
        &["case", "merge", "--json", "x.case", "copy.case"],
        // The error holds both questions.
        &["case", "merge", "other.case", "x.case"],
        &["diagnose", "127.0.0.1", "--case", "x.case", "--max-time", "0"],
    ] {
        honest(&desk.run(command));
    }
    desk.append("x.case/observations.jsonl", &format!("{{\"{LYING}\n"));
    honest(
        desk.run(&["case", "show", "--records", "x.case"])
            .err("observations.jsonl"),
    );
}
