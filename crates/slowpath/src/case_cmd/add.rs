//! `slowpath case add`: other tools' output becomes observations, beside the raw bytes that it came from.

use super::derived::refresh_derived;
use super::opened::open;
use super::taken::{is_homeless, taken};
use crate::capture_cmd::points::{self, Point};
use crate::capture_cmd::records;
use crate::complaints::{Complaints, MOST_TOLD};
use crate::intake::{self, KnownArgs};
use crate::times::GivenTime;
use crate::vantages::now;
use crate::workers::processors;
use crate::{exit, output, terminal};
use casefile::{CaseDir, FinishedRaw, current_round, in_pieces};
use clap::Args;
use evidence::{Case, Node, Observation, ObservationId, Payload, Provenance};
use ingest::{Event, Origin, Record};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::mem::{Discriminant, discriminant};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `slowpath case add`.
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The case directory
    dir: PathBuf,
    /// Files with the output of other tools, or captures of packets; `-` is standard input
    #[arg(required_unless_present = "points")]
    files: Vec<PathBuf>,
    /// A capture of one transfer at one of several places, in the order of the path: `sender=a.pcap`
    #[arg(long = "point", value_name = "NAME=FILE")]
    points: Vec<Point>,
    #[command(flatten)]
    known: KnownArgs,
    /// Where the records were made: a host, a router, a network [default: where each record says that it starts]
    #[arg(long, value_name = "WHERE")]
    place: Option<String>,
    /// The round that they belong to [default: the current one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    round: Option<u32>,
    /// When the records were added, for those whose own time is not known: makes a case that can be made again
    #[arg(long, value_name = "TIME", hide = true)]
    now: Option<GivenTime>,
}

/// Runs `slowpath case add`.
pub(super) fn run(args: &AddArgs) -> Result<ExitCode, ExitCode> {
    let (mut dir, mut case) = open(&args.dir)?;
    let mut understood_all = true;
    for file in &args.files {
        let taken = take_in(args, file, &dir, &case)?;
        understood_all &= add(args, file, taken, &mut dir, &mut case)?;
    }
    if let Some(last) = args.points.last() {
        let records = records::of_points(&points::of_largest(&args.points)?);
        // They rest on all of the captures; the last is kept as the place that they lead to.
        let mut raw = dir.raw_writer().map_err(|error| exit::not_written(&error))?;
        copied(&last.file, &mut |bytes| {
            raw.write(bytes).map_err(io::Error::other)
        })
        .map_err(|error| exit::not_written(&error))?;
        understood_all &= add(args, &last.file, (raw.finish(), records), &mut dir, &mut case)?;
    }
    refresh_derived(&mut dir, &case)?;
    Ok(if understood_all {
        ExitCode::SUCCESS
    } else {
        exit::could_not_measure(
            "not every file was understood; `slowpath import --formats` lists what would be",
        )
    })
}

/// Adds what was taken from one file. Returns whether anything in it was understood.
fn add(
    args: &AddArgs,
    file: &Path,
    (raw, records): (FinishedRaw, Vec<Record>),
    dir: &mut CaseDir,
    case: &mut Case,
) -> Result<bool, ExitCode> {
    if records.is_empty() {
        let text = "nothing in it was understood; nothing was added";
        terminal::complain(&format!("{}: {text}", intake::shown(file)));
        return Ok(false);
    }
    let origin = origin(args, case, &raw.sha256);
    let name = raw.sha256.clone();
    // The raw bytes first: no observation names a record that is not there.
    raw.keep().map_err(|error| exit::usage(&error.to_string()))?;
    let held = case.observations().iter().chain(case.superseded());
    let mut ids: BTreeSet<ObservationId> = held.map(|o| o.id.clone()).collect();
    let of_format_1 = OfFormat1::of(case);
    let (mut text, mut added, mut known) = (String::new(), Vec::new(), 0_u64);
    for record in records {
        let observation = origin.observation(record, &case.complaint);
        if of_format_1.has(&observation) || !ids.insert(observation.id.clone()) {
            known += 1;
            continue;
        }
        dir.append(&observation)
            .map_err(|error| exit::not_written(&error))?;
        let _ = writeln!(text, "{}", taken(&observation, &case.complaint));
        added.push(observation);
    }
    let count = added.len();
    let homeless = added
        .iter()
        .find(|o| is_homeless(o))
        .map(|o: &Observation| o.id.clone());
    case.add_all(added);
    dir.sync().map_err(|error| exit::not_written(&error))?;
    let there = if known > 0 {
        format!(", {known} there already")
    } else {
        String::new()
    };
    let short = name.get(..8).unwrap_or(&name);
    let _ = writeln!(
        text,
        "{}: {count} added{there}; round {}, raw/{short}…",
        intake::shown(file),
        origin.round
    );
    if let Some(id) = homeless {
        let _ = writeln!(
            text,
            "where some were made is not known: `slowpath case amend {} {:.8} --place HOST` tells it",
            args.dir.display(),
            id.0
        );
    }
    output::print(&text);
    Ok(true)
}

