//! A capture as records of a case.

use super::engine::{self, Job};
use super::ranking::Ranking;
use super::reader::FileSaid;
use super::source::Source;
use crate::workers::processors;
use capture::file;
use capture::flow::FlowReport;
use capture::points::ComparisonReport;
use capture::{counted, measured};
use evidence::{Node, Payload, Timestamp};
use ingest::Record;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The largest connections that become evidence: a case is about one transfer, and its companions explain it.
const MOST: usize = 20;
/// For the connections of a capture that somebody adds to a case, bytes.
const MEMORY_BYTES: usize = 1 << 30;

/// Whether a file holds packets, packed or not.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn is_capture(path: &Path) -> io::Result<bool> {
    if path == Path::new("-") {
        return Ok(false);
    }
    let mut first = Vec::new();
    Source::open(path)?
        .take(file::MAGIC_BYTES)
        .read_to_end(&mut first)?;
    Ok(file::is_capture(&first))
}

/// What a capture says, as records, and what is wrong with it.
///
/// # Errors
/// In words, when it cannot be read.
pub(crate) fn records(path: &Path) -> Result<(Vec<Record>, Vec<FileSaid>), String> {
    let (flows, said) = largest(path)?;
    Ok((flows.iter().flat_map(of_flow).collect(), said))
}

/// The largest connections of a capture.
///
/// # Errors
/// In words, when it cannot be read.
pub(super) fn largest(path: &Path) -> Result<(Vec<FlowReport>, Vec<FileSaid>), String> {
    let paths: [PathBuf; 1] = [path.to_owned()];
    let stop = AtomicBool::new(false);
    let job = job(&paths, &stop);
    let (outcome, rankings) = engine::run(&job, || Ranking::keeping(MOST))?;
    let (flows, _) = Ranking::joined(rankings);
    Ok((flows, outcome.files))
}

/// How captures are read for a case: with all processors, and all their connections.
pub(super) fn job<'a>(paths: &'a [PathBuf], stop: &'a AtomicBool) -> Job<'a> {
    Job {
        paths,
        threads: processors(),
        memory_bytes: MEMORY_BYTES,
        seed: super::seed(),
        wanted: None,
        stop,
    }
}

/// What captures of one transfer at several places say of the way between them, as records.
pub(crate) fn of_points(report: &ComparisonReport) -> Vec<Record> {
    let begun_ns = report.points.iter().filter_map(|point| point.seen_ns);
    let at = begun_ns.map(|(first_ns, _)| first_ns).min().unwrap_or(0);
    let chains = counted::chains(report).into_iter();
    chains
        .map(|chain| record(Payload::CounterChain(chain), at))
        .collect()
}

fn of_flow(flow: &FlowReport) -> Vec<Record> {
    let payloads = measured::payloads(flow).into_iter();
    payloads.map(|payload| record(payload, flow.first_ns)).collect()
}

fn record(payload: Payload, at_ns: i64) -> Record {
    Record {
        payload,
        at: Some(Timestamp(at_ns)),
        tool: concat!("slowpath ", env!("CARGO_PKG_VERSION"), " capture").to_owned(),
        lines: (0, 0),
        place: Node::default(),
    }
}
