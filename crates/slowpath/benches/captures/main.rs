//! `slowpath capture` beside tcptrace and tshark: `cargo bench -p slowpath --bench captures [-- PACKETS]`.
//!
//! The captures are made here: one bulk transfer with snap length 96, one of whole packets, and many short connections. Each
//! program reads them from the page cache, once they are on the disk: before, the kernel is busy with writing them. What counts is
//! processor time as the kernel tells it, and time by the clock for what threads gain: medians of several runs. The programs take
//! turns, as a machine is not equally busy all the time; one and two threads do so with nothing else between them. tcptrace and
//! tshark are skipped, loudly, where they are not installed; tshark takes half a minute for the bulk capture, and reads it twice.
//! At last comes a flood of connections that never end, through a pipe, with a bound of memory. `PACKETS` (six million) is the size
//! of the bulk capture.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_macros)]

mod made;

use nix::sys::resource::{UsageWho, getrusage};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

const SLOWPATH: &str = env!("CARGO_BIN_EXE_slowpath");
const BULK_PACKETS: u64 = 6_000_000;
const RUNS: usize = 9;

/// What a run took.
#[derive(Clone, Copy)]
struct Took {
    cpu_s: f64,
    wall_s: f64,
    /// Most memory, MB.
    peak_mb: f64,
}

fn children_s() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// What writes a command's standard input.
type Feed<'a> = &'a dyn Fn(&mut dyn Write);

/// GNU time tells the memory, as the kernel's own figure is of all children together. It takes as long to start as some programs.
const MEMORY: [&str; 3] = ["/usr/bin/time", "-f", "%M"];

