//! `slowpath capture`: what the packets of transfers say.

mod drawing;
mod engine;
mod export;
mod live;
mod one;
pub(crate) mod own;
pub(crate) mod points;
mod ranking;
mod reader;
mod recording;
pub(crate) mod records;
mod rotated;
mod source;
mod table;
mod text;

use crate::complaints::{Complaints, MOST_TOLD};
use crate::workers::processors;
use crate::{exit, intake, output, terminal};
use capture::FlowKey;
use capture::decode::Wanted;
use capture::flow::{Brief, Extent, FlowReport, Sink};
use clap::Args;
use engine::{Job, Outcome};
use export::Rows;
use ranking::{Ranking, Sums};
use serde::Serialize;
use std::io::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

/// Shown at the end of `capture --help`.
const HELP: &str = "128 bytes of each packet are enough (tcpdump -s 128). Payload is never looked at.";

/// Arguments of `slowpath capture`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct CaptureArgs {
    /// Captures (pcap, pcapng; gzip, zstd); `-` is standard input. Several files are one capture that was rotated, in any order
    #[arg(required_unless_present_any = ["live", "points"], conflicts_with_all = ["live", "points"])]
    files: Vec<PathBuf>,
    #[command(flatten)]
    live: live::LiveArgs,
    /// A capture of the same transfer at one of several places, in the order of the path: `sender=a.pcap`
    #[arg(long = "point", value_name = "NAME=FILE", conflicts_with = "live")]
    points: Vec<points::Point>,
    /// Only connections of this host; again for more
    #[arg(long, value_name = "ADDRESS")]
    host: Vec<IpAddr>,
    /// Only connections with this port at either end; again for more
    #[arg(long, value_name = "PORT")]
    port: Vec<u16>,
    /// So many connections, the largest first
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// A table, a line for each connection
    #[arg(long, conflicts_with_all = ["flow", "points"])]
    flows: bool,
    /// All that is known of one connection: its number in the summary or the table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_KEPT as i64))]
    flow: Option<u32>,
    /// Write the picture of a connection (--flow, else the largest) as a page for the browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write its picture for a document: as SVG, or as PNG where the name ends in .png
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write its picture for xplot
    #[arg(long, value_name = "FILE")]
    xplot: Option<PathBuf>,
    /// Write the statistics of every connection as CSV
    #[arg(long, value_name = "FILE", conflicts_with = "points")]
    csv: Option<PathBuf>,
    /// The same as Parquet, for tools that read tables of millions of rows
    #[arg(long, value_name = "FILE", conflicts_with = "points")]
    parquet: Option<PathBuf>,
    /// Print JSON, a connection a line (see docs/output.md)
    #[arg(long)]
    json: bool,
    /// Memory for the connections that are followed, MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(16..))]
    memory: u64,
    /// Threads [default: the processors of this host]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// So many connections are kept whole at most; of the others the sums, and a line of CSV where that is wanted.
const MOST_KEPT: usize = 1_000;

/// Runs `slowpath capture`.
pub(crate) fn run(args: &CaptureArgs) -> ExitCode {
    let done = if !args.points.is_empty() {
        points::run(args)
    } else if args.live.is_wanted() {
        live::run(args)
    } else {
        analyse(args, &rotated::in_order(&args.files), &AtomicBool::new(false))
    };
    done.unwrap_or_else(|code| code)
}

impl CaptureArgs {
    fn wants(&self, key: &FlowKey) -> bool {
        let ends = [key.low, key.high];
        (self.host.is_empty() || ends.iter().any(|end| self.host.contains(&end.address)))
            && (self.port.is_empty() || ends.iter().any(|end| self.port.contains(&end.port)))
    }

    /// So many connections are kept whole.
    fn kept(&self) -> usize {
        match self.flow {
            Some(number) => number as usize,
            None if self.flows || self.json => MOST_KEPT,
            None => self.top.max(1),
        }
    }

    fn job<'a>(&self, paths: &'a [PathBuf], wanted: Wanted<'a>, stop: &'a AtomicBool) -> Job<'a> {
        Job {
            paths,
            threads: self.threads.map_or_else(processors, usize::from),
            memory_bytes: usize::try_from(self.memory << 20).unwrap_or(usize::MAX),
            seed: seed(),
            wanted: Some(wanted).filter(|_| !self.host.is_empty() || !self.port.is_empty()),
            stop,
        }
    }
}

/// No stranger who makes a capture can know it.
fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let place = std::ptr::from_ref(&now) as u64;
    u64::from(now.subsec_nanos()).rotate_left(32)
        ^ now.as_secs()
        ^ place.rotate_left(17)
        ^ u64::from(std::process::id())
}

