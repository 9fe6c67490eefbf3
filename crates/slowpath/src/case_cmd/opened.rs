//! A case opened by a command: what is wrong with it is said on standard error, and the command goes on.

use crate::console::Meter;
use crate::exit;
use casefile::CaseDir;
use evidence::{Case, CaseComplaint};
use std::path::Path;
use std::process::ExitCode;

/// Reads a case; what could not be understood in it, or was altered, is said on standard error.
pub(super) fn read(dir: &Path) -> Result<Case, ExitCode> {
    let (case, complaints) = CaseDir::read(dir).map_err(|error| exit::usage(&error.to_string()))?;
    say(dir, &complaints);
    complain_about_raw(dir, &case);
    Ok(case)
}

/// Opens a case for writing; what could not be understood in it is said on standard error.
pub(super) fn open(dir: &Path) -> Result<(CaseDir, Case), ExitCode> {
    let (opened, case, complaints) = CaseDir::open(dir).map_err(|error| exit::usage(&error.to_string()))?;
    say(dir, &complaints);
    Ok((opened, case))
}

pub(super) fn say(dir: &Path, complaints: &[CaseComplaint]) {
    for complaint in complaints {
        complain(dir, &complaint.to_string());
    }
}

/// A line on standard error about something in a case.
pub(super) fn complain(dir: &Path, what: &str) {
    let text = format!("{}: {what}", dir.display());
    anstream::eprintln!("slowpath: {}", report::clean(&text));
}

/// Compares the raw records with their names. Returns how many complaints there were.
pub(super) fn complain_about_raw(dir: &Path, case: &Case) -> usize {
    let mut meter = Meter::new("checking the raw records", None);
    let complaints = casefile::check_raw(dir, case.observations(), &mut |bytes| meter.advance(bytes));
    drop(meter);
    for complaint in &complaints {
        complain(dir, &complaint.to_string());
    }
    complaints.len()
}
