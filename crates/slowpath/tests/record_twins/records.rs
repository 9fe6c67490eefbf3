//! A set of records on disk, and the case that a person would make of it: each file added with the time at which it was
//! made.

use evidence::{CASE_SCHEMA_VERSION, Case, Complaint, End, Party, RateBps, Timestamp};
use ingest::{Context, Origin};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// `manifest.toml`, as `slowpath lab record` writes it.
#[derive(Debug, Clone, Deserialize)]
struct Manifest {
    scenario: String,
    steps: Vec<String>,
    began_at: i64,
    missing: Vec<String>,
    emulation: Emulation,
    complaint: Complained,
    file: Vec<RecordedFile>,
}

#[derive(Debug, Clone, Deserialize)]
struct Emulation {
    valid: bool,
}

#[derive(Debug, Clone, Deserialize)]
struct Complained {
    from: String,
    from_address: Option<IpAddr>,
    to: String,
    to_address: Option<IpAddr>,
    expected_bps: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
struct RecordedFile {
    name: String,
    at: i64,
    by_operator: bool,
}

/// Who can give the text that is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Whose {
    /// The users of the two hosts.
    Users,
    /// They, and the operators of all routers.
    UsersAndOperators,
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Users => "users",
            Self::UsersAndOperators => "users and operators",
        })
    }
}

/// A set of records.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    /// Its folder: the scenario, and behind a `+` the step that was taken before.
    pub(crate) name: String,
    folder: PathBuf,
    manifest: Manifest,
}

impl Records {
    /// All sets in a folder, in the order of their names.
    pub(crate) fn all_in(folder: &Path) -> Vec<Self> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut sets: Vec<Self> = entries.map(Self::read).collect();
        sets.sort_by(|x, y| x.name.cmp(&y.name));
        sets
    }

    fn read(folder: PathBuf) -> Self {
        let path = folder.join("manifest.toml");
        let manifest =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self {
            name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
            manifest: toml::from_str(&manifest).unwrap(),
            folder,
        }
    }

    /// The scenario that it is the twin of, and the steps of its timeline that were taken before.
    pub(crate) fn scenario(&self) -> (&str, &[String]) {
        (&self.manifest.scenario, &self.manifest.steps)
    }

    /// Whether the network was what the scenario says.
    pub(crate) fn is_valid(&self) -> bool {
        self.manifest.emulation.valid
    }

    /// Tools that were not installed.
    pub(crate) fn missing(&self) -> &[String] {
        &self.manifest.missing
    }

    /// Whose text there is.
    pub(crate) fn whose(&self) -> Vec<Whose> {
        let has_operators = self.manifest.file.iter().any(|file| file.by_operator);
        let mut all = vec![Whose::Users];
        all.extend(has_operators.then_some(Whose::UsersAndOperators));
        all
    }

    /// Size of the text of the users, or of the operators.
    pub(crate) fn bytes(&self, by_operator: bool) -> u64 {
        let files = self.manifest.file.iter();
        let files = files.filter(|file| file.by_operator == by_operator);
        let size = |file: &RecordedFile| fs::metadata(self.folder.join(&file.name)).unwrap().len();
        files.map(size).sum()
    }

    /// The case, and what the import did not understand.
    pub(crate) fn case(&self, whose: Whose) -> (Case, Vec<String>) {
        let mut case = Case::new(self.complaint());
        let mut not_read = Vec::new();
        for file in &self.manifest.file {
            if !file.by_operator || whose == Whose::UsersAndOperators {
                not_read.extend(self.add(file, &mut case));
            }
        }
        (case, not_read)
    }

    fn complaint(&self) -> Complaint {
        let complaint = &self.manifest.complaint;
        let party = |name: &str, address| Party {
            name: name.to_owned(),
            address,
        };
        Complaint {
            schema: CASE_SCHEMA_VERSION,
            from: party(&complaint.from, complaint.from_address),
            to: party(&complaint.to, complaint.to_address),
            local_end: End::From,
            expected_bps: complaint.expected_bps.map(|bps| RateBps(bps as f64)),
            since: None,
            said_by: None,
            opened_at: seconds(self.manifest.began_at),
            utc_offset_s: None,
        }
    }

    fn add(&self, file: &RecordedFile, case: &mut Case) -> Vec<String> {
        let bytes = fs::read(self.folder.join(&file.name)).unwrap();
        let at = seconds(file.at);
        let origin = Origin {
            raw_sha256: Sha256::digest(&bytes)
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect(),
            place: None,
            round: 1,
            added_at: at,
        };
        let context = Context {
            at: Some(at),
            ..Context::default()
        };
        let (records, complaints) = ingest::import(&bytes, &context);
        for record in records {
            case.add(origin.observation(record, &case.complaint));
        }
        let not_read = complaints.iter().map(|why| format!("{}: {why}", file.name));
        not_read.collect()
    }
}

fn seconds(since_1970: i64) -> Timestamp {
    Timestamp(since_1970 * 1_000_000_000)
}
