//! `slowpath case`: what is done with a case on disk, a file a command.

mod add;
mod amend;
pub(crate) mod derived;
mod export;
mod held;
mod merge;
mod new;
mod note;
mod opened;
mod plan;
mod show;
mod taken;
mod unpack;
mod verify;

use clap::Subcommand;
use std::process::ExitCode;

/// The commands of `slowpath case`.
#[derive(Debug, Subcommand)]
pub(crate) enum CaseCommand {
    /// Open a case for a slow transfer between two hosts, without measuring
    New(new::NewArgs),
    /// Add what other tools recorded; the raw bytes are kept
    Add(add::AddArgs),
    /// Correct where, when or between whom a record was made; the old one stays in the file and counts no more
    Amend(amend::AmendArgs),
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
        CaseCommand::Amend(args) => amend::run(args),
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
