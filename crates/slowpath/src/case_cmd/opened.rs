//! A case opened by a command: what is wrong with it is said on standard error, and the command goes on.

use crate::complaints::{Complaints, MOST_TOLD};
use crate::console::Meter;
use crate::patience::patience;
use crate::{exit, terminal};
use casefile::CaseDir;
use evidence::Case;
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// Reads a case; what could not be understood in it, or was altered, is said on standard error.
pub(super) fn read(dir: &Path) -> Result<Case, ExitCode> {
    let (case, complaints) = CaseDir::read(dir).map_err(|error| exit::no_such_case(&error))?;
    say(dir, &complaints);
    complain_about_raw(dir, &case);
    Ok(case)
}

/// Opens a case for writing; what could not be understood in it is said on standard error.
pub(super) fn open(dir: &Path) -> Result<(CaseDir, Case), ExitCode> {
    let opened = CaseDir::open(dir, &mut patience(dir));
    let (opened, case, complaints) = opened.map_err(|error| exit::no_such_case(&error))?;
    say(dir, &complaints);
    Ok((opened, case))
}

/// Says on standard error what is wrong with a case, the first few of it.
pub(super) fn say(dir: &Path, complaints: &[impl Display]) {
    let mut told = Complaints::at_most(MOST_TOLD);
    for complaint in complaints {
        told.say(|| about(dir, complaint));
    }
}

/// A line on standard error about something in a case.
pub(super) fn complain(dir: &Path, what: &str) {
    terminal::complain(&about(dir, &what));
}

/// A complaint about a case, for [`Complaints`].
pub(super) fn about(dir: &Path, what: &impl Display) -> String {
    format!("{}: {what}", dir.display())
}

/// Compares the raw records with their names.
pub(super) fn complain_about_raw(dir: &Path, case: &Case) {
    let mut meter = Meter::new("checking the raw records", None);
    let complaints = casefile::check_raw(dir, case.observations(), &mut |bytes| meter.advance(bytes));
    drop(meter);
    say(dir, &complaints);
}