/// Reads captures and tells what is in them.
fn analyse(args: &CaptureArgs, paths: &[PathBuf], stop: &AtomicBool) -> Result<ExitCode, ExitCode> {
    let wanted = |key: &FlowKey| args.wants(key);
    let mut job = args.job(paths, &wanted, stop);
    let memory_bytes = job.memory_bytes;
    let rows = Rows::wanted(args, memory_bytes);
    if let Some(rows) = &rows {
        job.memory_bytes = memory_bytes.saturating_sub(rows.memory_bytes);
    }
    let (outcome, flows, sums) = read(&job, args.kept(), rows.as_ref())?;
    complain(&outcome);
    if sums.flows == 0 {
        return Err(exit::could_not_measure(&nothing(&outcome)));
    }
    let chosen = chosen(args, &flows)?;
    if args.json {
        let told = if args.flow.is_some() {
            std::slice::from_ref(chosen)
        } else {
            &flows
        };
        for flow in told {
            output::print_json(&json_line(flow));
        }
    } else if args.flow.is_some() {
        output::print(&text::detail(chosen));
    } else if args.flows {
        output::print(&table::lines(&flows, sums.flows));
    } else {
        output::print(&text::head(&outcome, &sums));
        output::print(&text::summary(&flows, &sums, args.top));
    }
    if let Some(rows) = rows {
        rows.write(args, memory_bytes)?;
    }
    drawing::draw(args, &job, chosen)?;
    Ok(ExitCode::SUCCESS)
}

/// What there was where there is no connection to tell of.
fn nothing(outcome: &Outcome) -> String {
    let others = text::others(&outcome.counts);
    if others.is_empty() {
        "no TCP connection that is wanted is in it".to_owned()
    } else {
        format!("no TCP connection that is wanted is in it; not looked at: {others}")
    }
}

fn chosen<'a>(args: &CaptureArgs, flows: &'a [FlowReport]) -> Result<&'a FlowReport, ExitCode> {
    let number = args.flow.unwrap_or(1);
    let place = number.saturating_sub(1) as usize;
    flows.get(place).ok_or_else(|| {
        let text = format!(
            "there is no connection {number}: there are {}",
            words::count(flows.len() as u64)
        );
        exit::usage(&text)
    })
}

/// The largest connections in their order, and the sums over all.
fn read(
    job: &Job<'_>,
    kept: usize,
    rows: Option<&Rows>,
) -> Result<(Outcome, Vec<FlowReport>, Sums), ExitCode> {
    let collector = || Collector {
        ranking: Ranking::keeping(kept),
        rows,
        row: Vec::new(),
    };
    let (outcome, collected) = engine::run(job, collector).map_err(|why| exit::usage(&why))?;
    let (flows, sums) = Ranking::joined(collected.into_iter().map(|one| one.ranking));
    Ok((outcome, flows, sums))
}

/// What takes the connections of a shard.
struct Collector<'a> {
    ranking: Ranking,
    /// One for each connection, where they are wanted.
    rows: Option<&'a Rows>,
    row: Vec<u8>,
}

impl Sink for Collector<'_> {
    fn wants(&self, extent: &Extent) -> bool {
        self.rows.is_some() || self.ranking.wants(extent)
    }

    fn expect(&mut self, extent: &Extent) {
        self.ranking.expect(extent);
    }

    fn whole(&mut self, flow: FlowReport) {
        if let Some(rows) = self.rows {
            rows.take(&flow, &mut self.row);
        }
        self.ranking.whole(flow);
    }

    fn brief(&mut self, flow: &Brief) {
        self.ranking.brief(flow);
    }
}

/// What is wrong with the files.
fn complain(outcome: &Outcome) {
    let mut told = Complaints::at_most(MOST_TOLD);
    for file in &outcome.files {
        let name = intake::shown(&file.path);
        for complaint in &file.complaints {
            told.say(|| format!("{name}, byte {}: {}", complaint.at, complaint.trouble));
        }
        told.count(file.further_complaints);
        if let Some(why) = &file.broke {
            told.say(|| format!("{name}: it could not be read to its end: {why}"));
        }
    }
}

/// What is told as a line of JSON.
#[derive(Serialize)]
struct Line<'a, T> {
    schema: u32,
    #[serde(flatten)]
    told: &'a T,
}

/// The version of the lines of `slowpath capture --json`.
const JSON_SCHEMA: u32 = 1;

fn json_line(told: &impl Serialize) -> String {
    evidence::to_json_line(&Line {
        schema: JSON_SCHEMA,
        told,
    })
}

/// Writes a file that is whole or not there.
fn write(
    path: &Path,
    fill: impl FnOnce(&mut std::io::BufWriter<std::fs::File>) -> std::io::Result<()>,
) -> Result<(), ExitCode> {
    let failed = |error: std::io::Error| exit::not_written(&format!("{}: {error}", intake::shown(path)));
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let file = std::fs::File::create(&part).map_err(failed)?;
    let mut file = std::io::BufWriter::new(file);
    fill(&mut file)
        .and_then(|()| file.flush())
        .and_then(|()| std::fs::rename(&part, path))
        .map_err(|error| {
            let _ = std::fs::remove_file(&part);
            failed(error)
        })?;
    terminal::note(&format!("written: {}", intake::shown(path)));
    Ok(())
}
