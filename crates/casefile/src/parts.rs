//! What a case consists of, and the text of it as a whole.

use crate::error::CaseDirError;
use crate::files::read_plain;
use std::path::Path;

/// The complaint.
pub(crate) const CASE: &str = "case.json";
/// What was measured.
pub(crate) const OBSERVATIONS: &str = "observations.jsonl";
/// What people did and said.
pub(crate) const JOURNAL: &str = "journal.jsonl";
/// Derived: the verdicts.
pub(crate) const VERDICT: &str = "verdict.json";
/// Derived: the report.
pub(crate) const REPORT: &str = "report.html";

/// The text of what was gathered, as it was written.
#[derive(Debug)]
pub(crate) struct Parts {
    /// `case.json`.
    pub(crate) header: String,
    /// `observations.jsonl`; empty when there is none.
    pub(crate) observations: String,
    /// `journal.jsonl`; empty when there is none.
    pub(crate) journal: String,
}

impl Parts {
    /// Reads them, as they were written. A line may be in an older format than the header: whoever makes a case of the
    /// text reads each line in its own.
    ///
    /// # Errors
    /// When there is no case, or one of its files cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Self, CaseDirError> {
        if !path.exists() {
            return Err(CaseDirError::NoSuchCase(path.to_owned()));
        }
        let part = |name: &str| read_plain(&path.join(name));
        Ok(Self {
            header: part(CASE)?.ok_or_else(|| CaseDirError::NotACase(path.to_owned()))?,
            observations: part(OBSERVATIONS)?.unwrap_or_default(),
            journal: part(JOURNAL)?.unwrap_or_default(),
        })
    }
}

/// The records of a text, a line each.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}
