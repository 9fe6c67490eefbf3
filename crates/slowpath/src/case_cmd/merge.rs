//! `slowpath case merge`: copies of a case that several parties added to become one.

use super::derived::refresh_derived;
use super::opened::{about, complain_about_raw, open};
use crate::complaints::{Complaints, MOST_TOLD};
use crate::{exit, output};
use casefile::{MergeError, Merged};
use clap::Args;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `slowpath case merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The case that gets what the others have more
    dir: PathBuf,
    /// Other copies of it; they stay as they are
    #[arg(required = true)]
    others: Vec<PathBuf>,
    /// Print what was added and what contradicts as JSON (see docs/output.md)
    #[arg(long)]
    json: bool,
}

/// Runs `slowpath case merge`.
pub(super) fn run(args: &MergeArgs) -> Result<ExitCode, ExitCode> {
    let (mut dir, case) = open(&args.dir)?;
    let mut told = Complaints::at_most(MOST_TOLD);
    let mut remark = |other: &Path, remark: &_| told.say(|| about(other, remark));
    let (merged, case) =
        casefile::merge(&mut dir, &case, &args.others, &mut remark).map_err(|error| refused(&error))?;
    drop(told);
    complain_about_raw(&args.dir, &case);
    refresh_derived(&mut dir, &case)?;
    let text = if args.json {
        report::json_escaped(&evidence::to_json_line(&merged))
    } else {
        in_words(&merged)
    };
    Ok(output::finish(output::try_print(&text)))
}

fn refused(error: &MergeError) -> ExitCode {
    match error {
        MergeError::DifferentQuestions { .. } => exit::usage(&error.to_string()),
        MergeError::Unusable(error) => exit::usage(&error.to_string()),
        MergeError::Interrupted(error) => exit::not_written(error),
    }
}

fn in_words(merged: &Merged) -> String {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut text = format!(
        "added {}, {}, {}\n",
        count(merged.observations_added, "observation", "observations"),
        count(merged.journal_entries_added, "journal entry", "journal entries"),
        count(merged.raw_records_added, "raw record", "raw records")
    );
    if merged.not_understood > 0 {
        let lines = count(merged.not_understood, "observation is", "observations are");
        let _ = writeln!(text, "{lines} of kinds that this version does not know");
    }
    for ids in &merged.same_records {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            text,
            "SAME RECORD    added at different times: {}",
            ids.join(", ")
        );
    }
    for found in &merged.contradictions {
        let further = match found.further {
            0 => String::new(),
            n => format!("; and {n} more"),
        };
        let line = format!(
            "CONTRADICTION  {}: {} [{}], {} [{}]{further}",
            found.about,
            shortened(&found.one.value),
            found.one.id,
            shortened(&found.other.value),
            found.other.id
        );
        let _ = writeln!(text, "{}", report::clean(&line));
    }
    text
}

/// A value as long as a line can take; `--json` has it whole.
fn shortened(value: &str) -> String {
    const LONGEST: usize = 60;
    if value.chars().count() <= LONGEST {
        return value.to_owned();
    }
    let start: String = value.chars().take(LONGEST).collect();
    format!("{start}…")
}
