//! The name of an observation: what was written, hashed.

use crate::sorted::sorted_json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
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

/// What an id names.
#[derive(Serialize)]
struct Content<'c, V, P> {
    provenance: &'c V,
    payload: &'c P,
}

/// The id of what is written so. The name must not depend on the order in which fields are declared or were written.
pub(crate) fn content_id(provenance: &impl Serialize, payload: &impl Serialize) -> ObservationId {
    // What we keep is written without fail: it has neither names that are no text nor figures that JSON has not.
    let text = sorted_json(&Content { provenance, payload }).unwrap_or_default();
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(&text) {
        let _ = write!(hex, "{byte:02x}");
    }
    ObservationId(hex)
}

/// Whether a record as it was written still has the content that its id names. Asked of the text and not of the
/// [`Observation`] read from it: that one lacks the fields that only a newer version knows, and has those that an
/// older version did not.
pub(crate) fn is_intact(written: &Value) -> bool {
    let part = |name| written.get(name).unwrap_or(&Value::Null);
    let id = content_id(part("provenance"), part("payload"));
    written.get("id").and_then(Value::as_str) == Some(id.0.as_str())
}

/// The id of a line of `observations.jsonl` whose content matches it, whether or not this version knows its kind: copies
/// of a case are joined by such lines, so that nothing that a newer version wrote is lost on the way.
#[must_use]
pub fn intact_id(line: &str) -> Option<ObservationId> {
    let written: Value = serde_json::from_str(line).ok()?;
    let id = written.get("id")?.as_str()?.to_owned();
    is_intact(&written).then_some(ObservationId(id))
}
