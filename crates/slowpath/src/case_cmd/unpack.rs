//! `slowpath case import`: a case that came in one file, from somebody we need not trust.

use super::derived::write_derived;
use super::opened::{about, complain_about_raw, say};
use crate::complaints::{Complaints, MOST_TOLD};
use crate::console::Meter;
use crate::patience::patience;
use crate::{exit, intake, output};
use casefile::CaseDir;
use clap::Args;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `slowpath case import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file, as `slowpath case export` or tar made it
    file: PathBuf,
    /// The directory to make [default: the name in the file]
    dir: Option<PathBuf>,
}

/// Runs `slowpath case import`.
pub(super) fn run(args: &ImportArgs) -> Result<ExitCode, ExitCode> {
    if let Some(dir) = &args.dir {
        refuse_existing(dir)?;
    }
    let parent = match args.dir.as_deref().and_then(Path::parent) {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut meter = Meter::new("unpacking", None);
    let unpacked = casefile::unpack(&args.file, &parent, &mut |bytes| meter.advance(bytes));
    drop(meter);
    let unpacked = unpacked.map_err(|error| refused(&error))?;
    let target = match &args.dir {
        Some(dir) => dir.clone(),
        None => PathBuf::from(unpacked.proposed_name().ok_or_else(|| no_name(&args.file))?),
    };
    refuse_existing(&target)?;
    let settled = unpacked.settle(&target).map_err(|error| refused(&error))?;
    say(&target, &settled.complaints);
    complain_about_raw(&target, &settled.case);
    let mut told = Complaints::at_most(MOST_TOLD);
    for name in &settled.left_out {
        told.say(|| about(&target, &format_args!("{name}: no part of a case; left out")));
    }
    drop(told);
    if settled.had_derived {
        // Made here: a page from a stranger could do more than show the case.
        let opened = CaseDir::open(&target, &mut patience(&target));
        let (mut dir, case, _) = opened.map_err(|error| exit::no_such_case(&error))?;
        write_derived(&mut dir, &case).map_err(|error| refused(&error))?;
    }
    output::print(&format!("{}\n", report::clean(&target.display().to_string())));
    Ok(ExitCode::SUCCESS)
}

fn refused(error: &impl Display) -> ExitCode {
    exit::usage(&error.to_string())
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
