//! A case for other eyes: addresses and names become pseudonyms, the same one everywhere, and nothing else changes. What
//! the verdict rests on, the shape of routes, sizes, losses and rates, stays.
//!
//! Whatever this version does not understand is left out rather than passed on unseen, and the result is read back: an
//! observation that does not survive is an error, not a leak.

mod addresses;
mod fields;
mod key;
mod names;
mod text;

use addresses::Addresses;
use evidence::{
    CASE_SCHEMA_VERSION, Case, Complaint, JournalEntry, Observation, ObservationId, Payload, Provenance,
    Timestamp,
};
use fields::{Field, of_field};
use names::Names;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::net::IpAddr;
use text::{Depth, KnownNames, Scrubber};

pub use key::{Key, KeyError};

/// What a redacted case is called: the directory's own name may tell whose it is.
pub const REDACTED: &str = "redacted.case";

/// What is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// IP addresses, also inside of text
    Addresses,
    /// Names of hosts, places, networks and people, also inside of text
    Names,
}

/// Why a case could not be redacted.
#[derive(Debug, thiserror::Error)]
#[error("observation {id} cannot be redacted ({reason}); nothing was written")]
pub struct RedactError {
    /// Which.
    pub id: ObservationId,
    /// Why it cannot be read back.
    pub reason: String,
}

/// The case under pseudonyms. Raw records are no part of it: they hold the names, and so do their hashes to who guesses.
///
/// # Errors
/// When an observation no longer makes sense afterwards.
pub fn redact(case: &Case, what: &[What], key: &Key) -> Result<Case, RedactError> {
    let mut scrubber = Scrubber {
        addresses: what
            .contains(&What::Addresses)
            .then(|| Addresses::new(key.clone())),
        names: what.contains(&What::Names).then(|| Names::new(key.clone())),
        known: known_names(case),
    };
    let mut complaint: Complaint = scrubbed(&mut scrubber, &case.complaint).map_err(of_whole_case)?;
    // Its observations are written anew.
    complaint.schema = CASE_SCHEMA_VERSION;
    let mut redacted = Case::new(complaint);
    let scrubbed_ones = case
        .observations()
        .iter()
        .map(|o| scrub_observation(&mut scrubber, o));
    redacted.add_all(scrubbed_ones.collect::<Result<Vec<_>, _>>()?);
    for entry in &case.journal {
        let entry: JournalEntry = scrubbed(&mut scrubber, entry).map_err(of_whole_case)?;
        redacted.journal.push(entry);
    }
    redacted.journal.push(remark(case, what));
    Ok(redacted)
}

/// What the reader must know: that these are not the real names.
fn remark(case: &Case, what: &[What]) -> JournalEntry {
    let kinds = match (what.contains(&What::Addresses), what.contains(&What::Names)) {
        (true, true) => "addresses and names",
        (true, false) => "addresses",
        _ => "names",
    };
    let measured = case.observations().iter().map(|o| o.provenance.at);
    let noted = case.journal.iter().map(|entry| entry.at);
    // No clock: the same case and key give the same file.
    let last = measured.chain(noted).max().unwrap_or(case.complaint.opened_at);
    JournalEntry {
        at: Timestamp(last.0),
        who: "slowpath".to_owned(),
        network: None,
        what: format!("exported with pseudonyms in place of {kinds}, and without raw records"),
        before_round: None,
    }
}

fn of_whole_case(reason: serde_json::Error) -> RedactError {
    RedactError {
        id: ObservationId("of the complaint or journal".to_owned()),
        reason: reason.to_string(),
    }
}

fn scrub_observation(scrubber: &mut Scrubber, observation: &Observation) -> Result<Observation, RedactError> {
    let failed = |reason: serde_json::Error| RedactError {
        id: observation.id.clone(),
        reason: reason.to_string(),
    };
    let provenance = Provenance {
        raw_sha256: None,
        raw_lines: None,
        // What it corrected is left out.
        supersedes: None,
        was: None,
        ..observation.provenance.clone()
    };
    let provenance: Provenance = scrubbed(scrubber, &provenance).map_err(failed)?;
    let payload: Payload = scrubbed(scrubber, &observation.payload).map_err(failed)?;
    Ok(Observation::new(provenance, payload))
}

fn scrubbed<T: Serialize + DeserializeOwned>(
    scrubber: &mut Scrubber,
    record: &T,
) -> Result<T, serde_json::Error> {
    let value = serde_json::to_value(record)?;
    serde_json::from_value(scrub(scrubber, value, Field::Prose))
}

/// Replaces in a value what its field may hold.
fn scrub(scrubber: &mut Scrubber, value: Value, field: Field) -> Value {
    match value {
        Value::String(text) => Value::String(match field {
            Field::Code => text,
            Field::Name => scrubber.name(&text),
            Field::Machine => scrubber.text(&text, Depth::Machine),
            Field::Prose => scrubber.text(&text, Depth::Prose),
        }),
        Value::Array(values) => Value::Array(
            values
                .into_iter()
                .map(|value| scrub(scrubber, value, field))
                .collect(),
        ),
        Value::Object(fields) => Value::Object(scrub_fields(scrubber, fields, field)),
        plain => plain,
    }
}

fn scrub_fields(scrubber: &mut Scrubber, fields: Map<String, Value>, around: Field) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, value) in fields {
        let field = of_field(&name, &value, around);
        let value = scrub(scrubber, value, field);
        out.insert(scrubber.text(&name, Depth::Field), value);
    }
    out
}

/// Every name that a field of the case is there to hold.
fn known_names(case: &Case) -> KnownNames {
    let mut known = KnownNames::default();
    collect(&mut known, serde_json::to_value(&case.complaint), Field::Prose);
    for observation in case.observations() {
        collect(
            &mut known,
            serde_json::to_value(&observation.provenance),
            Field::Prose,
        );
        collect(
            &mut known,
            serde_json::to_value(&observation.payload),
            Field::Prose,
        );
    }
    for entry in &case.journal {
        collect(&mut known, serde_json::to_value(entry), Field::Prose);
    }
    known
}

fn collect(known: &mut KnownNames, value: Result<Value, serde_json::Error>, field: Field) {
    match value {
        Ok(Value::String(text)) if field == Field::Name && text.parse::<IpAddr>().is_err() => {
            known.add(&text)
        }
        Ok(Value::Array(values)) => {
            for value in values {
                collect(known, Ok(value), field);
            }
        }
        Ok(Value::Object(fields)) => {
            for (name, value) in fields {
                let field = of_field(&name, &value, field);
                collect(known, Ok(value), field);
            }
        }
        _ => {}
    }
}
