//! How true the lab is: round-trip times, throughput, and TCP against theory, each beside the bar it must clear.
//!
//! `cargo bench -p lab` takes some three minutes, `cargo bench -p lab -- --quick` half a minute with fewer samples
//! (and bars that a few samples cannot prove). The exit code is 1 when a bar was missed. It is a benchmark and not a test because
//! a machine that is busy with something else misses bars through no fault of the code.

mod pings;
mod table;
mod tcp;
mod theory;
mod throughput;

use std::process::ExitCode;

use table::Table;

fn main() -> ExitCode {
    let quick = std::env::args().any(|a| a == "--quick");
    // `cargo test` starts benchmarks too, to see whether they run.
    if std::env::args().any(|a| a == "--test") {
        return ExitCode::SUCCESS;
    }
    match run(quick) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("lab bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(quick: bool) -> Result<bool, Box<dyn std::error::Error>> {
    lab::enter_sandbox()?;
    let mut table = Table::new();
    throughput::measure(&mut table, quick)?;
    pings::measure(&mut table, quick)?;
    theory::measure(&mut table, quick)?;
    Ok(table.all_passed())
}
