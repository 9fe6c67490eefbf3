//! The incidents, live on real kernels: each scenario is brought up, diagnosed and compared with its own truth.
//! A machine without namespaces or TUN devices skips them, loudly.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs::File;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Two labs at a time would compete for the processors and measure each other.
static ONE_LAB: Mutex<()> = Mutex::new(());

/// A machine that is busy with something else, or whose hypervisor takes its processors away, emulates links late: what is
/// measured then is the machine. The run says so itself and is made again; where no run was valid nothing was tested.
const MOST_RUNS: u32 = 3;

#[track_caller]
fn verdict_agrees_with_the_truth(scenario: &str) {
    let _alone = ONE_LAB.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for run in 1..=MOST_RUNS {
        let (code, shown) = run_once(scenario);
        // The lab's own exit code for "this machine does not let me".
        if code == Some(4) && shown.contains("namespace") {
            println!("SKIPPED {scenario}: {shown}");
            return;
        }
        if code != Some(0) && shown.contains("emulation NOT VALID") {
            println!("run {run} of {scenario} was not valid:\n{shown}");
            continue;
        }
        assert_eq!(code, Some(0), "{shown}");
        assert!(
            shown.contains("TRUTH"),
            "the verdict was compared with nothing:\n{shown}"
        );
        return;
    }
    println!(
        "SKIPPED {scenario}: this machine emulated links too late in {MOST_RUNS} runs, which neither agree nor refute"
    );
}

/// A run takes 20 to 130 s. One that takes longer than this hangs: it is ended, and what it printed is the failure's text.
const LONGEST_RUN: Duration = Duration::from_secs(400);

/// Exit code and all that was printed.
fn run_once(scenario: &str) -> (Option<i32>, String) {
    let directory = tempfile::tempdir().unwrap();
    let printed = ["out", "err"].map(|name| directory.path().join(name));
    let [out, err] = printed.each_ref().map(|path| File::create(path).unwrap());
    let mut lab = Command::new(env!("CARGO_BIN_EXE_slowpath"))
        .args(["lab", "run", scenario, "--case"])
        .arg(directory.path().join("test.case"))
        .stdout(out)
        .stderr(err)
        .spawn()
        .unwrap();
    let began = Instant::now();
    let code = loop {
        if let Some(status) = lab.try_wait().unwrap() {
            break status.code();
        }
        if began.elapsed() > LONGEST_RUN {
            lab.kill().unwrap();
            break lab.wait().unwrap().code();
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    let shown = printed.map(|path| std::fs::read_to_string(path).unwrap());
    (code, shown.join("\n"))
}

macro_rules! scenarios {
    ($($test:ident => $scenario:literal,)*) => { $(
        #[test]
        fn $test() {
            verdict_agrees_with_the_truth($scenario);
        }
    )* };
}

scenarios! {
    mtu_mismatch_on_a_link => "nrao-sarao-2021",
    mtu_mismatch_over_a_long_path => "nrao-sarao-2021-170ms",
    fragmentation_needed_filtered => "pmtud-icmp-filtered",
    receive_window_of_132_kb => "receive-window-132k",
    loss_that_only_a_long_path_feels => "loss-long-rtt",
    slow_link_in_a_fast_path => "capacity-100m",
    healthy_path_with_red_herrings => "healthy-red-herrings",
    equal_routes_that_differ_a_little => "near-miss-ecmp",
    traffic_of_others_that_leaves_enough => "near-miss-share",
}