/// Reads a file, copying its bytes into the case. What is not understood is said as it is met.
fn take_in(
    args: &AddArgs,
    file: &Path,
    dir: &CaseDir,
    case: &Case,
) -> Result<(FinishedRaw, Vec<Record>), ExitCode> {
    let context = args.known.context(Some(&case.complaint));
    let mut raw = dir.raw_writer().map_err(|error| exit::not_written(&error))?;
    let mut records = Vec::new();
    let mut told = Complaints::at_most(MOST_TOLD);
    let mut sink = |event| match event {
        Event::Record(record) => records.push(*record),
        Event::Complaint(complaint) => {
            told.say(|| intake::about(file, &complaint));
            told.count(complaint.further);
        }
    };
    let mut copy_failed = None;
    let mut copy = |bytes: &[u8]| {
        raw.write(bytes).map_err(|error| {
            copy_failed = Some(error);
            io::Error::from(io::ErrorKind::Other)
        })
    };
    let is_capture = records::is_capture(file).map_err(|error| intake::kept_out(file, &error))?;
    let read = if is_capture {
        copied(file, &mut copy)
    } else {
        intake::read(file, processors(), &context, &mut copy, &mut sink)
    };
    if is_capture && copy_failed.is_none() && read.is_ok() {
        records = of_capture(file)?;
    }
    match (read, copy_failed) {
        (_, Some(error)) => Err(exit::not_written(&error)),
        (Err(error), None) => Err(intake::kept_out(file, &error)),
        (Ok(()), None) => Ok((raw.finish(), records)),
    }
}

/// The bytes of a file as they are.
fn copied(file: &Path, copy: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    in_pieces(File::open(file)?, copy)
}

/// What a capture of packets says.
fn of_capture(file: &Path) -> Result<Vec<Record>, ExitCode> {
    let (records, said) = records::records(file).map_err(|why| exit::usage(&why))?;
    let mut told = Complaints::at_most(MOST_TOLD);
    for complaint in said.iter().flat_map(|said| &said.complaints) {
        told.say(|| {
            format!(
                "{}, byte {}: {}",
                intake::shown(file),
                complaint.at,
                complaint.trouble
            )
        });
    }
    Ok(records)
}

/// What an earlier version of this program added, under ids of format 1.
struct OfFormat1(Vec<(Provenance, Discriminant<Payload>)>);

impl OfFormat1 {
    fn of(case: &Case) -> Self {
        let is_old = |o: &&Observation| o.provenance.was.is_some();
        let old = case.observations().iter().filter(is_old);
        Self(
            old.map(|o| (o.provenance.clone(), discriminant(&o.payload)))
                .collect(),
        )
    }

    /// Whether it has the same lines of the same file.
    fn has(&self, new: &Observation) -> bool {
        let (new, kind) = (&new.provenance, discriminant(&new.payload));
        self.0.iter().any(|(old, its)| {
            (old.raw_lines, old.round, *its) == (new.raw_lines, new.round, kind)
                && old.raw_sha256 == new.raw_sha256
        })
    }
}

/// What the records of a file have in common. One that is in the case already keeps its round and the time at which it was
/// added: the same bytes are the same records, and get the same names.
fn origin(args: &AddArgs, case: &Case, sha256: &str) -> Origin {
    let of_this_file = || {
        let same = |o: &&Observation| o.provenance.raw_sha256.as_deref() == Some(sha256);
        // As it was added, before it was corrected.
        let held = case.superseded().iter().chain(case.observations());
        held.filter(same).map(|o| &o.provenance)
    };
    let added_before = of_this_file().find(|p| p.at_is_import_time).map(|p| p.at);
    let given_now = || args.now.and_then(|at| at.instant(None)).unwrap_or_else(now);
    Origin {
        raw_sha256: sha256.to_owned(),
        place: args.place.as_deref().map(Node::read),
        round: args
            .round
            .or_else(|| of_this_file().map(|p| p.round).min())
            .unwrap_or_else(|| current_round(case)),
        added_at: added_before.unwrap_or_else(given_now),
    }
}
