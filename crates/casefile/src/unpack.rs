//! A case that came in one file, from somebody we need not trust. Only files that a case has are written, below one new
//! directory; everything is counted before it is believed.

use crate::case_dir::CaseDir;
use crate::error::CaseDirError;
use crate::parts::{CASE, JOURNAL, OBSERVATIONS, REPORT, VERDICT};
use crate::raw::{RAW, is_sha256};
use evidence::{Case, CaseComplaint};
use flate2::read::MultiGzDecoder;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tar::{Entry, EntryType};
use tempfile::TempDir;

mod guard;

/// More files no case has.
const MOST_ENTRIES: usize = 100_000;
/// Longer names and extended headers no case has, bytes.
const LONGEST_HEADER: u64 = 64 << 10;

/// What the case is called while nobody knows what it is.
const INSIDE: &str = "case";

/// Why an archive is not unpacked. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", .file.display())]
pub struct UnpackError {
    /// The archive.
    pub file: PathBuf,
    /// What is wrong with it. Names in it stand as the archive has them.
    pub reason: Refusal,
}

/// What is wrong with an archive.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It cannot be read or unpacked, or grows beyond measure.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A name with `..` or from the root.
    #[error("holds `{0}`, which leads out of the case; nothing was unpacked")]
    LeadsOut(String),
    /// Neither a file nor a directory.
    #[error("holds `{0}`, which is a link or a device, no file; nothing was unpacked")]
    NoFile(String),
    /// The same file again.
    #[error("holds `{0}` twice; nothing was unpacked")]
    Twice(String),
    /// Files of a case in two directories.
    #[error("holds more than one directory (`{0}` and `{1}`); nothing was unpacked")]
    SeveralCases(String, String),
    /// More entries than any case has.
    #[error("holds more than {MOST_ENTRIES} files; nothing was unpacked")]
    TooMany,
    /// A name or an extended header beyond measure.
    #[error("holds a name or header that is too long; nothing was unpacked")]
    LongHeader,
    /// Nothing of a case's.
    #[error("holds no case (no {CASE}); nothing was unpacked")]
    NoCase,
}

/// Why what was unpacked is not put into its place. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    /// It is no case that can be used; said of the place where it was going to lie.
    #[error(transparent)]
    Case(CaseDirError),
    /// The operating system refused to move it.
    #[error("{source}")]
    Move {
        /// To where.
        target: PathBuf,
        /// The operating system's word.
        source: io::Error,
    },
}

/// Unpacks `file` to a directory of its own in `parent`, which goes away unless the case is settled
/// ([`Unpacked::settle`]). `unpacked` is told of every file's bytes.
///
/// # Errors
/// When the archive is not one that a case would make.
pub fn unpack(file: &Path, parent: &Path, unpacked: &mut dyn FnMut(u64)) -> Result<Unpacked, UnpackError> {
    let refused = |reason| UnpackError {
        file: file.to_owned(),
        reason,
    };
    let workplace = tempfile::Builder::new()
        .prefix(".unpacking-")
        .tempdir_in(parent)
        .map_err(|error| refused(error.into()))?;
    // A directory of its own inside, so that the case gets the rights that the user's directories have.
    let contents = unpack_to(file, &workplace.path().join(INSIDE), unpacked).map_err(refused)?;
    Ok(Unpacked { workplace, contents })
}

/// A case out of an archive that is not in its place yet. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct Unpacked {
    workplace: TempDir,
    contents: Contents,
}

/// A case out of an archive, in its place.
#[derive(Debug)]
pub struct Settled {
    /// What it holds.
    pub case: Case,
    /// What in its files could not be understood, or was altered.
    pub complaints: Vec<CaseComplaint>,
    /// What else was in the archive, by name as the archive has it. It was not unpacked.
    pub left_out: Vec<String>,
    /// The archive had a verdict or a report. They were not unpacked: a page from a stranger could do more than show the
    /// case.
    pub had_derived: bool,
}

impl Unpacked {
    /// The archive's own name for the case, if it is a harmless one.
    #[must_use]
    pub fn proposed_name(&self) -> Option<&str> {
        let top = self.contents.top.as_str();
        let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let plain = top.starts_with(|c: char| c.is_ascii_alphanumeric()) && top.chars().all(harmless);
        (plain && top.ends_with(".case") && top.len() <= 255).then_some(top)
    }

    /// Checks what was unpacked and moves it to `target`.
    ///
    /// # Errors
    /// When it is no case that can be used, or cannot be moved there.
    pub fn settle(self, target: &Path) -> Result<Settled, SettleError> {
        let inside = self.workplace.path().join(INSIDE);
        // The place where it was unpacked to means nothing to the user.
        let (case, complaints) =
            CaseDir::read(&inside).map_err(|error| SettleError::Case(error.moved(&inside, target)))?;
        fs::rename(&inside, target).map_err(|source| SettleError::Move {
            target: target.to_owned(),
            source,
        })?;
        Ok(Settled {
            case,
            complaints,
            left_out: self.contents.left_out,
            had_derived: self.contents.derived,
        })
    }
}

