//! The case directory on disk (`docs/case-format.md`): created, opened, locked and appended to.
//!
//! What was gathered is never rewritten: records are added at the end of a file, one line in one write. What is
//! derived (the verdict, the report) is replaced as a whole by rename, so a reader never sees half of it. A case may
//! come from a stranger: links out of the directory are not followed, and no file's content is trusted to be sound.

use evidence::{
    Case, CaseComplaint, Complaint, JournalEntry, Observation, Party, VerdictFile, case_from_parts,
    complaint_to_json, to_json_line,
};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const CASE: &str = "case.json";
const OBSERVATIONS: &str = "observations.jsonl";
const JOURNAL: &str = "journal.jsonl";
const VERDICT: &str = "verdict.json";
const REPORT: &str = "report.html";

/// Why a case directory could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CaseDirError {
    /// The operating system refused.
    #[error("{path}: cannot {doing}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// The operating system's word.
        source: io::Error,
    },
    /// Another slowpath is writing to it.
    #[error("{}: another slowpath is writing to this case; wait for it, or name another directory with --case", .0.display())]
    Busy(PathBuf),
    /// There is nothing of that name.
    #[error("{}: no such case", .0.display())]
    NoSuchCase(PathBuf),
    /// A directory with other things in it, or a file.
    #[error("{}: this is no case (it has no case.json), and slowpath does not put one among other files", .0.display())]
    NotACase(PathBuf),
    /// A part of the case is a link, a device or a directory.
    #[error("{}: not a plain file; slowpath follows no links out of a case", .0.display())]
    NotAPlainFile(PathBuf),
    /// The case asks about another transfer.
    #[error("{}: this case is about {there}, not {asked}; name another directory with --case", .path.display())]
    OtherQuestion {
        /// The case.
        path: PathBuf,
        /// Its question.
        there: String,
        /// The new question.
        asked: String,
    },
    /// `case.json` is broken or newer than this program.
    #[error("{}: {reason}", .path.display())]
    Header {
        /// The case.
        path: PathBuf,
        /// What is wrong with it.
        reason: CaseComplaint,
    },
}

/// A case directory that this process, and no other, may write to.
#[derive(Debug)]
pub(crate) struct CaseDir {
    path: PathBuf,
    observations: AppendOnly,
    journal: AppendOnly,
    /// The lock is on the directory itself, so that no lock file travels with a mailed case. Released when closed.
    lock: File,
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
        let dir = Self {
            path: path.to_owned(),
            observations: AppendOnly::open(&path.join(OBSERVATIONS))?,
            journal: AppendOnly::open(&path.join(JOURNAL))?,
            lock,
        };
        Ok((dir, case, complaints))
    }

    /// Whether the directory belongs to the user that this process runs as; if not, only a privilege lets us write.
    pub(crate) fn is_ours(&self) -> bool {
        // The kernel gives `/proc/self` the process's effective user.
        let owners = (self.lock.metadata(), fs::metadata("/proc/self"));
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

    /// Ends a round: what was gathered is on the disk itself before anything derived from it is replaced.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write_derived(&mut self, verdicts: &VerdictFile, html: &str) -> Result<(), CaseDirError> {
        self.observations.sync()?;
        self.journal.sync()?;
        write_whole(&self.path, VERDICT, &report::json(verdicts))?;
        write_whole(&self.path, REPORT, html)
    }
}

/// A file of lines that only grows.
#[derive(Debug)]
struct AppendOnly {
    path: PathBuf,
    file: File,
    /// The last line has no end: a writer was interrupted. The next record starts on a line of its own.
    broken_end: bool,
}

impl AppendOnly {
    fn open(path: &Path) -> Result<Self, CaseDirError> {
        let broken_end =
            read_plain_bytes(path)?.is_some_and(|bytes| !bytes.is_empty() && !bytes.ends_with(b"\n"));
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .map_err(at(path, "open for writing"))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            broken_end,
        })
    }

    fn append(&mut self, line: &str) -> Result<(), CaseDirError> {
        let record = if self.broken_end {
            format!("\n{line}")
        } else {
            line.to_owned()
        };
        // Until it is known that the whole line got there, half of it may be what the file ends with.
        self.broken_end = true;
        self.file
            .write_all(record.as_bytes())
            .map_err(at(&self.path, "write"))?;
        self.broken_end = false;
        Ok(())
    }

    fn sync(&self) -> Result<(), CaseDirError> {
        self.file.sync_all().map_err(at(&self.path, "write to disk"))
    }
}

fn lock(path: &Path) -> Result<File, CaseDirError> {
    if !path.is_dir() {
        return Err(CaseDirError::NotACase(path.to_owned()));
    }
    let directory = File::open(path).map_err(at(path, "open"))?;
    match directory.try_lock() {
        Ok(()) => Ok(directory),
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

/// Replaces a file as a whole: a reader sees the old or the new one.
fn write_whole(directory: &Path, name: &str, text: &str) -> Result<(), CaseDirError> {
    let (target, temporary) = (directory.join(name), directory.join(temporary_name(name)));
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&temporary, "remove")(error)),
        _ => {}
    }
    // `create_new` follows no link that somebody may have left under this name.
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .map_err(at(&temporary, "create"))?;
    file.write_all(text.as_bytes()).map_err(at(&temporary, "write"))?;
    file.sync_all().map_err(at(&temporary, "write to disk"))?;
    fs::rename(&temporary, &target).map_err(at(&target, "replace"))
}

fn temporary_name(name: &str) -> String {
    format!(".{name}.new")
}

/// The text of a plain file; `None` when there is none. Bytes that are no UTF-8 become U+FFFD: the record that they
/// stand in is then complained about, not the whole case.
fn read_plain(path: &Path) -> Result<Option<String>, CaseDirError> {
    let bytes = read_plain_bytes(path)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn read_plain_bytes(path: &Path) -> Result<Option<Vec<u8>>, CaseDirError> {
    match fs::symlink_metadata(path) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(at(path, "look at")(error)),
        Ok(metadata) if !metadata.is_file() => Err(CaseDirError::NotAPlainFile(path.to_owned())),
        Ok(_) => fs::read(path).map(Some).map_err(at(path, "read")),
    }
}

fn at(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> CaseDirError {
    let path = path.to_owned();
    move |source| CaseDirError::Io { path, doing, source }
}

/// Whether two complaints are about the same transfer: the same two parties in the same direction.
fn same_question(a: &Complaint, b: &Complaint) -> bool {
    same_party(&a.from, &b.from) && same_party(&a.to, &b.to)
}

/// A host keeps its name when its address changes, and its address when it is called by another name.
fn same_party(a: &Party, b: &Party) -> bool {
    a.name.eq_ignore_ascii_case(&b.name) || (a.address.is_some() && a.address == b.address)
}

fn question(complaint: &Complaint) -> String {
    let party = |party: &Party| match party.address {
        Some(address) if address.to_string() != party.name => format!("{} ({address})", party.name),
        _ => party.name.clone(),
    };
    let text = format!("{} -> {}", party(&complaint.from), party(&complaint.to));
    report::clean(&text).into_owned()
}

#[cfg(test)]
#[path = "case_dir_tests.rs"]
mod tests;
