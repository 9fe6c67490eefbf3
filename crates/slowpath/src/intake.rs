//! Foreign files, read in pieces: what `slowpath import` and `slowpath case add` share.

mod parts;

use crate::console::Meter;
use crate::exit;
use crate::times::{GivenTime, UtcOffset};
use casefile::in_pieces;
use clap::Args;
use evidence::{Complaint, Node, Party};
use ingest::{Context, Event, ImportComplaint, Importer};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

/// What the one who imports knows and a record may not say.
#[derive(Debug, Clone, Args)]
pub(crate) struct KnownArgs {
    /// Where a record is silent: the sender of the data, or the host that probes started from
    #[arg(long, value_name = "HOST")]
    pub(crate) from: Option<String>,
    /// Where a record is silent: the receiver, or the host that probes went to
    #[arg(long, value_name = "HOST")]
    pub(crate) to: Option<String>,
    /// When the records were made, for those that do not say: `2003-08-27 06:05` (UTC, or as --utc-offset says)
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<GivenTime>,
    /// What times without a zone are in, for example -07:00; without it such times in records are not used
    #[arg(long, value_name = "±HH:MM", allow_hyphen_values = true)]
    pub(crate) utc_offset: Option<UtcOffset>,
}

impl KnownArgs {
    /// The same for the importer. A host that is a party of `complaint` gets that party's name and address.
    pub(crate) fn context(&self, complaint: Option<&Complaint>) -> Context {
        let node = |text: &Option<String>| match text {
            Some(text) => party_node(Node::read(text), complaint),
            None => Node::default(),
        };
        Context {
            from: node(&self.from),
            to: node(&self.to),
            at: self.at.and_then(|at| at.instant(self.utc_offset)),
            utc_offset_s: self.utc_offset.map(|offset| offset.0),
        }
    }
}

/// A host as somebody names it; a party of the complaint gets that party's name and address.
pub(crate) fn party_node(node: Node, complaint: Option<&Complaint>) -> Node {
    let parties = complaint.into_iter().flat_map(|c| [&c.from, &c.to]);
    let mut same = parties.filter(|party| node.is(party));
    match same.next() {
        Some(Party { name, address }) => Node {
            name: name.parse::<std::net::IpAddr>().is_err().then(|| name.clone()),
            address: address.or_else(|| name.parse().ok()),
        },
        None => node,
    }
}

/// Reads `path` (`-`: standard input) to its end, a long file with so many threads. `piece` gets the bytes as they are, `sink` what
/// they say.
///
/// # Errors
/// When it cannot be opened or read, or `piece` fails.
pub(crate) fn read(
    path: &Path,
    threads: usize,
    context: &Context,
    piece: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    sink: &mut dyn FnMut(Event),
) -> io::Result<()> {
    let (reader, size_bytes): (Box<dyn Read>, Option<u64>) = if path == Path::new("-") {
        (Box::new(io::stdin().lock()), None)
    } else {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        (Box::new(file), metadata.is_file().then_some(metadata.len()))
    };
    let mut meter = Meter::new(&format!("reading {}", shown(path)), size_bytes);
    let mut importer = Importer::new(context);
    if threads > 1 && size_bytes.is_some_and(|size| size >= parts::LONG_BYTES) {
        let mut advance = |bytes| meter.advance(bytes);
        return parts::read(reader, threads, importer, piece, &mut advance, sink);
    }
    in_pieces(reader, |bytes| {
        piece(bytes)?;
        meter.advance(bytes.len() as u64);
        importer.feed(bytes, sink);
        Ok(())
    })?;
    importer.finish(sink);
    Ok(())
}

/// A file's name for a person.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        report::clean(&path.display().to_string()).into_owned()
    }
}

/// What was not understood, for [`Complaints`](crate::complaints::Complaints).
pub(crate) fn about(path: &Path, complaint: &ImportComplaint) -> String {
    format!("{}, {complaint}", shown(path))
}

/// A file that could not be read at all.
pub(crate) fn kept_out(file: &Path, error: &io::Error) -> ExitCode {
    exit::usage(&format!("{}: cannot read: {error}", shown(file)))
}
