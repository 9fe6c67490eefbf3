//! `slowpath case`: what is done with a case on disk, a file a command.

mod add;
mod export;
mod merge;
mod new;
mod note;
mod plan;
mod show;
mod unpack;
mod verify;

use crate::console::Meter;
use crate::{exit, intake};
use casefile::{CaseDir, CaseDirError};
use clap::Subcommand;
use evidence::{Case, CaseComplaint, Party};
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The commands of `slowpath case`.
#[derive(Debug, Subcommand)]
pub(crate) enum CaseCommand {
    /// Open a case for a slow transfer between two hosts, without measuring
    New(new::NewArgs),
    /// Add what other tools recorded; the raw bytes are kept
    Add(add::AddArgs),
    /// Note what somebody did or said, an intervention for example
    Note(note::NoteArgs),
    /// Join copies of a case that several parties added to
    Merge(merge::MergeArgs),
    /// Compare before and after an intervention, and check that nothing in the case was altered
    Verify(verify::VerifyArgs),
    /// Write a case into one file to mail, with pseudonyms for addresses and names if wanted
    Export(export::ExportArgs),
    /// Unpack a case that came in one file
    Import(unpack::ImportArgs),
    /// Show a case: its question, every observation in a line, the journal, and the verdict
    Show(show::ShowArgs),
    /// Show what would be measured next, what each measurement is expected to gain, and what it costs
    Plan(plan::PlanArgs),
    /// Write the report of a case as text, Markdown for a ticket, one HTML page, or JSON
    Report(show::ReportArgs),
}

/// Runs `slowpath case`.
pub(crate) fn run(command: &CaseCommand) -> ExitCode {
    let done = match command {
        CaseCommand::New(args) => new::run(args),
        CaseCommand::Add(args) => add::run(args),
        CaseCommand::Note(args) => note::run(args),
        CaseCommand::Merge(args) => merge::run(args),
        CaseCommand::Verify(args) => verify::run(args),
        CaseCommand::Export(args) => export::run(args),
        CaseCommand::Import(args) => unpack::run(args),
        CaseCommand::Show(args) => show::show(args),
        CaseCommand::Plan(args) => plan::run(args),
        CaseCommand::Report(args) => show::write(args),
    };
    done.unwrap_or_else(|code| code)
}

/// Reads a case; what could not be understood in it, or was altered, is said on standard error.
fn read(dir: &Path) -> Result<Case, ExitCode> {
    let (case, complaints) = CaseDir::read(dir).map_err(|error| exit::usage(&error.to_string()))?;
    say(dir, &complaints);
    complain_about_raw(dir, &case);
    Ok(case)
}

/// Opens a case for writing; what could not be understood in it is said on standard error.
fn open(dir: &Path) -> Result<(CaseDir, Case), ExitCode> {
    let (opened, case, complaints) = CaseDir::open(dir).map_err(|error| exit::usage(&error.to_string()))?;
    say(dir, &complaints);
    Ok((opened, case))
}

fn say(dir: &Path, complaints: &[CaseComplaint]) {
    for complaint in complaints {
        complain(dir, &complaint.to_string());
    }
}

/// A line on standard error about something in a case.
fn complain(dir: &Path, what: &str) {
    let text = format!("{}: {what}", dir.display());
    anstream::eprintln!("slowpath: {}", report::clean(&text));
}

/// Compares the raw records with their names. Returns how many complaints there were.
fn complain_about_raw(dir: &Path, case: &Case) -> usize {
    let mut meter = Meter::new("checking the raw records", None);
    let complaints = casefile::check_raw(dir, case.observations(), &mut |bytes| meter.advance(bytes));
    drop(meter);
    for complaint in &complaints {
        complain(dir, &complaint.to_string());
    }
    complaints.len()
}

/// A file that could not be read at all.
pub(crate) fn kept_out(file: &Path, error: &io::Error) -> ExitCode {
    exit::usage(&format!("{}: cannot read: {error}", intake::shown(file)))
}

/// The disk refused.
fn not_written(error: &impl ToString) -> ExitCode {
    exit::could_not_measure(&error.to_string())
}

/// Makes the derived files again where there are any, so that they do not lag behind.
fn refresh_derived(dir: &mut CaseDir, case: &Case) -> Result<(), ExitCode> {
    if !dir.has_derived() {
        return Ok(());
    }
    write_derived(dir, case).map_err(|error| not_written(&error))
}

/// Judges the case and writes the derived files.
fn write_derived(dir: &mut CaseDir, case: &Case) -> Result<(), CaseDirError> {
    let verdicts = diagnosis::judge(case);
    let html = report::html(case, &verdicts);
    dir.write_derived(&report::json(&verdicts), &html)
}

/// `NAME=ADDRESS`, `NAME`, or an address.
fn read_party(text: &str) -> Result<Party, String> {
    let (name, address) = match text.split_once('=') {
        Some((name, address)) => {
            let parsed = address.trim().parse();
            let wrong = |_| format!("`{address}` is no IP address: write NAME or NAME=ADDRESS");
            (name, Some(parsed.map_err(wrong)?))
        }
        None => (text, text.trim().parse().ok()),
    };
    let name = name.trim();
    if name.is_empty() {
        return Err("a host needs a name: write NAME or NAME=ADDRESS".to_owned());
    }
    Ok(Party {
        name: name.to_owned(),
        address,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parties_are_names_addresses_or_both() {
        let address = "192.0.2.1".parse().ok();
        for (text, name, expected) in [
            ("a.example", "a.example", None),
            ("a.example=192.0.2.1", "a.example", address),
            ("192.0.2.1", "192.0.2.1", address),
        ] {
            let party = read_party(text).unwrap();
            assert_eq!((party.name.as_str(), party.address), (name, expected), "{text}");
        }
        for wrong in ["", "=192.0.2.1", "a=b", "a="] {
            assert!(read_party(wrong).is_err(), "{wrong}");
        }
    }
}
