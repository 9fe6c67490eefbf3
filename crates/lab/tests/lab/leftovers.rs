//! Nothing stays behind.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use lab::{Lab, LabError};

use crate::{two_hosts, up};

/// The argument that turns this program into one that holds a lab until it is killed.
pub(crate) const HOLD: &str = "--hold-a-lab";

/// Enters a sandbox of its own, brings a lab up, starts a process in a host, says so, and waits for its end.
pub(crate) fn hold() -> ExitCode {
    let held = lab::enter_sandbox().and_then(|()| Lab::up(&two_hosts("both = { delay = '1 ms' }"), 1));
    match held {
        Ok(lab) => {
            let mut sleeper = lab.command("b", "sleep").unwrap().arg("1000").spawn().unwrap();
            println!("up");
            let _ = sleeper.wait();
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Everybody in this sandbox's `/proc`.
fn processes() -> BTreeSet<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|e| e.file_name().to_str()?.parse().ok())
        .collect()
}

fn namespaces_of(processes: &BTreeSet<u32>) -> BTreeSet<std::path::PathBuf> {
    processes
        .iter()
        .filter_map(|pid| std::fs::read_link(format!("/proc/{pid}/ns/net")).ok())
        .collect()
}

pub(crate) fn nothing_is_left_after_kill_9() {
    // The supervisor, pid 1 of the inner sandbox, and the worker: each in turn is the one that is killed.
    for victim in 0..3 {
        let (before, namespaces_before) = (processes(), namespaces_of(&processes()));
        let program = std::env::current_exe().unwrap();
        let mut outer = Command::new(program)
            .arg(HOLD)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(outer.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "up\n");
        let started: Vec<u32> = processes().difference(&before).copied().collect();
        assert!(
            started.len() >= 4,
            "supervisor, pid 1, worker and sleep: {started:?}"
        );
        let target = nix::unistd::Pid::from_raw(started[victim] as i32);
        nix::sys::signal::kill(target, nix::sys::signal::Signal::SIGKILL).unwrap();
        outer.wait().unwrap();
        let deadline = Instant::now() + Duration::from_secs(3);
        while processes() != before && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(processes(), before, "after killing number {victim}");
        assert_eq!(namespaces_of(&processes()), namespaces_before);
    }
}

pub(crate) fn a_second_lab_is_refused_and_a_later_one_is_not() {
    let scenario = two_hosts("both = { delay = '1 ms' }");
    let first = up(&scenario);
    assert!(matches!(Lab::up(&scenario, 1), Err(LabError::Occupied)));
    drop(first);
    drop(up(&scenario));
}
