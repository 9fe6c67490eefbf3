//! The exit codes, in one place.

use crate::terminal;
use casefile::CaseDirError;
use evidence::VerdictState;
use std::process::ExitCode;

/// Shown at the end of `--help`.
pub(crate) const HELP: &str = "\
Exit codes: 0 fast enough, or done; 1 slow, and the verdict names a cause; 2 wrong usage;
3 inconclusive; 4 could not measure, nothing was understood, or a case was in use for too long.";

/// Wrong usage: an argument, a file or a token that cannot be used as given.
pub(crate) fn usage(message: &str) -> ExitCode {
    terminal::complain(message);
    ExitCode::from(2)
}

/// Nothing, or not what was asked for, could be measured.
pub(crate) fn could_not_measure(message: &str) -> ExitCode {
    terminal::complain(message);
    ExitCode::from(4)
}

/// A case that was named cannot be used; one that somebody else writes to could be, later.
pub(crate) fn no_such_case(error: &CaseDirError) -> ExitCode {
    match error {
        CaseDirError::Busy(_) => could_not_measure(&error.to_string()),
        _ => usage(&error.to_string()),
    }
}

/// The disk refused.
pub(crate) fn not_written(error: &impl ToString) -> ExitCode {
    could_not_measure(&error.to_string())
}

/// The exit code that says what the verdict says.
pub(crate) fn of_verdict(state: VerdictState) -> ExitCode {
    ExitCode::from(match state {
        VerdictState::Ok => 0,
        VerdictState::Slow => 1,
        VerdictState::Inconclusive => 3,
        VerdictState::NotMeasured => 4,
    })
}
