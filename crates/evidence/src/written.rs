//! How a case is written down: text into cases and back. Where the files lie is for the program to know.
//!
//! Reading never fails as a whole: it returns what was understood and what was not ([`CaseComplaint`]).

use crate::{CASE_SCHEMA_VERSION, Case, Complaint, JournalEntry, Observation, identity, migrate, v1};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The case's file of observations, as complaints call it.
const OBSERVATIONS: &str = "observations.jsonl";

/// Something in a case's files that was not understood. Nothing is lost: the file itself is never rewritten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaseComplaint {
    /// A line is no valid record.
    #[error("{file}, line {line}: {reason}")]
    Line {
        /// Which file.
        file: &'static str,
        /// Line number from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// An observation whose content does not match its id.
    #[error(
        "observations.jsonl, line {line}: content does not match its id {id}: it was altered after it was written"
    )]
    Altered {
        /// Line number from 1.
        line: usize,
        /// The id it claims.
        id: String,
    },
    /// `case.json` is unreadable or newer than this program.
    #[error("case.json: {0}")]
    Header(String),
}

/// Reads `case.json`.
///
/// # Errors
/// When it is no JSON of the right shape, or of a newer schema version than this program knows.
pub fn complaint_from_json(text: &str) -> Result<Complaint, CaseComplaint> {
    let header = |e: serde_json::Error| CaseComplaint::Header(e.to_string());
    let value: Value = serde_json::from_str(text).map_err(header)?;
    let schema = value.get("schema").and_then(Value::as_u64);
    if schema.is_some_and(|version| version > u64::from(CASE_SCHEMA_VERSION)) {
        return Err(CaseComplaint::Header(format!(
            "schema version {} is newer than {CASE_SCHEMA_VERSION}, the newest that this program reads: update slowpath",
            schema.unwrap_or_default()
        )));
    }
    serde_json::from_value(value).map_err(header)
}

/// Writes `case.json`.
#[must_use]
pub fn complaint_to_json(complaint: &Complaint) -> String {
    // A struct of plain fields cannot fail to serialise.
    serde_json::to_string_pretty(complaint).unwrap_or_default() + "\n"
}

/// Reads `observations.jsonl` of the case with this `complaint`: what was understood, and complaints about the rest. Each
/// line is in the format that it was written in; what is in format 1 is turned into the present one and keeps its id.
#[must_use]
pub fn observations_from_jsonl(text: &str, complaint: &Complaint) -> (Vec<Observation>, Vec<CaseComplaint>) {
    let (lines, mut complaints) = lines_from_jsonl::<Value>(OBSERVATIONS, text);
    let mut intact = Vec::with_capacity(lines.len());
    for (line, written) in lines {
        let unaltered = identity::is_intact(&written);
        match observation_from_json(written, complaint) {
            Ok(observation) if unaltered => intact.push(observation),
            Ok(observation) => complaints.push(CaseComplaint::Altered {
                line,
                id: observation.id.0,
            }),
            Err(error) => complaints.push(CaseComplaint::Line {
                file: OBSERVATIONS,
                line,
                reason: error.to_string(),
            }),
        }
    }
    (intact, complaints)
}

fn observation_from_json(written: Value, complaint: &Complaint) -> Result<Observation, serde_json::Error> {
    if is_format_1(&written) {
        let old = v1::Observation::deserialize(written)?;
        return Ok(migrate::observation(old, complaint));
    }
    Observation::deserialize(written)
}

/// Whether a line is in format 1: there a vantage is an end of the complaint by its word, or a place in words. Now it is a
/// node.
fn is_format_1(written: &Value) -> bool {
    let vantage = written.get("provenance").and_then(|of| of.get("vantage"));
    vantage.is_some_and(|vantage| vantage.is_string() || vantage.get("place").is_some())
}

/// Reads `journal.jsonl`: what was understood, and complaints about the rest.
#[must_use]
pub fn journal_from_jsonl(text: &str) -> (Vec<JournalEntry>, Vec<CaseComplaint>) {
    let (lines, complaints) = lines_from_jsonl("journal.jsonl", text);
    (lines.into_iter().map(|(_, entry)| entry).collect(), complaints)
}

fn lines_from_jsonl<T: DeserializeOwned>(
    file: &'static str,
    text: &str,
) -> (Vec<(usize, T)>, Vec<CaseComplaint>) {
    let (mut understood, mut complaints) = (Vec::new(), Vec::new());
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        match serde_json::from_str(line) {
            Ok(record) => understood.push((index + 1, record)),
            Err(error) => complaints.push(CaseComplaint::Line {
                file,
                line: index + 1,
                reason: error.to_string(),
            }),
        }
    }
    (understood, complaints)
}

/// Puts a case together from the text of its three files.
///
/// # Errors
/// Only when `case.json` cannot be used; complaints about single records come back beside the case.
pub fn case_from_parts(
    case_json: &str,
    observations: &str,
    journal: &str,
) -> Result<(Case, Vec<CaseComplaint>), CaseComplaint> {
    let mut case = Case::new(complaint_from_json(case_json)?);
    let (understood, mut complaints) = observations_from_jsonl(observations, &case.complaint);
    case.add_all(understood);
    let (entries, more) = journal_from_jsonl(journal);
    case.journal = entries;
    case.journal.sort_by_key(|entry| entry.at);
    complaints.extend(more);
    Ok((case, complaints))
}
