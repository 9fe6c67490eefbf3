//! RouterOS' `/ping`: a table of the requests, and below each page of it a line of counts and times.
//!
//! `    0 192.0.2.1                                  56  64 157ms`, `    sent=2 received=2 packet-loss=0% min-rtt=55ms …`

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::routeros::{command, time};
use crate::host::{delay, host};
use crate::invoked::target;
use crate::stray::is_stray;
use evidence::{DelayStatistics, Node, Payload, ProbeError, ProbeRow, Probes};

pub(crate) static FORMAT: Format = Format {
    name: "RouterOS ping",
    group: Group::Paths,
    reads: "/ping of MikroTik's routers: counts, times, what came back instead",
    first: "SC[s",
    has_command: true,
    marks: Some(|| Marks::of([" HOST ", "Columns: SEQ", "sent=", "ping"])),
    starts: |line| is_head(line) || summary(line).is_some() || is_command(line),
    continues,
    takes_in: Some(|block, line| !is_head(line) && is_stray(block, line, is_own)),
    read,
};

/// `  SEQ HOST    SIZE TTL TIME  STATUS`, and above it of version 7 `Columns: SEQ, HOST, SIZE, TTL, TIME`.
fn is_head(line: &str) -> bool {
    let text = line.trim_ascii_start();
    (text.starts_with("SEQ ") && text.contains(" HOST ") && text.contains(" SIZE "))
        || text.starts_with("Columns: SEQ, HOST")
}

fn is_command(line: &str) -> bool {
    command(line, PROGRAMS).is_some()
}

static PROGRAMS: &[&str] = &["ping"];

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if text.is_empty() {
        return true;
    }
    // The counts go on from page to page, and begin anew with a new run.
    if is_head(line) || request(line).is_some_and(|request| request.number == 0) {
        let has_summary = block.has(|line| summary(line).is_some());
        let is_new = has_summary || block.has(|line| request(line).is_some());
        return !is_new || (is_head(line) && !has_summary);
    }
    is_own(line)
}

fn is_own(line: &str) -> bool {
    is_head(line) || request(line).is_some() || summary(line).is_some() || rest_of_times(line).is_some()
}

/// Where the counts are too long for the screen they go on below: `   max-rtt=157ms`.
fn rest_of_times(line: &str) -> Option<&str> {
    let text = line.trim_ascii();
    let is_time = |word: &str| {
        word.split_once('=')
            .is_some_and(|(name, value)| name.ends_with("-rtt") && time(value).is_some())
    };
    (!text.is_empty() && text.split_ascii_whitespace().all(is_time)).then_some(text)
}

/// A line of the table.
struct Request<'t> {
    number: u64,
    host: &'t str,
    /// Of the answer, the whole packet: it is as large as the request.
    size_bytes: Option<u32>,
    rtt_ns: Option<u64>,
    status: &'t str,
}

fn request(line: &str) -> Option<Request<'_>> {
    let text = line.trim_ascii();
    // The summary in the same line is no status.
    if text.contains("packet-loss=") {
        return None;
    }
    let (number, rest) = text.split_once(char::is_whitespace)?;
    let (host, rest) = rest.trim_ascii_start().split_once(char::is_whitespace)?;
    let mut request = Request {
        number: number.parse().ok()?,
        host,
        size_bytes: None,
        rtt_ns: None,
        status: "",
    };
    let mut rest = rest.trim_ascii_start();
    let mut numbers = 0;
    while !rest.is_empty() {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if let Ok(number) = word.parse::<u32>() {
            // Size and TTL of the answer.
            numbers += 1;
            request.size_bytes = request.size_bytes.or(Some(number));
        } else if let Some(ns) = time(word) {
            request.rtt_ns = Some(ns);
        } else if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            // What stands far behind the words is a line of its own.
            if rest.trim_ascii_end().contains("  ") {
                return None;
            }
            request.status = rest;
            break;
        } else {
            return None;
        }
        rest = behind.trim_ascii_start();
    }
    request.size_bytes = request
        .size_bytes
        .filter(|_| numbers == 2 && request.status.is_empty());
    // A host with neither size nor time nor words is somebody's list.
    (numbers <= 2 && (request.rtt_ns.is_some() || !request.status.is_empty()) && is_host(host))
        .then_some(request)
}

fn is_host(word: &str) -> bool {
    word.contains(['.', ':']) || word == "timeout"
}

