//! Foreign files, read in pieces: what `slowpath import` and `slowpath case add` share.

mod parts;

use crate::complaints::Complaints;
use crate::console::Meter;
use crate::exit;
use crate::in_order::InOrder;
use crate::times::{GivenTime, UtcOffset};
use casefile::in_pieces;
use clap::Args;
use evidence::{Complaint, Node, Party};
use ingest::{Context, Event, Importer, Record};
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;
use std::thread;

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

/// Bytes to read, and how many there are where that is known.
pub(crate) struct Source {
    reader: Box<dyn Read>,
    size_bytes: Option<u64>,
}

impl Source {
    /// A file; `-` is standard input.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            let (reader, size_bytes) = (Box::new(io::stdin().lock()), None);
            return Ok(Self { reader, size_bytes });
        }
        Self::of(File::open(path)?)
    }

    /// A file that is open.
    ///
    /// # Errors
    /// When it is a directory.
    pub(crate) fn of(file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let size_bytes = metadata.is_file().then_some(metadata.len());
        let reader = Box::new(file);
        Ok(Self { reader, size_bytes })
    }

    /// Hands all bytes on as they are.
    ///
    /// # Errors
    /// When they cannot be read, or `piece` fails.
    pub(crate) fn copy(self, file: &Path, piece: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut meter = Meter::new(&format!("copying {}", shown(file)), self.size_bytes);
        in_pieces(self.reader, |bytes| {
            meter.advance(bytes.len() as u64);
            piece(bytes)
        })
    }
}

/// Text of other tools that is to be read.
pub(crate) struct Reading<'a> {
    /// How it is called.
    pub(crate) file: &'a Path,
    pub(crate) source: Source,
    pub(crate) context: &'a Context,
    /// A long one is read with so many.
    pub(crate) threads: usize,
    /// So many complaints are told one by one.
    pub(crate) most_told: u64,
}

/// Why a reading ended before the end of the text.
pub(crate) enum Stopped<E> {
    Unreadable(io::Error),
    /// What took the records failed.
    NotTaken(E),
}

impl Reading<'_> {
    /// Reads to the end. `make` makes of records, in other threads, what `take` gets in their order while the text is read: nothing
    /// is kept of a record, so that a long text needs no more memory than a short one. What is not understood is said as it is
    /// met. Returns how many records there were.
    ///
    /// # Errors
    /// When the text cannot be read, or `take` fails.
    pub(crate) fn run<M: Send + 'static, E>(
        self,
        make: &(impl Fn(Vec<Record>) -> M + Sync),
        mut take: impl FnMut(M) -> Result<(), E>,
    ) -> Result<u64, Stopped<E>> {
        let (mut records, read_bytes) = (0_u64, Cell::new(0_u64));
        let not_taken = RefCell::new(None);
        let file = self.file;
        let mut told = Complaints::at_most(self.most_told);
        let read = thread::scope(|scope| {
            let take = |made| {
                if not_taken.borrow().is_none() {
                    *not_taken.borrow_mut() = take(made).err();
                }
            };
            let mut out = InOrder::new(scope, self.threads, file, make, take);
            let mut sink = |event| match event {
                Event::Complaint(complaint) => {
                    told.say(|| {
                        out.flush();
                        format!("{}, {complaint}", shown(file))
                    });
                    told.count(complaint.further);
                }
                Event::Record(record) => {
                    records += 1;
                    out.push(*record, read_bytes.get());
                }
            };
            let mut piece = |bytes: &[u8]| {
                read_bytes.set(read_bytes.get() + bytes.len() as u64);
                // Of what comes, nothing could be taken.
                match not_taken.borrow().is_some() {
                    true => Err(io::ErrorKind::Other.into()),
                    false => Ok(()),
                }
            };
            let read = self.read(&mut piece, &mut sink);
            out.flush();
            read
        });
        match (not_taken.into_inner(), read) {
            (Some(error), _) => Err(Stopped::NotTaken(error)),
            (None, Err(error)) => Err(Stopped::Unreadable(error)),
            (None, Ok(())) => Ok(records),
        }
    }

    /// `piece` gets the bytes as they are, `sink` what they say.
    fn read(
        self,
        piece: &mut dyn FnMut(&[u8]) -> io::Result<()>,
        sink: &mut dyn FnMut(Event),
    ) -> io::Result<()> {
        let Source { reader, size_bytes } = self.source;
        let mut meter = Meter::new(&format!("reading {}", shown(self.file)), size_bytes);
        let mut importer = Importer::new(self.context);
        if self.threads > 1 && size_bytes.is_some_and(|size| size >= parts::LONG_BYTES) {
            let mut advance = |bytes| meter.advance(bytes);
            return parts::read(reader, self.threads, importer, piece, &mut advance, sink);
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
}

/// A file's name for a person.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        report::clean(&path.display().to_string()).into_owned()
    }
}

/// A file that could not be read at all.
pub(crate) fn kept_out(file: &Path, error: &io::Error) -> ExitCode {
    exit::usage(&format!("{}: cannot read: {error}", shown(file)))
}
