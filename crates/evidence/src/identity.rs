//! The name of an observation: what was written, hashed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fmt::Write as _;

/// The name of an observation: SHA-256 of its content (provenance and payload), lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ObservationId(pub String);

impl fmt::Display for ObservationId {
    /// The first eight digits: enough to find it in a case, as with git's commits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.get(..8).unwrap_or(&self.0))
    }
}

pub(crate) fn content_id(provenance: &impl Serialize, payload: &impl Serialize) -> ObservationId {
    id_of_content(serde_json::json!({ "provenance": provenance, "payload": payload }))
}

/// Whether a record as it was written still has the content that its id names. Asked of the text and not of the
/// [`Observation`] read from it: that one lacks the fields that only a newer version knows, and has those that an
/// older version did not.
pub(crate) fn is_intact(written: &serde_json::Value) -> bool {
    let part = |name| written.get(name).cloned().unwrap_or_default();
    let content = serde_json::json!({ "provenance": part("provenance"), "payload": part("payload") });
    written.get("id").and_then(serde_json::Value::as_str) == Some(id_of_content(content).0.as_str())
}

/// The id of a line of `observations.jsonl` whose content matches it, whether or not this version knows its kind: copies
/// of a case are joined by such lines, so that nothing that a newer version wrote is lost on the way.
#[must_use]
pub fn intact_id(line: &str) -> Option<ObservationId> {
    let written: serde_json::Value = serde_json::from_str(line).ok()?;
    let id = written.get("id")?.as_str()?.to_owned();
    is_intact(&written).then_some(ObservationId(id))
}

fn id_of_content(mut content: serde_json::Value) -> ObservationId {
    // The name must not depend on the order in which fields are declared or were written.
    content.sort_all_objects();
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(content.to_string().as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    ObservationId(hex)
}
