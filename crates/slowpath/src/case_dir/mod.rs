//! The case directory on disk (`docs/case-format.md`): created, opened, locked and appended to.
//!
//! What was gathered is never rewritten: records are added at the end of a file, one line in one write. What is
//! derived (the verdict, the report) is replaced as a whole by rename, so a reader never sees half of it. A case may
//! come from a stranger: links out of the directory are not followed, and no file's content is trusted to be sound.

use error::at;
use evidence::{
    Case, CaseComplaint, Complaint, JournalEntry, Observation, Party, VerdictFile, case_from_parts,
    complaint_to_json, to_json_line,
};
use files::{AppendOnly, read_plain, read_plain_bytes, temporary_name, write_whole};
use raw::RawWriter;
use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

mod error;
mod files;
pub(crate) mod raw;

pub(crate) use error::CaseDirError;

/// The complaint.
pub(crate) const CASE: &str = "case.json";
/// What was measured.
pub(crate) const OBSERVATIONS: &str = "observations.jsonl";
/// What people did and said.
pub(crate) const JOURNAL: &str = "journal.jsonl";
/// Derived: the verdicts.
pub(crate) const VERDICT: &str = "verdict.json";
/// Derived: the report.
pub(crate) const REPORT: &str = "report.html";

/// A case directory that this process, and no other, may write to.
#[derive(Debug)]
pub(crate) struct CaseDir {
    path: PathBuf,
    observations: AppendOnly,
    journal: AppendOnly,
    lock: Lock,
}

/// The right to write to a case. It is on the directory itself, so that no lock file travels with a mailed case.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    /// Closing the file would not do: a child that was forked meanwhile holds a copy of it until it ends, and the
    /// lock with it (flock(2)).
    fn drop(&mut self) {
        // What cannot be unlocked is unlocked by the kernel when the last copy is closed.
        let _ = self.0.unlock();
    }
}

impl CaseDir {
    /// Opens the case at `path` for writing, or creates it for `complaint`. Returns what it already holds, and what
    /// in its files could not be understood.
    ///
    /// # Errors
    /// When it is about another transfer, in use, newer than this program, no case at all, or not accessible.
    pub(crate) fn create_or_open(
        path: &Path,
        complaint: &Complaint,
    ) -> Result<(Self, Case, Vec<CaseComplaint>), CaseDirError> {
        fs::create_dir_all(path).map_err(at(path, "create the case directory"))?;
        let lock = lock(path)?;
        if !path.join(CASE).exists() {
            create(path, complaint)?;
        }
        let (case, complaints) = Self::read(path)?;
        if !same_question(&case.complaint, complaint) {
            return Err(CaseDirError::OtherQuestion {
                path: path.to_owned(),
                there: question(&case.complaint),
                asked: question(complaint),
            });
        }
        Ok((Self::locked(path, lock)?, case, complaints))
    }

    /// Makes a new case at `path` for `complaint`.
    ///
    /// # Errors
    /// When there is a case already, or other files, or the directory cannot be made.
    pub(crate) fn create(path: &Path, complaint: &Complaint) -> Result<(), CaseDirError> {
        fs::create_dir_all(path).map_err(at(path, "create the case directory"))?;
        let _lock = lock(path)?;
        if fs::symlink_metadata(path.join(CASE)).is_ok() {
            return Err(CaseDirError::CaseExists(path.to_owned()));
        }
        create(path, complaint)
    }

    /// Opens an existing case for writing. Returns what it already holds, and what in its files could not be
    /// understood.
    ///
    /// # Errors
    /// When it is no case, in use, newer than this program, or not accessible.
    pub(crate) fn open(path: &Path) -> Result<(Self, Case, Vec<CaseComplaint>), CaseDirError> {
        // Before the lock: a file or a directory that is no case is said to be that.
        Self::read(path)?;
        let lock = lock(path)?;
        let (case, complaints) = Self::read(path)?;
        Ok((Self::locked(path, lock)?, case, complaints))
    }

    fn locked(path: &Path, lock: Lock) -> Result<Self, CaseDirError> {
        Ok(Self {
            path: path.to_owned(),
            observations: AppendOnly::open(&path.join(OBSERVATIONS))?,
            journal: AppendOnly::open(&path.join(JOURNAL))?,
            lock,
        })
    }

