//! A case in one file to mail. The same case gives the same bytes: entries in order, no times, no owners.

use crate::error::CaseDirError;
use crate::files::read_plain_bytes;
use crate::parts::{CASE, JOURNAL, OBSERVATIONS, REPORT, VERDICT};
use crate::raw::{self, RAW};
use evidence::{Case, Observation, complaint_to_json, to_json_line};
use flate2::{Compression, GzBuilder};
use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Why a case was not packed.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The case cannot be read.
    #[error(transparent)]
    Case(#[from] CaseDirError),
    /// The directory's own name is not to be found out.
    #[error("{}: {source}", .dir.display())]
    Name {
        /// The case.
        dir: PathBuf,
        /// The operating system's word.
        source: io::Error,
    },
    /// The file cannot be written; nothing is left of it.
    #[error("{}: {source}", .target.display())]
    Write {
        /// The file.
        target: PathBuf,
        /// The operating system's word.
        source: io::Error,
    },
}

/// What is going to be packed.
#[derive(Debug)]
pub struct Archive {
    name: String,
    files: BTreeMap<String, Content>,
}

/// A file of the archive, by its path below the case.
#[derive(Debug)]
enum Content {
    Bytes(Vec<u8>),
    /// Copied from the disk.
    File(PathBuf),
}

impl Archive {
    /// Every file of the case in `dir` as it lies there, broken lines included, but for what is derived: that is put in
    /// anew ([`Self::put_derived`]).
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of_directory(dir: &Path) -> Result<Self, ArchiveError> {
        let mut archive = Self {
            name: directory_name(dir)?,
            files: BTreeMap::new(),
        };
        for name in [CASE, OBSERVATIONS, JOURNAL] {
            if let Some(bytes) = read_plain_bytes(&dir.join(name))? {
                archive.put(name, bytes);
            }
        }
        for name in raw::list(dir)? {
            let path = dir.join(RAW).join(&name);
            let plain = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
            if raw::is_sha256(&name) && plain {
                archive.files.insert(format!("{RAW}/{name}"), Content::File(path));
            }
        }
        Ok(archive)
    }

    /// A case that lies nowhere, to be unpacked as `name`; without raw records.
    #[must_use]
    pub fn of_case(name: &str, case: &Case) -> Self {
        let mut archive = Self {
            name: name.to_owned(),
            files: BTreeMap::new(),
        };
        let observations: String = case.observations().iter().map(Observation::to_line).collect();
        let journal: String = case.journal.iter().map(to_json_line).collect();
        for (name, text) in [
            (CASE, complaint_to_json(&case.complaint)),
            (OBSERVATIONS, observations),
            (JOURNAL, journal),
        ] {
            archive.put(name, text.into_bytes());
        }
        archive
    }

    /// Puts in what is derived from the case.
    pub fn put_derived(&mut self, verdict_json: String, report_html: String) {
        self.put(VERDICT, verdict_json.into_bytes());
        self.put(REPORT, report_html.into_bytes());
    }

    /// What the case is called in the archive; ends in `.case`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes it beside its place and moves it there: nobody sees half of it, and nothing is overwritten. `packed` is
    /// told of every raw record's bytes.
    ///
    /// # Errors
    /// When there is something at `target`, or it cannot be written.
    pub fn write(&self, target: &Path, packed: &mut dyn FnMut(u64)) -> Result<(), ArchiveError> {
        self.try_write(target, packed)
            .map_err(|source| ArchiveError::Write {
                target: target.to_owned(),
                source,
            })
    }

    fn put(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.insert(name.to_owned(), Content::Bytes(bytes));
    }

    fn try_write(&self, target: &Path, packed: &mut dyn FnMut(u64)) -> io::Result<()> {
        let directory = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let file = tempfile::Builder::new()
            .prefix(".export-")
            .tempfile_in(directory)?;
        // As any file that the user makes: `tempfile` shuts everybody else out.
        file.as_file().set_permissions(Permissions::from_mode(0o644))?;
        // Neither time nor name stands in the head of the compressed file.
        let compressed = GzBuilder::new()
            .mtime(0)
            .write(file.as_file(), Compression::default());
        let mut archive = tar::Builder::new(compressed);
        for (path, content) in &self.files {
            let path = format!("{}/{path}", self.name);
            match content {
                Content::Bytes(bytes) => append(&mut archive, &path, bytes.len() as u64, bytes.as_slice())?,
                Content::File(source) => {
                    let file = File::open(source)?;
                    let size_bytes = file.metadata()?.len();
                    append(&mut archive, &path, size_bytes, file.take(size_bytes))?;
                    packed(size_bytes);
                }
            }
        }
        archive.into_inner()?.finish()?.sync_all()?;
        file.persist_noclobber(target)?;
        Ok(())
    }
}

/// The last part of the directory's path, `.` and links resolved.
fn directory_name(dir: &Path) -> Result<String, ArchiveError> {
    let path = dir.canonicalize().map_err(|source| ArchiveError::Name {
        dir: dir.to_owned(),
        source,
    })?;
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Ok(if name.ends_with(".case") {
        name
    } else {
        format!("{name}.case")
    })
}

fn append<W: Write>(
    archive: &mut tar::Builder<W>,
    path: &str,
    size_bytes: u64,
    content: impl Read,
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(size_bytes);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    archive.append_data(&mut header, path, content)
}