/// What the line below the table counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Summary {
    sent: Option<u64>,
    received: Option<u64>,
    times: DelayStatistics,
}

/// `sent=2 received=2 packet-loss=0% min-rtt=55ms avg-rtt=67ms max-rtt=157ms`
fn summary(line: &str) -> Option<Summary> {
    let text = line.trim_ascii();
    if !text.starts_with("sent=") || !text.contains(" received=") {
        return None;
    }
    let mut summary = Summary::default();
    for word in text.split_ascii_whitespace() {
        let (name, value) = word.split_once('=')?;
        match name {
            "sent" => summary.sent = value.parse().ok(),
            "received" => summary.received = value.parse().ok(),
            _ => {}
        }
    }
    take_times(text, &mut summary.times);
    Some(summary)
}

fn take_times(text: &str, times: &mut DelayStatistics) {
    for word in text.split_ascii_whitespace() {
        let Some((name, value)) = word.split_once('=') else {
            continue;
        };
        // 0 ms stands for "less than one", which is no figure.
        let ns = delay(time(value).filter(|ns| *ns > 0));
        match name {
            "min-rtt" => times.min_ns = ns,
            "avg-rtt" => times.mean_ns = ns,
            "max-rtt" => times.max_ns = ns,
            _ => {}
        }
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut row = ProbeRow::default();
    let mut told: Option<Summary> = None;
    let (mut requests, mut replies) = (0_u64, 0_u64);
    let mut from = Node::default();
    let mut hosts: Vec<&str> = Vec::new();
    let mut sizes: Vec<u32> = Vec::new();
    for (number, line) in block.numbered() {
        if let Some(request) = request(line) {
            requests += 1;
            replies += u64::from(request.rtt_ns.is_some());
            sizes.extend(
                request
                    .size_bytes
                    .filter(|size| !sizes.contains(size) && sizes.len() < 2),
            );
            // Who says something else is not who was asked.
            let is_asked = !error(&request, &mut row);
            if is_asked && !hosts.contains(&request.host) && hosts.len() < 64 {
                hosts.push(request.host);
            }
        } else if let Some(summary) = summary(line) {
            told = Some(summary);
        } else if let (Some(rest), Some(summary)) = (rest_of_times(line), &mut told) {
            take_times(rest, &mut summary.times);
        } else if let Some(run) = command(line, PROGRAMS) {
            row.to = target(&run.words, &[]);
            row.dont_fragment = run.words.contains(&"do-not-fragment").then_some(true);
            from = run.device.map(Node::named).unwrap_or_default();
        } else if !is_head(line) {
            findings.unread(number, line);
        }
    }
    // With sizes of a range each request has its own.
    row.size_bytes = sizes.first().copied().filter(|_| sizes.len() == 1);
    let lines = (block.first_line, block.last_written_line());
    if let Some(summary) = told {
        (row.sent, row.received) = (summary.sent, summary.received);
        row.delay = Some(summary.times).filter(|times| *times != DelayStatistics::default());
    } else {
        row.received = Some(replies);
    }
    if requests == 0 && told.is_none() {
        return;
    }
    // A request to all is answered by many: who they are is not who was asked.
    if let (true, [only]) = (row.to.is_unknown(), hosts.as_slice()) {
        row.to = host(only);
    }
    row.to = context.to_or(std::mem::take(&mut row.to));
    let probes = Probes {
        from: context.from_or(from),
        rows: vec![row],
        ..Probes::default()
    };
    findings.record_of(lines, "RouterOS ping", context.at, Payload::Probes(probes));
}

/// `TTL exceeded`, `host unreachable`, `packet too large and cannot be fragmented`: who answered is the host of the line. `timeout` is
/// silence, and `echo reply` a reply. Whether it is an error.
fn error(request: &Request<'_>, row: &mut ProbeRow) -> bool {
    let said = request.status.trim_ascii();
    if said.is_empty() || said == "timeout" || said == "echo reply" || row.errors.len() > 64 {
        return false;
    }
    let from = Some(host(request.host));
    match row
        .errors
        .iter_mut()
        .find(|error| error.from == from && error.text == said)
    {
        Some(error) => error.count += 1,
        None => row.errors.push(ProbeError {
            from,
            text: said.to_owned(),
            count: 1,
            ..ProbeError::default()
        }),
    }
    true
}
