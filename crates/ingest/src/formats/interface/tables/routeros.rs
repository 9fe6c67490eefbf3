//! MikroTik RouterOS: `/interface print stats`, `print detail`, `/interface ethernet print stats`, `monitor`, `monitor-traffic`,
//! and `/queue simple print stats`, `/queue tree print stats`, whose queues have names as interfaces have.
//!
//! Figures have blanks between thousands and stand flush right: below the last letter of their heading, or of the name of the
//! interface where a line is a counter and a column an interface. What does not end there is not used.

use super::gathered::Gathered;
use super::routeros_cells::{keyed, names, take_row, take_table};
use super::routeros_entry::{is_comment, is_entry, is_running_comment, take_entry};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use crate::text::begin_of;
use evidence::CounterKind;

pub(crate) static FORMAT: Format = Format {
    name: "RouterOS interfaces",
    group: Group::Interfaces,
    reads: "MikroTik `/interface print`, `print detail`, `print stats`, `/interface ethernet print stats`, `monitor`, \
            `monitor-traffic`, `/queue simple print stats`, `/queue tree print stats`",
    first: "/0-9nFC#",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "interface",
            "queue",
            "Flags: ",
            "Columns: NAME",
            "RX-BYTE",
            "MTU",
            "name: ",
            " name=",
            " ;;; ",
        ])
    }),
    starts: |line| {
        is_command(line)
            || is_legend(line)
            || heading(line).is_some()
            || is_names(line)
            || is_entry(line)
            || is_running_comment(line)
    },
    continues,
    takes_in: None,
    read,
};

const TOOL: &str = "RouterOS interface";

/// What counters are called, sorted.
const WORDS: &[(&str, CounterKind)] = &[
    ("rx-align-error", CounterKind::InputFraming),
    ("rx-byte", CounterKind::InputBytes),
    ("rx-bytes", CounterKind::InputBytes),
    ("rx-drop", CounterKind::InputDiscards),
    ("rx-error", CounterKind::InputErrors),
    ("rx-fcs-error", CounterKind::InputCrc),
    ("rx-overflow", CounterKind::InputOverrun),
    ("rx-packet", CounterKind::InputPackets),
    ("rx-pause", CounterKind::InputPauses),
    ("tx-byte", CounterKind::OutputBytes),
    ("tx-bytes", CounterKind::OutputBytes),
    ("tx-collision", CounterKind::Collisions),
    ("tx-drop", CounterKind::OutputDrops),
    ("tx-error", CounterKind::OutputErrors),
    ("tx-late-collision", CounterKind::LateCollisions),
    ("tx-packet", CounterKind::OutputPackets),
    ("tx-pause", CounterKind::OutputPauses),
    ("tx-queue-drop", CounterKind::OutputDrops),
    ("tx-underrun", CounterKind::OutputUnderruns),
];

/// `[admin@router] > /interface ethernet print stats`, `/interface/ethernet/print stats`.
fn is_command(line: &str) -> bool {
    let typed = command_line(line).map(|typed| typed.command);
    let typed = typed.or_else(|| Some(line).filter(|line| line.starts_with('/')));
    typed.is_some_and(|typed| {
        let typed = typed.trim_start_matches('/');
        (typed.starts_with("interface")
            || typed.starts_with("queue simple")
            || typed.starts_with("queue/simple")
            || typed.starts_with("queue tree")
            || typed.starts_with("queue/tree"))
            && (typed.contains(" print") || typed.contains("/print") || typed.contains("monitor"))
    })
}

/// `Flags: D - dynamic, X - disabled, R - running, S - slave`, and what columns there are.
fn is_legend(line: &str) -> bool {
    line.starts_with("Flags: ") && (line.contains("R - running") || line.contains("R - RUNNING"))
        || line.starts_with("Columns: NAME, ") && (line.contains("RX-BYTE") || line.contains("MTU"))
}

/// `# NAME RX-BYTE TX-BYTE …`: where each heading begins and ends.
fn heading(line: &str) -> Option<Vec<(usize, usize, &str)>> {
    if !line.trim_ascii_start().starts_with("# ") || !(line.contains("RX-BYTE") || line.contains("MTU")) {
        return None;
    }
    let words = line.split(' ').filter(|word| !word.is_empty());
    let words: Vec<_> = words
        .map(|word| {
            let at = begin_of(word, line);
            (at, at + word.len(), word)
        })
        .collect();
    words.get(1).is_some_and(|word| word.2 == "NAME").then_some(words)
}

/// Whether a block is one table, a line an interface: of entries and of columns of names what stands below may be another's.
pub(super) fn is_table(block: &Block) -> bool {
    let is_headed = |line: &str| heading(line).is_some();
    block.has(is_headed) && !block.has(|line| is_entry(line) || is_names(line))
}

/// `      name: ether1 ether2`: what stands below is of these interfaces.
fn is_names(line: &str) -> bool {
    let text = line.trim_ascii_start();
    line.len() - text.len() >= 4
        && text
            .strip_prefix("name: ")
            .is_some_and(|names| !names.trim_ascii().is_empty())
}

