//! `slowpath case`: what is done with a case on disk, a file a command.

mod add;
mod contradictions;
mod export;
mod merge;
mod new;
mod note;
mod redact;
mod show;
mod unpack;
mod verify;

use crate::case_dir::{CaseDir, raw};
use crate::console::Meter;
use crate::{exit, intake};
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
    let complaints = raw::check(dir, case.observations(), &mut |bytes| meter.advance(bytes));
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

/// The round that records belong to unless somebody says otherwise: the last one that has observations, or the one
/// that an intervention opened since.
fn current_round(case: &Case) -> u32 {
    let opened = case.journal.iter().filter_map(|entry| entry.before_round).max();
    let measured = case.rounds().last().copied();
    opened.max(measured).unwrap_or(1).max(1)
}

/// The round that begins with an intervention made now: as `diagnose` counts. Several interventions without a
/// measurement between them open one round.
fn next_round(case: &Case) -> u32 {
    case.rounds().last().map_or(1, |last| last.saturating_add(1))
}

/// Makes the derived files again where there are any, so that they do not lag behind.
fn refresh_derived(dir: &mut CaseDir, case: &Case) -> Result<(), ExitCode> {
    if !dir.has_derived() {
        return Ok(());
    }
    let verdicts = diagnosis::judge(case);
    let html = report::html(case, &verdicts);
    dir.write_derived(&verdicts, &html)
        .map_err(|error| not_written(&error))
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
    use evidence::{Complaint, End, HostFacts, JournalEntry, Observation, Payload, Provenance, Timestamp};

    fn case(rounds: &[u32], opened_by_notes: &[Option<u32>]) -> Case {
        let party = |name: &str| read_party(name).unwrap();
        let mut case = Case::new(Complaint {
            schema: evidence::CASE_SCHEMA_VERSION,
            from: party("a"),
            to: party("b"),
            local_end: End::From,
            expected_bps: None,
            since: None,
            said_by: None,
            opened_at: Timestamp(0),
            utc_offset_s: None,
        });
        for round in rounds {
            let facts: HostFacts = serde_json::from_value(serde_json::json!({
                "hostname": null, "kernel": null, "sysctls": {}, "congestion_control": null,
                "available_congestion_controls": [], "interface": null, "counters": {}, "cpu": null,
            }))
            .unwrap();
            let provenance = Provenance::measured(End::From, Timestamp(0), *round, "test");
            case.add(Observation::new(provenance, Payload::HostFacts(facts)));
        }
        case.journal = opened_by_notes
            .iter()
            .map(|before_round| JournalEntry {
                at: Timestamp(0),
                who: "noc".into(),
                network: None,
                what: "reset the interface".into(),
                before_round: *before_round,
            })
            .collect();
        case
    }

    #[test]
    fn rounds_are_counted_as_diagnose_counts_them() {
        for (measured, notes, current, next) in [
            (&[][..], &[][..], 1, 1),
            (&[1], &[], 1, 2),
            (&[1], &[None], 1, 2),
            (&[1], &[Some(2)], 2, 2),
            (&[1], &[Some(2), Some(2)], 2, 2),
            (&[1, 2], &[Some(2)], 2, 3),
            (&[1, 3], &[Some(2)], 3, 4),
            (&[u32::MAX], &[], u32::MAX, u32::MAX),
        ] {
            let case = case(measured, notes);
            assert_eq!(
                (current_round(&case), next_round(&case)),
                (current, next),
                "{measured:?} {notes:?}"
            );
        }
    }

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
