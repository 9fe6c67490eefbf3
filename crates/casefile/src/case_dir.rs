//! The case directory on disk (`docs/case-format.md`): created, opened, locked and appended to.
//!
//! What was gathered is never rewritten: records are added at the end of a file, whole lines in one write. What is
//! derived (the verdict, the report) is replaced as a whole by rename, so a reader never sees half of it. A case may
//! come from a stranger: links out of the directory are not followed, and no file's content is trusted to be sound.

use crate::error::{CaseDirError, at};
use crate::files::{AppendOnly, temporary_name, write_whole};
use crate::lock::{Lock, Wait, lock};
use crate::parts::{CASE, JOURNAL, OBSERVATIONS, Parts, REPORT, VERDICT};
use crate::question::{question, same_question};
use crate::raw::{RAW, RawWriter, remove_leftovers};
use evidence::{
    CASE_SCHEMA_VERSION, Case, CaseComplaint, Complaint, JournalEntry, Observation, case_from_parts,
    complaint_to_json, to_json_line,
};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A case directory that this process, and no other, may write to.
#[derive(Debug)]
pub struct CaseDir {
    path: PathBuf,
    observations: AppendOnly,
    journal: AppendOnly,
    lock: Lock,
}

impl CaseDir {
    /// Opens the case at `path` for writing, or creates it for `complaint`. Returns what it already holds, and what
    /// in its files could not be understood. While another process writes to it, `wait` decides.
    ///
    /// # Errors
    /// When it is about another transfer, in use, newer than this program, no case at all, or not accessible.
    pub fn create_or_open(
        path: &Path,
        complaint: &Complaint,
        wait: Wait<'_>,
    ) -> Result<(Self, Case, Vec<CaseComplaint>), CaseDirError> {
        fs::create_dir_all(path).map_err(at(path, "create the case directory"))?;
        let lock = lock(path, wait)?;
        if !path.join(CASE).exists() {
            create(path, complaint)?;
        }
        let (case, complaints) = Self::read_held(path, &lock)?;
        if !same_question(&case.complaint, complaint) {
            return Err(CaseDirError::OtherQuestion {
                path: path.to_owned(),
                there: question(&case.complaint),
                asked: question(complaint),
            });
        }
        Ok((Self::locked(path, lock)?, case, complaints))
    }

    /// Makes a new case at `path` for `complaint`. While another process writes there, `wait` decides.
    ///
    /// # Errors
    /// When there is a case already, or other files, or the directory cannot be made.
    pub fn create(path: &Path, complaint: &Complaint, wait: Wait<'_>) -> Result<(), CaseDirError> {
        fs::create_dir_all(path).map_err(at(path, "create the case directory"))?;
        let _lock = lock(path, wait)?;
        if fs::symlink_metadata(path.join(CASE)).is_ok() {
            return Err(CaseDirError::CaseExists(path.to_owned()));
        }
        create(path, complaint)
    }

    /// Opens an existing case for writing. Returns what it already holds, and what in its files could not be
    /// understood. While another process writes to it, `wait` decides.
    ///
    /// # Errors
    /// When it is no case, in use, newer than this program, or not accessible.
    pub fn open(path: &Path, wait: Wait<'_>) -> Result<(Self, Case, Vec<CaseComplaint>), CaseDirError> {
        // Before the lock: a file or a directory that is no case is said to be that.
        Self::read(path)?;
        let lock = lock(path, wait)?;
        let (case, complaints) = Self::read_held(path, &lock)?;
        Ok((Self::locked(path, lock)?, case, complaints))
    }

    /// Reads a case that this process holds and is about to add to. One of an older format becomes one of the present
    /// format here and nowhere else, before anything of that format is added to it: its header says so, replaced as a
    /// whole. What was gathered stays as it was written, as each line tells by itself in which format it is.
    fn read_held(path: &Path, _held: &Lock) -> Result<(Case, Vec<CaseComplaint>), CaseDirError> {
        let (mut case, complaints) = Self::read(path)?;
        if case.complaint.schema < CASE_SCHEMA_VERSION {
            case.complaint.schema = CASE_SCHEMA_VERSION;
            write_whole(path, CASE, &complaint_to_json(&case.complaint))?;
        }
        Ok((case, complaints))
    }

