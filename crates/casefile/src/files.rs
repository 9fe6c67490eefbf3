//! The files of a case: lines that are only added, documents that are replaced whole, and reading without following
//! a link.

use crate::error::{CaseDirError, at};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file of lines that only grows.
#[derive(Debug)]
pub(crate) struct AppendOnly {
    path: PathBuf,
    file: File,
    /// The last line has no end: a writer was interrupted. The next record starts on a line of its own.
    broken_end: bool,
}

impl AppendOnly {
    pub(crate) fn open(path: &Path) -> Result<Self, CaseDirError> {
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

    pub(crate) fn append(&mut self, line: &str) -> Result<(), CaseDirError> {
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

    pub(crate) fn sync(&self) -> Result<(), CaseDirError> {
        self.file.sync_all().map_err(at(&self.path, "write to disk"))
    }
}

/// Replaces a file as a whole: a reader sees the old or the new one.
pub(crate) fn write_whole(directory: &Path, name: &str, text: &str) -> Result<(), CaseDirError> {
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

pub(crate) fn temporary_name(name: &str) -> String {
    format!(".{name}.new")
}

/// The text of a plain file; `None` when there is none. Bytes that are no UTF-8 become U+FFFD: the record that they
/// stand in is then complained about, not the whole case.
pub(crate) fn read_plain(path: &Path) -> Result<Option<String>, CaseDirError> {
    let bytes = read_plain_bytes(path)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

pub(crate) fn read_plain_bytes(path: &Path) -> Result<Option<Vec<u8>>, CaseDirError> {
    if is_plain_file(path)? {
        fs::read(path).map(Some).map_err(at(path, "read"))
    } else {
        Ok(None)
    }
}

/// Whether there is a file at `path`.
///
/// # Errors
/// When there is something else: a link, a device, a directory.
pub(crate) fn is_plain_file(path: &Path) -> Result<bool, CaseDirError> {
    match fs::symlink_metadata(path) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(at(path, "look at")(error)),
        Ok(metadata) if !metadata.is_file() => Err(CaseDirError::NotAPlainFile(path.to_owned())),
        Ok(_) => Ok(true),
    }
}
