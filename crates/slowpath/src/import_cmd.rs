//! `slowpath import`: what slowpath understands of other tools' output, without a case.

use crate::complaints::{Complaints, MOST_FOR_PROGRAMS, MOST_TOLD};
use crate::intake::{self, KnownArgs};
use crate::{exit, output};
use clap::Args;
use evidence::{Payload, Timestamp};
use ingest::{Event, Record};
use serde::Serialize;
use std::io::{self, IsTerminal};
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
    let context = args.known.context(None);
    let mut records = 0_u64;
    let mut lines = Lines::new(file);
    let mut told = Complaints::at_most(if args.json { MOST_FOR_PROGRAMS } else { MOST_TOLD });
    let mut sink = |event| match event {
        Event::Complaint(complaint) => {
            told.say(|| {
                lines.flush();
                intake::about(file, &complaint)
            });
            told.count(complaint.further);
        }
        Event::Record(record) => {
            records = records.saturating_add(1);
            let line = if args.json {
                json(file, &record)
            } else {
                text(file, &record)
            };
            lines.push(&line);
        }
    };
    let read = intake::read(file, &context, &mut |_| Ok(()), &mut sink);
    lines.flush();
    drop(told);
    read.map_err(|error| intake::kept_out(file, &error))?;
    match lines.written {
        Ok(()) => Ok(records),
        Err(error) => Err(output::finish(Err::<(), io::Error>(error))),
    }
}

/// Lines for standard output. They are written many at a time, unless somebody waits for each.
struct Lines {
    held: String,
    hold_bytes: usize,
    written: io::Result<()>,
}

impl Lines {
    fn new(file: &Path) -> Self {
        let live = file == Path::new("-") || io::stdout().is_terminal();
        Self {
            held: String::new(),
            hold_bytes: if live { 0 } else { 1 << 16 },
            written: Ok(()),
        }
    }

    fn push(&mut self, line: &str) {
        self.held += line;
        if self.held.len() > self.hold_bytes {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.written.is_ok() && !self.held.is_empty() {
            self.written = output::try_print(&self.held);
        }
        self.held.clear();
    }
}

/// A record as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    file: String,
    lines: (u64, u64),
    tool: &'a str,
    at: Option<Timestamp>,
    payload: &'a Payload,
}

fn json(file: &Path, record: &Record) -> String {
    let line = evidence::to_json_line(&Line {
        file: file.display().to_string(),
        lines: record.lines,
        tool: &record.tool,
        at: record.at,
        payload: &record.payload,
    });
    report::json_escaped(&line)
}

fn text(file: &Path, record: &Record) -> String {
    let (first, last) = record.lines;
    let lines = if first == last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    };
    let at = record.at.map_or_else(|| "time not told".to_owned(), words::when);
    let head = format!("{}, {lines}: {}, {at}: ", intake::shown(file), record.tool);
    format!(
        "{}{}\n",
        report::clean(&head),
        report::payload_line(&record.payload, None)
    )
}
