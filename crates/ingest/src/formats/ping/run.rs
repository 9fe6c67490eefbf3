//! One run of ping: the line that heads it, and what it says, whichever program printed it.

use super::tally::Tally;
use super::windows;
use evidence::{Node, Timestamp};

/// What one run of ping says, whoever printed it.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) tool: &'static str,
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) at: Option<Timestamp>,
    pub(super) tally: Tally,
}

/// Whether a line is the header of a run.
pub(super) fn is_header(line: &str) -> bool {
    line.starts_with("PING ")
        || line.starts_with("PING6(")
        || windows::is_header(line)
        || (line.starts_with("Sending ") && line.contains("ICMP Echo"))
        || (line.starts_with("ping ") && line.ends_with("byte packets"))
}
