//! iperf3, the rival, where it is installed.

use super::world::{ADDRESS_B, World};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Its first word on itself; `None` when it is not installed.
pub(super) fn version() -> Option<String> {
    let output = Command::new("iperf3").arg("--version").output().ok()?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .next()
        .map(str::to_owned)
}

/// Its default single TCP stream with CUBIC: bit/s received.
pub(super) fn tcp(world: &World, seconds: u32) -> Option<f64> {
    let report = run(world, seconds, &["-C", "cubic"])?;
    report["end"]["sum_received"]["bits_per_second"].as_f64()
}

/// As many UDP packets as it can send in IP packets of `size_bytes`: packets per second received.
pub(super) fn udp(world: &World, seconds: u32, size_bytes: u32) -> Option<f64> {
    let payload = (size_bytes - 28).to_string();
    let report = run(world, seconds, &["-u", "-b", "0", "-l", &payload])?;
    let sum = &report["end"]["sum"];
    let received = sum["packets"].as_f64()? - sum["lost_packets"].as_f64()?;
    Some(received / sum["seconds"].as_f64()?)
}

fn run(world: &World, seconds: u32, options: &[&str]) -> Option<serde_json::Value> {
    version()?;
    let mut server = world.spawn_at_b(|| {
        let mut command = Command::new("iperf3");
        command
            .args(["-s", "-1"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    });
    std::thread::sleep(Duration::from_millis(300));
    let output = Command::new("iperf3")
        .args(["-c", ADDRESS_B, "-J", "-t", &seconds.to_string()])
        .args(options)
        .output()
        .expect("iperf3 was there a moment ago");
    let _ = server.kill();
    let _ = server.wait();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("iperf3 -J prints JSON");
    assert!(report["error"].is_null(), "iperf3: {}", report["error"]);
    Some(report)
}
