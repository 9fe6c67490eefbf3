//! `slowpath case add`: other tools' output becomes observations, beside the raw bytes that it came from.

use super::derived::refresh_derived;
use super::held::{Held, OfFormat1};
use super::opened::open;
use super::taken::{is_homeless, taken};
use crate::capture_cmd::points::{self, Point};
use crate::capture_cmd::records;
use crate::complaints::{Complaints, MOST_TOLD};
use crate::intake::{self, KnownArgs, Reading, Source, Stopped};
use crate::times::GivenTime;
use crate::workers::processors;
use crate::{exit, output, terminal};
use casefile::{CaseDir, CaseDirError, FinishedRaw};
use clap::Args;
use evidence::{Complaint, ObservationId};
use ingest::{Origin, Record};
use std::fmt::Write as _;
use std::fs::File;
use std::io;
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
    pub(super) place: Option<String>,
    /// The round that they belong to [default: the current one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) round: Option<u32>,
    /// When the records were added, for those whose own time is not known: makes a case that can be made again
    #[arg(long, value_name = "TIME", hide = true)]
    pub(super) now: Option<GivenTime>,
}

/// Runs `slowpath case add`.
pub(super) fn run(args: &AddArgs) -> Result<ExitCode, ExitCode> {
    let (mut dir, case) = open(&args.dir)?;
    let mut held = Held::of(case);
    let mut understood_all = true;
    for file in &args.files {
        let is_capture = records::is_capture(file).map_err(|error| intake::kept_out(file, &error))?;
        let raw = copied(file, &dir)?;
        let bytes = raw.reopen().map_err(|error| exit::not_written(&error))?;
        let mut adding = Adding::new(args, file, raw, &mut dir, &mut held);
        match is_capture {
            true => adding.take_all(of_capture(file)?)?,
            false => adding.read(bytes)?,
        }
        understood_all &= adding.end()?;
    }
    if let Some(last) = args.points.last() {
        let records = records::of_points(&points::of_largest(&args.points)?);
        // They rest on all of the captures; the last is kept as the place that they lead to.
        let raw = copied(&last.file, &dir)?;
        let mut adding = Adding::new(args, &last.file, raw, &mut dir, &mut held);
        adding.take_all(records)?;
        understood_all &= adding.end()?;
    }
    if dir.has_derived() {
        let (case, _) = CaseDir::read(dir.path()).map_err(|error| exit::no_such_case(&error))?;
        refresh_derived(&mut dir, &case)?;
    }
    Ok(if understood_all {
        ExitCode::SUCCESS
    } else {
        exit::could_not_measure(
            "not every file was understood; `slowpath import --formats` lists what would be",
        )
    })
}

/// Copies a file into the case, where it is kept when something in it is understood.
fn copied(file: &Path, dir: &CaseDir) -> Result<FinishedRaw, ExitCode> {
    let not_written = |error: CaseDirError| exit::not_written(&error);
    let mut raw = dir.raw_writer().map_err(not_written)?;
    let source = Source::open(file).map_err(|error| intake::kept_out(file, &error))?;
    let mut failed = None;
    let copied = source.copy(file, &mut |bytes| {
        raw.write(bytes).map_err(|error| {
            failed = Some(error);
            io::ErrorKind::Other.into()
        })
    });
    match (copied, failed) {
        (_, Some(error)) => Err(not_written(error)),
        (Err(error), None) => Err(intake::kept_out(file, &error)),
        (Ok(()), None) => Ok(raw.finish()),
    }
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

/// A file whose records are being added.
struct Adding<'a> {
    args: &'a AddArgs,
    file: &'a Path,
    /// Until it is kept.
    raw: Option<FinishedRaw>,
    dir: &'a mut CaseDir,
    held: &'a mut Held,
    origin: Origin,
    added: u64,
    /// So many were there already.
    known: u64,
    /// The first of which nobody tells where it was made.
    homeless: Option<ObservationId>,
}

/// An observation as it goes out.
struct Outgoing {
    id: ObservationId,
    is_of_format_1: bool,
    is_homeless: bool,
    /// For the case.
    line: String,
    /// For who adds it.
    said: String,
}

