//! `slowpath case verify`: did the intervention help? Two rounds side by side; and whether the case is as it was
//! written.

use super::opened::read;
use crate::{exit, output};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `slowpath case verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The case directory
    dir: PathBuf,
    /// The round before [default: the last one before the last intervention]
    #[arg(long, value_name = "N")]
    before: Option<u32>,
    /// The round after [default: the newest one]
    #[arg(long, value_name = "N")]
    after: Option<u32>,
    /// Print the comparison as JSON (see docs/output.md)
    #[arg(long)]
    json: bool,
}

/// Runs `slowpath case verify`.
pub(super) fn run(args: &VerifyArgs) -> Result<ExitCode, ExitCode> {
    // What was altered or is missing is said by reading.
    let case = read(&args.dir)?;
    let rounds = case.rounds();
    for asked in [args.before, args.after].into_iter().flatten() {
        if !rounds.contains(&asked) {
            return Err(exit::usage(&no_round(asked, &rounds)));
        }
    }
    if let (Some(before), Some(after)) = (args.before, args.after)
        && before >= after
    {
        return Err(exit::usage(&format!(
            "round {before} is not before round {after}"
        )));
    }
    let (before, after) = casefile::sides(&case, args.before, args.after)
        .map_err(|why| exit::could_not_measure(&why.to_string()))?;
    let verdicts = diagnosis::judge(&case);
    let text = if args.json {
        report::json_escaped(&evidence::to_json_line(&report::comparison(
            &case, before, after, &verdicts,
        )))
    } else {
        report::comparison_text(&case, before, after, &verdicts, output::options())
    };
    output::print(&text);
    let verdict = verdicts.rounds.iter().find(|verdict| verdict.round == after);
    Ok(verdict.map_or_else(
        || exit::could_not_measure(&format!("round {after} has no verdict")),
        |verdict| exit::of_verdict(verdict.state),
    ))
}

fn no_round(asked: u32, rounds: &[u32]) -> String {
    let known: Vec<String> = rounds.iter().map(u32::to_string).collect();
    if known.is_empty() {
        return format!("there is no round {asked}: nothing was measured or added yet");
    }
    format!("there is no round {asked}; the case has {}", known.join(", "))
}
