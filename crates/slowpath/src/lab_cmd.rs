//! `slowpath lab`: networks with a known fault, on this machine, with real kernels.
//!
//! Everything here starts other `slowpath` processes in the lab's hosts and looks at what they leave behind, as a
//! user at both ends would. It must never reach into the diagnosis: that is what is being graded.

mod catalogue;
mod failure;
mod grade;
mod interrupts;
mod prompt;
mod record;
mod session;
mod shell;

use clap::Subcommand;
use std::ffi::OsString;
use std::process::ExitCode;

use crate::{exit, output, terminal};
use catalogue::Entry;
use failure::Failure;

/// `slowpath lab …`
#[derive(Subcommand)]
pub(crate) enum LabArgs {
    /// The scenarios that come with slowpath
    List,
    /// Bring a scenario up, diagnose it, and compare the verdict with what is really wrong
    Run(session::RunArgs),
    /// Bring a scenario up, run the tools that everybody has on its hosts, and keep what they print
    Record(record::RecordArgs),
    /// Bring a scenario up and open a shell in one of its hosts
    Shell {
        /// Name of a scenario (see `lab list`), or a scenario file
        scenario: String,
        /// A host or router of it
        host: String,
    },
    /// Bring a scenario up and run one command in one of its hosts
    Exec {
        /// Name of a scenario (see `lab list`), or a scenario file
        scenario: String,
        /// A host or router of it
        host: String,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

/// Runs `slowpath lab …`. Must be called while the process has a single thread.
pub(crate) fn run(args: LabArgs) -> ExitCode {
    let result = match args {
        LabArgs::List => list(),
        LabArgs::Run(args) => session::run(&args),
        LabArgs::Record(args) => record::run(&args),
        LabArgs::Shell { scenario, host } => shell::shell(&scenario, &host),
        LabArgs::Exec {
            scenario,
            host,
            command,
        } => shell::exec(&scenario, &host, &command),
    };
    match result {
        Ok(code) => code,
        Err(Failure::Usage(message)) => by_line(&message, exit::usage),
        Err(Failure::Lab(message)) => by_line(&message, exit::could_not_measure),
    }
}

/// What is wrong with a scenario is shown in its own lines, with a mark below the place.
fn by_line(message: &str, exit: fn(&str) -> ExitCode) -> ExitCode {
    let mut lines = message.lines();
    let code = exit(lines.next().unwrap_or_default());
    lines.for_each(terminal::note);
    code
}

fn list() -> Result<ExitCode, Failure> {
    let entries = catalogue::embedded();
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    for Entry { name, text } in &entries {
        let title = scenario::parse(text).map_or_else(|error| format!("(broken: {error})"), |s| s.title);
        output::print(&format!("{name:width$}  {title}\n"));
    }
    Ok(ExitCode::SUCCESS)
}
