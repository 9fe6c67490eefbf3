//! WinMTR: mtr's report in a table, a hop a row.
//!
//! `|                          gw.example -    0 |   26 |   26 |    0 |    1 |    3 |    0 |`

use super::run::{Hop, Run};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::stray::is_stray;

pub(crate) static FORMAT: Format = Format {
    name: "WinMTR",
    group: Group::Paths,
    reads: "the report as text: loss and times of each hop",
    first: "|",
    has_command: false,
    marks: None,
    starts,
    continues,
    takes_in: Some(|block, line| is_stray(block, line, |line| row(line).is_some())),
    read,
};

fn starts(line: &str) -> bool {
    line.starts_with('|') && (is_title(line) || is_head(line) || is_rule(line))
}

fn is_title(line: &str) -> bool {
    line.contains("WinMTR statistics") || line.contains("WinMTR Statistics")
}

fn is_head(line: &str) -> bool {
    line.contains("Host") && line.contains("| Sent |") && line.contains("| Recv |")
}

/// `|-----------------------------|`: a rule of one cell, as no table of Markdown has it.
fn is_rule(line: &str) -> bool {
    let text = line.trim_ascii();
    text.len() > 60 && text.trim_matches('|').bytes().all(|byte| byte == b'-')
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if is_title(line) || is_rule(line) {
        return !block.has(|line| row(line).is_some() || is_title(line) && !is_rule(line));
    }
    if text.is_empty() {
        return false;
    }
    let is_frame = text.starts_with("|-") || text.starts_with("|_");
    is_head(line) || is_frame || row(line).is_some() || text.starts_with("WinMTR ")
}

/// The host and the cells behind it: the share lost first.
fn row(line: &str) -> Option<(&str, Vec<&str>)> {
    let inner = line.trim_ascii().strip_prefix('|')?.strip_suffix('|')?;
    let (first, rest) = inner.split_once('|')?;
    let (host, loss) = first.rsplit_once(" - ")?;
    let mut cells = vec![loss.trim_ascii()];
    cells.extend(rest.split('|').map(str::trim_ascii));
    let is_figure = |cell: &&str| cell.bytes().all(|byte| byte.is_ascii_digit()) && !cell.is_empty();
    cells.iter().all(is_figure).then_some((host.trim_ascii(), cells))
}

/// The columns that a head names behind the host, `%` first.
fn columns(line: &str) -> Vec<&str> {
    let inner = line.trim_ascii().trim_matches('|');
    let mut columns: Vec<&str> = inner.split('|').map(str::trim_ascii).collect();
    if let Some(first) = columns.first_mut() {
        *first = "Loss%";
    }
    columns
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut run = Run {
        tool: Some("WinMTR"),
        ..Run::default()
    };
    let mut head: Vec<&str> = Vec::new();
    let mut ttl = 0_u8;
    let (mut lost, mut last_lost) = (None, None);
    for (number, line) in block.numbered() {
        if is_head(line) {
            head = columns(line);
        } else if let Some((host, cells)) = row(line) {
            ttl = ttl.saturating_add(1);
            lost = lost.or(last_lost);
            if cells.len() != head.len() {
                lost = lost.or(Some(number));
                findings.complain(number, "no row of WinMTR's table below a head");
                continue;
            }
            let hop = hop(ttl, host, &head, &cells);
            // Several routers in a row may be silent, but none answers at two hops.
            if run
                .hops
                .last()
                .is_some_and(|last| !last.nodes.is_empty() && last.nodes == hop.nodes)
            {
                lost = lost.or(Some(number));
            }
            run.hops.push(hop);
        } else if line.trim_ascii().starts_with('|')
            && !is_title(line)
            && !line.trim_ascii().starts_with("|-")
            && !line.trim_ascii().starts_with("|_")
        {
            // The rows are not numbered: behind one that is lost nobody knows which hop is which. Nothing is behind the last one.
            last_lost = last_lost.or(Some(number));
            findings.complain(number, format!("no row of WinMTR's table: {}", line.trim_ascii()));
        } else if !line.trim_ascii().starts_with(['|', 'W']) {
            findings.unread(number, line);
        }
    }
    let lines = (block.first_line, block.last_written_line());
    if let Some(number) = lost {
        return findings.complain(
            number,
            "the hops of WinMTR have no numbers, and one is not understood: none is used",
        );
    }
    run.into_findings(lines, context, findings);
}

fn hop(ttl: u8, host: &str, head: &[&str], cells: &[&str]) -> Hop {
    let mut hop = Hop {
        ttl,
        ..Hop::default()
    };
    for (column, cell) in head.iter().zip(cells) {
        // 0 ms stands for "less than one", which is no figure, and for none at all.
        if *cell != "0" || matches!(*column, "Loss%" | "Sent" | "Recv") {
            hop.figure(column, cell);
        }
    }
    // "Request timed out." and "No response from host", in whichever language: no host has blanks in it. "Destination network
    // unreachable." stands there as well: then somebody answered who is not named.
    match host.contains(' ') {
        false => hop.node(host, None),
        true if hop.received == Some(0) => hop.node("???", None),
        true => {}
    }
    hop
}
