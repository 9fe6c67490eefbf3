//! `slowpath case show` and `slowpath case report`. The verdict is judged anew each time: what is stored of it may be
//! older than the rules.

use super::opened::read;
use crate::{exit, output};
use clap::{Args, ValueEnum};
use evidence::{Case, VerdictFile};
use report::Detail;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `slowpath case show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The case directory
    dir: PathBuf,
    /// Print the verdicts as JSON (see docs/verdict.schema.json)
    #[arg(long)]
    json: bool,
    /// Only how slow, why, where, how sure, and what to do
    #[arg(long, conflicts_with_all = ["json", "records"])]
    brief: bool,
    /// Every observation as well, with tables of them, and what was found in earlier rounds
    #[arg(long, conflicts_with = "json")]
    records: bool,
}

impl ShowArgs {
    fn detail(&self) -> Detail {
        match (self.brief, self.records) {
            (true, _) => Detail::Brief,
            (_, true) => Detail::Records,
            _ => Detail::Verdict,
        }
    }
}

/// Arguments of `slowpath case report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The case directory
    dir: PathBuf,
    /// The form [default: by the ending of FILE, else text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The whole case, as `case show --records` prints it
    Text,
    /// For a ticket
    Markdown,
    /// One page that needs no network
    Html,
    /// For programs (see docs/verdict.schema.json)
    Json,
}

/// Runs `slowpath case show`.
pub(super) fn show(args: &ShowArgs) -> Result<ExitCode, ExitCode> {
    let case = read(&args.dir)?;
    let verdicts = diagnosis::judge(&case);
    let text = if args.json {
        report::json(&verdicts)
    } else {
        report::case_text(&case, &verdicts, args.detail(), output::options())
    };
    Ok(output::finish(output::try_print(&text)))
}

/// Runs `slowpath case report`.
pub(super) fn write(args: &ReportArgs) -> Result<ExitCode, ExitCode> {
    let case = read(&args.dir)?;
    let verdicts = diagnosis::judge(&case);
    Ok(write_report(
        &case,
        &verdicts,
        args.format,
        args.output.as_deref(),
    ))
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
        Format::Text => report::case_text(case, verdicts, Detail::Records, options),
        Format::Markdown => report::markdown(case, verdicts),
        Format::Html => report::html(case, verdicts),
        Format::Json => report::json(verdicts),
    };
    match file {
        Some(file) => match fs::write(file, text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => exit::usage(&format!("{}: {error}", file.display())),
        },
        None => output::finish(output::try_print(&text)),
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
