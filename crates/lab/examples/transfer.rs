//! What a scenario's path carries, for whoever writes one: a TCP transfer as the file's `[run]` says, each second.
//! `cargo run --release -p lab --example transfer -- FILE SECONDS [STEP]`

use std::time::Duration;

use lab::Lab;

#[path = "../benches/lab/tcp.rs"]
mod tcp;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(seconds)) = (arguments.next(), arguments.next()) else {
        return Err("usage: transfer FILE SECONDS [STEP]".into());
    };
    lab::enter_sandbox()?;
    let scenario = scenario::parse(&std::fs::read_to_string(&file)?)?;
    let run = scenario.run.clone().ok_or("the scenario has no [run]")?;
    let lab = Lab::up(&scenario, 1)?;
    if let Some(step) = arguments.next() {
        lab.step(&step)?;
    }
    let address = *scenario.addresses_of(run.to).first().ok_or("no address")?;
    let transfer = tcp::Transfer {
        from: &scenario.node(run.from).name,
        to: &scenario.node(run.to).name,
        address,
        congestion_control: &scenario.node(run.from).settings.congestion_control,
        warm_up: Duration::from_millis(10),
        counted: Duration::from_secs(seconds.parse()?),
    };
    println!("{:.1} Mbit/s; {}", transfer.run(&lab)? / 1e6, lab.validity());
    for direction in lab.counters() {
        let c = direction.counters;
        println!(
            "  {} -> {}: {} packets, drops (policer queue loss too-large emulator) {:?}, late {:.2} ms",
            direction.from,
            direction.to,
            c.packets_in,
            c.drops,
            c.worst_lateness_ns as f64 / 1e6
        );
    }
    Ok(())
}
