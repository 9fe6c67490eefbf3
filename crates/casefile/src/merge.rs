//! Copies of a case that several parties added to become one. Everything that any of them holds is kept, as it was
//! written; what they say differently of the same thing is shown.

use crate::case_dir::CaseDir;
use crate::contradictions::{self, Contradiction};
use crate::error::CaseDirError;
use crate::parts::{Parts, lines};
use crate::question::{question, same_question};
use crate::raw::{self, RAW, in_pieces};
use evidence::{Case, CaseComplaint, Complaint, ObservationId, RateBps, observations_from_jsonl};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// What a merge did, and what it found.
#[derive(Debug, Default, Serialize)]
pub struct Merged {
    /// Observations that the case did not have.
    pub observations_added: usize,
    /// Journal entries that it did not have.
    pub journal_entries_added: usize,
    /// Raw records that it did not have.
    pub raw_records_added: usize,
    /// Added, but of kinds that this version does not know.
    pub not_understood: usize,
    /// What observations of the merged case say differently of the same thing.
    pub contradictions: Vec<Contradiction>,
    /// Observations that are the same lines of one raw record, added at different times.
    pub same_records: Vec<Vec<ObservationId>>,
}

/// Something to be told about a copy; the merge goes on.
#[derive(Debug, thiserror::Error)]
pub enum MergeRemark {
    /// A record in it is not understood, or was altered.
    #[error("{0}")]
    NotUnderstood(CaseComplaint),
    /// It expects another rate of the same transfer.
    #[error("expects {theirs}; {ours} stays, as the case's own case.json says")]
    OtherExpectation {
        /// The copy's.
        theirs: RateBps,
        /// The one that stays.
        ours: RateBps,
    },
    /// A raw record is not copied, because its name is not the hash of its content.
    #[error("raw/{0}: content does not match its name; not copied")]
    RawAltered(String),
    /// What stands in the place of a raw record is not copied.
    #[error("{0}")]
    NoRawRecord(CaseDirError),
}

/// Why copies were not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// They are about different transfers; nothing was written. The questions stand as the cases have them.
    #[error(
        "different questions, so nothing was merged: {} is about {question}; {} is about {other_question}",
        .case.display(), .other.display()
    )]
    DifferentQuestions {
        /// The case that should get more.
        case: PathBuf,
        /// Its question.
        question: String,
        /// The copy.
        other: PathBuf,
        /// The copy's question.
        other_question: String,
    },
    /// A case cannot be used; no observation was added.
    #[error(transparent)]
    Unusable(CaseDirError),
    /// It could not be read or written on the way: some of it is added, and merging again adds the rest.
    #[error(transparent)]
    Interrupted(CaseDirError),
}

/// Adds to the opened `dir`, which holds `case`, what the `others` have more; they stay as they are. Returns the case as
/// it is then. `remark` is told which copy it is about.
///
/// # Errors
/// When one is about another transfer, cannot be used, or `dir` cannot be written to.
pub fn merge(
    dir: &mut CaseDir,
    case: &Case,
    others: &[PathBuf],
    remark: &mut dyn FnMut(&Path, &MergeRemark),
) -> Result<(Merged, Case), MergeError> {
    // Every question is compared before anything is written.
    for other in others {
        check_question(dir.path(), case, other, remark)?;
    }
    let mut merged = Merged::default();
    for other in others {
        merged.raw_records_added += copy_raw(dir, other, remark)?;
    }
    let case = add_records(dir, others, &case.complaint, &mut merged).map_err(MergeError::Interrupted)?;
    merged.contradictions = contradictions::find(case.observations());
    merged.same_records = contradictions::same_records(case.observations());
    Ok((merged, case))
}

fn check_question(
    dir: &Path,
    case: &Case,
    other: &Path,
    remark: &mut dyn FnMut(&Path, &MergeRemark),
) -> Result<(), MergeError> {
    let (their, complaints) = CaseDir::read(other).map_err(MergeError::Unusable)?;
    if !same_question(&case.complaint, &their.complaint) {
        return Err(MergeError::DifferentQuestions {
            case: dir.to_owned(),
            question: question(&case.complaint),
            other: other.to_owned(),
            other_question: question(&their.complaint),
        });
    }
    for complaint in complaints {
        remark(other, &MergeRemark::NotUnderstood(complaint));
    }
    if let (Some(ours), Some(theirs)) = (case.complaint.expected_bps, their.complaint.expected_bps)
        && ours != theirs
    {
        remark(other, &MergeRemark::OtherExpectation { theirs, ours });
    }
    Ok(())
}

