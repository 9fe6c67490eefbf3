//! `raw/`: the bytes that imported observations came from, each under its SHA-256. Written once, never altered.

use crate::error::{CaseDirError, at};
use crate::files::is_plain_file;
use evidence::Observation;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The directory's name.
pub(crate) const RAW: &str = "raw";
/// What a record is called until it is complete and its hash is known.
const INCOMING: &str = ".incoming-";
/// Raw records are read in pieces of so many bytes.
const PIECE_BYTES: usize = 64 << 10;
/// Nobody but who makes a raw record writes to it.
const READ_ONLY: u32 = 0o444;

/// A raw record that is being copied into the case. Dropped, it leaves nothing behind.
pub struct RawWriter {
    directory: PathBuf,
    file: NamedTempFile,
    hash: Sha256,
}

impl RawWriter {
    /// Begins a record in the case at `case`. The caller holds the case's lock.
    pub(crate) fn new(case: &Path) -> Result<Self, CaseDirError> {
        let directory = directory(case)?;
        let file = tempfile::Builder::new()
            .prefix(INCOMING)
            .permissions(Permissions::from_mode(READ_ONLY))
            .tempfile_in(&directory)
            .map_err(at(&directory, "create a file"))?;
        Ok(Self {
            directory,
            file,
            hash: Sha256::new(),
        })
    }

    /// Adds bytes at the end.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), CaseDirError> {
        self.hash.update(bytes);
        self.file.write_all(bytes).map_err(at(self.file.path(), "write"))
    }

    /// The record is complete: returns its hash, and what keeps or forgets it.
    pub fn finish(self) -> FinishedRaw {
        FinishedRaw {
            sha256: hex(&self.hash.finalize()),
            directory: self.directory,
            file: self.file,
        }
    }
}

/// A complete raw record that is not under its name yet.
pub struct FinishedRaw {
    /// Its name.
    pub sha256: String,
    directory: PathBuf,
    file: NamedTempFile,
}

impl FinishedRaw {
    /// Its bytes, from the beginning. They can be read on when it was kept, or dropped.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn reopen(&self) -> Result<File, CaseDirError> {
        self.file.reopen().map_err(at(self.file.path(), "open"))
    }

    /// Puts it under its name, on the disk itself. A record of that name that is there already stays as it is.
    ///
    /// # Errors
    /// When it cannot be written, or what is there under that name is something else.
    pub fn keep(self) -> Result<(), CaseDirError> {
        let target = self.directory.join(&self.sha256);
        let path = self.file.path().to_owned();
        let file = self.file.as_file();
        file.sync_all().map_err(at(&path, "write to disk"))?;
        match self.file.persist_noclobber(&target) {
            Ok(_) => sync_directory(&self.directory),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                if has_hash(&target, &self.sha256)? {
                    Ok(())
                } else {
                    Err(CaseDirError::RawAltered(target))
                }
            }
            Err(error) => Err(at(&target, "create")(error.error)),
        }
    }
}

/// Something in `raw/` that is not as it should be. The file stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawComplaint {
    /// The content is not what the name says.
    Altered(String),
    /// Observations name it, and it is not there.
    Missing {
        /// The name that they give.
        sha256: String,
        /// So many came from it.
        observations: usize,
    },
    /// Something else lies there.
    NoRawRecord(String),
    /// It could not be read.
    Unreadable(String),
}

impl fmt::Display for RawComplaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered(name) => write!(
                f,
                "raw/{name}: content does not match its name: it was altered after it was written"
            ),
            Self::Missing {
                sha256,
                observations: 1,
            } => {
                write!(f, "raw/{sha256}: missing; an observation came from it")
            }
            Self::Missing { sha256, observations } => {
                write!(
                    f,
                    "raw/{sha256}: missing; {observations} observations came from it"
                )
            }
            Self::NoRawRecord(name) => write!(f, "raw/{name}: no raw record (its name is no SHA-256)"),
            Self::Unreadable(text) => f.write_str(text),
        }
    }
}

