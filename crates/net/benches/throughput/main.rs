//! How fast and how true the transfers are, beside iperf3 in the same minute on the same veth pair.
//!
//! `cargo bench -p net --bench throughput`; `-- --quick` for a short look. Wants root or user namespaces, and an idle
//! machine; iperf3 only if it is installed. Runs of the two programs alternate and their ratio is taken pair by pair:
//! what else the machine does then hurts both. Exits with 1 when a bar is missed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark that cannot run must say where"
)]

mod iperf3;
mod world;

use evidence::{Ask, Node, OneWayDelay, Payload, RateBps, Transfer};
use net::Watch;
use net::far_end::{FarEnd, Side};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use world::World;

/// IP packet size of the UDP streams, bytes.
const UDP_SIZE_BYTES: u32 = 1_400;

struct Row {
    what: &'static str,
    ours: String,
    theirs: String,
    measured: Option<f64>,
    bar: f64,
    unit: &'static str,
    is_floor: bool,
}

impl Row {
    fn passes(&self) -> Option<bool> {
        self.measured.map(|value| {
            if self.is_floor {
                value >= self.bar
            } else {
                value <= self.bar
            }
        })
    }

    fn print(&self) {
        let verdict = match self.passes() {
            Some(true) => "pass",
            Some(false) => "FAIL",
            None => "not compared: iperf3 is not installed",
        };
        let measured = self
            .measured
            .map_or("–".to_owned(), |value| format!("{value:.2}{}", self.unit));
        let sign = if self.is_floor { "≥" } else { "≤" };
        println!(
            "{:<34} {:>16} {:>16} {:>10}  {sign} {}{:<4} {verdict}",
            self.what, self.ours, self.theirs, measured, self.bar, self.unit
        );
    }
}

fn main() -> ExitCode {
    // `cargo bench` passes `--bench`; `cargo test` builds this too, and must not run it.
    let arguments: Vec<String> = std::env::args().collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let is_quick = arguments.iter().any(|argument| argument == "--quick");
    let (rounds, seconds) = if is_quick { (2, 1) } else { (5, 3) };
    let world = match World::new() {
        Ok(world) => world,
        Err(error) => {
            println!("SKIPPED: {error}");
            return ExitCode::SUCCESS;
        }
    };
    let has_rival = iperf3::version();
    println!(
        "beside {}; {rounds} rounds of {seconds} s",
        has_rival.as_deref().unwrap_or("nothing")
    );
    println!("{:<34} {:>16} {:>16} {:>10}  bar", "", "slowpath", "iperf3", "");
    let rows = [
        tcp(&world, rounds, seconds),
        udp(&world, rounds, seconds),
        delay(&world, seconds),
    ];
    for row in &rows {
        row.print();
    }
    if rows.iter().any(|row| row.passes() == Some(false)) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn tcp(world: &World, rounds: usize, seconds: u32) -> Row {
    let ask = Ask::TcpThroughput {
        from: Node::named("client"),
        to: Node::named("server"),
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: Some("cubic".to_owned()),
        max_time_ms: seconds * 1_000,
        max_bytes: None,
        watch_hops: false,
    };
    let ours = || perform(world, &ask).received_bps.map_or(0.0, |rate| rate.0);
    let (ours, theirs) = alternate(rounds, ours, || iperf3::tcp(world, seconds));
    let gbit =
        |rates: &[f64]| median(rates).map_or("–".to_owned(), |rate| format!("{:.1} Gbit/s", rate / 1e9));
    Row {
        what: "TCP, 1 stream, CUBIC",
        ours: gbit(&ours),
        theirs: gbit(&theirs),
        measured: ratio(&ours, &theirs),
        bar: 1.6,
        unit: " ×",
        is_floor: true,
    }
}

fn udp(world: &World, rounds: usize, seconds: u32) -> Row {
    let ask = Ask::UdpStream {
        from: Node::named("client"),
        to: Node::named("server"),
        size_bytes: UDP_SIZE_BYTES,
        rate_bps: RateBps(1e12),
        duration_ms: seconds * 1_000,
    };
    // A stream at a rate that no host reaches ends when its time is over, not when all packets are sent.
    let ours = || {
        let udp = perform(world, &ask);
        assert_eq!(
            udp.lost_on_path(),
            Some(0),
            "veth loses nothing: {:?}",
            udp.host_drops
        );
        let (packets, ns) = udp.packets_received.zip(udp.duration_ns).unwrap();
        packets as f64 * 1e9 / ns as f64
    };
    let (ours, theirs) = alternate(rounds, ours, || iperf3::udp(world, seconds, UDP_SIZE_BYTES));
    let pps =
        |rates: &[f64]| median(rates).map_or("–".to_owned(), |rate| format!("{:.0} kpacket/s", rate / 1e3));
    Row {
        what: "UDP, 1400 B, received",
        ours: pps(&ours),
        theirs: pps(&theirs),
        measured: ratio(&ours, &theirs),
        bar: 20.0,
        unit: " ×",
        is_floor: true,
    }
}

fn delay(world: &World, seconds: u32) -> Row {
    let ask = Ask::UdpStream {
        from: Node::named("client"),
        to: Node::named("server"),
        size_bytes: 1_000,
        rate_bps: RateBps(8e6),
        duration_ms: seconds * 1_000,
    };
    let delay = under_load(|| perform(world, &ask).one_way_delay);
    let error = |delay: &OneWayDelay| delay.above_min.p99_ns.map_or(f64::INFINITY, |ns| ns as f64 / 1e3);
    Row {
        what: "one-way delay, p99 above least, load",
        ours: delay.as_ref().map_or("–".to_owned(), |delay| {
            format!("{} samples", delay.samples.len())
        }),
        theirs: "–".to_owned(),
        measured: Some(delay.as_ref().map_or(f64::INFINITY, error)),
        bar: 20.0,
        unit: " µs",
        is_floor: false,
    }
}

/// What a transfer that this end sends gave.
fn perform(world: &World, ask: &Ask) -> Transfer {
    let far: &FarEnd = world.far_end();
    let outcome = world
        .runtime()
        .block_on(far.perform(ask, Side::Here, &Watch::quiet()));
    match outcome.expect("a transfer over veth works").remove(0) {
        Payload::Transfer(transfer) => *transfer,
        other => panic!("{other:?}"),
    }
}

/// Runs `work` while every core has something else to do.
fn under_load<T>(work: impl FnOnce() -> T) -> T {
    let stop = Arc::new(AtomicBool::new(false));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let spinners: Vec<_> = (0..cores)
        .map(|_| {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        })
        .collect();
    let result = work();
    stop.store(true, Ordering::Relaxed);
    for spinner in spinners {
        let _ = spinner.join();
    }
    result
}

/// Alternates the two, a round each, after one round of ours that does not count.
fn alternate(
    rounds: usize,
    ours: impl Fn() -> f64,
    theirs: impl Fn() -> Option<f64>,
) -> (Vec<f64>, Vec<f64>) {
    let _ = ours();
    let (mut mine, mut others) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        mine.push(ours());
        others.extend(theirs());
    }
    (mine, others)
}

/// The median of the ratios of the pairs; `None` without a rival.
fn ratio(ours: &[f64], theirs: &[f64]) -> Option<f64> {
    let ratios: Vec<f64> = ours
        .iter()
        .zip(theirs)
        .map(|(ours, theirs)| ours / theirs)
        .collect();
    median(&ratios)
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
