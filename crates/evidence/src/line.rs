//! How any record is written: as one line of JSON.

use serde::Serialize;

/// One record as a line of JSON, newline included.
#[must_use]
pub fn to_json_line<T: Serialize>(record: &T) -> String {
    serde_json::to_string(record).unwrap_or_default() + "\n"
}