/// The same without the blanks before it, as pages leave it: below the command alone, as anything else has a name like this.
fn is_names_in(block: &Block, line: &str) -> bool {
    let is_flush = || {
        line.strip_prefix("name: ")
            .is_some_and(|names| !names.trim_ascii().is_empty())
            && block.first().is_some_and(is_command)
    };
    is_names(line) || is_flush()
}

/// Whether the lines below the names lost their blanks: that of the names stands with them.
fn is_flush(rows: &[(u64, &str)]) -> bool {
    rows.first().is_some_and(|(_, line)| line.starts_with("name: "))
}

/// Whether a line ends in a figure, which has blanks between thousands: only the column that it ends in tells that it is whole.
fn may_go_on(line: &str) -> bool {
    keyed(line).is_some_and(|(key, value)| {
        let is_counted = ["rx-", "tx-", "fp-", "driver-"]
            .iter()
            .any(|way| key.starts_with(way));
        is_counted && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ')
    })
}

/// `17:20:06 echo: system,error …`: the log speaks in between.
fn is_log(line: &str) -> bool {
    line.split_once(" echo: ")
        .is_some_and(|(time, _)| time.len() < 24 && time.contains(':'))
}

fn is_row(line: &str) -> bool {
    line.trim_ascii_start()
        .as_bytes()
        .first()
        .is_some_and(u8::is_ascii_digit)
        && line.len() > 20
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    // `#    NAME   RX-BYTE` looks like a prompt of root.
    text.is_empty()
        || heading(line).is_some()
        || command_line(line).is_none()
            && (is_legend(line)
                || is_names_in(block, line)
                || is_entry(line)
                || is_comment(line)
                || text.starts_with(";;; ")
                || text.starts_with("-- [")
                || is_log(text)
                || text.starts_with("Flags: ") && block.first().is_some_and(is_command)
                || block.last().is_some_and(|last| !last.trim_ascii().is_empty())
                    && (keyed(line).is_some()
                        || is_row(line) && !is_names(block.first().unwrap_or_default())
                        // The rest of an entry, or of what is printed in hexadecimal.
                        || line.starts_with("    ")))
}

/// What the lines in hand belong to.
enum Above<'t> {
    Nothing,
    Heading(Vec<(usize, usize, &'t str)>),
    /// Names of interfaces by where they end, and the lines below them.
    Names(Vec<(usize, &'t str)>, Vec<(u64, &'t str)>),
    /// An entry, and the line that it begins with.
    Entry(u64, String),
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let device_of = device(block, context);
    let mut gathered = Gathered::default();
    let mut above = Above::Nothing;
    let mut has_read = false;
    let mut last_entry: Option<u32> = None;
    for (number, line) in block.numbered() {
        if let Above::Entry(first, entry) = &mut above {
            if !line.trim_ascii().is_empty() && !is_entry(line) && !is_comment(line) && line.contains('=') {
                entry.push(' ');
                entry.push_str(line.trim_ascii());
                continue;
            }
            take_entry(&mut gathered, findings, *first, entry);
            above = Above::Nothing;
        }
        let is_other =
            heading(line).is_some() || is_names_in(block, line) || is_entry(line) || is_comment(line);
        if let Above::Names(names, rows) = &above
            && is_other
        {
            take_table(&mut gathered, findings, names, rows);
            above = Above::Nothing;
        }
        if is_command(line)
            || is_legend(line)
            || line.starts_with("Flags: ")
            || line.trim_ascii().is_empty()
            || line.trim_ascii().starts_with(";;; ")
            || line.trim_ascii().starts_with("-- [")
            || is_log(line)
        {
            continue;
        }
        has_read = true;
        if let Some(words) = heading(line) {
            gathered.head(line);
            above = Above::Heading(words);
        } else if is_names_in(block, line) {
            // Each of several reports is one of its own.
            std::mem::take(&mut gathered).record(WORDS, &device_of, TOOL, context, findings);
            let first = (!is_names(line)).then_some((number, line));
            above = Above::Names(names(line), first.into_iter().collect());
        } else if is_entry(line) || is_comment(line) {
            // Entries are numbered from 0 in each output.
            let number_of = line
                .split_ascii_whitespace()
                .next()
                .and_then(|word| word.parse().ok());
            if last_entry.is_none() || number_of <= last_entry {
                gathered.head("");
            }
            last_entry = number_of;
            above = Above::Entry(number, line.to_owned());
        } else {
            match &mut above {
                Above::Heading(words) => take_row(&mut gathered, findings, number, words, line),
                Above::Names(_, rows) if !is_flush(rows) || !may_go_on(line) => rows.push((number, line)),
                Above::Names(..) => {
                    findings.complain(number, "a figure that may have gone on behind a blank")
                }
                Above::Nothing | Above::Entry(..) => findings.complain(number, "a row below no heading"),
            }
        }
    }
    match &above {
        Above::Entry(first, entry) => take_entry(&mut gathered, findings, *first, entry),
        Above::Names(names, rows) => take_table(&mut gathered, findings, names, rows),
        Above::Nothing | Above::Heading(_) => {}
    }
    if !has_read
        && !block
            .lines()
            .all(|line| is_command(line) || line.trim_ascii().is_empty())
    {
        findings.nothing_to_say();
    }
    gathered.record(WORDS, &device_of, TOOL, context, findings);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        assert!(WORDS.is_sorted_by(|(a, _), (b, _)| a < b));
    }
}
