//! The derived files of a case, which follow from it and lag behind until they are made again.

use crate::exit;
use casefile::{CaseDir, CaseDirError};
use evidence::Case;
use std::process::ExitCode;

/// Makes the derived files again where there are any, so that they do not lag behind.
pub(crate) fn refresh_derived(dir: &mut CaseDir, case: &Case) -> Result<(), ExitCode> {
    if !dir.has_derived() {
        return Ok(());
    }
    write_derived(dir, case).map_err(|error| exit::not_written(&error))
}

/// Judges the case and writes the derived files.
pub(super) fn write_derived(dir: &mut CaseDir, case: &Case) -> Result<(), CaseDirError> {
    let verdicts = diagnosis::judge(case);
    let html = report::html(case, &verdicts);
    dir.write_derived(&report::json(&verdicts), &html)
}
