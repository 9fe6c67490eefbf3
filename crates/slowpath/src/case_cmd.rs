//! `slowpath case`: look at a case, and write its report. The verdict is judged anew each time: what is stored of it
//! may be older than the rules.

use crate::case_dir::CaseDir;
use crate::{exit, output};
use clap::{Subcommand, ValueEnum};
use evidence::{Case, VerdictFile};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The commands of `slowpath case`.
#[derive(Debug, Subcommand)]
pub(crate) enum CaseCommand {
    /// Show a case: its question, every observation in a line, the journal, and the verdict
    Show {
        /// The case directory
        dir: PathBuf,
        /// Print the verdicts as JSON (see docs/verdict.schema.json)
        #[arg(long)]
        json: bool,
    },
    /// Write the report of a case as text, Markdown for a ticket, one HTML page, or JSON
    Report {
        /// The case directory
        dir: PathBuf,
        /// The form [default: by the ending of FILE, else text]
        #[arg(long, value_enum)]
        format: Option<Format>,
        /// Write to this file instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// As `diagnose` prints it
    Text,
    /// For a ticket
    Markdown,
    /// One page that needs no network
    Html,
    /// For programs (see docs/verdict.schema.json)
    Json,
}

/// Runs `slowpath case`.
pub(crate) fn run(command: CaseCommand) -> ExitCode {
    let dir = match &command {
        CaseCommand::Show { dir, .. } | CaseCommand::Report { dir, .. } => dir,
    };
    let case = match read(dir) {
        Ok(case) => case,
        Err(code) => return code,
    };
    let verdicts = diagnosis::judge(&case);
    match command {
        CaseCommand::Show { json: true, .. } => {
            finish(output::try_print(&report::json(&verdicts)), "standard output")
        }
        CaseCommand::Show { json: false, .. } => finish(
            output::try_print(&report::case_text(&case, &verdicts, output::options())),
            "standard output",
        ),
        CaseCommand::Report { format, output, .. } => {
            write_report(&case, &verdicts, format, output.as_deref())
        }
    }
}

/// Reads a case; what could not be understood in it is said on standard error, with line numbers.
fn read(dir: &Path) -> Result<Case, ExitCode> {
    let (case, complaints) = CaseDir::read(dir).map_err(|error| exit::usage(&error.to_string()))?;
    for complaint in &complaints {
        let text = format!("{}: {complaint}", dir.display());
        anstream::eprintln!("slowpath: {}", report::clean(&text));
    }
    Ok(case)
}

fn write_report(
    case: &Case,
    verdicts: &VerdictFile,
    format: Option<Format>,
    file: Option<&Path>,
) -> ExitCode {
    let format = format.or_else(|| by_ending(file?)).unwrap_or(Format::Text);
    let options = if file.is_some() {
        output::plain_options()
    } else {
        output::options()
    };
    let text = match format {
        Format::Text => report::verdict_text(case, verdicts, options),
        Format::Markdown => report::markdown(case, verdicts),
        Format::Html => report::html(case, verdicts),
        Format::Json => report::json(verdicts),
    };
    match file {
        Some(file) => finish(fs::write(file, text), &file.display().to_string()),
        None => finish(output::try_print(&text), "standard output"),
    }
}

fn by_ending(file: &Path) -> Option<Format> {
    match file.extension()?.to_str()? {
        "md" | "markdown" => Some(Format::Markdown),
        "html" | "htm" => Some(Format::Html),
        "json" => Some(Format::Json),
        "txt" => Some(Format::Text),
        _ => None,
    }
}

fn finish(written: io::Result<()>, what: &str) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::usage(&format!("{what}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_follows_the_file() {
        for (file, format) in [
            ("ticket.md", Some(Format::Markdown)),
            ("a.case/report.html", Some(Format::Html)),
            ("v.json", Some(Format::Json)),
            ("v.txt", Some(Format::Text)),
            ("report", None),
            ("report.pdf", None),
        ] {
            assert_eq!(by_ending(Path::new(file)), format, "{file}");
        }
    }
}