impl<'a> Adding<'a> {
    fn new(
        args: &'a AddArgs,
        file: &'a Path,
        raw: FinishedRaw,
        dir: &'a mut CaseDir,
        held: &'a mut Held,
    ) -> Self {
        Self {
            args,
            file,
            origin: held.origin(args, &raw.sha256),
            raw: Some(raw),
            dir,
            held,
            added: 0,
            known: 0,
            homeless: None,
        }
    }

    /// Reads text and adds what it says as it goes.
    fn read(&mut self, bytes: File) -> Result<(), ExitCode> {
        let (file, origin) = (self.file, self.origin.clone());
        let (complaint, of_format_1) = (self.held.complaint.clone(), self.held.of_format_1.clone());
        let make = |records| outgoing(records, &origin, &complaint, &of_format_1);
        let reading = Reading {
            file,
            source: Source::of(bytes).map_err(|error| intake::kept_out(file, &error))?,
            context: &self.args.known.context(Some(&complaint)),
            threads: processors(),
            most_told: MOST_TOLD,
        };
        let read = reading.run(&make, |made| self.take(made));
        read.map(|_| ()).map_err(|stopped| match stopped {
            Stopped::Unreadable(error) => intake::kept_out(file, &error),
            Stopped::NotTaken(error) => not_added(&error),
        })
    }

    /// Adds records that are there.
    fn take_all(&mut self, records: Vec<Record>) -> Result<(), ExitCode> {
        let (held, origin) = (&*self.held, &self.origin);
        let made = outgoing(records, origin, &held.complaint, &held.of_format_1);
        self.take(made).map_err(|error| not_added(&error))
    }

    fn take(&mut self, made: Vec<Outgoing>) -> Result<(), CaseDirError> {
        if !made.is_empty()
            && let Some(raw) = self.raw.take()
        {
            // The raw bytes first: no observation names a record that is not there.
            raw.keep()?;
        }
        let (mut lines, mut said) = (String::new(), String::new());
        for one in made {
            if one.is_of_format_1 || !self.held.is_new(&one.id) {
                self.known += 1;
                continue;
            }
            self.added += 1;
            lines += &one.line;
            said += &one.said;
            if one.is_homeless && self.homeless.is_none() {
                self.homeless = Some(one.id);
            }
        }
        if !lines.is_empty() {
            self.dir.append_lines(&lines)?;
            output::print(&said);
        }
        Ok(())
    }

    /// Says what was added. Returns whether anything was understood.
    fn end(self) -> Result<bool, ExitCode> {
        let file = intake::shown(self.file);
        if self.added + self.known == 0 {
            terminal::complain(&format!(
                "{file}: nothing in it was understood; nothing was added"
            ));
            return Ok(false);
        }
        self.dir.sync().map_err(|error| exit::not_written(&error))?;
        let there = match self.known {
            0 => String::new(),
            known => format!(", {known} there already"),
        };
        let sha256 = &self.origin.raw_sha256;
        let short = sha256.get(..8).unwrap_or(sha256);
        let (added, round) = (self.added, self.origin.round);
        let mut text = format!("{file}: {added} added{there}; round {round}, raw/{short}…\n");
        if let Some(id) = self.homeless {
            let _ = writeln!(
                text,
                "where some were made is not known: `slowpath case amend {} {:.8} --place HOST` tells it",
                self.args.dir.display(),
                id.0
            );
        }
        output::print(&text);
        Ok(true)
    }
}

/// A case that was altered cannot be added to as it is; what the disk refused may go well later.
fn not_added(error: &CaseDirError) -> ExitCode {
    match error {
        CaseDirError::RawAltered(_) => exit::usage(&error.to_string()),
        _ => exit::not_written(error),
    }
}

/// The observations that records are, as they go out.
fn outgoing(
    records: Vec<Record>,
    origin: &Origin,
    complaint: &Complaint,
    of_format_1: &OfFormat1,
) -> Vec<Outgoing> {
    let made = records.into_iter().map(|record| {
        let observation = origin.observation(record, complaint);
        Outgoing {
            is_of_format_1: of_format_1.has(&observation),
            is_homeless: is_homeless(&observation),
            line: observation.to_line(),
            said: taken(&observation, complaint) + "\n",
            id: observation.id,
        }
    });
    made.collect()
}
