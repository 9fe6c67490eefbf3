//! Writers of one case: many at once, one that takes long, one that is killed.

use crate::common::{Desk, interruptible};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn slowpath(desk: &Desk, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slowpath"));
    command.args(args).current_dir(desk.path(""));
    let mut command = interruptible(&command);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn trace(number: usize) -> String {
    format!(
        "traceroute to h{number}.example (198.51.100.2), 30 hops max, 60 byte packets\n \
         1  gw.a.example (192.0.2.254)  0.{:03} ms  0.305 ms  0.301 ms\n",
        number + 1
    )
}

#[test]
fn many_add_at_once_and_nothing_is_lost() {
    const WRITERS: usize = 24;
    let desk = Desk::new();
    desk.new_case("x.case");
    let running: Vec<Child> = (0..WRITERS)
        .map(|number| {
            let file = format!("{number}.txt");
            desk.write(&file, &trace(number));
            slowpath(&desk, &["case", "add", "x.case", &file])
                .spawn()
                .unwrap()
        })
        .collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert_eq!(desk.observations("x.case").len(), WRITERS);
    assert_eq!(desk.names("x.case/raw").len(), WRITERS);
    let shown = desk.run(&["case", "show", "--records", "x.case"]);
    assert_eq!(
        shown.stderr, "",
        "every line is whole and every raw record is as its name says"
    );
}

/// A `case add` that holds the lock until its standard input ends.
fn holder(desk: &Desk) -> Child {
    let mut child = slowpath(desk, &["case", "add", "x.case", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    // Its copy is begun under the lock.
    while !desk.exists("x.case/raw") || desk.hidden_names("x.case/raw").is_empty() {
        assert!(Instant::now() < deadline, "the copy did not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn end(mut child: Child) {
    drop(child.stdin.take());
    child.wait().unwrap();
}

/// The first line that a child says on standard error.
fn first_word(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    line
}

#[test]
fn whoever_waits_says_for_whom_and_can_leave() {
    let desk = Desk::new();
    desk.new_case("x.case");
    desk.write("1.txt", &trace(1));
    let holder = holder(&desk);
    let new = ["case", "new", "x.case", "--from", "a", "--to", "b"];
    for command in [
        &["case", "add", "x.case", "1.txt"][..],
        &["case", "note", "x.case", "swapped the fibre"],
        &["case", "merge", "x.case", "x.case"],
        &["diagnose", "127.0.0.1", "--case", "x.case"],
        &new,
    ] {
        let mut waiting = slowpath(&desk, command).spawn().unwrap();
        let word = first_word(&mut waiting);
        for part in [
            "x.case: process ",
            &format!("process {} ", holder.id()),
            "case add x.case -",
            "waiting up to 60 s",
            "Ctrl-C",
        ] {
            assert!(word.contains(part), "{command:?} does not say {part:?}: {word}");
        }
        let asked = Instant::now();
        kill(Pid::from_raw(waiting.id() as i32), Signal::SIGINT).unwrap();
        assert!(!waiting.wait().unwrap().success());
        assert!(asked.elapsed() < Duration::from_secs(5), "{command:?}");
    }
    let mut waiting = slowpath(&desk, &["case", "add", "x.case", "1.txt"])
        .spawn()
        .unwrap();
    first_word(&mut waiting);
    end(holder);
    assert!(waiting.wait().unwrap().success());
    assert_eq!(desk.observations("x.case").len(), 1);
}

#[test]
fn copies_of_killed_writers_do_not_stay() {
    let desk = Desk::new();
    desk.new_case("x.case");
    for number in 0..12 {
        let mut killed = holder(&desk);
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert_eq!(desk.hidden_names("x.case/raw").len(), 1, "the kill came in time");
        // Every command that writes cleans up, one that copies nothing too.
        desk.run(&["case", "note", "x.case", &format!("kill {number}")])
            .exits(0);
        assert!(desk.hidden_names("x.case/raw").is_empty());
    }
    // The copy of one that lives is not touched by those that wait for it.
    let alive = holder(&desk);
    let mut waiting = slowpath(&desk, &["case", "note", "x.case", "later"])
        .spawn()
        .unwrap();
    first_word(&mut waiting);
    assert_eq!(desk.hidden_names("x.case/raw").len(), 1);
    end(alive);
    assert!(waiting.wait().unwrap().success());
    assert!(desk.hidden_names("x.case/raw").is_empty());
}

#[test]
fn kills_at_any_moment_leave_whole_records() {
    let desk = Desk::new();
    desk.new_case("x.case");
    // Large enough that copying it takes a while.
    let mut file = File::create(desk.path("large.txt")).unwrap();
    for number in 0..2_000 {
        file.write_all(trace(number).as_bytes()).unwrap();
    }
    drop(file);
    for round in 0..20 {
        let mut child = slowpath(&desk, &["case", "add", "x.case", "large.txt"])
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(3 * round));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    desk.run(&["case", "add", "x.case", "large.txt"]).exits(0);
    assert_eq!(desk.observations_that_parse("x.case"), 2_000);
    assert_eq!(desk.names("x.case/raw").len(), 1);
    let raw = desk.path("x.case/raw").join(&desk.names("x.case/raw")[0]);
    assert_eq!(fs::read(raw).unwrap(), fs::read(desk.path("large.txt")).unwrap());
}
