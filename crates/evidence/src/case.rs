//! One complaint and everything gathered for it, and how it is written down.
//!
//! This module turns text into cases and back; where the files lie is for the program to know. Reading never
//! fails as a whole: it returns what was understood and what was not ([`CaseComplaint`]).

use crate::{
    CASE_SCHEMA_VERSION, End, Node, Observation, ObservationId, RateBps, Timestamp, identity, migrate, v1,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The case's file of observations, as complaints call it.
const OBSERVATIONS: &str = "observations.jsonl";

/// `case.json`: who complains that what is slow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Complaint {
    /// Version of the case format.
    pub schema: u32,
    /// The sender of the slow transfer.
    pub from: Party,
    /// Its receiver.
    pub to: Party,
    /// The end at which slowpath was run and the case is kept.
    pub local_end: End,
    /// The rate the user expects; `None` when nothing was said.
    pub expected_bps: Option<RateBps>,
    /// Since when it is slow, in the user's words.
    pub since: Option<String>,
    /// Who says so.
    pub said_by: Option<String>,
    /// When the case was opened.
    pub opened_at: Timestamp,
    /// The zone in which verdicts tell times, seconds east of UTC; `None`: UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utc_offset_s: Option<i32>,
}

impl Complaint {
    /// The host at an end, as the user gave it.
    #[must_use]
    pub fn party(&self, end: End) -> &Party {
        match end {
            End::From => &self.from,
            End::To => &self.to,
        }
    }

    /// The host at an end, as a node.
    #[must_use]
    pub fn node(&self, end: End) -> Node {
        self.party(end).node()
    }

    /// The end that a node is: by name or address; where it fits both (two ends on one host), by the name, or as exactly
    /// the one. `None` for another host and an
    /// unknown one. Names have to be equal; which host a looser name means is for rules to judge. Where both ends are
    /// one and the same host, it is the sender.
    #[must_use]
    pub fn end_of(&self, node: &Node) -> Option<End> {
        let fits = |end: &End| node.is(self.party(*end));
        let both = [End::From, End::To];
        let mut fitting = both.into_iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(one), None) => Some(one),
            (Some(_), Some(_)) => {
                let bare = Node {
                    name: node.name.clone(),
                    address: None,
                };
                let named = |end: &End| bare.same_as(&Node::named(&self.party(*end).name)) == Some(true);
                let addressed = |end: &End| node.address == self.node(*end).address;
                let only = |fits: &dyn Fn(&End) -> bool| match both.map(|end| fits(&end)) {
                    [true, false] => Some(End::From),
                    [false, true] => Some(End::To),
                    _ => None,
                };
                only(&named)
                    .or_else(|| only(&|end| *node == self.node(*end)))
                    .or_else(|| only(&addressed))
                    .or(Some(End::From))
            }
            _ => None,
        }
    }
}

/// One end of the transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Party {
    /// The name the user gave.
    pub name: String,
    /// The address used; `None` as long as unknown.
    pub address: Option<IpAddr>,
}

impl Party {
    /// It as a node. A name that is an address is no name, unless another address is used.
    #[must_use]
    pub fn node(&self) -> Node {
        match self.address {
            Some(address) => self.node_at(address),
            None => Node::read(&self.name),
        }
    }

    /// It as a node, seen at an address of its own: behind a translator that is another than the user's.
    #[must_use]
    pub fn node_at(&self, address: IpAddr) -> Node {
        let is_address = self.name.parse() == Ok(address);
        Node {
            name: (!is_address && !self.name.is_empty()).then(|| self.name.clone()),
            address: Some(address),
        }
    }
}

/// A line of `journal.jsonl`: what people did or said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JournalEntry {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub who: String,
    /// Which network or host it concerns.
    pub network: Option<String>,
    /// What was done or said.
    pub what: String,
    /// The first round of measurements after it; `None` when it is not known to lie between two.
    pub before_round: Option<u32>,
}

/// What a case orders its observations by, whatever they say.
pub trait Observed {
    /// Its name.
    fn id(&self) -> &ObservationId;
    /// The round of measurements that it belongs to.
    fn round(&self) -> u32;
    /// When it was made.
    fn at(&self) -> Timestamp;
}

impl Observed for Observation {
    fn id(&self) -> &ObservationId {
        &self.id
    }

    fn round(&self) -> u32 {
        self.provenance.round
    }

    fn at(&self) -> Timestamp {
        self.provenance.at
    }
}

impl Observed for v1::Observation {
    fn id(&self) -> &ObservationId {
        &self.id
    }

    fn round(&self) -> u32 {
        self.provenance.round
    }

    fn at(&self) -> Timestamp {
        self.provenance.at
    }
}

/// A case in memory.
pub type Case = CaseOf<Observation>;

/// A case with observations of some format.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseOf<O> {
    /// The question.
    pub complaint: Complaint,
    /// What was seen, in the order (round, time, id), whatever order it was added in.
    observations: Vec<O>,
    /// What people did.
    pub journal: Vec<JournalEntry>,
}

impl<O: Observed> CaseOf<O> {
    /// A case with nothing gathered yet.
    #[must_use]
    pub fn new(complaint: Complaint) -> Self {
        Self {
            complaint,
            observations: Vec::new(),
            journal: Vec::new(),
        }
    }

    /// Adds an observation in its place. One that is there already (same id) changes nothing.
    pub fn add(&mut self, observation: O) {
        let key = |o: &O| (o.round(), o.at(), o.id().clone());
        if let Err(place) = self.observations.binary_search_by_key(&key(&observation), key) {
            self.observations.insert(place, observation);
        }
    }

    /// All observations, ordered by (round, time, id).
    #[must_use]
    pub fn observations(&self) -> &[O] {
        &self.observations
    }

    /// The rounds of measurement that the case holds, ascending.
    #[must_use]
    pub fn rounds(&self) -> Vec<u32> {
        let mut rounds: Vec<u32> = self.observations.iter().map(|o| o.round()).collect();
        rounds.dedup();
        rounds
    }

    /// The observations of one round.
    pub fn round(&self, round: u32) -> impl Iterator<Item = &O> {
        self.observations.iter().filter(move |o| o.round() == round)
    }

    /// Short numbers for people (`o1`, `o2`…), by id, in the order of the observations.
    #[must_use]
    pub fn short_numbers(&self) -> BTreeMap<&ObservationId, usize> {
        self.observations
            .iter()
            .enumerate()
            .map(|(index, o)| (o.id(), index + 1))
            .collect()
    }
}

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

/// One record as a line of JSON, newline included.
#[must_use]
pub fn to_json_line<T: Serialize>(record: &T) -> String {
    serde_json::to_string(record).unwrap_or_default() + "\n"
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
    understood
        .into_iter()
        .for_each(|observation| case.add(observation));
    let (entries, more) = journal_from_jsonl(journal);
    case.journal = entries;
    case.journal.sort_by_key(|entry| entry.at);
    complaints.extend(more);
    Ok((case, complaints))
}
