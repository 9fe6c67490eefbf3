//! `slowpath case import`: a case that came in one file, from somebody we need not trust. Only files that a case has are
//! written, below one new directory; everything is counted before it is believed.

use super::{complain, complain_about_raw, say};
use crate::case_dir::raw::{RAW, is_sha256};
use crate::case_dir::{CASE, CaseDir, JOURNAL, OBSERVATIONS, REPORT, VERDICT};
use crate::console::Meter;
use crate::{exit, intake, output};
use clap::Args;
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use tar::{Entry, EntryType};

/// More than this no case is unpacked to, bytes.
const MOST_BYTES: u64 = 1 << 30;
/// More files no case has.
const MOST_ENTRIES: usize = 100_000;
/// Real text and captures shrink to a fiftieth at best; an archive made to burst, to a thousandth.
const MOST_RATIO: u64 = 200;
/// The ratio is of no account below so many bytes.
const RATIO_FROM_BYTES: u64 = 16 << 20;
/// Longer names and extended headers no case has, bytes.
const LONGEST_HEADER: u64 = 64 << 10;

/// Arguments of `slowpath case import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file, as `slowpath case export` or tar made it
    file: PathBuf,
    /// The directory to make [default: the name in the file]
    dir: Option<PathBuf>,
}

/// Why an archive is not unpacked. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
enum UnpackError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("holds `{0}`, which leads out of the case; nothing was unpacked")]
    LeadsOut(String),
    #[error("holds `{0}`, which is a link or a device, no file; nothing was unpacked")]
    NoFile(String),
    #[error("holds `{0}` twice; nothing was unpacked")]
    Twice(String),
    #[error("holds more than one directory (`{0}` and `{1}`); nothing was unpacked")]
    SeveralCases(String, String),
    #[error("holds more than {MOST_ENTRIES} files; nothing was unpacked")]
    TooMany,
    #[error("holds a name or header that is too long; nothing was unpacked")]
    LongHeader,
    #[error("holds no case (no {CASE}); nothing was unpacked")]
    NoCase,
}

