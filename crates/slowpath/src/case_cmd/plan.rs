//! `slowpath case plan`: what would be measured next, and what it is expected to gain.

use super::opened::read;
use crate::{output, plan_view};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `slowpath case plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The case directory
    dir: PathBuf,
    /// Which round of measurements [default: the last]
    #[arg(long, value_name = "N")]
    round: Option<u32>,
    /// Plan as if no far end took part
    #[arg(long)]
    single_ended: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `slowpath case plan`.
pub(super) fn run(args: &PlanArgs) -> Result<ExitCode, ExitCode> {
    let case = read(&args.dir)?;
    let round = args.round.or(case.rounds().last().copied()).unwrap_or(1);
    // Of a recorded case nobody knows what its hosts allow now: as much as can be.
    let means = diagnosis::Means {
        far_end: !args.single_ended,
        raw_sockets_here: true,
        budget_time_ms: u64::MAX,
        ..diagnosis::Means::default()
    };
    let plan = diagnosis::explain_plan(&case, round, &means);
    let text = if args.json {
        report::json_escaped(&format!("{:#}\n", plan_view::json(&plan)))
    } else {
        plan_view::table(&plan, &case.complaint)
    };
    Ok(output::finish(output::try_print(&text)))
}
