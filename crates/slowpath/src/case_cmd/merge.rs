//! `slowpath case merge`: copies of a case that several parties added to become one. Everything that any of them holds
//! is kept, as it was written; what they say differently of the same thing is shown.

use super::contradictions::{self, Contradiction};
use super::{complain, complain_about_raw, not_written, open, refresh_derived, say};
use crate::case_dir::raw::{self, RAW, in_pieces};
use crate::case_dir::{CaseDir, CaseDirError, JOURNAL, OBSERVATIONS, question, same_question};
use crate::{exit, output};
use clap::Args;
use evidence::{Case, ObservationId};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `slowpath case merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The case that gets what the others have more
    dir: PathBuf,
    /// Other copies of it; they stay as they are
    #[arg(required = true)]
    others: Vec<PathBuf>,
    /// Print what was added and what contradicts as JSON (see docs/output.md)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Default, Serialize)]
struct Merged {
    observations_added: usize,
    journal_entries_added: usize,
    raw_records_added: usize,
    /// Added, but of kinds that this version does not know.
    not_understood: usize,
    contradictions: Vec<Contradiction>,
    /// Observations that are the same lines of one raw record, added at different times.
    same_records: Vec<Vec<ObservationId>>,
}

/// Runs `slowpath case merge`.
pub(super) fn run(args: &MergeArgs) -> Result<ExitCode, ExitCode> {
    let (mut dir, case) = open(&args.dir)?;
    // Every question is compared before anything is written.
    for other in &args.others {
        check_question(&args.dir, &case, other)?;
    }
    let mut merged = Merged::default();
    for other in &args.others {
        merged.raw_records_added += copy_raw(&dir, &args.dir, other)?;
    }
    for other in &args.others {
        add_observations(&mut dir, &args.dir, other, &mut merged).map_err(|error| not_written(&error))?;
    }
    for other in &args.others {
        add_journal(&mut dir, &args.dir, other, &mut merged).map_err(|error| not_written(&error))?;
    }
    dir.sync().map_err(|error| not_written(&error))?;
    let (case, _) = CaseDir::read(&args.dir).map_err(|error| not_written(&error))?;
    complain_about_raw(&args.dir, &case);
    refresh_derived(&mut dir, &case)?;
    merged.contradictions = contradictions::find(case.observations());
    merged.same_records = contradictions::same_records(case.observations());
    let text = if args.json {
        evidence::to_json_line(&merged)
    } else {
        in_words(&merged)
    };
    Ok(output::finish(output::try_print(&text)))
}

fn check_question(dir: &Path, case: &Case, other: &Path) -> Result<(), ExitCode> {
    let (their, complaints) = CaseDir::read(other).map_err(|error| exit::usage(&error.to_string()))?;
    if !same_question(&case.complaint, &their.complaint) {
        return Err(exit::usage(&format!(
            "different questions, so nothing was merged: {} is about {}; {} is about {}",
            dir.display(),
            question(&case.complaint),
            other.display(),
            question(&their.complaint)
        )));
    }
    say(other, &complaints);
    if let (Some(ours), Some(theirs)) = (case.complaint.expected_bps, their.complaint.expected_bps)
        && ours != theirs
    {
        complain(
            other,
            &format!("expects {theirs}; {ours} stays, as the case's own case.json says"),
        );
    }
    Ok(())
}

/// Copies the raw records that are not there yet. One that does not match its name is not copied.
fn copy_raw(dir: &CaseDir, own: &Path, other: &Path) -> Result<usize, ExitCode> {
    let list = |case: &Path| raw::list(case).map_err(|error| exit::usage(&error.to_string()));
    let known = list(own)?;
    let mut added = 0;
    for name in list(other)? {
        if !raw::is_sha256(&name) || known.contains(&name) {
            continue;
        }
        match copy_record(dir, &other.join(RAW).join(&name), &name) {
            Ok(true) => added += 1,
            Ok(false) => complain(
                other,
                &format!("raw/{name}: content does not match its name; not copied"),
            ),
            Err(error @ CaseDirError::NotAPlainFile(_)) => complain(other, &error.to_string()),
            Err(error) => return Err(not_written(&error)),
        }
    }
    Ok(added)
}

fn copy_record(dir: &CaseDir, source: &Path, name: &str) -> Result<bool, CaseDirError> {
    let failed = |source_error: io::Error| CaseDirError::Io {
        path: source.to_owned(),
        doing: "copy",
        source: source_error,
    };
    if !std::fs::symlink_metadata(source).map_err(failed)?.is_file() {
        return Err(CaseDirError::NotAPlainFile(source.to_owned()));
    }
    let mut writer = dir.raw_writer()?;
    let file = File::open(source).map_err(failed)?;
    in_pieces(file, |piece| writer.write(piece).map_err(io::Error::other)).map_err(failed)?;
    let finished = writer.finish();
    if finished.sha256 != name {
        return Ok(false);
    }
    finished.keep()?;
    Ok(true)
}

/// Adds the intact lines whose ids are not there yet, as they were written: an older program loses nothing that a newer
/// one wrote.
fn add_observations(
    dir: &mut CaseDir,
    own: &Path,
    other: &Path,
    merged: &mut Merged,
) -> Result<(), CaseDirError> {
    let ours = CaseDir::lines(own, OBSERVATIONS)?;
    let mut known: BTreeSet<ObservationId> =
        ours.iter().filter_map(|line| evidence::intact_id(line)).collect();
    for line in CaseDir::lines(other, OBSERVATIONS)? {
        // Broken and altered lines were complained about when the copy was read.
        let Some(id) = evidence::intact_id(&line) else {
            continue;
        };
        if known.insert(id) {
            dir.append_line(&line)?;
            merged.observations_added += 1;
            merged.not_understood += usize::from(evidence::observations_from_jsonl(&line).0.is_empty());
        }
    }
    Ok(())
}

/// Adds the journal's entries that are not there yet; the same entry written with its fields in another order is the
/// same.
fn add_journal(dir: &mut CaseDir, own: &Path, other: &Path, merged: &mut Merged) -> Result<(), CaseDirError> {
    let content = |line: &String| {
        let mut value: Value = serde_json::from_str(line).ok()?;
        value.sort_all_objects();
        value.is_object().then(|| value.to_string())
    };
    let mut known: BTreeSet<String> = CaseDir::lines(own, JOURNAL)?.iter().filter_map(content).collect();
    for line in CaseDir::lines(other, JOURNAL)? {
        if content(&line).is_some_and(|entry| known.insert(entry)) {
            dir.note_line(&line)?;
            merged.journal_entries_added += 1;
        }
    }
    Ok(())
}

fn in_words(merged: &Merged) -> String {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut text = format!(
        "added {}, {}, {}\n",
        count(merged.observations_added, "observation", "observations"),
        count(merged.journal_entries_added, "journal entry", "journal entries"),
        count(merged.raw_records_added, "raw record", "raw records")
    );
    if merged.not_understood > 0 {
        let lines = count(merged.not_understood, "observation is", "observations are");
        let _ = writeln!(text, "{lines} of kinds that this version does not know");
    }
    for ids in &merged.same_records {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            text,
            "SAME RECORD    added at different times: {}",
            ids.join(", ")
        );
    }
    for found in &merged.contradictions {
        let further = match found.further {
            0 => String::new(),
            n => format!("; and {n} more"),
        };
        let line = format!(
            "CONTRADICTION  {}: {} [{}], {} [{}]{further}",
            found.about,
            shortened(&found.one.value),
            found.one.id,
            shortened(&found.other.value),
            found.other.id
        );
        let _ = writeln!(text, "{}", report::clean(&line));
    }
    text
}

/// A value as long as a line can take; `--json` has it whole.
fn shortened(value: &str) -> String {
    const LONGEST: usize = 60;
    if value.chars().count() <= LONGEST {
        return value.to_owned();
    }
    let start: String = value.chars().take(LONGEST).collect();
    format!("{start}…")
}