    fn locked(path: &Path, lock: Lock) -> Result<Self, CaseDirError> {
        // Whoever was copying these is gone: we hold the lock.
        remove_leftovers(path);
        Ok(Self {
            path: path.to_owned(),
            observations: AppendOnly::open(&path.join(OBSERVATIONS))?,
            journal: AppendOnly::open(&path.join(JOURNAL))?,
            lock,
        })
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the directory belongs to the user that this process runs as; if not, only a privilege lets us write.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        // The kernel gives `/proc/self` the process's effective user.
        let owners = (self.lock.metadata(), fs::metadata("/proc/self"));
        matches!(owners, (Ok(case), Ok(process)) if case.uid() == process.uid())
    }

    /// Reads the case at `path` without taking hold of it: a case that is being written to can be read.
    ///
    /// # Errors
    /// When there is no case, or its `case.json` cannot be used.
    pub fn read(path: &Path) -> Result<(Case, Vec<CaseComplaint>), CaseDirError> {
        let parts = Parts::read(path)?;
        case_from_parts(&parts.header, &parts.observations, &parts.journal).map_err(|reason| {
            CaseDirError::Header {
                path: path.to_owned(),
                reason,
            }
        })
    }

    /// Adds a line of another copy's `observations.jsonl` as it was written there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn append_line(&mut self, line: &str) -> Result<(), CaseDirError> {
        self.observations.append(&format!("{line}\n"))
    }

    /// Adds a line of another copy's `journal.jsonl` as it was written there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn note_line(&mut self, line: &str) -> Result<(), CaseDirError> {
        self.journal.append(&format!("{line}\n"))
    }

    /// Adds an observation at the end of `observations.jsonl`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, observation: &Observation) -> Result<(), CaseDirError> {
        self.observations.append(&observation.to_line())
    }

    /// Adds many observations at the end of `observations.jsonl` in one write: each is a line, as
    /// [`Observation::to_line`] makes it.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append_lines(&mut self, lines: &str) -> Result<(), CaseDirError> {
        self.observations.append(lines)
    }

    /// Adds an entry at the end of `journal.jsonl`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note(&mut self, entry: &JournalEntry) -> Result<(), CaseDirError> {
        self.journal.append(&to_json_line(entry))
    }

    /// Whether a verdict or a report was written here.
    #[must_use]
    pub fn has_derived(&self) -> bool {
        [VERDICT, REPORT].iter().any(|name| self.path.join(name).exists())
    }

    /// Begins a raw record.
    ///
    /// # Errors
    /// When `raw/` cannot be written to.
    pub fn raw_writer(&self) -> Result<RawWriter, CaseDirError> {
        RawWriter::new(&self.path)
    }

    /// Where a raw record of this hash lies, or would.
    #[must_use]
    pub fn raw_path(&self, sha256: &str) -> PathBuf {
        self.path.join(RAW).join(sha256)
    }

    /// What was added is on the disk itself when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn sync(&self) -> Result<(), CaseDirError> {
        self.observations.sync()?;
        self.journal.sync()
    }

    /// Ends a round: what was gathered is on the disk itself before anything derived from it is replaced by
    /// `verdict_json` and `report_html`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_derived(&mut self, verdict_json: &str, report_html: &str) -> Result<(), CaseDirError> {
        self.sync()?;
        write_whole(&self.path, VERDICT, verdict_json)?;
        write_whole(&self.path, REPORT, report_html)
    }
}

/// Makes an empty directory a case. One that holds anything but the leftovers of a creation that was interrupted is
/// left alone: it is somebody's.
fn create(path: &Path, complaint: &Complaint) -> Result<(), CaseDirError> {
    let leftover = temporary_name(CASE);
    for entry in fs::read_dir(path).map_err(at(path, "list"))? {
        if entry.map_err(at(path, "list"))?.file_name() != *leftover {
            return Err(CaseDirError::NotACase(path.to_owned()));
        }
    }
    write_whole(path, CASE, &complaint_to_json(complaint))
}

#[cfg(test)]
mod tests;
