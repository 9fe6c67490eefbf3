//! `slowpath case export`: one file to mail. The same case gives the same bytes: entries in order, no times, no owners.

use super::redact::{Key, What, redact};
use super::{complain, not_written, read};
use crate::case_dir::raw::{self, RAW, hex};
use crate::case_dir::{CASE, CaseDir, JOURNAL, OBSERVATIONS, REPORT, VERDICT};
use crate::console::Meter;
use crate::{exit, output};
use clap::Args;
use evidence::{Case, complaint_to_json, to_json_line};
use flate2::{Compression, GzBuilder};
use rand::TryRngCore;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What a redacted case is called: the directory's own name may tell whose it is.
const REDACTED: &str = "redacted.case";

/// Arguments of `slowpath case export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The case directory
    dir: PathBuf,
    /// The file to write; it must not be there yet [default: NAME.case.tar.gz, redacted.case.tar.gz with --redact]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Put pseudonyms in place of these; raw records are then left out
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    redact: Vec<What>,
    /// Keep the key of the pseudonyms in this file, to give the same ones next time; it is made if it is not there
    #[arg(long, value_name = "FILE", requires = "redact")]
    key_file: Option<PathBuf>,
}

/// A file of the archive, by its path below the case.
enum Content {
    Bytes(Vec<u8>),
    /// Copied from the disk.
    File(PathBuf),
}

/// Runs `slowpath case export`.
pub(super) fn run(args: &ExportArgs) -> Result<ExitCode, ExitCode> {
    let case = read(&args.dir)?;
    let (name, content) = if args.redact.is_empty() {
        (directory_name(&args.dir)?, as_it_is(&args.dir, &case)?)
    } else {
        (REDACTED.to_owned(), redacted(args, &case)?)
    };
    let target = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{name}.tar.gz")));
    if fs::symlink_metadata(&target).is_ok() {
        let text = format!(
            "{}: is there already; name another file with -o",
            target.display()
        );
        return Err(exit::usage(&text));
    }
    write(&target, &name, &content)
        .map_err(|error| not_written(&format!("{}: {error}", target.display())))?;
    output::print(&format!("{}\n", report::clean(&target.display().to_string())));
    Ok(ExitCode::SUCCESS)
}

/// The last part of the directory's path, `.` and links resolved.
fn directory_name(dir: &Path) -> Result<String, ExitCode> {
    let path = dir
        .canonicalize()
        .map_err(|error| exit::usage(&format!("{}: {error}", dir.display())))?;
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

/// Every file as it lies there, broken lines included; what is derived is made anew.
fn as_it_is(dir: &Path, case: &Case) -> Result<BTreeMap<String, Content>, ExitCode> {
    let failed = |error: crate::case_dir::CaseDirError| exit::usage(&error.to_string());
    let mut content = derived(case);
    for name in [CASE, OBSERVATIONS, JOURNAL] {
        if let Some(bytes) = CaseDir::bytes(dir, name).map_err(failed)? {
            content.insert(name.to_owned(), Content::Bytes(bytes));
        }
    }
    for name in raw::list(dir).map_err(failed)? {
        let path = dir.join(RAW).join(&name);
        let plain = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
        if raw::is_sha256(&name) && plain {
            content.insert(format!("{RAW}/{name}"), Content::File(path));
        }
    }
    Ok(content)
}

fn redacted(args: &ExportArgs, case: &Case) -> Result<BTreeMap<String, Content>, ExitCode> {
    let key = key(args.key_file.as_deref())?;
    let hidden = redact(case, &args.redact, &key).map_err(|error| exit::usage(&error.to_string()))?;
    complain(
        &args.dir,
        "the raw records are left out: they hold the real names and addresses",
    );
    let mut content = derived(&hidden);
    let observations: String = hidden.observations().iter().map(to_json_line).collect();
    let journal: String = hidden.journal.iter().map(to_json_line).collect();
    for (name, text) in [
        (CASE, complaint_to_json(&hidden.complaint)),
        (OBSERVATIONS, observations),
        (JOURNAL, journal),
    ] {
        content.insert(name.to_owned(), Content::Bytes(text.into_bytes()));
    }
    Ok(content)
}

fn derived(case: &Case) -> BTreeMap<String, Content> {
    let verdicts = diagnosis::judge(case);
    let html = report::html(case, &verdicts);
    [(VERDICT, report::json(&verdicts)), (REPORT, html)]
        .into_iter()
        .map(|(name, text)| (name.to_owned(), Content::Bytes(text.into_bytes())))
        .collect()
}

/// The key in `file`, or one made now; without a file it is forgotten when the program ends.
fn key(file: Option<&Path>) -> Result<Key, ExitCode> {
    let Some(file) = file else {
        return random_key();
    };
    let failed = |error: &dyn std::fmt::Display| exit::usage(&format!("{}: {error}", file.display()));
    match fs::read_to_string(file) {
        Ok(text) => {
            read_key(text.trim()).ok_or_else(|| failed(&"this is no key: 64 hexadecimal digits are expected"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let key = random_key()?;
            let mut options = fs::OpenOptions::new();
            let mut written = options
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(file)
                .map_err(|error| failed(&error))?;
            let text = format!("{}\n", hex(&key.0));
            written
                .write_all(text.as_bytes())
                .map_err(|error| failed(&error))?;
            Ok(key)
        }
        Err(error) => Err(failed(&error)),
    }
}

fn random_key() -> Result<Key, ExitCode> {
    let mut bytes = [0; 32];
    rand::rngs::OsRng
        .try_fill_bytes(&mut bytes)
        .map_err(|error| exit::could_not_measure(&format!("no random key: {error}")))?;
    Ok(Key(bytes))
}

fn read_key(text: &str) -> Option<Key> {
    let mut key = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (place, byte) in key.iter_mut().enumerate() {
        let digits = text.get(place.checked_mul(2)?..)?.get(..2)?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(Key(key))
}

/// Writes the archive beside its place and moves it there: nobody sees half of it.
fn write(target: &Path, name: &str, content: &BTreeMap<String, Content>) -> io::Result<()> {
    let directory = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let file = tempfile::Builder::new()
        .prefix(".export-")
        .tempfile_in(directory)?;
    // As any file that the user makes: `tempfile` shuts everybody else out.
    file.as_file()
        .set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    // Neither time nor name stands in the head of the compressed file.
    let packed = GzBuilder::new()
        .mtime(0)
        .write(file.as_file(), Compression::default());
    let mut archive = tar::Builder::new(packed);
    let mut meter = Meter::new("packing", None);
    for (path, content) in content {
        let path = format!("{name}/{path}");
        match content {
            Content::Bytes(bytes) => append(&mut archive, &path, bytes.len() as u64, bytes.as_slice())?,
            Content::File(source) => {
                let file = File::open(source)?;
                let size_bytes = file.metadata()?.len();
                append(&mut archive, &path, size_bytes, file.take(size_bytes))?;
                meter.advance(size_bytes);
            }
        }
    }
    archive.into_inner()?.finish()?.sync_all()?;
    file.persist_noclobber(target)?;
    Ok(())
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