/// Runs a command, with something that writes its input; `None` where it is not installed or fails. And what it printed.
/// The memory is told by [`MEMORY`] before it.
fn took(command: &[&str], input: Option<Feed<'_>>) -> Option<(Took, String)> {
    let before_s = children_s();
    let began = Instant::now();
    let (program, arguments) = command.split_first()?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    if let (Some(write), Some(mut pipe)) = (input, child.stdin.take()) {
        write(&mut pipe);
    }
    let output = child.wait_with_output().ok()?;
    let wall_s = began.elapsed().as_secs_f64();
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let peak_kb = text
        .lines()
        .next_back()
        .and_then(|last| last.trim().parse::<f64>().ok());
    let took = Took {
        cpu_s: children_s() - before_s,
        wall_s,
        peak_mb: peak_kb.unwrap_or(f64::NAN) / 1024.0,
    };
    Some((took, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Of each command the figures in the middle; they take turns. Its memory is that of one more run.
fn medians<const N: usize>(commands: [&[&str]; N], runs: usize) -> [Option<Took>; N] {
    let mut all = [const { Vec::new() }; N];
    for _ in 0..runs {
        for (command, all) in commands.iter().zip(&mut all) {
            all.push(took(command, None).map(|(took, _)| took));
        }
    }
    let mut commands = commands.into_iter();
    all.map(|all: Vec<Option<Took>>| {
        let command = commands.next()?;
        let all: Vec<Took> = all.into_iter().collect::<Option<_>>()?;
        let (with_memory, _) = took(&[&MEMORY[..], command].concat(), None)?;
        let middle = |of: fn(&Took) -> f64| median(all.iter().map(of).collect());
        Some(Took {
            cpu_s: middle(|took| took.cpu_s)?,
            wall_s: middle(|took| took.wall_s)?,
            peak_mb: with_memory.peak_mb,
        })
    })
}

/// The middle of them.
fn median(mut all: Vec<f64>) -> Option<f64> {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

/// How much less time by the clock two threads take than one, told apart by how far the processors were from each other.
fn gain_of_threads(one: &[&str], two: &[&str]) -> Option<String> {
    /// Farther apart two processors have no cache in common.
    const NEAR_NS: f64 = 100.0;
    let (mut near, mut far, mut at_once) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..2 * RUNS {
        let before_ns = apart_ns();
        let (one_s, two_s) = (took(one, None)?.0.wall_s, took(two, None)?.0.wall_s);
        let gains = if before_ns.max(apart_ns()) < NEAR_NS {
            &mut near
        } else {
            &mut far
        };
        gains.push(one_s / two_s);
        at_once.push(two_at_once(one, one_s)?);
    }
    let told = |gains: &Vec<f64>, how: &str| match (gains.len(), median(gains.clone())) {
        (count, Some(gain)) => format!("; {gain:.2} x in {count} of {} rounds, {how}", 2 * RUNS),
        _ => String::new(),
    };
    let (near_told, far_told) = (told(&near, "processors near"), told(&far, "processors far"));
    Some(format!(
        "{:.2} x as fast{near_told}{far_told}; two programs of one thread at once: {:.2} x",
        median([near, far].concat())?,
        median(at_once)?
    ))
}

/// How much more two programs of one thread do at once than one does: two processors of this machine at this time give no more.
fn two_at_once(command: &[&str], one_s: f64) -> Option<f64> {
    let both_s = std::thread::scope(|scope| {
        let other = scope.spawn(|| took(command, None));
        let here = took(command, None);
        Some(here?.0.wall_s.max(other.join().ok()??.0.wall_s))
    })?;
    Some(2.0 * one_s / both_s)
}

/// A line; `ours` is what the other is compared with.
fn row(name: &str, packets: u64, took: Option<Took>, ours: Option<Took>) {
    let Some(took) = took else {
        println!("  {name:<22} SKIPPED: not installed, or it failed");
        return;
    };
    let ratio = ours.map_or_else(String::new, |ours| {
        format!(
            "   ours: {:.2} x the packets for each second of processor time, {:.3} x the memory",
            took.cpu_s / ours.cpu_s,
            ours.peak_mb / took.peak_mb
        )
    });
    println!(
        "  {name:<22} {:>7.3} s CPU {:>7.3} s wall {:>8.0} MB  {:>6.2} million packets/s{ratio}",
        took.cpu_s,
        took.wall_s,
        took.peak_mb,
        packets as f64 / took.cpu_s / 1e6
    );
}

fn title(what: &str, file: &str, packets: u64) {
    let bytes = std::fs::metadata(file).unwrap().len();
    println!("{what}: {packets} packets, {:.0} MB", bytes as f64 / 1e6);
}

/// Beside `cat` and tcptrace; what one thread of ours took.
fn compare(what: &str, file: &Path, packets: u64) -> Option<Took> {
    std::fs::File::open(file).unwrap().sync_all().unwrap();
    let file = file.to_str().unwrap();
    title(what, file, packets);
    let one_thread: &[&str] = &[SLOWPATH, "capture", file, "--threads", "1"];
    let two_threads: &[&str] = &[SLOWPATH, "capture", file, "--threads", "2"];
    let [cat, one, tcptrace] = medians([&["cat", file], one_thread, &["tcptrace", "-n", file]], RUNS);
    row("cat", packets, cat, one);
    row("slowpath, 1 thread", packets, one, None);
    if let Some(gain) = gain_of_threads(one_thread, two_threads) {
        println!("  twice the threads: {gain}");
    }
    row("tcptrace -n", packets, tcptrace, one);
    one
}

/// How long one processor waits for what another has just written, nanoseconds. Some 50 within one cache, 200 and more between two:
/// virtual machines are moved from one to the other while they run.
fn apart_ns() -> f64 {
    const TURNS: u32 = 100_000;
    /// Until then both may share one processor.
    const BEGUN: u32 = TURNS / 5;
    let (turn, mut begun) = (AtomicU32::new(0), Instant::now());
    let wait_for = |number| while turn.load(Ordering::Acquire) != number {};
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in (1..TURNS).step_by(2) {
                wait_for(number);
                turn.store(number + 1, Ordering::Release);
            }
        });
        for number in (0..TURNS).step_by(2) {
            wait_for(number);
            if number == BEGUN {
                begun = Instant::now();
            }
            turn.store(number + 1, Ordering::Release);
        }
    });
    begun.elapsed().as_nanos() as f64 / f64::from(TURNS - BEGUN)
}

/// Connections that never end, with a bound of memory.
fn flood(connections: u64, memory_mib: &str) {
    let command = [SLOWPATH, "capture", "-", "--threads", "1", "--memory", memory_mib];
    let run = took(
        &[&MEMORY[..], &command].concat(),
        Some(&|pipe| made::flood(pipe, connections)),
    );
    println!("{connections} connections at once, --memory {memory_mib}");
    row(
        "slowpath, 1 thread",
        3 * connections,
        run.as_ref().map(|run| run.0),
        None,
    );
    for line in run.iter().flat_map(|(_, text)| text.lines().take(2)) {
        println!("    {line}");
    }
}

fn main() {
    let packets = std::env::args()
        .find_map(|word| word.parse().ok())
        .unwrap_or(BULK_PACKETS);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("made.pcap");
    let count = made::bulk(&file, packets, 96);
    let ours = compare("one transfer", &file, count);
    let [tshark] = medians(
        [&[
            "tshark",
            "-n",
            "-q",
            "-r",
            file.to_str().unwrap(),
            "-z",
            "conv,tcp",
        ]],
        1,
    );
    row("tshark -z conv,tcp", count, tshark, ours);
    let count = made::bulk(&file, packets / 4, 65_535);
    compare("one transfer, whole packets", &file, count);
    let count = made::connections(&file, packets / 30);
    compare("short connections", &file, count);
    std::fs::remove_file(&file).unwrap();
    flood(packets / 3 * 5, "1024");
}
