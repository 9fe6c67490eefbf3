//! Packets of one test counted by several networks along its path, as a table that people write by hand: Markdown with
//! the test's own figures around it, or CSV.
//!
//! A section is one block, so that the text ("98,035 packets lost (as reported by receiving host)") goes to the table
//! that it is about. A counter of 0 that a footnote calls not counted stays the 0 that was printed, and the footnote
//! stays beside it.

mod chain;
mod csv;
mod facts;
mod footnote;
mod heading;
mod section;
mod table;

pub(crate) use csv::FORMAT as CSV;

use crate::block::Block;
use crate::format::{Format, Group};

pub(crate) static FORMAT: Format = Format {
    name: "packet counters",
    group: Group::Tables,
    reads: "sections `Test N: …` with tables | Network | Description of Counter | Packets |",
    first: "|D#0-9",
    has_command: false,
    marks: None,
    starts,
    continues,
    takes_in: Some(takes_in),
    read: section::read,
};

/// More lines of prose than this between two tables are no longer about the test.
const LONGEST_PROSE: usize = 30;

/// No section is longer. Figures, tables and footnotes of a section are compared each with each.
const LONGEST_SECTION: usize = 2_000;

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'|') => table::is_head(line),
        Some(b'D') => line.starts_with(facts::DATE),
        Some(b'0'..=b'9' | b'#') => heading::is_of_test(line),
        _ => false,
    }
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if block.len() >= LONGEST_SECTION {
        return false;
    }
    if text.starts_with(facts::DATE) {
        return !block.has(|line| line.starts_with(facts::DATE));
    }
    text.is_empty() || footnote::starts(text) || table::caption(text).is_some()
}

/// Rows, figures and prose: tools print tables and sentences too.
fn takes_in(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if block.len() >= LONGEST_SECTION || text.starts_with(facts::DATE) {
        return false;
    }
    if text.starts_with('|') {
        // A row that was cut has fewer.
        let is_below_row = block
            .last()
            .is_some_and(|last| last.trim_ascii_start().starts_with('|'));
        return is_below_row || table::columns(text) == table::COLUMNS;
    }
    heading::title(line).is_none() && (facts::is_fact(text) || is_within_prose(block))
}

/// Prose belongs to a section that its heading opened, as long as it is not much; a table alone has none.
fn is_within_prose(block: &Block) -> bool {
    let opened_by_table = block.first().is_some_and(|line| line.starts_with('|'));
    let is_prose = |line: &&str| !line.starts_with('|') && !facts::is_fact(line);
    !opened_by_table
        && block
            .lines()
            .rev()
            .take(LONGEST_PROSE)
            .take_while(is_prose)
            .count()
            < LONGEST_PROSE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_a_section() {
        for yes in [
            "2.2.1 Test 1: 16:44 GMT, TCP, 10 parallel streams, 10s",
            "### Test 4: UDP",
            "Date of test: Dec 8, 2005 17:16 GMT",
            "| Network | Description of Counter | Packets |",
        ] {
            assert!(starts(yes), "{yes}");
        }
        for no in [
            "",
            "2.3 Conclusion",
            "63 packets re-ordered (as reported by receiving host)",
            "| 2.2.1 Test 1: 16:44 GMT, TCP, 10 parallel streams, 10s..... | 6 |",
            "| Network | Since |",
            " 2  router (w.x.y.z) 1 ms",
        ] {
            assert!(!starts(no), "{no}");
        }
    }
}
