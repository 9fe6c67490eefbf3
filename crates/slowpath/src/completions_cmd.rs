//! `slowpath completions`: what a shell needs to complete our commands, made of the definition that parses them.

use crate::{command_line, output};
use clap::{Args, ValueEnum};
use clap_complete::{Shell as Generator, generate};
use std::process::ExitCode;

/// Arguments of `slowpath completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that is to complete
    #[arg(value_enum)]
    shell: Shell,
}

/// The shells that are tried. There would be more generators; a script that nobody ran helps nobody.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl From<Shell> for Generator {
    fn from(shell: Shell) -> Self {
        match shell {
            Shell::Bash => Self::Bash,
            Shell::Zsh => Self::Zsh,
            Shell::Fish => Self::Fish,
        }
    }
}

/// Runs `slowpath completions`.
pub(crate) fn run(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    generate(
        Generator::from(args.shell),
        &mut command_line(),
        "slowpath",
        &mut script,
    );
    output::finish(output::try_print(&String::from_utf8_lossy(&script)))
}
