//! Lines in a row that no format knows, as far as they may be those of an interface of which the head is missing.

use crate::block::Block;
use crate::formats::headless::{block_within, may_count};

/// So many lines stand above the counters of an interface at most.
const MOST_ABOVE: usize = 30;
/// Those of an interface are no more, and no longer, bytes.
const MOST_LINES: usize = 200;
const LONGEST: usize = 300;

/// The lines, from shortly above the first that may hold counters.
#[derive(Debug, Default)]
pub(super) struct StrangeLines {
    lines: Vec<(u64, String)>,
    has_counters: bool,
}

impl StrangeLines {
    pub(super) fn push(&mut self, number: u64, line: &str) {
        if line.len() > LONGEST || self.lines.len() >= MOST_LINES {
            return;
        }
        if !self.has_counters {
            self.has_counters = may_count(line);
            if self.lines.len() >= MOST_ABOVE {
                self.lines.remove(0);
            }
        }
        // Who answers a mail quotes it.
        self.lines.push((number, line.trim_start_matches('>').to_owned()));
    }

    /// Something was typed: what comes is of another command.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Those that are an interface's.
    pub(super) fn headless(&self) -> Option<Block> {
        self.has_counters.then(|| block_within(&self.lines))?
    }
}
