//! What goes in beside the bytes, and what comes out.

use evidence::{Node, Payload, Timestamp};
use std::fmt;

/// What the one who imports knows and the record may not say. Used only where the record itself is silent.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The sender of the data, or where probes started.
    pub from: Node,
    /// The receiver, or where probes went to.
    pub to: Node,
    /// When the record was made.
    pub at: Option<Timestamp>,
    /// What times without a zone are in, seconds east of UTC. `None`: such times are not used.
    pub utc_offset_s: Option<i32>,
}

impl Context {
    /// `seen`, or where the record did not say, the sender that the importer named.
    #[must_use]
    pub fn from_or(&self, seen: Node) -> Node {
        if seen.is_unknown() {
            self.from.clone()
        } else {
            seen
        }
    }

    /// `seen`, or where the record did not say, the receiver that the importer named.
    #[must_use]
    pub fn to_or(&self, seen: Node) -> Node {
        if seen.is_unknown() { self.to.clone() } else { seen }
    }
}

/// Something that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What it says.
    pub payload: Payload,
    /// When it was made: from the record, else from the [`Context`]; `None` where neither tells.
    pub at: Option<Timestamp>,
    /// The tool that printed it, with its version where that is printed: `iperf3 3.12`.
    pub tool: String,
    /// First and last line, from 1.
    pub lines: (u64, u64),
    /// The host at whose prompt it was printed; unknown where no prompt stands above it.
    pub place: Node,
}

/// Something that was not understood. The raw bytes are kept by whoever imports, so nothing is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportComplaint {
    /// First line, from 1.
    pub first_line: u64,
    /// Last line.
    pub last_line: u64,
    /// Why.
    pub reason: String,
    /// So many more complaints about the same block are not told.
    pub further: u64,
}

impl fmt::Display for ImportComplaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first_line == self.last_line {
            write!(f, "line {}: {}", self.first_line, self.reason)
        } else {
            write!(
                f,
                "lines {} to {}: {}",
                self.first_line, self.last_line, self.reason
            )
        }
    }
}

/// What the importer has to say, in the order of the lines.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Something was understood.
    Record(Box<Record>),
    /// Something was not.
    Complaint(ImportComplaint),
}

impl Event {
    /// The first of the lines that it is about, from 1.
    #[must_use]
    pub fn first_line(&self) -> u64 {
        match self {
            Self::Record(record) => record.lines.0,
            Self::Complaint(complaint) => complaint.first_line,
        }
    }

    /// Gives the lines that it is about other numbers.
    pub(crate) fn renumber(&mut self, of: impl Fn((u64, u64)) -> (u64, u64)) {
        match self {
            Self::Record(record) => record.lines = of(record.lines),
            Self::Complaint(complaint) => {
                (complaint.first_line, complaint.last_line) = of((complaint.first_line, complaint.last_line));
            }
        }
    }
}