/// Runs `slowpath case import`.
pub(super) fn run(args: &ImportArgs) -> Result<ExitCode, ExitCode> {
    let failed = |error: UnpackError| {
        let text = format!("{}: {error}", args.file.display());
        exit::usage(&report::clean(&text))
    };
    if let Some(dir) = &args.dir {
        refuse_existing(dir)?;
    }
    let parent = match args.dir.as_deref().and_then(Path::parent) {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let workplace = tempfile::Builder::new()
        .prefix(".unpacking-")
        .tempdir_in(&parent)
        .map_err(|error| failed(error.into()))?;
    // A directory of its own inside, so that the case gets the rights that the user's directories have.
    let unpacked = workplace.path().join("case");
    let contents = unpack(&args.file, &unpacked).map_err(failed)?;
    let target = match &args.dir {
        Some(dir) => dir.clone(),
        None => PathBuf::from(proposed_name(&contents.top).ok_or_else(|| no_name(&args.file))?),
    };
    refuse_existing(&target)?;
    settle(&unpacked, &target, &contents)?;
    output::print(&format!("{}\n", report::clean(&target.display().to_string())));
    Ok(ExitCode::SUCCESS)
}

/// Checks what was unpacked and moves it to its place.
fn settle(unpacked: &Path, target: &Path, contents: &Contents) -> Result<(), ExitCode> {
    let refused = |error: &dyn std::fmt::Display| {
        // The place where it was unpacked to means nothing to the user.
        let text = error
            .to_string()
            .replace(&unpacked.display().to_string(), &target.display().to_string());
        exit::usage(&report::clean(&text))
    };
    let (case, complaints) = CaseDir::read(unpacked).map_err(|error| refused(&error))?;
    fs::rename(unpacked, target).map_err(|error| refused(&error))?;
    say(target, &complaints);
    complain_about_raw(target, &case);
    for name in &contents.left_out {
        complain(target, &format!("{name}: no part of a case; left out"));
    }
    if contents.derived {
        // Made here: a page from a stranger could do more than show the case.
        let (mut dir, case, _) = CaseDir::open(target).map_err(|error| refused(&error))?;
        let verdicts = diagnosis::judge(&case);
        let html = report::html(&case, &verdicts);
        dir.write_derived(&verdicts, &html)
            .map_err(|error| refused(&error))?;
    }
    Ok(())
}

fn refuse_existing(dir: &Path) -> Result<(), ExitCode> {
    if fs::symlink_metadata(dir).is_ok() {
        let text = format!("{}: is there already; name another directory", dir.display());
        return Err(exit::usage(&text));
    }
    Ok(())
}

fn no_name(file: &Path) -> ExitCode {
    let text = format!(
        "{}: does not name its case well; name a directory",
        intake::shown(file)
    );
    exit::usage(&text)
}

/// The archive's own name for the case, if it is a harmless one.
fn proposed_name(top: &str) -> Option<&str> {
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let plain = top.starts_with(|c: char| c.is_ascii_alphanumeric()) && top.chars().all(harmless);
    (plain && top.ends_with(".case") && top.len() <= 255).then_some(top)
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
fn unpack(file: &Path, directory: &Path) -> Result<Contents, UnpackError> {
    let file = File::open(file)?;
    let mut meter = Meter::new("unpacking", None);
    let packed_bytes = Rc::new(Cell::new(0));
    let packed = Counted {
        inner: file,
        bytes: Rc::clone(&packed_bytes),
    };
    let guarded = Guarded {
        inner: MultiGzDecoder::new(packed),
        packed_bytes,
        bytes: 0,
    };
    fs::create_dir(directory)?;
    fs::create_dir(directory.join(RAW))?;
    let mut archive = tar::Archive::new(guarded);
    let mut contents = Contents::default();
    let mut long_name = None;
    // Raw: what GNU and pax add for long names is read here, with a limit.
    for (number, entry) in archive.entries()?.raw(true).enumerate() {
        let mut entry = entry?;
        if number >= MOST_ENTRIES {
            return Err(UnpackError::TooMany);
        }
        meter.advance(entry.size());
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
        return Err(UnpackError::NoCase);
    }
    // No raw record, no directory for them.
    let _ = fs::remove_dir(directory.join(RAW));
    Ok(contents)
}

fn read_header<R: Read>(entry: &mut Entry<'_, R>) -> Result<Vec<u8>, UnpackError> {
    if entry.size() > LONGEST_HEADER {
        return Err(UnpackError::LongHeader);
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
) -> Result<(), UnpackError> {
    let leads_out = name.starts_with('/') || name.split('/').any(|part| part == "..");
    if leads_out {
        return Err(UnpackError::LeadsOut(name.to_owned()));
    }
    if !matches!(
        kind,
        EntryType::Regular | EntryType::Continuous | EntryType::Directory
    ) {
        return Err(UnpackError::NoFile(name.to_owned()));
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

fn one_case(contents: &mut Contents, top: &str) -> Result<(), UnpackError> {
    if contents.seen_top && contents.top != top {
        return Err(UnpackError::SeveralCases(contents.top.clone(), top.to_owned()));
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
) -> Result<(), UnpackError> {
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(UnpackError::Twice(name.to_owned()));
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

/// Counts what is read from the archive itself.
struct Counted<R> {
    inner: R,
    bytes: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.bytes.set(self.bytes.get().saturating_add(length as u64));
        Ok(length)
    }
}

/// Stops an archive that grows beyond measure.
struct Guarded<R> {
    inner: R,
    packed_bytes: Rc<Cell<u64>>,
    bytes: u64,
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.bytes = self.bytes.saturating_add(length as u64);
        let most = self
            .packed_bytes
            .get()
            .saturating_mul(MOST_RATIO)
            .max(RATIO_FROM_BYTES);
        if self.bytes > MOST_BYTES {
            return Err(io::Error::other("grows beyond 1 GiB; nothing was unpacked"));
        }
        if self.bytes > most {
            let text = format!("grows to {MOST_RATIO} times its size, as no case does; nothing was unpacked");
            return Err(io::Error::other(text));
        }
        Ok(length)
    }
}