/// Copies the raw records that are not there yet. One that does not match its name is not copied.
fn copy_raw(
    dir: &CaseDir,
    other: &Path,
    remark: &mut dyn FnMut(&Path, &MergeRemark),
) -> Result<usize, MergeError> {
    let list = |case: &Path| raw::list(case).map_err(MergeError::Unusable);
    let known = list(dir.path())?;
    let mut added = 0;
    for name in list(other)? {
        if !raw::is_sha256(&name) || known.contains(&name) {
            continue;
        }
        match copy_record(dir, &other.join(RAW).join(&name), &name) {
            Ok(true) => added += 1,
            Ok(false) => remark(other, &MergeRemark::RawAltered(name)),
            Err(error @ CaseDirError::NotAPlainFile(_)) => remark(other, &MergeRemark::NoRawRecord(error)),
            Err(error) => return Err(MergeError::Interrupted(error)),
        }
    }
    Ok(added)
}

fn copy_record(dir: &CaseDir, source: &Path, name: &str) -> Result<bool, CaseDirError> {
    let failed = |source_error: io::Error| CaseDirError::Io {
        path: source.to_owned(),
        doing: "copy",
        source: source_error,
    };
    if !fs::symlink_metadata(source).map_err(failed)?.is_file() {
        return Err(CaseDirError::NotAPlainFile(source.to_owned()));
    }
    let mut writer = dir.raw_writer()?;
    let file = File::open(source).map_err(failed)?;
    in_pieces(file, |piece| writer.write(piece).map_err(io::Error::other)).map_err(failed)?;
    let finished = writer.finish();
    if finished.sha256 != name {
        return Ok(false);
    }
    finished.keep()?;
    Ok(true)
}

/// Adds the observations and journal entries, and reads the case again.
fn add_records(
    dir: &mut CaseDir,
    others: &[PathBuf],
    complaint: &Complaint,
    merged: &mut Merged,
) -> Result<Case, CaseDirError> {
    let ours = Parts::read(dir.path())?;
    let mut ids: BTreeSet<ObservationId> = lines(&ours.observations)
        .filter_map(evidence::intact_id)
        .collect();
    let mut entries: BTreeSet<String> = lines(&ours.journal).filter_map(entry_content).collect();
    for other in others {
        let theirs = Parts::read(other)?;
        add_observations(dir, &theirs.observations, &mut ids, complaint, merged)?;
        add_journal(dir, &theirs.journal, &mut entries, merged)?;
    }
    dir.sync()?;
    Ok(CaseDir::read(dir.path())?.0)
}

/// Adds the intact lines whose ids are not there yet, as they were written: an older program loses nothing that a newer
/// one wrote.
fn add_observations(
    dir: &mut CaseDir,
    theirs: &str,
    known: &mut BTreeSet<ObservationId>,
    complaint: &Complaint,
    merged: &mut Merged,
) -> Result<(), CaseDirError> {
    for line in lines(theirs) {
        // Broken and altered lines were complained about when the copy was read.
        let Some(id) = evidence::intact_id(line) else {
            continue;
        };
        if known.insert(id) {
            dir.append_line(line)?;
            merged.observations_added += 1;
            merged.not_understood += usize::from(observations_from_jsonl(line, complaint).0.is_empty());
        }
    }
    Ok(())
}

/// Adds the journal's entries that are not there yet.
fn add_journal(
    dir: &mut CaseDir,
    theirs: &str,
    known: &mut BTreeSet<String>,
    merged: &mut Merged,
) -> Result<(), CaseDirError> {
    for line in lines(theirs) {
        if entry_content(line).is_some_and(|entry| known.insert(entry)) {
            dir.note_line(line)?;
            merged.journal_entries_added += 1;
        }
    }
    Ok(())
}

/// The same entry written with its fields in another order is the same.
fn entry_content(line: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(line).ok()?;
    value.sort_all_objects();
    value.is_object().then(|| value.to_string())
}
