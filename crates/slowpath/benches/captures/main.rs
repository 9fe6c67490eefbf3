//! `slowpath capture` beside tcptrace and tshark: `cargo bench -p slowpath --bench captures [-- PACKETS]`.
//!
//! Two captures are made here, with snap length 96: one bulk transfer, and many short connections. Each program reads both from the page
//! cache. What counts is processor time as the kernel tells it, the median of several runs; tcptrace and tshark are skipped, loudly, where
//! they are not installed. `PACKETS` (six million) is the size of the bulk capture; the other has as many connections as fit it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_macros)]

mod made;

use nix::sys::resource::{UsageWho, getrusage};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const SLOWPATH: &str = env!("CARGO_BIN_EXE_slowpath");
const BULK_PACKETS: u64 = 6_000_000;
const RUNS: usize = 3;

/// What a run took.
#[derive(Clone, Copy)]
struct Took {
    cpu_s: f64,
    wall_s: f64,
    /// Most memory, MB.
    peak_mb: f64,
}

/// Runs a command; `None` where it is not installed.
fn took(command: &[&str]) -> Option<Took> {
    let before = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let began = Instant::now();
    // The shell's `exec` leaves the process; GNU time tells its memory, as the kernel's own figure is of all children together.
    let output = Command::new("/usr/bin/time")
        .args(["-f", "%M"])
        .args(command)
        .stdout(Stdio::null())
        .output()
        .ok()?;
    let wall_s = began.elapsed().as_secs_f64();
    if !output.status.success() {
        return None;
    }
    let after = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let cpu = |usage: &nix::sys::resource::Usage| seconds(usage.user_time()) + seconds(usage.system_time());
    let text = String::from_utf8_lossy(&output.stderr);
    let peak_kb: f64 = text.lines().next_back()?.trim().parse().ok()?;
    Some(Took {
        cpu_s: cpu(&after) - cpu(&before),
        wall_s,
        peak_mb: peak_kb / 1024.0,
    })
}

/// The run in the middle, by processor time.
fn median(command: &[&str], runs: usize) -> Option<Took> {
    let mut all: Vec<Took> = (0..runs).map(|_| took(command)).collect::<Option<_>>()?;
    all.sort_by(|one, other| one.cpu_s.total_cmp(&other.cpu_s));
    all.get(all.len() / 2).copied()
}

fn row(name: &str, packets: u64, took: Option<Took>, ours: Option<Took>) {
    let Some(took) = took else {
        println!("  {name:<22} SKIPPED: not installed, or it failed");
        return;
    };
    let ratio = ours.map_or_else(String::new, |ours| {
        format!(
            "   ours: {:.1} x the packets for each second of processor time, {:.3} x the memory",
            took.cpu_s / ours.cpu_s,
            ours.peak_mb / took.peak_mb
        )
    });
    println!(
        "  {name:<22} {:>7.2} s CPU {:>7.2} s wall {:>8.0} MB  {:>6.2} million packets/s{ratio}",
        took.cpu_s,
        took.wall_s,
        took.peak_mb,
        packets as f64 / took.cpu_s / 1e6
    );
}

fn compare(title: &str, file: &Path, packets: u64) {
    let file = file.to_str().unwrap();
    println!(
        "{title}: {packets} packets, {:.0} MB",
        std::fs::metadata(file).unwrap().len() as f64 / 1e6
    );
    row("cat", packets, median(&["cat", file], RUNS), None);
    let one = median(&[SLOWPATH, "capture", file, "--threads", "1"], RUNS);
    row("slowpath, 1 thread", packets, one, None);
    let two = median(&[SLOWPATH, "capture", file, "--threads", "2"], RUNS);
    row("slowpath, 2 threads", packets, two, None);
    if let (Some(one), Some(two)) = (one, two) {
        println!("  twice the threads: {:.2} x as fast", one.wall_s / two.wall_s);
    }
    row(
        "tcptrace -n",
        packets,
        median(&["tcptrace", "-n", file], RUNS),
        one,
    );
    row(
        "tshark -z conv,tcp",
        packets,
        median(&["tshark", "-n", "-q", "-r", file, "-z", "conv,tcp"], 1),
        one,
    );
}

fn main() {
    let packets = std::env::args()
        .find_map(|word| word.parse().ok())
        .unwrap_or(BULK_PACKETS);
    let folder = tempfile::tempdir().unwrap();
    let bulk = folder.path().join("bulk.pcap");
    let count = made::bulk(&bulk, packets, 96);
    compare("one transfer", &bulk, count);
    std::fs::remove_file(&bulk).unwrap();
    let full = folder.path().join("full.pcap");
    let count = made::bulk(&full, packets / 8, 65_535);
    compare("one transfer, whole packets", &full, count);
    std::fs::remove_file(&full).unwrap();
    let many = folder.path().join("many.pcap");
    let count = made::connections(&many, packets / 30);
    compare("short connections", &many, count);
}
