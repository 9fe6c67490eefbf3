//! PowerShell's `Test-Connection`: a table, a request a row. Its columns are as wide as they have to be, so that the head tells them.
//!
//! Version 5 prints `Source  Destination  IPV4Address  IPV6Address  Bytes  Time(ms)`, version 7 `Ping Source  Address  Latency
//! BufferSize Status` below the destination, with its units on a second line.

use super::tally::Tally;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::host::{host, rtt_ms};
use crate::prompt::typed_in_powershell;
use crate::stray::is_stray;
use evidence::{Node, Payload, Probes};
use std::net::IpAddr;

pub(crate) static FORMAT: Format = Format {
    name: "Test-Connection",
    group: Group::Paths,
    reads: "the table of PowerShell 5 and 7: counts, times, states",
    first: "DPSTt",
    has_command: true,
    marks: Some(|| Marks::of(["Time(ms)", "Ping Source ", "Destination: ", "Test-Connection"])),
    starts: |line| is_head(line) || destination(line).is_some() || is_command(line),
    continues,
    takes_in: Some(|block, line| {
        !is_head(line) && is_stray(block, line, |line| is_head(line) || row(block, line).is_some())
    }),
    read,
};

/// At a prompt of PowerShell: elsewhere somebody writes about it.
fn is_command(line: &str) -> bool {
    typed_in_powershell(line)
        .and_then(|typed| typed.split_ascii_whitespace().next())
        .is_some_and(|first| first.eq_ignore_ascii_case("Test-Connection"))
}

fn is_head(line: &str) -> bool {
    is_old_head(line) || is_new_head(line)
}

fn is_old_head(line: &str) -> bool {
    line.starts_with("Source ") && line.contains(" Destination ") && line.contains("Time(ms)")
}

fn is_new_head(line: &str) -> bool {
    line.starts_with("Ping Source ") && line.contains(" Latency") && line.contains(" Status")
}

/// `   Destination: a.example`
fn destination(line: &str) -> Option<&str> {
    let host = line
        .trim_ascii_start()
        .strip_prefix("Destination: ")?
        .trim_ascii();
    (line.starts_with(' ') && !host.is_empty() && !host.contains(' ')).then_some(host)
}

fn is_rule(text: &str) -> bool {
    text.starts_with("----") && text.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

/// Units on a line of their own, below the head.
fn is_units(text: &str) -> bool {
    !text.is_empty()
        && text
            .split_ascii_whitespace()
            .all(|word| matches!(word, "(ms)" | "(B)"))
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if text.is_empty() {
        return true;
    }
    if is_command(line) {
        return false;
    }
    if is_head(line) || destination(line).is_some() {
        let is_below = destination(line).is_some() && block.has(|line| destination(line).is_some());
        return !is_below && !block.has(is_head);
    }
    is_rule(text) || is_units(text) || row(block, line).is_some()
}

/// A row of the table.
struct Row<'t> {
    from: &'t str,
    to: Option<&'t str>,
    address: Option<IpAddr>,
    bytes: Option<u32>,
    rtt_ns: Option<u64>,
    status: &'t str,
}

fn row<'t>(block: &Block, line: &'t str) -> Option<Row<'t>> {
    if block.has(is_new_head) {
        return new_row(line);
    }
    block.has(is_old_head).then(|| old_row(line)).flatten()
}

/// `DESK7         a.example       192.0.2.1                                 32       12`
fn old_row(line: &str) -> Option<Row<'_>> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [from, to, addresses @ .., bytes, ms] = words.as_slice() else {
        return None;
    };
    let parse = |word: &&str| word.split('%').next()?.parse::<IpAddr>().ok();
    // Where the host has an address of either kind, nothing tells which was asked.
    let address = match addresses {
        [one] => Some(parse(one)?),
        [one, other] => {
            parse(one).and(parse(other))?;
            None
        }
        _ => return None,
    };
    Some(Row {
        from,
        to: Some(to),
        address,
        bytes: Some(bytes.parse().ok()?),
        rtt_ns: Some(rtt_ms(ms)?),
        status: "Success",
    })
}

/// `   1 DESK7            192.0.2.1                      12           32 Success`
fn new_row(line: &str) -> Option<Row<'_>> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let (number, rest) = words.split_first()?;
    number.parse::<u32>().ok()?;
    let [from, address, latency, bytes, status] = rest else {
        return None;
    };
    let is_state = status.starts_with(|c: char| c.is_ascii_alphabetic());
    Some(Row {
        from,
        to: None,
        address: address.split('%').next()?.parse().ok(),
        bytes: bytes.parse().ok(),
        rtt_ns: rtt_ms(latency),
        status,
    })
    .filter(|row| is_state && (row.rtt_ns.is_some() || *latency == "*"))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut tally = Tally::default();
    let (mut from, mut to) = (Node::default(), Node::default());
    let mut sent = 0_u64;
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if let Some(name) = destination(line) {
            to = host(name);
        } else if let Some(row) = row(block, line) {
            sent += 1;
            from = host(row.from);
            if let Some(name) = row.to {
                to = host(name);
            }
            let headers = row.address.map(|address| if address.is_ipv6() { 48 } else { 28 });
            match row.status {
                "Success" => {
                    to.address = row.address.or(to.address);
                    tally.size_bytes = row
                        .bytes
                        .filter(|bytes| *bytes > 0)
                        .and_then(|bytes| bytes.checked_add(headers?));
                    // 0 ms stands for "less than one", which is no figure.
                    tally.reply(row.rtt_ns.filter(|ns| *ns > 0));
                }
                "TimedOut" => tally.silent += 1,
                status => tally.error(row.address.map(Node::from), status, 1),
            }
        } else if number == block.first_line && is_command(line) {
        } else if !is_head(line) && !is_rule(text) && !is_units(text) && !text.is_empty() {
            findings.unread(number, line);
        }
    }
    if block.has(is_new_head) {
        // Version 7 has a row for each request; version 5 writes what failed elsewhere.
        tally.sent = Some(sent);
    }
    tally.has_header = sent > 0;
    if sent == 0 {
        return;
    }
    let Some(mut row) = tally.row(None) else { return };
    row.to = context.to_or(to);
    let probes = Probes {
        from: context.from_or(from),
        rows: vec![row],
        ..Probes::default()
    };
    let lines = (block.first_line, block.last_written_line());
    findings.record_of(lines, "Test-Connection", context.at, Payload::Probes(probes));
}
