//! Versions of what is written down, and the published schema of `--json`.

use crate::VerdictFile;

/// Version of the case directory's format. Raised when an older program could misread a newer case.
pub const CASE_SCHEMA_VERSION: u32 = 2;

/// Version of `verdict.json` and of what `--json` prints.
pub const VERDICT_SCHEMA_VERSION: u32 = 2;

/// The JSON Schema (2020-12) of [`VerdictFile`], pretty-printed, newline at the end.
#[must_use]
pub fn verdict_json_schema() -> String {
    let schema = schemars::schema_for!(VerdictFile);
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