    /// Whether the directory belongs to the user that this process runs as; if not, only a privilege lets us write.
    pub(crate) fn is_ours(&self) -> bool {
        // The kernel gives `/proc/self` the process's effective user.
        let owners = (self.lock.0.metadata(), fs::metadata("/proc/self"));
        matches!(owners, (Ok(case), Ok(process)) if case.uid() == process.uid())
    }

    /// Reads the case at `path` without taking hold of it: a case that is being written to can be read.
    ///
    /// # Errors
    /// When there is no case, or its `case.json` cannot be used.
    pub(crate) fn read(path: &Path) -> Result<(Case, Vec<CaseComplaint>), CaseDirError> {
        if !path.exists() {
            return Err(CaseDirError::NoSuchCase(path.to_owned()));
        }
        let header = read_plain(&path.join(CASE))?.ok_or_else(|| CaseDirError::NotACase(path.to_owned()))?;
        let observations = read_plain(&path.join(OBSERVATIONS))?.unwrap_or_default();
        let journal = read_plain(&path.join(JOURNAL))?.unwrap_or_default();
        case_from_parts(&header, &observations, &journal).map_err(|reason| CaseDirError::Header {
            path: path.to_owned(),
            reason,
        })
    }

    /// The bytes of one of a case's files as they are; `None` when there is no such file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn bytes(path: &Path, name: &str) -> Result<Option<Vec<u8>>, CaseDirError> {
        read_plain_bytes(&path.join(name))
    }

    /// The lines of one of a case's files as they were written; none when there is no such file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn lines(path: &Path, name: &str) -> Result<Vec<String>, CaseDirError> {
        let text = read_plain(&path.join(name))?.unwrap_or_default();
        let written = text.lines().filter(|line| !line.trim().is_empty());
        Ok(written.map(str::to_owned).collect())
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
    pub(crate) fn append(&mut self, observation: &Observation) -> Result<(), CaseDirError> {
        self.observations.append(&to_json_line(observation))
    }

    /// Adds an entry at the end of `journal.jsonl`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn note(&mut self, entry: &JournalEntry) -> Result<(), CaseDirError> {
        self.journal.append(&to_json_line(entry))
    }

    /// Whether a verdict or a report was written here.
    pub(crate) fn has_derived(&self) -> bool {
        [VERDICT, REPORT].iter().any(|name| self.path.join(name).exists())
    }

    /// Begins a raw record.
    ///
    /// # Errors
    /// When `raw/` cannot be written to.
    pub(crate) fn raw_writer(&self) -> Result<RawWriter, CaseDirError> {
        RawWriter::new(&self.path)
    }

    /// What was added is on the disk itself when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn sync(&self) -> Result<(), CaseDirError> {
        self.observations.sync()?;
        self.journal.sync()
    }

    /// Ends a round: what was gathered is on the disk itself before anything derived from it is replaced.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write_derived(&mut self, verdicts: &VerdictFile, html: &str) -> Result<(), CaseDirError> {
        self.sync()?;
        write_whole(&self.path, VERDICT, &report::json(verdicts))?;
        write_whole(&self.path, REPORT, html)
    }
}

fn lock(path: &Path) -> Result<Lock, CaseDirError> {
    if !path.is_dir() {
        return Err(CaseDirError::NotACase(path.to_owned()));
    }
    let directory = File::open(path).map_err(at(path, "open"))?;
    match directory.try_lock() {
        Ok(()) => Ok(Lock(directory)),
        Err(TryLockError::WouldBlock) => Err(CaseDirError::Busy(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(at(path, "lock")(source)),
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

/// Whether two complaints are about the same transfer: the same two parties in the same direction.
pub(crate) fn same_question(a: &Complaint, b: &Complaint) -> bool {
    same_party(&a.from, &b.from) && same_party(&a.to, &b.to)
}

/// A host keeps its name when its address changes, and its address when it is called by another name.
fn same_party(a: &Party, b: &Party) -> bool {
    a.name.eq_ignore_ascii_case(&b.name) || (a.address.is_some() && a.address == b.address)
}

pub(crate) fn question(complaint: &Complaint) -> String {
    let party = |party: &Party| match party.address {
        Some(address) if address.to_string() != party.name => format!("{} ({address})", party.name),
        _ => party.name.clone(),
    };
    let text = format!("{} -> {}", party(&complaint.from), party(&complaint.to));
    report::clean(&text).into_owned()
}

#[cfg(test)]
mod tests;
