//! `slowpath case note`: what people did and said, with time and network.

use super::derived::refresh_derived;
use super::opened::open;
use crate::times::GivenTime;
use crate::vantages::now;
use crate::{exit, output};
use casefile::{current_round, next_round};
use clap::Args;
use evidence::JournalEntry;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `slowpath case note`.
#[derive(Debug, Args)]
pub(crate) struct NoteArgs {
    /// The case directory
    dir: PathBuf,
    /// What was done or said
    text: String,
    /// Who did or said it [default: you]
    #[arg(long, value_name = "WHO")]
    who: Option<String>,
    /// The network or host that it concerns
    #[arg(long, value_name = "NETWORK")]
    network: Option<String>,
    /// When [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<GivenTime>,
    /// It changed something: what is measured or added from now on is another round, judged apart
    #[arg(long)]
    intervention: bool,
}

/// Runs `slowpath case note`.
pub(super) fn run(args: &NoteArgs) -> Result<ExitCode, ExitCode> {
    if args.text.trim().is_empty() {
        return Err(exit::usage(
            "an empty note says nothing: write what was done or said",
        ));
    }
    let (mut dir, mut case) = open(&args.dir)?;
    let entry = JournalEntry {
        at: args.at.and_then(|at| at.instant(None)).unwrap_or_else(now),
        who: args.who.clone().unwrap_or_else(user),
        network: args.network.clone(),
        what: args.text.clone(),
        before_round: args.intervention.then(|| next_round(&case)),
    };
    dir.note(&entry)
        .and_then(|()| dir.sync())
        .map_err(|error| exit::not_written(&error))?;
    case.journal.push(entry);
    case.journal.sort_by_key(|entry| entry.at);
    refresh_derived(&mut dir, &case)?;
    if args.intervention {
        let round = current_round(&case);
        output::print(&format!("noted; what is added from now on is round {round}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Who runs this: `$USER`, else the name of the process's user.
fn user() -> String {
    let of_process = || {
        let user = nix::unistd::User::from_uid(nix::unistd::Uid::current());
        user.ok().flatten().map(|user| user.name)
    };
    std::env::var("USER")
        .ok()
        .filter(|user| !user.trim().is_empty())
        .or_else(of_process)
        .unwrap_or_else(|| "unknown".to_owned())
}
