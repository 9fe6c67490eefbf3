//! Time and packets of the path probes, as a table with their bars, beside `traceroute` where it is installed:
//! `cargo bench -p net --bench route`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a benchmark that cannot run has nothing to say

#[path = "../tests/path/network.rs"]
#[allow(dead_code)]
mod network;

use evidence::{ProbeProtocol, Probes, Trace};
use net::path::{PathTarget, Sockets, hop_loss, path_mtu_with, route_with};
use network::{RunningReflector, incident, links, measure, target, up};
use std::time::Instant;

const RUNS: usize = 9;

fn main() {
    if let Err(reason) = lab::enter_sandbox() {
        println!("SKIPPED: {reason}");
        return;
    }
    println!(
        "{:<58} {:>10} {:>10} {:>8}",
        "median of 9", "ms", "bar (ms)", "packets"
    );
    routes();
    path_mtus();
    losses();
}

fn row(what: &str, mut ms: Vec<f64>, bar_ms: f64, packets: u32) {
    ms.sort_by(f64::total_cmp);
    let median = ms[ms.len() / 2];
    let verdict = if median <= bar_ms { "" } else { "  MISSED" };
    println!("{what:<58} {median:>10.2} {bar_ms:>10.1} {packets:>8}{verdict}");
}

fn ms(elapsed_ns: Option<u64>) -> f64 {
    elapsed_ns.map_or(f64::NAN, |ns| ns as f64 / 1e6)
}

/// Seven links: one and a half round trips, and no more packets than traceroute's 32.
fn routes() {
    for (name, properties, bar_ms) in [
        ("veth", [(4, "")], 3.0),
        ("10 ms", [(4, "both = { delay = '5 ms' }")], 15.0),
        (
            "10 ms in the first link",
            [(1, "both = { delay = '5 ms' }")],
            15.0,
        ),
    ] {
        let lab = up(&links(7, "", &properties));
        let to = target(&lab, "b", false);
        for (protocol, sockets, how) in [
            (ProbeProtocol::Udp, Sockets::Best, "UDP, raw"),
            (ProbeProtocol::Udp, Sockets::Unprivileged, "UDP, unprivileged"),
            (ProbeProtocol::Icmp, Sockets::Best, "ICMP, raw"),
        ] {
            let trace = || -> Trace {
                let work = |watch| async move { route_with(&to, protocol, 1, sockets, &watch).await };
                measure(&lab, "a", work).unwrap()
            };
            let runs: Vec<Trace> = (0..RUNS).map(|_| trace()).collect();
            let ms = runs.iter().map(|route| ms(route.elapsed_ns)).collect();
            let packets = runs
                .iter()
                .filter_map(|route| route.packets_sent)
                .max()
                .unwrap_or(0);
            row(&format!("route, 7 links, {name}, {how}"), ms, bar_ms, packets);
        }
        if bar_ms < 5.0 {
            traceroute(&lab, &to);
        }
    }
}

fn traceroute(lab: &lab::Lab, to: &PathTarget) {
    let run = || {
        let begun = Instant::now();
        let done = lab
            .command("a", "traceroute")
            .unwrap()
            .args(["-n", &to.destination.to_string()])
            .output();
        done.is_ok_and(|output| output.status.success())
            .then(|| begun.elapsed().as_secs_f64() * 1e3)
    };
    match (0..RUNS).map(|_| run()).collect::<Option<Vec<f64>>>() {
        Some(ms) => row("peer: traceroute -n (whole process)", ms, f64::INFINITY, 32),
        None => println!("peer: traceroute is not installed"),
    }
}

/// The black hole of the incident, at 10 and 170 ms.
fn path_mtus() {
    for (file, from, bar_ms) in [
        ("nrao-sarao-2021", "esnet-perfsonar.example", 3_000.0),
        ("nrao-sarao-2021-170ms", "cpt-chpc-10g.perfsonar.ac.za", 6_000.0),
        ("pmtud-icmp-filtered", "esnet-perfsonar.example", 3_000.0),
    ] {
        let lab = up(&incident(file));
        let to = target(&lab, "perfsonar-10.cv.nrao.edu", false);
        for (sockets, how) in [(Sockets::Best, "raw"), (Sockets::Unprivileged, "unprivileged")] {
            let route: Trace = measure(&lab, from, |watch| async move {
                route_with(&to, ProbeProtocol::Udp, 1, sockets, &watch).await
            })
            .unwrap();
            let known = &route;
            let search = || -> Probes {
                let work = |watch| async move { path_mtu_with(&to, Some(known), sockets, &watch).await };
                measure(&lab, from, work).unwrap()
            };
            let runs: Vec<Probes> = (0..RUNS).map(|_| search()).collect();
            let ms = runs.iter().map(|found| ms(found.elapsed_ns)).collect();
            let packets = runs
                .iter()
                .filter_map(|found| found.packets_sent)
                .max()
                .unwrap_or(0);
            row(&format!("path MTU, {file}, {how}"), ms, bar_ms, packets);
        }
    }
}

/// Probes a second through an emulated link, and what is falsely lost at that.
fn losses() {
    let lab = up(&links(3, "", &[(2, "both = { delay = '2 ms' }")]));
    let to = target(&lab, "b", false);
    let reflector = RunningReflector::start(&lab, "b", to.destination);
    let to = PathTarget {
        reflector: Some(reflector.reflector),
        ..to
    };
    for rate_pps in [30_000, 60_000] {
        let work = |watch| async move { hop_loss(&to, &[3], 200_000, rate_pps, &watch).await };
        let echo = measure(&lab, "a", work).unwrap();
        let row = &echo.rows[0];
        println!(
            "loss to the destination at {rate_pps}/s: {:.0}/s sent, {:?} of {:?} lost, own sockets dropped {:?}",
            row.rate_pps.unwrap_or(f64::NAN),
            row.count_lost(),
            row.sent,
            echo.own_socket_drops
        );
    }
}
