//! `slowpath case export`: one file to mail.

use super::opened::{complain, read};
use crate::console::Meter;
use crate::{exit, output};
use casefile::{Archive, ArchiveError, Key, KeyError, REDACTED};
use clap::{Args, ValueEnum};
use evidence::Case;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `slowpath case export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The case directory
    dir: PathBuf,
    /// The file to write; it must not be there yet [default: NAME.case.tar.gz, redacted.case.tar.gz with --redact]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Put pseudonyms in place of these; raw records are then left out
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    redact: Vec<What>,
    /// Keep the key of the pseudonyms in this file, to give the same ones next time; it is made if it is not there
    #[arg(long, value_name = "FILE", requires = "redact")]
    key_file: Option<PathBuf>,
}

/// What `--redact` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// IP addresses, also inside of text
    Addresses,
    /// Names of hosts, places, networks and people, also inside of text
    Names,
}

/// Runs `slowpath case export`.
pub(super) fn run(args: &ExportArgs) -> Result<ExitCode, ExitCode> {
    let case = read(&args.dir)?;
    let archive = if args.redact.is_empty() {
        as_it_is(args, &case)?
    } else {
        redacted(args, &case)?
    };
    let target = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.tar.gz", archive.name())));
    if fs::symlink_metadata(&target).is_ok() {
        let text = format!(
            "{}: is there already; name another file with -o",
            target.display()
        );
        return Err(exit::usage(&text));
    }
    let mut meter = Meter::new("packing", None);
    let written = archive.write(&target, &mut |bytes| meter.advance(bytes));
    drop(meter);
    written.map_err(|error| refused(&error))?;
    output::print(&format!("{}\n", report::clean(&target.display().to_string())));
    Ok(ExitCode::SUCCESS)
}

fn refused(error: &ArchiveError) -> ExitCode {
    match error {
        ArchiveError::Write { .. } => exit::not_written(error),
        _ => exit::usage(&error.to_string()),
    }
}

fn as_it_is(args: &ExportArgs, case: &Case) -> Result<Archive, ExitCode> {
    let archive = Archive::of_directory(&args.dir).map_err(|error| refused(&error))?;
    Ok(with_derived(archive, case))
}

fn redacted(args: &ExportArgs, case: &Case) -> Result<Archive, ExitCode> {
    let key = match &args.key_file {
        Some(file) => Key::kept_in(file),
        // Forgotten when the program ends.
        None => Key::random(),
    };
    let key = key.map_err(|error| match error {
        KeyError::NoChance(_) => exit::could_not_measure(&error.to_string()),
        _ => exit::usage(&error.to_string()),
    })?;
    let what: Vec<casefile::What> = args.redact.iter().map(|what| what.of_case()).collect();
    let hidden = casefile::redact(case, &what, &key).map_err(|error| exit::usage(&error.to_string()))?;
    complain(
        &args.dir,
        "the raw records are left out: they hold the real names and addresses",
    );
    Ok(with_derived(Archive::of_case(REDACTED, &hidden), &hidden))
}

fn with_derived(mut archive: Archive, case: &Case) -> Archive {
    let verdicts = diagnosis::judge(case);
    let html = report::html(case, &verdicts);
    archive.put_derived(report::json(&verdicts), html);
    archive
}

impl What {
    fn of_case(self) -> casefile::What {
        match self {
            Self::Addresses => casefile::What::Addresses,
            Self::Names => casefile::What::Names,
        }
    }
}
