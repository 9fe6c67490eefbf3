//! `slowpath power`: what the detection of steps in series can see, measured on simulated series with known steps.

use crate::output;
use clap::Args;
use std::process::ExitCode;

/// Arguments of `slowpath power`.
#[derive(Debug, Args)]
pub(crate) struct PowerArgs {
    /// Seed of the simulation: the same seed gives the same table
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Simulated series per cell of the table; more take longer and vary less
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    series: u32,
}

/// Runs `slowpath power`.
pub(crate) fn run(args: &PowerArgs) -> ExitCode {
    let table = stats::power_table(args.seed, args.series).to_string();
    output::finish(output::try_print(&format!("{}\n", table.trim_end())))
}
