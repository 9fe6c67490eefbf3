//! The verdict for programs: `verdict.json`, and what `--json` prints.

use crate::clean::{are_plain_lines, is_hidden};
use evidence::VerdictFile;
use std::fmt::Write as _;

/// `verdicts` as pretty JSON, line feed at the end, following `docs/verdict.schema.json`.
///
/// Nothing is lost and nothing acts on a terminal: characters that act unseen stand as `\u` escapes.
#[must_use]
pub fn json(verdicts: &VerdictFile) -> String {
    // Structs of plain fields with string keys cannot fail to serialise.
    let pretty = serde_json::to_string_pretty(verdicts).unwrap_or_default();
    json_escaped(&pretty) + "\n"
}

/// JSON in which characters that act unseen stand as `\u` escapes: the same to whoever parses it.
#[must_use]
pub fn json_escaped(json: &str) -> String {
    if are_plain_lines(json) {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        // Outside of strings JSON has no such character but the line feed, so an escape is always inside one.
        if c != '\n' && is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}