/// What was found in an archive.
#[derive(Debug, Default)]
struct Contents {
    /// The directory that everything lies in; empty: none.
    top: String,
    seen_top: bool,
    /// It had a verdict or a report.
    derived: bool,
    /// What is no part of a case.
    left_out: Vec<String>,
}

/// Unpacks the parts of a case to `directory`, which is made.
fn unpack_to(file: &Path, directory: &Path, unpacked: &mut dyn FnMut(u64)) -> Result<Contents, Refusal> {
    let file = File::open(file)?;
    let guarded = guard::guarded(file, MultiGzDecoder::new);
    fs::create_dir(directory)?;
    fs::create_dir(directory.join(RAW))?;
    let mut archive = tar::Archive::new(guarded);
    let mut contents = Contents::default();
    let mut long_name = None;
    // Raw: what GNU and pax add for long names is read here, with a limit.
    for (number, entry) in archive.entries()?.raw(true).enumerate() {
        let mut entry = entry?;
        if number >= MOST_ENTRIES {
            return Err(Refusal::TooMany);
        }
        unpacked(entry.size());
        match entry.header().entry_type() {
            EntryType::GNULongName => long_name = Some(read_header(&mut entry)?),
            EntryType::XHeader => long_name = pax_path(&read_header(&mut entry)?).or(long_name),
            EntryType::XGlobalHeader => {}
            kind => {
                let name = long_name
                    .take()
                    .unwrap_or_else(|| entry.path_bytes().into_owned());
                let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
                take_entry(&mut entry, kind, &name, directory, &mut contents)?;
            }
        }
    }
    if !directory.join(CASE).exists() {
        return Err(Refusal::NoCase);
    }
    // No raw record, no directory for them.
    let _ = fs::remove_dir(directory.join(RAW));
    Ok(contents)
}

fn read_header<R: Read>(entry: &mut Entry<'_, R>) -> Result<Vec<u8>, Refusal> {
    if entry.size() > LONGEST_HEADER {
        return Err(Refusal::LongHeader);
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn pax_path(header: &[u8]) -> Option<Vec<u8>> {
    let mut fields = tar::PaxExtensions::new(header).flatten();
    fields
        .find(|field| field.key_bytes() == b"path")
        .map(|field| field.value_bytes().to_vec())
}

fn take_entry<R: Read>(
    entry: &mut Entry<'_, R>,
    kind: EntryType,
    name: &str,
    directory: &Path,
    contents: &mut Contents,
) -> Result<(), Refusal> {
    let leads_out = name.starts_with('/') || name.split('/').any(|part| part == "..");
    if leads_out {
        return Err(Refusal::LeadsOut(name.to_owned()));
    }
    if !matches!(
        kind,
        EntryType::Regular | EntryType::Continuous | EntryType::Directory
    ) {
        return Err(Refusal::NoFile(name.to_owned()));
    }
    let parts: Vec<&str> = name
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    if kind == EntryType::Directory {
        return Ok(());
    }
    match place(&parts) {
        Some((top, Part::Kept(path))) => {
            one_case(contents, top)?;
            write_file(entry, name, &directory.join(&path), path.starts_with(RAW))
        }
        Some((top, Part::Derived)) => {
            contents.derived = true;
            one_case(contents, top)
        }
        None => {
            contents.left_out.push(name.to_owned());
            Ok(())
        }
    }
}

fn one_case(contents: &mut Contents, top: &str) -> Result<(), Refusal> {
    if contents.seen_top && contents.top != top {
        return Err(Refusal::SeveralCases(contents.top.clone(), top.to_owned()));
    }
    top.clone_into(&mut contents.top);
    contents.seen_top = true;
    Ok(())
}

/// A part of a case.
enum Part {
    /// Unpacked to this path below the case.
    Kept(PathBuf),
    /// Made anew.
    Derived,
}

/// Which part of a case a file is, and the directory that the case lies in; `None`: no part of a case.
fn place<'a>(parts: &[&'a str]) -> Option<(&'a str, Part)> {
    let (top, parts) = match parts {
        [RAW, _] | [_] => ("", parts),
        [top, rest @ ..] => (*top, rest),
        [] => return None,
    };
    match parts {
        [name] if [CASE, OBSERVATIONS, JOURNAL].contains(name) => {
            Some((top, Part::Kept(PathBuf::from(name))))
        }
        [name] if [VERDICT, REPORT].contains(name) => Some((top, Part::Derived)),
        [RAW, name] if is_sha256(name) => Some((top, Part::Kept(Path::new(RAW).join(name)))),
        _ => None,
    }
}

fn write_file<R: Read>(
    entry: &mut Entry<'_, R>,
    name: &str,
    path: &Path,
    is_raw: bool,
) -> Result<(), Refusal> {
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Refusal::Twice(name.to_owned()));
        }
        opened => opened?,
    };
    let expected_bytes = entry.size();
    let written_bytes = io::copy(entry, &mut file)?;
    if written_bytes != expected_bytes {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "ends too early; nothing was unpacked",
        )
        .into());
    }
    if is_raw {
        file.set_permissions(Permissions::from_mode(0o444))?;
    }
    Ok(file.sync_all()?)
}