/// Compares `raw/` of the case at `case` with what the observations say of it; `read` is told of every piece of bytes that was read.
pub fn check_raw(case: &Path, observations: &[Observation], read: &mut dyn FnMut(u64)) -> Vec<RawComplaint> {
    let named = observations
        .iter()
        .filter_map(|o| o.provenance.raw_sha256.as_deref());
    let mut complaints = Vec::new();
    let present = match list(case) {
        Ok(present) => present,
        Err(error) => {
            complaints.push(RawComplaint::Unreadable(error.to_string()));
            BTreeSet::new()
        }
    };
    for name in &present {
        if !is_sha256(name) {
            // A copy that was interrupted is no record and no damage.
            if !name.starts_with(INCOMING) {
                complaints.push(RawComplaint::NoRawRecord(name.clone()));
            }
            continue;
        }
        match sha256_of(&case.join(RAW).join(name), read) {
            Ok(hash) if hash == *name => {}
            Ok(_) => complaints.push(RawComplaint::Altered(name.clone())),
            Err(error) => complaints.push(RawComplaint::Unreadable(error.to_string())),
        }
    }
    let mut missing: Vec<&str> = named.filter(|name| !present.contains(*name)).collect();
    missing.sort_unstable();
    for group in missing.chunk_by(|a, b| a == b) {
        complaints.extend(group.first().map(|sha256| RawComplaint::Missing {
            sha256: (*sha256).to_owned(),
            observations: group.len(),
        }));
    }
    complaints
}

/// The names in `raw/`; none when there is no such directory.
pub(crate) fn list(case: &Path) -> Result<BTreeSet<String>, CaseDirError> {
    let path = case.join(RAW);
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(at(&path, "look at")(error)),
        Ok(metadata) if !metadata.is_dir() => return Err(CaseDirError::NotAPlainFile(path)),
        Ok(_) => {}
    }
    fs::read_dir(&path)
        .map_err(at(&path, "list"))?
        .map(|entry| {
            Ok(entry
                .map_err(at(&path, "list"))?
                .file_name()
                .to_string_lossy()
                .into_owned())
        })
        .collect()
}

/// Whether a name is one that a raw record can have.
pub(crate) fn is_sha256(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn has_hash(path: &Path, sha256: &str) -> Result<bool, CaseDirError> {
    Ok(sha256_of(path, &mut |_| ())? == sha256)
}

/// The hash of a plain file, read in pieces.
fn sha256_of(path: &Path, read: &mut dyn FnMut(u64)) -> Result<String, CaseDirError> {
    if !is_plain_file(path)? {
        return Err(CaseDirError::NotAPlainFile(path.to_owned()));
    }
    let file = File::open(path).map_err(at(path, "open"))?;
    let mut hash = Sha256::new();
    in_pieces(file, |piece| {
        hash.update(piece);
        read(piece.len() as u64);
        Ok(())
    })
    .map_err(at(path, "read"))?;
    Ok(hex(&hash.finalize()))
}

/// Reads to the end in pieces of 64 KiB, so that a large record is never in memory as a whole.
///
/// # Errors
/// Those of the reader and of `take`.
pub fn in_pieces<R: Read>(mut reader: R, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => take(buffer.get(..length).unwrap_or_default())?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn directory(case: &Path) -> Result<PathBuf, CaseDirError> {
    let path = case.join(RAW);
    match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Ok(path),
        Ok(_) => Err(CaseDirError::NotAPlainFile(path)),
        Err(_) => {
            fs::create_dir(&path).map_err(at(&path, "create"))?;
            Ok(path)
        }
    }
}

/// Removes what interrupted copies left in the case at `case`. The caller holds the lock, so nobody is still writing it.
/// What cannot be removed is no reason to stop: it is no record and no damage.
pub(crate) fn remove_leftovers(case: &Path) {
    let names = list(case).unwrap_or_default();
    for name in names.iter().filter(|name| name.starts_with(INCOMING)) {
        let path = case.join(RAW).join(name);
        // A copy is a plain file; a link or a directory of that name is somebody's.
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            let _ = fs::remove_file(&path);
        }
    }
}

fn sync_directory(path: &Path) -> Result<(), CaseDirError> {
    File::open(path)
        .and_then(|directory| directory.sync_all())
        .map_err(at(path, "write to disk"))
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
