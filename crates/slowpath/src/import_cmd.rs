//! `slowpath import`: what slowpath understands of other tools' output, without a case.

use crate::complaints::{MOST_FOR_PROGRAMS, MOST_TOLD};
use crate::intake::{self, KnownArgs, Reading, Source, Stopped};
use crate::workers::processors;
use crate::{exit, output};
use clap::Args;
use evidence::{Payload, Timestamp};
use ingest::Record;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `slowpath import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Files with the output of other tools; `-` is standard input
    #[arg(required_unless_present = "formats")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    known: KnownArgs,
    /// Print the records as JSON, one a line (see docs/output.md)
    #[arg(long)]
    json: bool,
    /// Threads [default: the processors of this host]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// List the formats that are recognised
    #[arg(long, conflicts_with = "json")]
    formats: bool,
}

/// Runs `slowpath import`.
pub(crate) fn run(args: &ImportArgs) -> ExitCode {
    if args.formats {
        return output::finish(output::try_print(&formats()));
    }
    let mut understood = 0_u64;
    for file in &args.files {
        match import(args, file) {
            Ok(records) => understood = understood.saturating_add(records),
            Err(code) => return code,
        }
    }
    if understood == 0 {
        return exit::could_not_measure(
            "nothing was understood; `slowpath import --formats` lists what would be",
        );
    }
    ExitCode::SUCCESS
}

fn formats() -> String {
    let known: Vec<_> = ingest::known_formats().collect();
    let width = known
        .iter()
        .map(|format| format.name.len())
        .max()
        .unwrap_or_default();
    known
        .iter()
        .map(|format| format!("{:<width$}  {}\n", format.name, format.reads))
        .collect()
}

/// Reads one file and prints as it goes. Returns how many records there were.
fn import(args: &ImportArgs, file: &Path) -> Result<u64, ExitCode> {
    let (path, shown) = (file.display().to_string(), intake::shown(file));
    let make = |records: Vec<Record>| {
        let mut lines = String::new();
        for record in &records {
            match args.json {
                true => lines += &json(&path, record),
                false => text(&shown, record, &mut lines),
            }
        }
        lines
    };
    let reading = Reading {
        file,
        source: Source::open(file).map_err(|error| intake::kept_out(file, &error))?,
        context: &args.known.context(None),
        threads: args.threads.map_or_else(processors, usize::from),
        most_told: if args.json { MOST_FOR_PROGRAMS } else { MOST_TOLD },
    };
    reading
        .run(&make, |lines| output::try_print(&lines))
        .map_err(|stopped| match stopped {
            Stopped::Unreadable(error) => intake::kept_out(file, &error),
            Stopped::NotTaken(error) => output::finish(Err(error)),
        })
}

/// A record as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    lines: (u64, u64),
    tool: &'a str,
    at: Option<Timestamp>,
    payload: &'a Payload,
}

fn json(file: &str, record: &Record) -> String {
    let line = evidence::to_json_line(&Line {
        file,
        lines: record.lines,
        tool: &record.tool,
        at: record.at,
        payload: &record.payload,
    });
    report::json_escaped(&line)
}

/// Adds a record as a line of text.
fn text(file: &str, record: &Record, lines: &mut String) {
    let (first, last) = record.lines;
    let at = record
        .at
        .map_or(Cow::Borrowed("time not told"), |at| words::when(at).into());
    let (tool, payload) = (
        report::clean(&record.tool),
        report::payload_line(&record.payload, None),
    );
    // Writing to memory does not fail.
    let _ = match first == last {
        true => writeln!(lines, "{file}, line {first}: {tool}, {at}: {payload}"),
        false => writeln!(lines, "{file}, lines {first} to {last}: {tool}, {at}: {payload}"),
    };
}
