//! What a process can and cannot do after it gave up its rights, tried in processes that did.
//!
//! This program starts itself again in a role: one that gives up nothing (what it can do shows that an attempt means
//! something), one that gives up what a server does, one that gives up what a client does. Each tries everything in
//! `attempts` and tells what came of it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod attempts;
mod calls;

use attempts::Desk;
use net::rights::{Client, Connects, restrict_client, restrict_server};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode};

/// The role and the desk of a process that was started to try things.
const ROLE: &str = "SLOWPATH_TEST_ROLE";
const DESK: &str = "SLOWPATH_TEST_DESK";

/// What came of each attempt: nothing, or the error's number.
type Outcomes = BTreeMap<String, i32>;

const TESTS: &[(&str, fn())] = &[
    ("a_server_can_do_nothing_else", a_server_can_do_nothing_else),
    ("a_server_can_do_its_work", a_server_can_do_its_work),
    (
        "a_client_writes_its_case_and_nothing_else",
        a_client_writes_its_case_and_nothing_else,
    ),
    (
        "a_diagnosis_reads_its_case_and_token_only",
        a_diagnosis_reads_its_case_and_token_only,
    ),
    ("a_client_can_do_its_work", a_client_can_do_its_work),
];

fn main() -> ExitCode {
    if let Ok(role) = std::env::var(ROLE) {
        act(&role, &Desk::from_text(&std::env::var(DESK).unwrap()));
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filter = arguments.iter().find(|a| !a.starts_with('-'));
    let wanted = TESTS
        .iter()
        .filter(|(name, _)| filter.is_none_or(|f| name.contains(f.as_str())));
    if arguments.iter().any(|a| a == "--list") {
        wanted.for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let mut failed = 0;
    for (name, test) in wanted {
        let passed = catch_unwind(AssertUnwindSafe(test)).is_ok();
        failed += u32::from(!passed);
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
    }
    println!("\ntest result: {} failed", failed);
    ExitCode::from(if failed == 0 { 0 } else { 101 })
}

/// Gives up what the role gives up, tries everything, and tells a line each.
fn act(role: &str, desk: &Desk) {
    match role {
        "free" => {}
        "server" => {
            let restricted = restrict_server(None, &[], Connects::Nowhere).unwrap();
            println!("landlock\t{}", restricted.files.abi.unwrap_or(0));
        }
        "client" | "diagnosis" => restrict_client(&Client {
            case: Some(&desk.case),
            token: Some(&desk.token),
            has_resolved: role == "diagnosis",
            ..Client::default()
        })
        .unwrap(),
        other => panic!("no role {other}"),
    }
    for (name, outcome) in attempts::all(desk) {
        let number = outcome.map_or_else(|error| error.raw_os_error().unwrap_or(-1), |()| 0);
        println!("{name}\t{number}");
    }
}

/// What came of everything in this role.
fn outcomes(role: &str) -> Outcomes {
    let (desk, _listener) = Desk::new();
    let output = Command::new(std::env::current_exe().unwrap())
        .env(ROLE, role)
        .env(DESK, desk.to_text())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{role}: {}\n{text}\n{said}",
        output.status
    );
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    lines
        .map(|(name, number)| (name.to_owned(), number.parse().unwrap()))
        .collect()
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// Whether `name` needs root, or a kernel with Landlock, that is not here; said loudly.
fn skipped(name: &str, landlock: i32) -> bool {
    let since = attempts::landlock_since(name);
    let why = if attempts::needs_root(name) && !is_root() {
        "not root"
    } else if since.is_some_and(|since| landlock < since) {
        "this kernel's Landlock cannot refuse it"
    } else {
        return false;
    };
    println!("SKIPPED {name}: {why}");
    true
}

/// Every attempt of `names` is refused in `role`, and the refusal is not one that anybody would get.
#[track_caller]
fn refused(names: &[&str], restricted: &Outcomes, landlock: i32) {
    let free = outcomes("free");
    for name in names.iter().filter(|name| !skipped(name, landlock)) {
        let (with, without) = (restricted[*name], free[*name]);
        let not_there = attempts::is_said_not_to_exist(name);
        let expected: &[i32] = if not_there {
            &[libc::ENOSYS]
        } else {
            &[libc::EPERM, libc::EACCES]
        };
        assert!(
            expected.contains(&with),
            "{name} gave {with}, without restrictions {without}"
        );
        if with == without && !not_there {
            println!("SKIPPED {name}: this machine refuses it to everybody");
            assert!(
                !attempts::ALWAYS_FREE.contains(name) || !is_root(),
                "{name} was never tried"
            );
        }
    }
}

#[track_caller]
fn allowed(names: &[&str], restricted: &Outcomes) {
    for name in names.iter().filter(|name| !skipped(name, i32::MAX)) {
        assert_eq!(restricted[*name], 0, "{name}");
    }
}

fn a_server_can_do_nothing_else() {
    let server = outcomes("server");
    let landlock = server["landlock"];
    if landlock == 0 {
        println!("SKIPPED what Landlock refuses: this kernel has none");
    }
    let outside = ["connect to a port of this host", "read the token"];
    let names = [
        attempts::SYSTEM_CALLS,
        attempts::READS,
        &outside,
        attempts::WRITES,
    ]
    .concat();
    refused(&names, &server, landlock);
}

fn a_server_can_do_its_work() {
    allowed(attempts::WORK, &outcomes("server"));
}

fn a_client_writes_its_case_and_nothing_else() {
    let client = outcomes("client");
    allowed(&["write into the case", "read a file of the user"], &client);
    refused(attempts::SYSTEM_CALLS, &client, i32::MAX);
    let landlock = outcomes("server")["landlock"];
    if landlock == 0 {
        println!("SKIPPED what Landlock refuses: this kernel has none");
    } else {
        refused(&["write a file", "make a file"], &client, landlock);
    }
}

fn a_diagnosis_reads_its_case_and_token_only() {
    let diagnosis = outcomes("diagnosis");
    allowed(&["write into the case", "read the token"], &diagnosis);
    let landlock = outcomes("server")["landlock"];
    refused(
        &[attempts::READS, attempts::SYSTEM_CALLS].concat(),
        &diagnosis,
        landlock,
    );
}

fn a_client_can_do_its_work() {
    allowed(attempts::WORK, &outcomes("client"));
    allowed(attempts::WORK, &outcomes("diagnosis"));
}
